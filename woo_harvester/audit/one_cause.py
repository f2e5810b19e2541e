"""One finding for each mistake: what the schema says of a mistake that has a finding already is left out.

The finding that stays is the most specific one. It gets the line and the path of the element that is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lxml import etree

from woo_harvester.audit.schema import FaultKind, SchemaFault, schema_faults
from woo_harvester.diwoo.given import meant_elements
from woo_harvester.findings import Finding, Reporter
from woo_harvester.report.examples import label_and_uri
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

#: A cause that a finding and a fault may share: what kind of cause, and the name that it is about.
_Cause = tuple[str, str]

#: Elements of an entry that stand beside its metadata.
_BESIDE = ("loc", "lastmod")


class EntryReporter(Reporter):
    """Keeps the findings on an entry until all of them are known, and then sends one for each cause."""

    __slots__ = ("_entry", "_found", "_to")

    def __init__(self, entry: Entry, to: Reporter) -> None:
        self._found: list[Finding] = []
        super().__init__(self._found.append, url=to.url, host=to.host, sitemap=to.sitemap, line=to.line)
        self._entry = entry
        self._to = to

    def finish(self, *, is_harvested: bool) -> None:
        """Send the findings; with *is_harvested*, also what the schema says of the entry."""
        entry = self._entry
        faults = schema_faults(entry.document, entry.outside) if is_harvested else ()
        for finding in one_per_cause(entry, self._found, faults):
            self._to.send(finding)
        self._found.clear()


def one_per_cause(
    entry: Entry, findings: Sequence[Finding], faults: Iterable[SchemaFault]
) -> Iterator[Finding]:
    """Yield the findings on an entry, each with its own line, and then the faults that none of them is about.

    Of the faults, one is yielded for all wrong namespaces.
    """
    causes = _Causes(findings)
    own: dict[int, SchemaFault] = {}  # the fault that each finding is about
    left: dict[str, SchemaFault] = {}
    for number, fault in enumerate(faults):
        index = causes.take(fault)
        if index is not None:
            own.setdefault(index, fault)
        else:
            left.setdefault("namespace" if fault.kind == "namespace" else str(number), fault)
    places = _Places(entry)
    for index, finding in enumerate(findings):
        yield _placed(finding, own.get(index), places)
    for fault in left.values():
        yield Finding(
            code="metadata.schema", element=fault.path, seen=fault.message, line=places.line(fault.line)
        )


class _Causes:
    """The findings on an entry by their cause, so that a fault need not be compared with each of them."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._indexes: dict[_Cause, list[int]] = {}
        self._passed: Counter[_Cause] = Counter()
        """How many findings with a cause are known to be taken."""
        self._taken: set[int] = set()
        for index, finding in enumerate(findings):
            for cause in dict.fromkeys(_causes_of(finding)):
                self._indexes.setdefault(cause, []).append(index)

    def take(self, fault: SchemaFault) -> int | None:
        """Return the first finding with the cause of a fault that none was about yet, else the very first."""
        known = [cause for cause in _causes_of_fault(fault) if cause in self._indexes]
        if not known:
            return None
        free = [index for cause in known if (index := self._first_free(cause)) is not None]
        index = min(free or [self._indexes[cause][0] for cause in known])
        self._taken.add(index)
        return index

    def _first_free(self, cause: _Cause) -> int | None:
        indexes = self._indexes[cause]
        while (passed := self._passed[cause]) < len(indexes):
            if indexes[passed] not in self._taken:
                return indexes[passed]
            self._passed[cause] += 1
        return None


def _causes_of(finding: Finding) -> Iterator[_Cause]:
    """Yield what a fault by the schema may be if it has the same cause as a finding."""
    names = (finding.seen or "").split(", ")
    yield "missing", finding.code.partition(".")[0] + "."
    if finding.code == "metadata.naamruimte":
        yield "namespace", ""
    elif finding.code == "datum.ongeldig":
        yield "type", _last(finding.element)
    elif finding.code in _NAMED.values():
        yield from ((finding.code, name) for name in names)
        if finding.code == _UNREAD:
            yield from (("meant", name) for name in meant_elements(names))


def _causes_of_fault(fault: SchemaFault) -> Iterator[_Cause]:
    match fault.kind:
        case "missing":
            yield "missing", _ABSENT.get(fault.name, "")
            yield "meant", fault.name
        case "namespace":
            yield "namespace", ""
        case "type":
            yield "type", fault.name
        case kind if kind in _NAMED:
            yield _NAMED[kind], fault.name
            yield _NAMED[kind], _last(fault.path)


def _placed(finding: Finding, fault: SchemaFault | None, places: _Places) -> Finding:
    """Return the finding with the line, and if it has none, the path of the element that it is about."""
    if fault is None:
        line = None if finding.element is None else places.line_of(finding.element, finding.seen or "")
        return replace(finding, line=line or finding.line)
    element = finding.element or fault.path.removeprefix("DiWoo/")
    return replace(finding, line=places.line(fault.line) or finding.line, element=element)


class _Places:
    """The elements of an entry by their path, each path walked once, and there by what they say."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self._diwoo = _diwoo(entry)
        self._found: dict[str, list[etree._Element]] = {}
        self._saying: dict[str, dict[str, int]] = {}
        """The first element at a path that has a text or a URI."""

        first = None if entry.element is None else entry.element.sourceline
        self._before = entry.line - first if first and first < LINE_MAX else 0
        """The number of lines before the part of the file that was parsed for the entry."""

    def line(self, parsed: int | None) -> int | None:
        """Return a line as far as libxml2 counts; None beyond that."""
        return parsed + self._before if parsed and parsed < LINE_MAX else None

    def line_of(self, path: str, seen: str) -> int | None:
        """Return the line of the element at the path of a finding, or of the last one that is there.

        Of several elements with that path, it is the first whose text or URI was seen.
        """
        if path not in self._found:
            self._walk(path)
        found = self._found[path]
        is_beside = path.split("/", maxsplit=1)[0] in _BESIDE
        if not found:
            return None if is_beside or not self._diwoo else self.line(self._diwoo[0].sourceline)
        saying = self._saying[path]
        said = [saying[text] for text in _texts_in(seen) if text in saying]
        return self.line(found[min(said, default=0)].sourceline)

    def _walk(self, path: str) -> None:
        names = path.split("/")
        found: list[etree._Element] = []
        inside = _beside(self._entry) if names[0] in _BESIDE else self._diwoo
        for name in names:
            inside = [child for element in inside for child in element if local_name(child.tag) == name]
            found = inside or found
        saying: dict[str, int] = {}
        for index, element in enumerate(found):
            for text in ((element.text or "").strip(), element.get("resource") or ""):
                saying.setdefault(text, index)
        self._found[path], self._saying[path] = found, saying


def _texts_in(seen: str) -> Iterator[str]:
    """Yield the texts and URIs that may have been seen: "label (URI)", several with "; " between them."""
    yield seen
    for part in seen.split("; "):
        yield part
        yield from filter(None, label_and_uri(part))


def _beside(entry: Entry) -> list[etree._Element]:
    parent = None if entry.document is None else entry.document.getparent()
    return [] if parent is None else [parent]


def _diwoo(entry: Entry) -> list[etree._Element]:
    """Return the elements that have the metadata of an entry."""
    document = [] if entry.document is None else list(entry.document)
    return [each for each in (*document, *entry.outside) if local_name(each.tag) == "DiWoo"]


def _last(path: str | None) -> str:
    return (path or "").rpartition("/")[2]
