"""Maps the metadata of a message to the fields of a record, with normalised addresses and coordinates."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import cache, lru_cache
from importlib.util import find_spec
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from woo_harvester.permits.record import (
    Actor,
    Adres,
    Beschikbaar,
    Coordinaten,
    Perceel,
    Periode,
    PostcodeHuisnummer,
    Product,
    Term,
    Termijn,
    TermijnsoortPeriode,
    Vergunning,
    VergunningDocument,
    Vergunningobject,
    Wgs84,
    WoonplaatsAdres,
)
from woo_harvester.permits.schema import CASE_NS, DCTERMS_NS, DOCUMENT_NS, MESSAGE_NS
from woo_harvester.record import Waarde
from woo_harvester.sitemaps.xml_stream import local_name, namespace
from woo_harvester.tooi.values import Concept, ValueList
from woo_harvester.utils.dates import parse_date
from woo_harvester.utils.program import to_install

if TYPE_CHECKING:
    from pyproj import Transformer


_POSTCODE_FORM = re.compile(r"([1-9][0-9]{3})\s*([A-Za-z]{2})")
_HOUSE_FORM = re.compile(r"0*([1-9][0-9]{0,8})\s*[-/]?\s*(.*)", re.DOTALL)

#: Range of the Rijksdriehoek in metres: the Netherlands with some sea.
_RD_X = (-7_000, 300_000)
_RD_Y = (289_000, 629_000)

#: Decimals of a degree: 11 cm, while the conversion is accurate to about a metre.
_DECIMALS = 6


def house_address(
    postcode: str | None = None, huisnummer: str | None = None, huisnummertoevoeging: str | None = None
) -> PostcodeHuisnummer | None:
    """Return the normalised address; None if there is none.

    ``1234 ab`` becomes ``1234AB``; ``012 a`` becomes 12 with the addition ``a``. An invalid postcode is kept
    as given, an invalid number as addition.
    """
    if not (postcode or huisnummer or huisnummertoevoeging):
        return None
    known = _POSTCODE_FORM.fullmatch(postcode) if postcode else None
    house = _HOUSE_FORM.fullmatch(huisnummer) if huisnummer else None
    parts = [part for part in (house[2] if house else huisnummer, huisnummertoevoeging) if part]
    return PostcodeHuisnummer(
        postcode=f"{known[1]}{known[2].upper()}" if known else postcode,
        huisnummer=int(house[1]) if house else None,
        huisnummertoevoeging=" ".join(parts) or None,
    )


def postcode_and_number(text: str) -> PostcodeHuisnummer | None:
    """Return the address in a value of ``overheid:PostcodeHuisnummer``, such as ``1234AB 12a``, or None."""
    known = _POSTCODE_FORM.match(text)
    number = text[known.end() :].strip(" ,-") if known else ""
    if known is None or (number and not _HOUSE_FORM.fullmatch(number)):
        return None
    return house_address(known[0], number, None)


def check_conversion() -> None:
    """Raise ImportError, which says what to install, if coordinates cannot be converted."""
    if find_spec("pyproj") is None:
        raise ImportError(f"the coordinates of permits need pyproj: {to_install('permits')}", name="pyproj")


def to_wgs84(x: float, y: float) -> Wgs84 | None:
    """Convert a place in the Rijksdriehoek (EPSG:28992, metres) to WGS84; None outside of the Netherlands.

    PROJ converts it with EPSG's seven parameters ("Amersfoort to WGS 84 (4)"), without grids or network. EPSG
    gives its accuracy as one metre. Raises ImportError if the extra "permits" is not installed.
    """
    if not (_RD_X[0] <= x <= _RD_X[1] and _RD_Y[0] <= y <= _RD_Y[1]):
        return None
    lon, lat = _transformer().transform(x, y)
    return Wgs84(lat=round(lat, _DECIMALS), lon=round(lon, _DECIMALS))


@cache
def _transformer() -> Transformer:
    check_conversion()
    from pyproj import Transformer  # noqa: PLC0415  -- slow to import, and only permits need it

    return Transformer.from_crs("EPSG:28992", "EPSG:4326", always_xy=True)


def organisation_by_name(organisations: ValueList, scheme: str, name: str) -> Concept | None:
    """Return the organisation of a scheme and a name, or None.

    The scheme ``overheid:Gemeente`` with the name ``Amsterdam`` is ``gemeente Amsterdam`` in the value lists.
    """
    prefix = scheme.rpartition(":")[2].casefold()
    return organisations.by_label(f"{prefix} {name}") or organisations.by_label(name)


#: Schemes of ``overheid`` whose values are names of organisations: the type in their TOOI URI.
_ORGANISATION_TYPES = frozenset({"gemeente", "provincie", "waterschap", "ministerie"})
_POSTCODE = ("overheid", "postcodehuisnummer")

#: Longest text that the caches of this module keep, in characters.
_CACHED_LENGTH = 200


def map_metadata(
    meta: etree._Element, names: ValueList, odd: _Odd, *, is_case: bool
) -> Vergunning | VergunningDocument:
    """Return the metadata of a case, or of a document of it, from the groups in its element ``meta``.

    Of an element that may come once the first value counts. Add others to *odd*, and places in no country.
    """
    found: dict[str, Any] = {}
    for group in meta:
        _fill(found, group, _CASE if is_case else _DOCUMENT, names, odd)
    return Vergunning(**found) if is_case else VergunningDocument(**found)


#: The namespaces in which software writes the elements of the model, besides none.
_OWN = frozenset({MESSAGE_NS, CASE_NS, DOCUMENT_NS})


def conform(message: etree._Element) -> list[etree._Element]:
    """Give the known elements of a message the namespaces of the schema; remove and return unused elements.

    OWMS has many more elements than the model uses, and software writes them.
    """
    is_document = len(message) > 0 and local_name(message[-1].tag) == "vergunningdocument"
    space, own = (DOCUMENT_NS, _DOCUMENT_ONLY) if is_document else (CASE_NS, _CASE_ONLY)
    unused = list[etree._Element]()
    for element in message.iterdescendants():
        name, given = local_name(element.tag), namespace(str(element.tag))
        if name in _FRAME and (not given or given in _OWN):
            element.tag = f"{{{MESSAGE_NS if name in _CONTROL else space}}}{name}"
    for group in message.iterdescendants(*(f"{{{space}}}{name}" for name in _GROUPS)):
        table = own if local_name(group.tag) == "vergunningenmeta" else _OWMS | _PART
        _conform(group, table, unused)
    return unused


#: The elements around the metadata.
_CONTROL = ("transactietype", "transactieID", "volgnummer", "aanmaakdatum")
_GROUPS = ("owmskern", "owmsmantel", "vergunningenmeta")
_FRAME = frozenset({*_CONTROL, *_GROUPS, "vergunningzaak", "vergunningdocument", "meta"})


def _conform(parent: etree._Element, table: _Table, unused: list[etree._Element]) -> None:
    tags = {local_name(tag): tag for tag in table}
    for child in list(parent):
        tag = tags.get(local_name(child.tag))
        if tag is None:
            parent.remove(child)
            unused.append(child)
            continue
        space, right = namespace(str(child.tag)), namespace(tag)
        if table[tag].is_free or (right != DCTERMS_NS and (not space or space in {*_OWN, DCTERMS_NS})):
            child.tag = tag
        if (parts := table[tag].parts) is not None:
            _conform(child, parts, unused)


_Read = Callable[[str | None, etree._Element, ValueList], Any]
"""Function that returns the value of an element, from its text without white space around it."""


class _Field(NamedTuple):
    """The field of the record that an element is mapped to."""

    name: str
    read: _Read | None = None
    """The reader of an element with a value; None if its text is the value."""
    many: bool = False
    """True if the element may come more than once, so that the field is a list."""
    parts: _Table | None = None
    """The fields of its child elements; None if it has a value."""
    make: Callable[..., Any] | None = None
    """The maker of its object, from the fields of its child elements; None if it has a value."""
    is_free: bool = False
    """True if the model lacks the element: software writes it in several namespaces, with any content."""


_Table = dict[str, _Field]
"""Fields by the tag of the element, with its namespace."""
_Odd = list[etree._Element]


def _fill(found: dict[str, Any], parent: etree._Element, table: _Table, names: ValueList, odd: _Odd) -> None:
    """Read the children of *parent* into *found*. An empty element is absent."""
    value: Any
    for child in parent:
        name, read, many, parts, make, _ = table[child.tag]  # type: ignore[index]  # the parser drops comments
        if make is not None and parts is not None:
            inner: dict[str, Any] = {}
            _fill(inner, child, parts, names, odd)
            value = make(**inner) if inner else None
            if isinstance(value, Coordinaten) and value.wgs84 is None:
                odd.append(child)
        else:
            text = child.text  # the same as text_of, without a call for each element
            value = (text.strip() or None) if text else None
            if read is not None:
                value = read(value, child, names)
        if value is None:
            continue
        if many:
            found.setdefault(name, []).append(value)
        elif found.setdefault(name, value) != value:
            odd.append(child)


def _object(name: str, make: Callable[..., Any], parts: _Table, *, many: bool = False) -> _Field:
    """Return the field of an element with child elements; it is absent if they are all empty."""
    return _Field(name, many=many, parts=parts, make=make)


def _day(text: str | None, *_: object) -> date | None:
    return None if text is None else parse_date(text)


def _number(text: str | None, *_: object) -> float | None:
    number = float(text.replace(",", ".")) if text else inf
    return number if isfinite(number) else None


def _reference(label: str | None, element: etree._Element, _: ValueList) -> Waarde | None:
    uri = (element.get("resourceIdentifier") or "").strip()
    return Waarde(id=uri or None, label=label) if uri or label else None


def _term(label: str | None, element: etree._Element, organisations: ValueList) -> Term | None:
    if label is None:
        return None
    scheme = element.get("scheme", "")
    make = _make_term if len(label) + len(scheme) > _CACHED_LENGTH else _cached_term
    return make(scheme, label, organisations)


def _make_term(scheme: str, label: str, organisations: ValueList) -> Term:
    scheme = scheme.strip()
    prefix, _, kind = scheme.casefold().partition(":")
    if prefix == "overheid" and kind in _ORGANISATION_TYPES:
        organisation = organisation_by_name(organisations, kind, label)
        if organisation is not None and organisation.uri:  # the register has some without one
            return Term(scheme=scheme, type=kind, id=organisation.uri, label=label)
    address = postcode_and_number(label) if (prefix, kind) == _POSTCODE else None
    return Term(scheme=scheme or None, label=label, postcodeHuisnummer=address)


_cached_term = lru_cache(maxsize=8192)(_make_term)


def _plain_day(text: str | None, *_: object) -> str | None:
    """Return the day of an element that the model does not check, or its text if it is none."""
    with suppress(ValueError):
        return parse_date(text or "").isoformat()
    return text


def _available(text: str | None, element: etree._Element, _: ValueList) -> Beschikbaar | None:
    days = {local_name(child.tag): _plain_day((child.text or "").strip() or None) for child in element}
    start, end = days.get("start") or _plain_day(text), days.get("end")
    return Beschikbaar(start, end) if start or end else None


def _coordinates(**found: Any) -> Coordinaten:
    coordinates = Coordinaten(**found)
    x, y = coordinates.x_waarde, coordinates.y_waarde
    coordinates.wgs84 = None if x is None or y is None else to_wgs84(x, y)
    return coordinates


def _fields(space: str, *fields: _Field) -> _Table:
    """Return the table of fields that have the names of their elements, in one namespace."""
    return {f"{{{space}}}{field.name}" if space else field.name: field for field in fields}


_OWMS = _fields(
    DCTERMS_NS,
    _Field("identifier"),
    _Field("title"),
    _Field("language"),
    _Field("type", _term),
    _Field("creator", _term),
    _Field("authority", _term, is_free=True),
    _Field("publisher", _term, is_free=True),
    _Field("subject", _term, many=True, is_free=True),
    _Field("alternative", many=True, is_free=True),
    _Field("issued", _plain_day, is_free=True),
    _Field("available", _available, is_free=True),
    _Field("modified", _day),
    _object("temporal", Periode, _fields("", _Field("start", _day), _Field("end", _day))),
    _Field("spatial", _term, many=True),
    _Field("description"),
    _Field("references", _reference, many=True),
    _Field("hasPart", _reference, many=True),
    _Field("format"),
)

_PRODUCT = _fields(CASE_NS, _Field("producttype", _term), _Field("activiteit", _term, many=True))

_TERM_PERIOD = _fields(
    CASE_NS,
    _Field("termijnsoort"),
    _Field("startdatumTermijn", _day),
    _Field("einddatumTermijn", _day),
)

_TERM = _fields(
    CASE_NS,
    _Field("fase"),
    _object("termijnsoortPeriode", TermijnsoortPeriode, _TERM_PERIOD, many=True),
)

_ACTOR = _fields(CASE_NS, _Field("bedrijfsnaam"), _Field("bedrijfsadres", _term))

_HOUSE = _fields(CASE_NS, _Field("postcode"), _Field("huisnummer"), _Field("huisnummertoevoeging"))

_ADDRESS = _fields(
    CASE_NS,
    _object("postcodeHuisnummer", house_address, _HOUSE),
    _object("woonplaatsAdres", WoonplaatsAdres, _fields(CASE_NS, _Field("woonplaats"))),
    _Field("gemeente"),
    _Field("provincie"),
)

_PARCEL = _fields(CASE_NS, _Field("kadastralegemeente", _term), _Field("sectie"), _Field("nummer"))

_PLACE: _Table = {f"{{{CASE_NS}}}{axis}-waarde": _Field(f"{axis}_waarde", _number) for axis in "xyz"}

_SUBJECT = _fields(
    CASE_NS,
    _Field("referentienummer"),
    _object("adres", Adres, _ADDRESS, many=True),
    _object("perceel", Perceel, _PARCEL, many=True),
    _object("coordinaten", _coordinates, _PLACE, many=True),
)

_CASE_ONLY = _fields(
    CASE_NS,
    _object("product", Product, _PRODUCT),
    _object("termijn", Termijn, _TERM),
    _object("actor", Actor, _ACTOR),
    _object("object", Vergunningobject, _SUBJECT),
)

#: Of a case a list; of a document the case.
_PART = _fields(DCTERMS_NS, _Field("isPartOf", _reference, many=True))
_DOCUMENT_ONLY = _fields(DOCUMENT_NS, _Field("documenttype", _term))

_CASE = _OWMS | _PART | _CASE_ONLY
_DOCUMENT = _OWMS | _fields(DCTERMS_NS, _Field("isPartOf", _reference)) | _DOCUMENT_ONLY
