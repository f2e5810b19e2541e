"""A sitemap or an index on disk: what it is, its entries, and what is wrong with it as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from woo_harvester.findings import Reporter
from woo_harvester.sitemaps.decompress import CHUNK_SIZE
from woo_harvester.sitemaps.file_findings import (
    ROOTS,
    Area,
    file_findings,
    other_kind_finding,
    read_error_finding,
)
from woo_harvester.sitemaps.names import NameMatch, index_name
from woo_harvester.sitemaps.reader import Entry, OtherRootError
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.xml_stream import SitemapError


def kind_of(path: Path, maxsize: int) -> Area:
    """Return how a file is read: as an index if its name or else its first entries say so. Raises OSError.

    A file that begins with entries of both kinds, or that has none, is what its root element says.
    """
    if index_name(path.name).match is NameMatch.INDEX:
        return "index"
    reading = RepairingReader(chunks_of(path), "urlset", maxsize)
    with suppress(OtherRootError, SitemapError):  # reported when the file itself is read
        for batch in reading:
            if batch or reading.current.others:
                break
    reader = reading.current
    if bool(reader.entries) == bool(reader.others):
        return "index" if reader.root == "sitemapindex" else "sitemap"
    return "index" if reader.others else "sitemap"


def entries_of(path: Path, area: Area, maxsize: int, report: Reporter) -> Iterator[Entry]:
    """Yield the entries of a file as far as it can be read; report what is wrong with it as a whole."""
    url = shown(path)
    reading = RepairingReader(chunks_of(path), ROOTS[area], maxsize)
    try:
        for batch in reading:
            yield from batch
    except OtherRootError as error:
        other_kind_finding(area, error).send(report, url)
    except SitemapError as error:
        read_error_finding(area, error).send(report, url)
    reader = reading.current
    for found in file_findings(area, reader):
        found.send(report, url)
    if reader.complete and not reader.entries:
        report("sitemap.leeg", url=url)


def chunks_of(path: Path) -> Callable[[], Iterator[bytes]]:
    """Return a function that yields the bytes of a file in pieces, from the first on. It raises OSError."""

    def chunks() -> Iterator[bytes]:
        with path.open("rb") as file:
            yield from iter(partial(file.read, CHUNK_SIZE), b"")

    return chunks


def shown(path: Path | str) -> str:
    """Return a path or name as text; bytes that are not UTF-8 become question marks."""
    return str(path).encode(errors="replace").decode()
