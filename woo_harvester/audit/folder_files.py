"""Finds the file on disk that a URL leads to, in a folder that has the files of a host."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

from woo_harvester.utils.urls import last_segment


def alike(one: list[str], other: list[str]) -> int:
    """Return how many folders are the same, from the innermost on."""
    return sum(1 for _ in takewhile(bool, map(str.__eq__, one, other)))


def folders_of(url: str) -> list[str]:
    """Return the folders of a URL, the innermost first and its host last."""
    return unquote(_address(url)[0]).split("/")[-2::-1]


def _address(url: str) -> tuple[str, str]:
    """Return host and path of a URL, and its query."""
    address, _, query = url.partition("#")[0].partition("://")[2].partition("?")
    return address, query


class FolderFiles:
    """The files in a folder, of which each belongs to one URL at most.

    The file of a URL has the same name, with or without the query, and packed or not. If the folder has
    several of that name, it is the one in the folders that are most like those of the URL.
    """

    def __init__(self, root: Path, paths: Iterable[Path]) -> None:
        self._root = root
        self._left = dict.fromkeys(paths)
        self._by_name: dict[str, list[Path]] = defaultdict(list)
        for path in self._left:
            self._by_name[path.name].append(path)

    def take(self, url: str) -> Path | None:
        """Return the file that a URL leads to, or None if the folder does not have it, or not any more."""
        address, query = _address(url)
        host, _, inside = unquote(address).partition("/")
        for place in (self._root / inside, self._root / host / inside):
            if not query and place in self._left:
                return self._taken(place)
        name = last_segment(url)
        names = (f"{name}?{query}", name, f"{name}.gz", name.removesuffix(".gz"))
        found = next(filter(None, (self._best(each, folders_of(url)) for each in names)), None)
        return None if found is None else self._taken(found)

    def leave_out(self, path: Path) -> None:
        """Take a file that belongs to no URL, unless a URL has it."""
        if path in self._left:
            self._taken(path)

    def left(self) -> Iterator[Path]:
        """Yield the files that no URL led to."""
        yield from list(self._left)

    def _best(self, name: str, folders: list[str]) -> Path | None:
        """Return the file with a name in the most similar folders; of several, the one least deep."""
        paths = [path for path in self._by_name.get(name, ()) if path in self._left]
        return max(
            paths, key=lambda path: (alike(list(path.parts[-2::-1]), folders), -len(path.parts)), default=None
        )

    def _taken(self, path: Path) -> Path:
        del self._left[path]
        self._by_name[path.name].remove(path)
        return path
