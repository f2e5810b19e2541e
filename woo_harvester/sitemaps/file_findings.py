"""Findings on a whole index or sitemap, for a file that is fetched (crawl) or on disk (audit).

Source: seed "Sitemapindex en Sitemaps", section "Het sitemapprotocol".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Literal, NamedTuple

from woo_harvester.findings import Reporter
from woo_harvester.sitemaps.fast_reader import UrlsetReader
from woo_harvester.sitemaps.names import NOT_READ
from woo_harvester.sitemaps.reader import (
    GUIDE_MAXENTRIES,
    GUIDE_MAXSIZE,
    SITEMAP_NAMESPACE,
    OtherRootError,
    RootName,
    SitemapReader,
)
from woo_harvester.sitemaps.xml_stream import ErrorReason, SitemapError

Area = Literal["index", "sitemap"]
"""The first part of a finding's code."""

#: The root element of a file by its area.
ROOTS: dict[Area, RootName] = {"index": "sitemapindex", "sitemap": "urlset"}
_OTHER: dict[Area, Area] = {"index": "sitemap", "sitemap": "index"}

_INDEX_CODES: dict[ErrorReason, str] = {
    "ongeldig": "index.ongeldig",
    "afgebroken": "index.ongeldig",
    "te-groot": "index.te-groot",
    "doctype": "sitemap.doctype",
}


def read_error_code(area: Area, fault: ErrorReason) -> str:
    """Return the code of the finding for a file that cannot be read, or not to its end."""
    return _INDEX_CODES[fault] if area == "index" else f"sitemap.{fault}"


class FileFinding(NamedTuple):
    """What is wrong with a file as a whole; the fields are those of :class:`Finding`."""

    code: str
    seen: str
    line: int | None = None
    action: str | None = None

    def send(self, report: Reporter, url: str) -> None:
        """Report the finding; *url* is that of the file."""
        report(self.code, url=url, line=self.line, seen=self.seen, action=self.action)


def file_findings(area: Area, reader: SitemapReader | UrlsetReader) -> Iterator[FileFinding]:
    """Yield the findings on a file that was read, to its end or not."""
    if reader.entries > GUIDE_MAXENTRIES or reader.size > GUIDE_MAXSIZE:
        yield FileFinding(f"{area}.boven-norm", f"{reader.entries} verwijzingen, {reader.size} bytes")
    if reader.namespace not in (SITEMAP_NAMESPACE, None):
        yield FileFinding("sitemap.naamruimte", reader.namespace or "geen naamruimte")
    if reader.root not in (ROOTS[area], None) and (reader.entries or reader.complete):
        seen = f"<{reader.root}> met {counted(area, reader.entries)}"
        yield FileFinding(f"{area}.andere-wortel", seen, reader.root_line)
    if reader.entries and reader.others:
        yield FileFinding(f"{area}.gemengd", counted(_OTHER[area], reader.others), action=NOT_READ)


def other_kind_finding(
    area: Area, error: OtherRootError, chunks: Iterable[bytes], maxsize: int
) -> FileFinding:
    """Return the finding on a file that has none of the entries of its kind; *chunks* is its body again."""
    if error.others:
        code = "index.is-urlset" if area == "index" else "index.genest"
        seen = f"<{error.root}> met {counted(_OTHER[area], error.others)}"
    elif area == "index":
        code, seen = "index.ongeldig", f"<{error.root}>"
    else:
        code, seen = "sitemap.wortelelement", describe_root(error.root, chunks, maxsize)
    return FileFinding(code, seen, error.line, NOT_READ)


def counted(area: Area, count: int) -> str:
    """Return the number of entries of an index or a sitemap in words: "1 sitemap", "3 documenten"."""
    one, more = ("sitemap", "sitemaps") if area == "index" else ("document", "documenten")
    return f"{count} {one if count == 1 else more}"


def describe_root(root: str, chunks: Iterable[bytes], maxsize: int) -> str:
    """Return a wrong root element as a finding shows it; ``Documents`` with its number of documents."""
    if root != "Documents":
        return f"<{root}>"
    reader = SitemapReader(chunks, "Documents", maxsize)
    with suppress(SitemapError):  # the count goes as far as the file can be read
        for _ in reader:
            pass
    return f"<Documents> met {counted('sitemap', reader.entries)}"
