"""One finding for each mistake: what the schema says of a mistake that has a finding already is left out.

The finding that stays is the most specific one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from woo_harvester.audit.schema import GROUPS, FaultKind, SchemaFault, schema_faults
from woo_harvester.diwoo.given import meant_elements
from woo_harvester.findings import Finding, Reporter
from woo_harvester.sitemaps.reader import Entry

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

_BARE = "metadata.tekst"

#: The codes of faults of one kind; other faults are ``metadata.schema``.
_CODES: dict[FaultKind, str] = {
    "namespace": "metadata.naamruimte",
    "repeated": "metadata.dubbel",
    "text": _BARE,
}

#: For other faults: the finding that says the same, if it names the element.
_NAMED: dict[FaultKind, str] = {**_CODES, "unknown": _UNREAD, "inside": "metadata.resource-element"}

#: For faults of which a document has one finding: that finding.
_ONCE: dict[FaultKind, str] = {"namespace": "metadata.naamruimte", "mdto": "metadata.mdto"}

#: A cause that a finding and a fault may share: what kind of cause, and the name that it is about.
_Cause = tuple[str, str]


class EntryReporter(Reporter):
    """Keeps the findings on an entry until all of them are known, and then sends one for each cause."""

    __slots__ = ("_entry", "_found", "_to")

    def __init__(self, entry: Entry, to: Reporter) -> None:
        self._found: list[Finding] = []
        super().__init__(self._found.append, **to.bound)
        self._entry = entry
        self._to = to

    def finish(self, *, is_harvested: bool) -> None:
        """Send the findings; with *is_harvested*, also what the schema says of the entry."""
        faults = schema_faults(self._entry.document, self._entry.outside) if is_harvested else ()
        for finding in one_per_cause(self._found, faults):
            self._to.send(finding)
        self._found.clear()


def one_per_cause(findings: Sequence[Finding], faults: Iterable[SchemaFault]) -> Iterator[Finding]:
    """Yield the findings on an entry, and then the faults that none of them is about.

    Of the faults, one is yielded for all wrong namespaces.
    """
    yield from findings
    known = {cause for finding in findings for cause in _causes_of(finding)}
    for fault in faults:
        causes = set(_causes_of_fault(fault))
        if known.isdisjoint(causes):
            code = _CODES.get(fault.kind, "metadata.schema")
            yield Finding(code=code, element=fault.path, seen=fault.message)
        if fault.kind == "namespace":
            known |= causes


def _causes_of(finding: Finding) -> Iterator[_Cause]:
    """Yield what a fault by the schema may be if it has the same cause as a finding."""
    names = [name.strip("<>") for name in (finding.seen or "").split(", ")]
    code = _UNREAD if finding.code == "sitemap.hoofdletters" else finding.code
    yield "missing", finding.code.partition(".")[0] + "."
    if finding.code in _ONCE.values():
        yield finding.code, ""
    elif finding.code in ("datum.ongeldig", "creatiedatum.ontbreekt"):
        yield "type", _last(finding.element)
    elif code in _NAMED.values():
        yield from ((code, name) for name in names)
        if code == _UNREAD:
            yield from (("meant", name) for name in meant_elements(names))


def _causes_of_fault(fault: SchemaFault) -> Iterator[_Cause]:
    match fault.kind:
        case "missing":
            yield "missing", _ABSENT.get(fault.name, "")
            yield "meant", fault.name
            yield _BARE, _last(fault.path)
        case kind if kind in _ONCE:
            yield _ONCE[kind], ""
        case "type":
            yield "type", fault.name
        case kind if kind in _NAMED:
            yield _NAMED[kind], fault.name
            yield _NAMED[kind], _last(fault.path)
            if kind == "repeated" and fault.name in GROUPS:
                yield from ((_NAMED[kind], child.name) for child in GROUPS[fault.name].children)


def _last(path: str | None) -> str:
    return (path or "").rpartition("/")[2]
