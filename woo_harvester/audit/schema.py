"""The rules of the DiWoo schema 0.9.8 as a table, and the faults of a document by those rules.

Values from value lists are not checked here: the harvest itself reports those that it does not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from typing import Literal, NamedTuple

from lxml import etree

from woo_harvester.diwoo.given import DIWOO_NAMESPACE
from woo_harvester.sitemaps.repair import NAMESPACES
from woo_harvester.sitemaps.xml_stream import local_name, namespace

_MDTO_NAMESPACE = NAMESPACES["mdto"]

#: Attributes with this namespace may stand anywhere (XML Schema 1.0, part 1, section 2.6).
_INSTANCE = NAMESPACES["xsi"]

#: The number of faults of one document that are found; one more says that there are others.
MAX_FAULTS = 1000

_MANY = None
Leaf = Literal["string", "anyURI", "date", "dateTime", "value"]


class Child(NamedTuple):
    """A child element in the schema, and how often it may occur."""

    name: str
    content: Leaf | str
    """A Leaf (``value`` is a label with the attribute ``resource``), or a key of :data:`GROUPS`."""
    least: int = 0
    most: int | None = 1


class Group(NamedTuple):
    """The children of an element, and whether they must be in this order."""

    children: tuple[Child, ...]
    in_order: bool = False


FaultKind = Literal["missing", "unknown", "repeated", "text", "namespace", "type", "inside", "mdto", "other"]
"""What is wrong: an element is missing, is not known there, is there too often, has text instead of elements,
has another namespace, has no valid value, has an element instead of a text, or MDTO beside DiWoo."""


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One fault of an element by the schema; the message is in Dutch."""

    path: str
    """The path of the element below ``diwoo:Document``, such as ``DiWoo/titelcollectie/officieleTitel``."""
    message: str
    kind: FaultKind = "other"
    name: str = ""
    """The name of the element that is wrong or missing."""


def _list_of(name: str, content: Leaf | str = "string") -> Group:
    return Group((Child(name, content, 1, _MANY),))


GROUPS: dict[str, Group] = {
    "Document": Group(
        (Child("DiWoo", "DiWoo"), Child("MDTO", "mdto", 0, _MANY), Child("extraMetadata", "extra", 0, _MANY)),
        in_order=True,
    ),
    "DiWoo": Group(
        (
            Child("identifiers", "identifiers"),
            Child("publisher", "value", 1),
            Child("verantwoordelijke", "value"),
            Child("medeverantwoordelijken", "medeverantwoordelijken"),
            Child("opsteller", "value"),
            Child("naamOpsteller", "string"),
            Child("titelcollectie", "titelcollectie", 1),
            Child("omschrijvingen", "omschrijvingen"),
            Child("classificatiecollectie", "classificatiecollectie", 1),
            Child("creatiedatum", "date"),
            Child("geldigheid", "geldigheid"),
            Child("language", "value"),
            Child("format", "value"),
            Child("aggregatiekenmerk", "string"),
            Child("isPartOf", "value"),
            Child("hasParts", "hasParts"),
            Child("documenthandelingen", "documenthandelingen", 1),
            Child("documentrelaties", "documentrelaties"),
            Child("redenVerwijderingVervanging", "value"),
        )
    ),
    "identifiers": _list_of("identifier"),
    "medeverantwoordelijken": _list_of("medeverantwoordelijke", "value"),
    "titelcollectie": Group(
        (
            Child("officieleTitel", "string", 1),
            Child("verkorteTitels", "verkorteTitels"),
            Child("alternatieveTitels", "alternatieveTitels"),
        )
    ),
    "verkorteTitels": _list_of("verkorteTitel"),
    "alternatieveTitels": _list_of("alternatieveTitel"),
    "omschrijvingen": _list_of("omschrijving"),
    "classificatiecollectie": Group(
        (
            Child("informatiecategorieen", "informatiecategorieen", 1),
            Child("documentsoorten", "documentsoorten"),
            Child("themas", "themas"),
            Child("trefwoorden", "trefwoorden"),
        )
    ),
    "informatiecategorieen": _list_of("informatiecategorie", "value"),
    "documentsoorten": _list_of("documentsoort", "value"),
    "themas": _list_of("thema", "value"),
    "trefwoorden": _list_of("trefwoord"),
    "geldigheid": Group((Child("begindatum", "dateTime"), Child("einddatum", "dateTime"))),
    "hasParts": _list_of("hasPart", "value"),
    "documenthandelingen": _list_of("documenthandeling", "documenthandeling"),
    "documenthandeling": Group(
        (
            Child("soortHandeling", "value", 1),
            Child("atTime", "dateTime", 1),
            Child("wasAssociatedWith", "value"),
        )
    ),
    "documentrelaties": _list_of("documentrelatie", "documentrelatie"),
    "documentrelatie": Group((Child("role", "value", 1), Child("relation", "value", 1))),
    "extra": Group(
        (Child("namespace", "anyURI"), Child("prefix", "string"), Child("extraMetadatavelden", "velden", 1)),
        in_order=True,
    ),
    "velden": _list_of("extraMetadataveld", "veld"),
    "veld": Group((Child("key", "string", 1), Child("values", "values", 1)), in_order=True),
    "values": _list_of("value"),
}

_EXAMPLES: dict[str, str] = {"date": "2026-01-31", "dateTime": "2026-01-31T09:00:00"}


