"""Recognises permit messages among files on disk, by their root element."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from woo_harvester.audit.local_file import chunks_of, found_kind
from woo_harvester.audit.site import ROBOTS, is_sitemap_name
from woo_harvester.permits.parsing import has_message_root
from woo_harvester.report.funnel import HarvestKind


def is_message(path: Path) -> bool:
    """Return whether the root of a file is that of a permit message, of any version. Raises OSError."""
    return has_message_root(chunks_of(path)())


def messages_among(paths: Iterable[Path], maxsize: int) -> list[Path]:
    """Return the files that are judged as permit messages: those with such a root, and their neighbours.

    A neighbour is a file of which nothing shows what it is, such as an HTML page, in a folder with messages
    and without sitemaps or indexes. *maxsize* is the largest size of an index in bytes, after decompression.
    Raises OSError.
    """
    paths = list(paths)
    messages = {path for path in paths if is_message(path)}
    if not messages:
        return []
    kinds = {path: "message" if path in messages else found_kind(path, maxsize) for path in paths}
    folders = {path.parent for path in messages}
    folders -= {path.parent for path, kind in kinds.items() if kind in ("index", "sitemap")}
    return [
        path for path, kind in kinds.items() if kind == "message" or (not kind and path.parent in folders)
    ]


class GivenMessages:
    """The permit messages among files and folders that were given. Raises OSError.

    Files that are given one by one are compared with each other, as if their folder was given.
    """

    def __init__(self, given: Iterable[Path], maxsize: int) -> None:
        self._files = {path: _files_of(path) for path in given}
        named = [
            path
            for place, files in self._files.items()
            for path in files
            if is_sitemap_name(path.name) or path == place
        ]
        self._messages = dict.fromkeys(messages_among(dict.fromkeys(named), maxsize))

    def __bool__(self) -> bool:
        """Return whether there is any message."""
        return bool(self._messages)

    @property
    def kind(self) -> HarvestKind:
        """What all of it is about: permits if there are messages, and nothing else is to be read."""
        others = any(self.others(place) is not None for place in self._files)
        return "vergunningen" if self._messages and not others else "woo"

    def others(self, given: Path) -> list[Path] | None:
        """Return the files of *given* that are no messages; None if it has messages and no sitemaps."""
        files = self._files[given]
        rest = [path for path in files if path not in self._messages]
        has_sitemaps = any(is_sitemap_name(path.name) or path.name.lower() == ROBOTS for path in rest)
        return rest if has_sitemaps or len(rest) == len(files) else None

    def groups(self) -> dict[Path, list[Path]]:
        """Return the messages by the name under which they count: a given folder, or the folder of files.

        A single file counts under its own name.
        """
        groups: dict[Path, list[Path]] = {}
        folders = [place for place in self._files if place.is_dir()]
        for path in self._messages:
            name = next((folder for folder in folders if folder in path.parents), path.parent)
            groups.setdefault(name, []).append(path)
        return {
            files[0] if len(files) == 1 and name not in folders else name: files
            for name, files in groups.items()
        }


def _files_of(given: Path) -> list[Path]:
    """Return the files under a folder in alphabetical order, or the one file. Raises OSError."""
    return [path for path in sorted(given.rglob("*")) if path.is_file()] if given.is_dir() else [given]
