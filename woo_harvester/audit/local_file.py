"""A sitemap or an index on disk: what it is, its entries, and what is wrong with it as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

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
from woo_harvester.sitemaps.robots import NameMatch, index_name
from woo_harvester.sitemaps.xml_stream import CHUNK_SIZE, SitemapError


def kind_of(path: Path, maxsize: int) -> Area:
    """Return how a file is read: as an index if its name or else its first entries say so. Raises OSError.

    A file that begins with entries of both kinds, or that has none, is what its root element says.
    """
    return (
        "index" if index_name(path.name).match is NameMatch.INDEX else found_kind(path, maxsize) or "sitemap"
    )


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
        if reader.complete and not reader.entries:
            report("sitemap.leeg", url=url)

    @property
    def has_others(self) -> bool:
        """True if the file also lists what does not belong in it, as far as it was read."""
        return self._reading.current.others > 0


def chunks_of(path: Path) -> Callable[[], Iterator[bytes]]:
    """Return a function that yields the bytes of a file in pieces, from the first on. It raises OSError."""

    def chunks() -> Iterator[bytes]:
        with path.open("rb") as file:
            yield from iter(partial(file.read, CHUNK_SIZE), b"")

    return chunks


def shown(path: Path | str) -> str:
    """Return a path or name as text; bytes that are not UTF-8 become question marks."""
    return str(path).encode(errors="replace").decode()
