"""The metadata that a publisher gave with a document, as given: DiWoo and its own metadata.

``given_metadata`` reads them from the sitemap, and ``metadata`` checks them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, NamedTuple

from lxml import etree
from msgspec import Struct, field

from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.repair import NAMESPACES
from woo_harvester.sitemaps.xml_stream import local_name, namespace

DIWOO_NAMESPACE = NAMESPACES["diwoo"]


class Value(NamedTuple):
    """A value of a waardelijst, as given. Either part can be missing or wrong."""

    label: str | None
    uri: str | None


class Handling(NamedTuple):
    """One documenthandeling, as given."""

    kind: Value | None
    at_time: str | None
    organisation: Value | None


class Relation(NamedTuple):
    """One documentrelatie, as given."""

    role: Value | None
    relation: Value | None


class ExtraField(NamedTuple):
    """One field of the publisher's own metadata: a name with its values."""

    key: str | None
    values: list[str]


class Extra(Struct, omit_defaults=True):
    """One ``diwoo:extraMetadata``: a group of the publisher's own metadata."""

    namespace: str | None = None
    prefix: str | None = None
    fields: list[ExtraField] = field(default_factory=list)


class GivenMetadata(Struct, omit_defaults=True):
    """The metadata in one ``diwoo:Document``. Texts are stripped; an empty element counts as absent."""

    has_diwoo: bool = False
    has_mdto: bool = False
    namespace: str | None = None
    """Namespace of the element ``Document`` or ``DiWoo``, if it is not the schema's."""
    identifiers: list[str] = field(default_factory=list)
    publisher: Value | None = None
    verantwoordelijke: Value | None = None
    medeverantwoordelijken: list[Value] = field(default_factory=list)
    opsteller: Value | None = None
    naam_opsteller: str | None = None
    officiele_titel: str | None = None
    verkorte_titels: list[str] = field(default_factory=list)
    alternatieve_titels: list[str] = field(default_factory=list)
    omschrijvingen: list[str] = field(default_factory=list)
    informatiecategorieen: list[Value] = field(default_factory=list)
    documentsoorten: list[Value] = field(default_factory=list)
    themas: list[Value] = field(default_factory=list)
    trefwoorden: list[str] = field(default_factory=list)
    creatiedatum: str | None = None
    begindatum: str | None = None
    einddatum: str | None = None
    language: Value | None = None
    format: Value | None = None
    aggregatiekenmerk: str | None = None
    is_part_of: Value | None = None
    has_parts: list[Value] = field(default_factory=list)
    handelingen: list[Handling] = field(default_factory=list)
    relaties: list[Relation] = field(default_factory=list)
    reden: Value | None = None
    extra: list[Extra] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Names of elements that are not read, since the schema does not have them there."""
    bare: list[str] = field(default_factory=list)
    """Names of elements that have a text, which is not read, in the place of elements."""
    other_case: list[str] = field(default_factory=list)
    """Names of elements that were read although their letters have another case."""
    outside: list[str] = field(default_factory=list)
    """Names of elements that were read outside ``diwoo:Document``."""
    doubled: list[str] = field(default_factory=list)
    """Names of elements that a document has once, and that stood there again: the first counts."""
    resource_elements: list[str] = field(default_factory=list)
    """Names of values whose URI is in an element ``resource`` instead of the attribute."""


#: Most names of elements that are kept for one finding.
NAMES_MAX = 20


def read_metadata(document: etree._Element | None, outside: Iterable[etree._Element] = ()) -> GivenMetadata:
    """Read a ``diwoo:Document``. Without one the result is an empty :class:`GivenMetadata`.

    *outside* are the elements of the same entry that belong in it, or that repeat it; see ``Entry``.
    """
    given = GivenMetadata()
    if document is not None:
        _note_namespace(document, given)
        _read(document, given, _DOCUMENT)
    for element in outside:
        _read_outside(element, given)
    return given


def given_metadata(entry: Entry) -> GivenMetadata:
    """Read the metadata of an entry of a sitemap, also those that stand in the wrong place."""
    return read_metadata(entry.document, entry.outside)


def _read_outside(element: etree._Element, given: GivenMetadata) -> None:
    name = _BY_PLAIN_NAME.get(local_name(element.tag).lower(), "Document")
    if name == "Document" or (name == "DiWoo" and given.has_diwoo):
        _note(given.doubled, name)
    else:
        if name != "MDTO":  # which is not read anywhere
            _note(given.outside, name)
        _DOCUMENT[name](element, given)


_Read = Callable[[etree._Element, GivenMetadata], None]
_ReadValue = Callable[[etree._Element, GivenMetadata], object]


def _read(parent: etree._Element, given: GivenMetadata, table: dict[str, _Read]) -> None:
    _note_bare_text(parent, given)
    for child in parent:
        read = table.get(local_name(child.tag)) or table.get(_known_name(child, given, table) or "")
        if read is not None:
            read(child, given)


def _known_name(element: etree._Element, given: GivenMetadata, known: Container[str]) -> str | None:
    """Return the name among *known* of an element in any letter case; None, and note it, for another."""
    name = local_name(element.tag)
    if name in known:
        return name
    right = _BY_PLAIN_NAME.get(name.lower())
    is_known = right in known
    _note(given.other_case if is_known else given.unread, name)
    return right if is_known else None


def _note(names: list[str], name: str) -> None:
    """Add a name once, unless there are too many for one finding."""
    if len(names) < NAMES_MAX and name not in names:
        names.append(name)


def _note_bare_text(parent: etree._Element, given: GivenMetadata) -> None:
    """Add an element that has a text before its elements, such as ``<trefwoorden>water</trefwoorden>``."""
    if parent.text and not parent.text.isspace():
        _note(given.bare, local_name(parent.tag))


def _note_namespace(element: etree._Element, given: GivenMetadata) -> None:
    found = namespace(str(element.tag))
    if found != DIWOO_NAMESPACE:
        given.namespace = found


def _string(element: etree._Element) -> str | None:
    """Return the text of an element and of all elements in it; None if it is empty."""
    text = "".join(element.itertext()) if len(element) else element.text
    return (text.strip() or None) if text else None


def _text(element: etree._Element, given: GivenMetadata) -> str | None:
    return _string(element)


def _coded(element: etree._Element, given: GivenMetadata) -> Value | None:
    label = _string(element)
    uri = element.get("resource") or _qualified_resource(element)
    if len(element):
        label, inner_uri = _label_and_resource(element, given)
        uri = uri or inner_uri
    uri = (uri.strip() or None) if uri else None
    # The same as Value(label, uri), in a third of the time: each document has six of these.
    return tuple.__new__(Value, (label, uri)) if label or uri else None


def _qualified_resource(element: etree._Element) -> str | None:
    """Return the attribute ``resource`` with a prefix or capitals (``diwoo:Resource``): it has none."""
    return next((uri for name, uri in element.items() if local_name(name).lower() == "resource"), None)


def _label_and_resource(element: etree._Element, given: GivenMetadata) -> tuple[str | None, str | None]:
    """Return the label and the URI of a value with elements in it: ``label<resource>URI</resource>``."""
    texts, uri = [element.text], None
    for child in element:
        if local_name(child.tag) == "resource":
            _note(given.resource_elements, local_name(element.tag))
            uri = uri or _string(child)
        else:
            texts.append("".join(child.itertext()))
        texts.append(child.tail)
    return "".join(filter(None, texts)).strip() or None, uri


def _one(read: _ReadValue, attribute: str) -> _Read:
    """Return a reader of a single element. The first that is not empty counts."""

    def reader(element: etree._Element, given: GivenMetadata) -> None:
        value = read(element, given)
        if value is None:
            return
        if getattr(given, attribute) is None:
            setattr(given, attribute, value)
        else:
            _note(given.doubled, local_name(element.tag))

    return reader


def _many(name: str, read: _ReadValue, attribute: str) -> _Read:
    """Return a reader of an element that contains any number of elements *name*."""

    def reader(element: etree._Element, given: GivenMetadata) -> None:
        values = getattr(given, attribute)
        _note_bare_text(element, given)
        for child in element:
            if _known_name(child, given, (name,)) and (value := read(child, given)) is not None:
                values.append(value)

    return reader


_Parts = dict[str, _ReadValue]


def _composed(name: str, make: Callable[..., object], table: _Parts, attribute: str) -> _Read:
    """Return a reader of an element with any number of elements *name*, which have the parts in *table*."""

    def reader(element: etree._Element, given: GivenMetadata) -> None:
        values = getattr(given, attribute)
        _note_bare_text(element, given)
        for child in element:
            if _known_name(child, given, (name,)) and any(parts := _parts(child, given, table)):
                values.append(make(*parts))

    return reader


def _parts(element: etree._Element, given: GivenMetadata, table: _Parts) -> list[Any]:
    """Return the parts of an element in the order of *table*; the first one that is not empty counts."""
    _note_bare_text(element, given)
    parts: dict[str, object] = dict.fromkeys(table)
    for child in element:
        if (name := _known_name(child, given, parts)) is None:
            continue
        if parts[name] is not None:
            _note(given.doubled, name)
        else:
            parts[name] = table[name](child, given)
    return list(parts.values())


def _nested(table: dict[str, _Read]) -> _Read:
    return lambda element, given: _read(element, given, table)


def _diwoo(element: etree._Element, given: GivenMetadata) -> None:
    if given.has_diwoo:
        _note(given.doubled, "DiWoo")
        return
    given.has_diwoo = True
    _note_namespace(element, given)
    _read(element, given, _DIWOO)


def _mdto(element: etree._Element, given: GivenMetadata) -> None:
    given.has_mdto = True


def _extra_metadata(element: etree._Element, given: GivenMetadata) -> None:
    namespace, prefix, fields = _parts(element, given, _EXTRA)
    if namespace or prefix or fields:
        given.extra.append(Extra(namespace, prefix, fields or []))


def _extra_fields(element: etree._Element, given: GivenMetadata) -> list[ExtraField]:
    _note_bare_text(element, given)
    fields = (_parts(child, given, _EXTRA_FIELD) for child in element)
    return [ExtraField(key, values or []) for key, values in fields if key or values]


def _texts(element: etree._Element, given: GivenMetadata) -> list[str]:
    _note_bare_text(element, given)
    return [text for child in element if (text := _string(child))]


_EXTRA: _Parts = {"namespace": _text, "prefix": _text, "extraMetadatavelden": _extra_fields}

_EXTRA_FIELD: _Parts = {"key": _text, "values": _texts}

_HANDLING: _Parts = {"soortHandeling": _coded, "atTime": _text, "wasAssociatedWith": _coded}

_RELATION: _Parts = {"role": _coded, "relation": _coded}

_TITELCOLLECTIE: dict[str, _Read] = {
    "officieleTitel": _one(_text, "officiele_titel"),
    "verkorteTitels": _many("verkorteTitel", _text, "verkorte_titels"),
    "alternatieveTitels": _many("alternatieveTitel", _text, "alternatieve_titels"),
}

_CLASSIFICATIECOLLECTIE: dict[str, _Read] = {
    "informatiecategorieen": _many("informatiecategorie", _coded, "informatiecategorieen"),
    "documentsoorten": _many("documentsoort", _coded, "documentsoorten"),
    "themas": _many("thema", _coded, "themas"),
    "trefwoorden": _many("trefwoord", _text, "trefwoorden"),
}

_GELDIGHEID: dict[str, _Read] = {
    "begindatum": _one(_text, "begindatum"),
    "einddatum": _one(_text, "einddatum"),
}

_DIWOO: dict[str, _Read] = {
    "identifiers": _many("identifier", _text, "identifiers"),
    "publisher": _one(_coded, "publisher"),
    "verantwoordelijke": _one(_coded, "verantwoordelijke"),
    "medeverantwoordelijken": _many("medeverantwoordelijke", _coded, "medeverantwoordelijken"),
    "opsteller": _one(_coded, "opsteller"),
    "naamOpsteller": _one(_text, "naam_opsteller"),
    "titelcollectie": _nested(_TITELCOLLECTIE),
    "omschrijvingen": _many("omschrijving", _text, "omschrijvingen"),
    "classificatiecollectie": _nested(_CLASSIFICATIECOLLECTIE),
    "creatiedatum": _one(_text, "creatiedatum"),
    "geldigheid": _nested(_GELDIGHEID),
    "language": _one(_coded, "language"),
    "format": _one(_coded, "format"),
    "aggregatiekenmerk": _one(_text, "aggregatiekenmerk"),
    "isPartOf": _one(_coded, "is_part_of"),
    "hasParts": _many("hasPart", _coded, "has_parts"),
    "documenthandelingen": _composed("documenthandeling", Handling, _HANDLING, "handelingen"),
    "documentrelaties": _composed("documentrelatie", Relation, _RELATION, "relaties"),
    "redenVerwijderingVervanging": _one(_coded, "reden"),
}

_DOCUMENT: dict[str, _Read] = {
    "DiWoo": _diwoo,
    "MDTO": _mdto,
    "extraMetadata": _extra_metadata,
}

#: All element names of the schema.
ELEMENTS = frozenset(
    {*_DOCUMENT, *_DIWOO, *_TITELCOLLECTIE, *_CLASSIFICATIECOLLECTIE, *_GELDIGHEID, *_HANDLING, *_RELATION}
    | {"identifier", "medeverantwoordelijke", "verkorteTitel", "alternatieveTitel", "omschrijving"}
    | {"informatiecategorie", "documentsoort", "thema", "trefwoord", "hasPart"}
    | {"documenthandeling", "documentrelatie"}
    | {*_EXTRA, *_EXTRA_FIELD, "extraMetadataveld", "value"}
)


#: How alike two names must be, 0 to 1: one wrong letter in five.
_CUTOFF = 0.8

#: Longest name that is compared, in characters. No element has a longer one.
_MAXLENGTH = 60

_SEPARATORS = str.maketrans("", "", "-_.")

_BY_PLAIN_NAME = {name.lower(): name for name in ELEMENTS}


@lru_cache(maxsize=1024)
def meant_element(name: str) -> str | None:
    """Return the element whose name differs least from *name*; None if it is one, or if none is like it."""
    if name in ELEMENTS or len(name) > _MAXLENGTH:
        return None
    plain = name.lower().translate(_SEPARATORS)
    close = get_close_matches(plain, _BY_PLAIN_NAME, n=1, cutoff=_CUTOFF)
    return _BY_PLAIN_NAME[close[0]] if close else None


def meant_elements(names: Iterable[str]) -> frozenset[str]:
    """Return the elements that any of *names* stands for."""
    return frozenset(filter(None, map(meant_element, names)))
