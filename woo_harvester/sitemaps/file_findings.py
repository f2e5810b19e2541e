"""Findings on a whole index or sitemap, for a file that is fetched (crawl) or on disk (audit).

Source: seed "Sitemapindex en Sitemaps", section "Het sitemapprotocol".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Literal, NamedTuple

from woo_harvester.findings import Reporter
from woo_harvester.sitemaps.reader import (
    GUIDE_MAXENTRIES,
    PROPER_NAMES,
    SITEMAP_NAMESPACE,
    FileContents,
    OddNames,
    OtherRootError,
    RootName,
)
from woo_harvester.sitemaps.repair import NAMESPACES, Repair
from woo_harvester.sitemaps.robots import NOT_READ
from woo_harvester.sitemaps.xml_stream import GUIDE_MAXSIZE, ErrorReason, SitemapError
from woo_harvester.utils.program import counted
from woo_harvester.utils.terminal import is_unseen, visible

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


def file_findings(area: Area, file: FileContents) -> Iterator[FileFinding]:
    """Yield the findings on a file that was read, to its end or not."""
    if file.false_encoding and file.repair is None:
        yield FileFinding("sitemap.kop", *encoding_fault(file.false_encoding))
    if file.entries > GUIDE_MAXENTRIES or file.size > GUIDE_MAXSIZE:
        yield FileFinding(f"{area}.boven-norm", f"{file.entries} verwijzingen, {file.size} bytes")
    if file.namespace not in (SITEMAP_NAMESPACE, None):
        yield FileFinding("sitemap.naamruimte", file.namespace or _NO_NAMESPACE)
    elif (odd := file.foreign).count:
        element = "/".join(filter(None, (ROOTS[area], "sitemap" if area == "index" else "url", odd.inside)))
        seen = next(iter(odd.names)) or _NO_NAMESPACE
        yield FileFinding("sitemap.naamruimte", seen, odd.line, element=element)
    if file.root not in (ROOTS[area], None) and (file.entries or file.complete):
        seen = f"<{file.root}> met {_entries(area, file.entries)}"
        yield FileFinding(f"{area}.andere-wortel", seen, file.root_line)
    if file.entries and file.others:
        yield FileFinding(f"{area}.gemengd", _entries(_OTHER[area], file.others), action=NOT_READ)
    yield from _name_findings(area, file)
    if file.repair is not None and file.root is not None:
        yield from repair_findings(file.repair, file.root_line)


def _name_findings(area: Area, file: FileContents) -> Iterator[FileFinding]:
    """Yield the findings on what stands below the root under another name than that of an entry."""
    root = ROOTS[area]
    if (odd := file.other_case).count:
        names = list(dict.fromkeys(PROPER_NAMES[name.lower()] for name in odd.names))
        action = f"gelezen als {_tags(names)}"
        yield FileFinding("sitemap.hoofdletters", _seen(odd), odd.line, action)
    if (odd := file.unknown).count:
        first = next(iter(odd.names))
        seen = f"<{first}><{odd.inside}>" if odd.inside else _seen(odd)
        yield FileFinding("sitemap.element-onbekend", seen, odd.line, NOT_READ, f"{root}/{first}")
    if (odd := file.crowded).count:
        entry = next(iter(odd.names)).partition(">")[0]
        yield FileFinding("sitemap.element-onbekend", _seen(odd), odd.line, NOT_READ, f"{root}/{entry}")
    if file.text:
        yield FileFinding("sitemap.element-onbekend", file.text, file.root_line, NOT_READ, root)


def _seen(odd: OddNames) -> str:
    """Return the names of elements as tags, and their number: "<item>", "3 × <item>, <doc>"."""
    tags = _tags(odd.names)
    return tags if odd.count == 1 else f"{odd.count} × {tags}"


def _tags(names: Iterable[str]) -> str:
    return ", ".join(f"<{name}>" for name in names)


def encoding_fault(label: str) -> tuple[str, int, str]:
    """Return what is seen, the line and the action for a file in UTF-8 that declares another encoding."""
    return f'encoding="{label}"', 1, "gelezen als UTF-8"


def repair_findings(repair: Repair, root_line: int = 1) -> Iterator[FileFinding]:
    """Yield the findings on what was repaired in a file."""
    if repair.false_encoding:
        yield FileFinding("sitemap.kop", *encoding_fault(repair.false_encoding))
    if repair.head:
        blanks = "".join(takewhile(is_unseen, repair.head))
        seen = visible(blanks).replace(" ", "<U+0020>")
        seen += visible(" ".join(repair.head[len(blanks) :].split()))
        yield FileFinding("sitemap.kop", seen, 1, "gelezen zonder wat er voor het hoofdelement staat")
    for prefix in repair.prefixes:
        action = f"gelezen als {NAMESPACES[prefix]}"
        yield FileFinding("sitemap.voorvoegsel", prefix, root_line, action)
    for code, faults, action in (
        ("sitemap.ampersand", repair.ampersands, "gelezen als &amp;"),
        ("sitemap.tekens", repair.signs, "tekens weggelaten, en bytes gelezen als Windows-1252"),
    ):
        if faults.count:
            line, *others = faults.lines
            shown = ", ".join(map(str, others[:_LINES_SHOWN]))
            more = " en verder" if len(others) > _LINES_SHOWN else ""
            also = f"; ook op regel {shown}{more}" if others else ""
            count = f"{faults.count} × " if faults is repair.signs and faults.count > 1 else ""
            yield FileFinding(code, count + ", ".join(faults.seen), line, action + also)


def other_kind_finding(area: Area, error: OtherRootError) -> FileFinding:
    """Return the finding on a file that has none of the entries of its kind."""
    seen = f"<{error.root}>"
    if error.others:
        code = "index.is-urlset" if area == "index" else "index.genest"
        seen += f" met {_entries(_OTHER[area], error.others)}"
    else:
        code = "index.ongeldig" if area == "index" else "sitemap.wortelelement"
    return FileFinding(code, seen, error.line, NOT_READ)


def read_error_finding(area: Area, error: SitemapError) -> FileFinding:
    """Return the finding on a file that cannot be read, or not to its end, with what is lost by it."""
    action = f"ongeveer {_entries(area, error.lost)} niet gelezen" if error.lost else None
    return FileFinding(read_error_code(area, error.reason), error.seen, error.line, action)


def _entries(area: Area, count: int) -> str:
    """Return the number of entries of an index or a sitemap in words: "1 sitemap", "3 documenten"."""
    return counted(count, "sitemap") if area == "index" else counted(count, "document", "documenten")