def schema_faults(
    document: etree._Element | None, outside: Iterable[etree._Element] = ()
) -> Iterator[SchemaFault]:
    """Return the faults of a ``diwoo:Document`` in the order of its elements.

    Beyond ``MAX_FAULTS``, one more says that the rest was not checked.
    *outside* are elements that belong in it but stand beside it. Only their content is checked. The content
    of an element that is there too often is not checked.
    """
    faults = chain(_group(document, "Document", "") if document is not None else (), _outside(outside))
    yield from islice(faults, MAX_FAULTS)
    if (next_one := next(faults, None)) is not None:
        message = f"hier zijn er al {MAX_FAULTS} fouten in dit document; de rest is niet bekeken"
        yield replace(next_one, message=message, kind="other")


def _outside(elements: Iterable[etree._Element]) -> Iterator[SchemaFault]:
    children = {child.name: child for child in GROUPS["Document"].children}
    for element in elements:
        name = local_name(element.tag)
        if name in children:
            yield from _content(element, children[name], name)


def _group(element: etree._Element, kind: str, path: str) -> Iterator[SchemaFault]:
    children = {child.name: child for child in GROUPS[kind].children}
    yield from _attributes(element, path, allowed=())
    if any(text and text.strip() for text in (element.text, *(child.tail for child in element))):
        yield _fault(path, "hier staat tekst, waar alleen elementen horen", "text")
    counts: Counter[str] = Counter()
    names: list[str] = []
    for child in element:
        name = local_name(child.tag)
        inside = f"{path}/{name}" if path else name
        declared = children.get(name)
        if declared is None:
            message = f"<{name}> hoort hier niet; hier mag: {', '.join(children)}"
            yield _fault(inside, message, "unknown")
            continue
        expected = _MDTO_NAMESPACE if name == "MDTO" else DIWOO_NAMESPACE
        if namespace(str(child.tag)) != expected:
            seen = namespace(str(child.tag)) or "geen"
            message = f"<{name}> heeft niet de naamruimte {expected}, maar {seen}"
            yield _fault(inside, message, "namespace")
        counts[name] += 1
        names.append(name)
        if declared.most is not None and counts[name] > declared.most:
            if counts[name] == declared.most + 1:
                yield _fault(inside, f"<{name}> staat er vaker dan één keer", "repeated")
            continue
        yield from _content(child, declared, inside)
    yield from _missing(path, children, counts)
    yield from _order(kind, path, names)


def _missing(path: str, children: dict[str, Child], counts: Counter[str]) -> Iterator[SchemaFault]:
    for child in children.values():
        if counts[child.name] < child.least:
            yield _fault(path, f"<{child.name}> ontbreekt", "missing", child.name)
    if counts["DiWoo"] and counts["MDTO"]:
        yield _fault(path, "er staan zowel <DiWoo> als <MDTO>; het is één van beide", "mdto")
    if "prefix" in children and bool(counts["namespace"]) != bool(counts["prefix"]):
        absent = "prefix" if counts["namespace"] else "namespace"
        yield _fault(
            path, f"<namespace> en <prefix> horen bij elkaar; <{absent}> ontbreekt", "missing", absent
        )


def _order(kind: str, path: str, names: list[str]) -> Iterator[SchemaFault]:
    order = [child.name for child in GROUPS[kind].children]
    places = [order.index(name) for name in names]
    if GROUPS[kind].in_order and places != sorted(places):
        yield _fault(path, f"de volgorde is niet: {', '.join(order)}")


def _content(element: etree._Element, declared: Child, path: str) -> Iterator[SchemaFault]:
    if declared.content in GROUPS:
        yield from _group(element, declared.content, path)
    elif declared.content != "mdto":
        yield from _leaf(element, declared.content, path)


def _leaf(element: etree._Element, kind: str, path: str) -> Iterator[SchemaFault]:
    yield from _attributes(element, path, allowed=("resource",) if kind == "value" else ())
    if len(element):
        inside = local_name(element[0].tag)
        yield _fault(path, f"hier hoort alleen tekst, en geen <{inside}>", "inside")
    elif kind in ("date", "dateTime", "anyURI") and not _is_valid(kind, element.text or ""):
        example = f", zoals {_EXAMPLES[kind]}" if kind in _EXAMPLES else ""
        yield _fault(path, f"“{(element.text or '').strip()}” is geen xs:{kind}{example}", "type")


def _attributes(element: etree._Element, path: str, allowed: tuple[str, ...]) -> Iterator[SchemaFault]:
    for name in map(str, element.attrib):
        if name not in allowed and namespace(name) != _INSTANCE:
            yield _fault(path, f"het attribuut {local_name(name)} hoort hier niet")


def _fault(path: str, message: str, kind: FaultKind = "other", name: str = "") -> SchemaFault:
    """Return a fault; *name* is the last part of *path* if it is not given."""
    path = path or "Document"
    return SchemaFault(path, message, kind, name or path.rpartition("/")[2])


def _is_valid(kind: str, text: str) -> bool:
    """Return whether the text is valid for an XML Schema type."""
    element = etree.Element(kind)
    element.text = text
    return bool(_types().validate(element))


@cache
def _types() -> etree.XMLSchema:
    elements = "".join(
        f'<xs:element name="{name}" type="xs:{name}"/>' for name in ("date", "dateTime", "anyURI")
    )
    text = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{elements}</xs:schema>'
    return etree.XMLSchema(etree.fromstring(text))
