"""Read a sitemap with scanner and full reader, for the tests of the scanner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from lxml import etree

from woo_harvester.demo.sitemaps import DIWOO_NAMESPACE, SITEMAP_NAMESPACE
from woo_harvester.sitemaps.reader import Entry, OtherRootError, SitemapReader
from woo_harvester.sitemaps.scanner import NotPlainError, Scan, ScannedEntry, UrlsetReader
from woo_harvester.sitemaps.xml_stream import SitemapError

MAXSIZE = 50 * 1024 * 1024
ROOT = f'<urlset xmlns="{SITEMAP_NAMESPACE}" xmlns:diwoo="{DIWOO_NAMESPACE}">'
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
ONE = "<url><loc>https://a.nl/1.pdf</loc><lastmod>2024-04-01</lastmod></url>"
TWO = "<url><loc>https://a.nl/2.pdf</loc></url>"


class Row(NamedTuple):
    """The fields of an entry that are compared."""

    loc: str
    lastmod: str | None
    document: Any


class Outcome(NamedTuple):
    """The result of reading a file."""

    rows: list[Row]
    error: tuple[object, ...] | None
    lines: list[int]
    sound: bool = True
    """Whether the file was read completely, with all names as they should be: the scanner reads no other."""


class Known(NamedTuple):
    """The data of an entry that a caller keeps."""

    digest: bytes
    row: Row


def sitemap(*entries: str, root: str = ROOT, start: str = DECLARATION, end: str = "</urlset>\n") -> bytes:
    return "".join([start, root, *entries, end]).encode()


def tree(element: etree._Element | None) -> Any:
    if element is None:
        return None
    children = [tree(child) for child in element]
    return (element.tag, dict(element.attrib), element.nsmap, element.text, element.tail, children)


def row(entry: Entry) -> Row:
    return Row(entry.loc, entry.lastmod, tree(entry.document))


def read(chunks: Iterable[bytes], maxsize: int = MAXSIZE) -> Outcome:
    """Return the result of the full reader."""
    rows, lines = [], []
    reader = SitemapReader(chunks, "urlset", maxsize)
    try:
        for batch in reader:
            rows += [row(entry) for entry in batch]
            lines += [entry.line for entry in batch]
    except SitemapError as error:
        return Outcome(rows, (error.reason, error.seen, error.line), lines, False)
    except OtherRootError as error:
        return Outcome(rows, (error.root, error.line), lines, False)
    return Outcome(rows, None, lines, reader.complete and not reader.other_case.count)


def read_again(
    chunks: list[bytes], known: Mapping[str, Known] | None = None, maxsize: int = MAXSIZE
) -> tuple[Outcome, bool]:
    """Return the result of the scanner, continued by the full reader, and whether the scanner sufficed."""
    rows: list[Row] = []
    lines: list[int] = []
    try:
        for entry in scanned(chunks, maxsize):
            before = (known or {}).get(entry.loc)
            if before and before.digest == entry.digest:
                assert entry.lastmod == before.row.lastmod
                rows.append(before.row)
            else:
                rows.append(row(entry.parse()))
            lines.append(entry.line)
    except NotPlainError:
        rest = read(chunks, maxsize)
        taken = len(rows)
        outcome = Outcome(rows + rest.rows[taken:], rest.error, lines + rest.lines[taken:], rest.sound)
        return outcome, False
    return Outcome(rows, None, lines), True


def scanned(chunks: Iterable[bytes], maxsize: int = MAXSIZE) -> Iterator[ScannedEntry]:
    for batch in Scan(chunks, maxsize):
        yield from batch


def known_of(data: bytes) -> dict[str, Known]:
    """Return the data that a caller keeps of a file after its first reading."""
    known = {}
    try:
        for entry in scanned([data]):
            known[entry.loc] = Known(entry.digest, row(entry.parse()))
    except NotPlainError:
        pass
    return known


def process(reader: UrlsetReader) -> None:
    """Read a file to its end as the spider does, which counts the entries that can be parsed."""
    for batch in reader:
        count = 0
        with suppress(NotPlainError):
            for entry in batch:
                entry.parse()
                count += 1
        reader.processed(count)


def is_plain(data: bytes) -> bool:
    """Return whether the scanner reads a file to its end; compare the result with the full reader."""
    outcome, plain = read_again([data])
    assert outcome == read([data])
    return plain
