"""Findings on a whole index or sitemap, for a file that is fetched (crawl) or on disk (audit).

Source: seed "Sitemapindex en Sitemaps", section "Het sitemapprotocol".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from woo_harvester.findings import Reporter
from woo_harvester.sitemaps.fast_reader import UrlsetReader
from woo_harvester.sitemaps.names import NOT_READ
from woo_harvester.sitemaps.reader import (
    GUIDE_MAXENTRIES,
    GUIDE_MAXSIZE,
    PROPER_NAMES,
    SITEMAP_NAMESPACE,
    OddNames,
    OtherRootError,
    RootName,
    SitemapReader,
)
from woo_harvester.sitemaps.repair import NAMESPACES, Repair
from woo_harvester.sitemaps.xml_stream import ErrorReason, SitemapError

Area = Literal["index", "sitemap"]
"""The first part of a finding's code."""

#: The root element of a file by its area.
ROOTS: dict[Area, RootName] = {"index": "sitemapindex", "sitemap": "urlset"}
_OTHER: dict[Area, Area] = {"index": "sitemap", "sitemap": "index"}

_NO_NAMESPACE = "geen naamruimte"

#: Most lines that a finding names beside its own.
_LINES_SHOWN = 9

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
    element: str | None = None

    def send(self, report: Reporter, url: str) -> None:
        """Report the finding; *url* is that of the file."""
        report(self.code, url=url, line=self.line, seen=self.seen, action=self.action, element=self.element)


def file_findings(area: Area, reader: SitemapReader | UrlsetReader) -> Iterator[FileFinding]:
    """Yield the findings on a file that was read, to its end or not."""
    if reader.entries > GUIDE_MAXENTRIES or reader.size > GUIDE_MAXSIZE:
        yield FileFinding(f"{area}.boven-norm", f"{reader.entries} verwijzingen, {reader.size} bytes")
    if reader.namespace not in (SITEMAP_NAMESPACE, None):
        yield FileFinding("sitemap.naamruimte", reader.namespace or _NO_NAMESPACE)
    elif (odd := reader.foreign).count:
        element = f"{ROOTS[area]}/{'sitemap' if area == 'index' else 'url'}"
        seen = next(iter(odd.names)) or _NO_NAMESPACE
        yield FileFinding("sitemap.naamruimte", seen, odd.line, element=element)
    if reader.root not in (ROOTS[area], None) and (reader.entries or reader.complete):
        seen = f"<{reader.root}> met {counted(area, reader.entries)}"
        yield FileFinding(f"{area}.andere-wortel", seen, reader.root_line)
    if reader.entries and reader.others:
        yield FileFinding(f"{area}.gemengd", counted(_OTHER[area], reader.others), action=NOT_READ)
    yield from _name_findings(area, reader)
    if reader.repair is not None:
        yield from _repair_findings(reader.repair, reader.root_line)


def _name_findings(area: Area, reader: SitemapReader | UrlsetReader) -> Iterator[FileFinding]:
    """Yield the findings on what stands below the root under another name than that of an entry."""
    root = ROOTS[area]
    if (odd := reader.other_case).count:
        names = list(dict.fromkeys(PROPER_NAMES[name.lower()] for name in odd.names))
        action = f"gelezen als {_tags(names)}"
        yield FileFinding("sitemap.hoofdletters", _seen(odd), odd.line, action)
    if (odd := reader.unknown).count:
        first = next(iter(odd.names))
        seen = f"<{first}><{odd.inside}>" if odd.inside else _seen(odd)
        yield FileFinding("sitemap.element-onbekend", seen, odd.line, NOT_READ, f"{root}/{first}")
    if (odd := reader.crowded).count:
        entry = next(iter(odd.names)).partition(">")[0]
        yield FileFinding("sitemap.element-onbekend", _seen(odd), odd.line, NOT_READ, f"{root}/{entry}")
    if reader.text:
        yield FileFinding("sitemap.element-onbekend", reader.text, reader.root_line, NOT_READ, root)


def _seen(odd: OddNames) -> str:
    """Return the names of elements as tags, and their number: "<item>", "3 × <item>, <doc>"."""
    tags = _tags(odd.names)
    return tags if odd.count == 1 else f"{odd.count} × {tags}"


def _tags(names: Iterable[str]) -> str:
    return ", ".join(f"<{name}>" for name in names)


def _repair_findings(repair: Repair, root_line: int) -> Iterator[FileFinding]:
    """Yield the findings on what was repaired in a file."""
    for prefix in repair.prefixes:
        action = f"gelezen als {NAMESPACES[prefix]}"
        yield FileFinding("sitemap.voorvoegsel", prefix, root_line, action)
    if repair.ampersands:
        line, *others = repair.lines
        shown = ", ".join(map(str, others[:_LINES_SHOWN]))
        more = " en verder" if len(others) > _LINES_SHOWN else ""
        action = f"gelezen als &amp;; ook op regel {shown}{more}" if others else "gelezen als &amp;"
        yield FileFinding("sitemap.ampersand", repair.seen, line, action)


def other_kind_finding(area: Area, error: OtherRootError) -> FileFinding:
    """Return the finding on a file that has none of the entries of its kind."""
    seen = f"<{error.root}>"
    if error.others:
        code = "index.is-urlset" if area == "index" else "index.genest"
        seen += f" met {counted(_OTHER[area], error.others)}"
    else:
        code = "index.ongeldig" if area == "index" else "sitemap.wortelelement"
    return FileFinding(code, seen, error.line, NOT_READ)


def read_error_finding(area: Area, error: SitemapError) -> FileFinding:
    """Return the finding on a file that cannot be read, or not to its end, with what is lost by it."""
    action = f"ongeveer {counted(area, error.lost)} niet gelezen" if error.lost else None
    return FileFinding(read_error_code(area, error.reason), error.seen, error.line, action)


def counted(area: Area, count: int) -> str:
    """Return the number of entries of an index or a sitemap in words: "1 sitemap", "3 documenten"."""
    one, more = ("sitemap", "sitemaps") if area == "index" else ("document", "documenten")
    return f"{count} {one if count == 1 else more}"
