"""The files of records that a portal searches in: patterns, and what they stand for now."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path

from woo_harvester.program import program

#: What runs write in the working folder without ``-o`` and ``-O``.
DEFAULT = "records/*.jsonl"


class NoRecordsError(Exception):
    """There is nothing to search in; the message is one line."""


class RecordFiles:
    """Files and patterns that were given; without any, what runs write in the working folder."""

    def __init__(self, given: Sequence[str] = ()) -> None:
        self._given = list(given) or [DEFAULT]

    def __call__(self) -> list[Path]:
        """Return the files that there are now, each once, by name."""
        found = {Path(name) for pattern in self._given for name in _names(pattern)}
        return sorted(path for path in found if path.is_file())

    def check(self) -> None:
        """Raise NoRecordsError if there is none, or if one that was named is not there."""
        for name in self._given:
            if not has_magic(name) and not Path(name).is_file():
                raise NoRecordsError(f"{name}: no such file of records")
        if not self():
            raise NoRecordsError(
                f"no records in {' '.join(self._given)}: {program()} crawl woo makes them, "
                f"and {program()} demo --portal shows fictional ones"
            )


def _names(pattern: str) -> list[str]:
    # pathlib has no patterns that are absolute.
    return glob(pattern, recursive=True) if has_magic(pattern) else [pattern]  # noqa: PTH207
