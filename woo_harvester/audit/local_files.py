"""Files on disk: what each of them is, what a sitemap or an index says, and which URL leads to which file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

from woo_harvester.findings import Reporter
from woo_harvester.sitemaps.file_findings import (
    ROOTS,
    Area,
    file_findings,
    other_kind_finding,
    read_error_finding,
)
from woo_harvester.sitemaps.reader import Entry, OtherRootError
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.xml_stream import CHUNK_SIZE, SitemapError
from woo_harvester.utils.urls import last_segment


def shown(path: Path | str) -> str:
    """Return a path or name as text; bytes that are not UTF-8 become question marks."""
    return str(path).encode(errors="replace").decode()


def chunks_of(path: Path) -> Callable[[], Iterator[bytes]]:
    """Return a function that yields the bytes of a file in pieces, from the first on. It raises OSError."""

    def chunks() -> Iterator[bytes]:
        with path.open("rb") as file:
            yield from iter(partial(file.read, CHUNK_SIZE), b"")

    return chunks


def files_in(given: Path) -> list[Path]:
    """Return the files under a folder in alphabetical order, or the one file. Raises OSError."""
    return [path for path in sorted(given.rglob("*")) if path.is_file()] if given.is_dir() else [given]


def is_robots_name(name: str) -> bool:
    """Return whether a file name is that of a robots.txt."""
    return name.lower() == "robots.txt"


def is_sitemap_name(name: str) -> bool:
    """Return whether a file name is that of an index or a sitemap; a query may follow it."""
    return name.lower().partition("?")[0].endswith((".xml", ".xml.gz"))


def found_kind(path: Path, maxsize: int) -> Area | None:
    """Return what the first entries of a file make it, else its root element; None if it is neither.

    Raises OSError.
    """
    reading = RepairingReader(chunks_of(path), "urlset", maxsize)
    with suppress(OtherRootError, SitemapError):  # reported when the file itself is read
        for batch in reading:
            if batch or reading.current.others:
                break
    reader = reading.current
    if bool(reader.entries) == bool(reader.others):
        return next((area for area, root in ROOTS.items() if root == reader.root), None)
    return "index" if reader.others else "sitemap"


class FileEntries:
    """The entries of a file, as far as it can be read; what is wrong with it as a whole is reported."""

    def __init__(self, path: Path, area: Area, maxsize: int, report: Reporter) -> None:
        self._url = shown(path)
        self._area = area
        self._report = report
        self._reading = RepairingReader(chunks_of(path), ROOTS[area], maxsize)

    def __iter__(self) -> Iterator[Entry]:
        area, url, report = self._area, self._url, self._report
        try:
            for batch in self._reading:
                yield from batch
        except OtherRootError as error:
            other_kind_finding(area, error).send(report, url)
        except SitemapError as error:
            read_error_finding(area, error).send(report, url)
        reader = self._reading.current
        for found in file_findings(area, reader):
            found.send(report, url)

    @property
    def is_empty(self) -> bool:
        """True if the file was read to its end and has no entries."""
        return self._reading.current.complete and not self._reading.current.entries

    @property
    def has_others(self) -> bool:
        """True if the file also lists what does not belong in it, as far as it was read."""
        return self._reading.current.others > 0


def alike(path: Path, folders: list[str]) -> int:
    """Return how many folders of a file are those of a URL, from the innermost on."""
    return sum(1 for _ in takewhile(bool, map(str.__eq__, path.parts[-2::-1], folders)))


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
        return max(paths, key=lambda path: (alike(path, folders), -len(path.parts)), default=None)

    def _taken(self, path: Path) -> Path:
        del self._left[path]
        self._by_name[path.name].remove(path)
        return path
