"""The check that no output takes the place of a file that the harvester reads or keeps."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from woo_harvester.running.paths import data_dir, state_url
from woo_harvester.utils.urls import is_web_url

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: What SQLite and the locks of runs add to the name of the state.
_BESIDE_STATE = ("-wal", "-shm", "-journal", ".lock")

#: The copies of the register and the newer value lists, in the data folder.
_KEPT = ("register/**/*", "tooi.json")


def refuse_own_file(path: Path, settings: BaseSettings, *inputs: object) -> None:
    """Raise UsageError if *path* leads to a file of the state, of the register, or of *inputs*.

    Each output of each command is checked here before anything is written. Of *inputs* the paths of files
    count that the command reads, and not URLs.
    """
    for own, what in _own_files(settings, inputs):
        if _is_same(path, own):
            raise UsageError(f"{path} is {what}: name another file", print_help=False)


def _own_files(settings: BaseSettings, inputs: tuple[object, ...]) -> Iterator[tuple[Path, str]]:
    from woo_harvester.state.store import sqlite_file  # noqa: PLC0415 -- it takes long, and few need it

    if (state := sqlite_file(state_url(settings))) is not None:
        yield state, "the state itself"
        for end in _BESIDE_STATE:
            yield state.with_name(f"{state.name}{end}"), "a file of the state"
    for kept in _KEPT:
        for file in data_dir(settings).glob(kept):
            yield file, "kept by the harvester in its data folder"
    for given in (settings["WOO_REGISTER"], *inputs):
        if isinstance(given, str | Path) and not is_web_url(str(given)):
            yield Path(given), "read by this command"


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two paths lead to one file, through links too; the file need not be there yet."""
    with suppress(OSError, ValueError):
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)
