"""One finding for each mistake: what the schema says of a mistake that has a finding already is left out.

The finding that stays is the most specific one. It gets the line and the path of the element that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lxml import etree

from woo_harvester.audit.schema import MAX_FAULTS, FaultKind, SchemaFault
from woo_harvester.diwoo.near_names import meant_elements
from woo_harvester.findings import Finding
from woo_harvester.sitemaps.reader import LINE_MAX, Entry
from woo_harvester.sitemaps.xml_stream import local_name

#: For an element that the schema misses: the first part of the codes that say the same.
_ABSENT = {
    "publisher": "publisher.",
    "titelcollectie": "titel.",
    "officieleTitel": "titel.",
    "classificatiecollectie": "informatiecategorie.",
    "informatiecategorieen": "informatiecategorie.",
    "informatiecategorie": "informatiecategorie.",
    "documenthandelingen": "documenthandeling.",
    "documenthandeling": "documenthandeling.",
    "soortHandeling": "documenthandeling.",
}

_UNREAD = "metadata.element-onbekend"

#: For other faults: the finding that says the same, if it names the element.
_NAMED: dict[FaultKind, str] = {
    "unknown": _UNREAD,
    "repeated": _UNREAD,
    "text": _UNREAD,
    "inside": "metadata.resource-element",
}

#: Elements of an entry that stand beside its metadata.
_BESIDE = ("loc", "lastmod")


def one_per_cause(
    entry: Entry, findings: Sequence[Finding], faults: Iterable[SchemaFault]
) -> Iterator[Finding]:
    """Yield the findings on an entry, each with its own line, and then the faults that none of them is about.

    Of the faults, one is yielded for all wrong namespaces, and twenty at most.
    """
    own: dict[int, SchemaFault] = {}  # the fault that each finding is about
    left: dict[str, SchemaFault] = {}
    for number, fault in enumerate(faults):
        about = [index for index, finding in enumerate(findings) if _is_about(finding, fault)]
        if about:
            own.setdefault(next((index for index in about if index not in own), about[0]), fault)
        else:
            left.setdefault("namespace" if fault.kind == "namespace" else str(number), fault)
    for index, finding in enumerate(findings):
        yield _placed(finding, own.get(index), entry)
    for fault in list(left.values())[:MAX_FAULTS]:
        yield Finding(
            code="metadata.schema", element=fault.path, seen=fault.message, line=_known_line(fault.line)
        )


def _is_about(finding: Finding, fault: SchemaFault) -> bool:
    """Return whether a finding and a fault have the same cause."""
    names = (finding.seen or "").split(", ")
    match fault.kind:
        case "missing":
            absent = _ABSENT.get(fault.name)
            if absent is not None and finding.code.startswith(absent):
                return True
            return finding.code == _UNREAD and fault.name in meant_elements(names)
        case "namespace":
            return finding.code == "metadata.naamruimte"
        case "type":
            return finding.code == "datum.ongeldig" and _last(finding.element) == fault.name
        case kind if kind in _NAMED:
            return finding.code == _NAMED[kind] and (fault.name in names or _last(fault.path) in names)
        case _:
            return False


def _placed(finding: Finding, fault: SchemaFault | None, entry: Entry) -> Finding:
    """Return the finding with the line, and if it has none, the path of the element that it is about."""
    if fault is None:
        line = None if finding.element is None else _line_of(entry, finding)
        return replace(finding, line=line or finding.line)
    element = finding.element or fault.path.removeprefix("DiWoo/")
    return replace(finding, line=_known_line(fault.line) or finding.line, element=element)


def _line_of(entry: Entry, finding: Finding) -> int | None:
    """Return the line of the element in the path of a finding, or of the last one that is there.

    Of several elements with that path, it is the first whose text or URI was seen.
    """
    names = str(finding.element).split("/")
    found: list[etree._Element] = []
    inside = _beside(entry) if names[0] in _BESIDE else _diwoo(entry)
    for name in names:
        inside = [child for element in inside for child in element if local_name(child.tag) == name]
        found = inside or found
    seen = [element for element in found if _is_seen(element, finding.seen or "")]
    first = next(iter(seen or found or _diwoo(entry)), None)
    return None if first is None or (not found and names[0] in _BESIDE) else _known_line(first.sourceline)


def _beside(entry: Entry) -> list[etree._Element]:
    parent = None if entry.document is None else entry.document.getparent()
    return [] if parent is None else [parent]


def _diwoo(entry: Entry) -> list[etree._Element]:
    """Return the elements that have the metadata of an entry."""
    document = [] if entry.document is None else list(entry.document)
    return [each for each in (*document, *entry.outside) if local_name(each.tag) == "DiWoo"]


def _is_seen(element: etree._Element, seen: str) -> bool:
    text, uri = (element.text or "").strip(), element.get("resource") or ""
    return bool(text and text in seen) or bool(uri and uri in seen)


def _last(path: str | None) -> str:
    return (path or "").rpartition("/")[2]


def _known_line(line: int | None) -> int | None:
    """Return a line as far as libxml2 counts; None beyond that."""
    return line if line and line < LINE_MAX else None
