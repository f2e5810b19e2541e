"""Normalises values of a permit: postcode and house number, coordinates, and names of organisations."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import cache, lru_cache
from importlib.util import find_spec
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from woo_harvester.permits.parsing import Notebook
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
from woo_harvester.permits.schema import CASE_NS, DCTERMS_NS, DOCUMENT_NS
from woo_harvester.record import Waarde
from woo_harvester.sitemaps.xml_stream import local_name
from woo_harvester.tooi.values import Concept, ValueList
from woo_harvester.utils.dates import parse_date
from woo_harvester.utils.program import to_install

if TYPE_CHECKING:
    from pyproj import Transformer


_NO_PYPROJ = f"the coordinates of permits need pyproj: {to_install('permits')}"

_POSTCODE_FORM = re.compile(r"([1-9][0-9]{3})\s*([A-Za-z]{2})")
_HOUSE_FORM = re.compile(r"0*([1-9][0-9]{0,8})\s*[-/]?\s*(.*)", re.DOTALL)

#: Range of the Rijksdriehoek in metres: the Netherlands with some sea.
_RD_X = (-7_000, 300_000)
_RD_Y = (289_000, 629_000)

#: Most characters of a scheme and an organisation's name together. No list has a longer one.
_NAME_MAX = 300

#: Decimals of a degree: 11 cm, while the conversion is accurate to about a metre.
_DECIMALS = 6


def house_address(
    postcode: str | None, number: str | None, addition: str | None
) -> tuple[PostcodeHuisnummer | None, bool]:
    """Return the normalised address, and whether all of it was understood.

    ``1234 ab`` becomes ``1234AB``; ``012 a`` becomes 12 with the addition ``a``. An invalid postcode is kept
    as given, an invalid number as addition.
    """
    if not (postcode or number or addition):
        return None, True
    known = _POSTCODE_FORM.fullmatch(postcode) if postcode else None
    house = _HOUSE_FORM.fullmatch(number) if number else None
    rest = house[2] if house else number
    parts = [part for part in (rest, addition) if part]
    address = PostcodeHuisnummer(
        postcode=f"{known[1]}{known[2].upper()}" if known else postcode,
        huisnummer=int(house[1]) if house else None,
        huisnummertoevoeging=" ".join(parts) or None,
    )
    return address, bool((known or not postcode) and (house or not number))


def postcode_and_number(text: str) -> PostcodeHuisnummer | None:
    """Return the address in a value of ``overheid:PostcodeHuisnummer``, such as ``1234AB 12a``, or None."""
    known = _POSTCODE_FORM.match(text)
    if known is None:
        return None
    address, understood = house_address(known[0], text[known.end() :].strip(" ,-") or None, None)
    return address if understood else None


def check_conversion() -> None:
    """Raise ImportError, which says what to install, if coordinates cannot be converted."""
    if find_spec("pyproj") is None:
        raise ImportError(_NO_PYPROJ, name="pyproj")


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
    known = len(scheme) + len(name) <= _NAME_MAX
    return _organisation_by_name(organisations, scheme, name) if known else None


@lru_cache(maxsize=4096)
def _organisation_by_name(organisations: ValueList, scheme: str, name: str) -> Concept | None:
    prefix = scheme.rpartition(":")[2].casefold()
    return organisations.by_label(f"{prefix} {name}") or organisations.by_label(name)


_KEPT = "bewaard zoals gegeven"

#: Schemes whose values are names of organisations: the type in their TOOI URI.
_ORGANISATION_TYPES = frozenset({"gemeente", "provincie", "waterschap", "ministerie"})
#: Schemes of OWMS and of the model, by prefix. Any other is kept, with a finding.
_SCHEMES = {
    "overheid": _ORGANISATION_TYPES
    | {"informatietype", "organisatietype", "overheidsorganisatie", "openbaarlichaam"}
    | {"regionaalsamenwerkingsorgaan", "kadastralegemeente", "woonplaats", "wijk", "buurt"}
    | {"postcode", "postcodehuisnummer", "street"},
    "overheidvg": frozenset({"product", "activiteit", "documenttype", "fase", "termijnsoort"}),
    "dcterms": frozenset({"rfc4646", "w3cdtf", "uri", "imt", "box", "point"}),
}
_POSTCODE = "postcodehuisnummer"

#: Longest text that the caches of this module keep, in characters.
_CACHED_LENGTH = 200


def map_case(meta: etree._Element, note: Notebook) -> Vergunning:
    """Return the metadata of a case, from its element ``meta``."""
    return Vergunning(**_parts(meta, _CASE, note))


def map_document(meta: etree._Element, note: Notebook) -> VergunningDocument:
    """Return the metadata of a document of a case, from its element ``meta``."""
    return VergunningDocument(**_parts(meta, _DOCUMENT, note))


_Read = Callable[[str | None, etree._Element, Notebook], Any]
"""Function that returns the value of an element, from its text without white space around it."""

_Make = Callable[[dict[str, Any], etree._Element, Notebook], Any]
"""Function that returns the object of an element, from the fields of its child elements."""


class _Field(NamedTuple):
    """The field of the record that an element is mapped to."""

    name: str
    read: _Read | None = None
    """The reader of an element with a value; None if its text is the value."""
    many: bool = False
    """True if the element may come more than once, so that the field is a list."""
    parts: _Table | None = None
    """The fields of its child elements; None if it has a value."""
    make: _Make | None = None
    """The maker of its object; None if it has a value."""


_Table = dict[str, _Field]
"""Fields by the tag of the element, with its namespace."""


def _parts(container: etree._Element, table: _Table, note: Notebook) -> dict[str, Any]:
    """Return the fields of the groups owmskern, owmsmantel and vergunningenmeta together."""
    found: dict[str, Any] = {}
    for group in container:
        _fill(found, group, table, note)
    return found


def _fill(found: dict[str, Any], parent: etree._Element, table: _Table, note: Notebook) -> None:
    """Read the children of *parent* into *found*. An empty element is absent."""
    value: Any
    for child in parent:
        name, read, many, parts, make = table[child.tag]  # type: ignore[index]  # the parser drops comments
        if make is not None and parts is not None:
            inner: dict[str, Any] = {}
            _fill(inner, child, parts, note)
            value = make(inner, child, note) if inner else None
        else:
            text = child.text  # the same as text_of, without a call for each element
            value = (text.strip() or None) if text else None
            if read is not None:
                value = read(value, child, note)
        if value is None:
            continue
        if many:
            found.setdefault(name, []).append(value)
        elif name in found:
            _repeated(child, value, found[name], note)
        else:
            found[name] = value


def _repeated(element: etree._Element, value: Any, first: Any, note: Notebook) -> None:
    """Note an element that is there a second time. A message about two things is refused."""
    name = local_name(element.tag)
    if name == "identifier" and value != first:
        note("ipm.identifier", element, f"{first} en {value}")
    else:
        note("ipm.element-dubbel", element, f"<{name}> staat er meer dan eens", "de eerste telt")


def _object(name: str, make: _Make, parts: _Table, *, many: bool = False) -> _Field:
    """Return the field of an element with child elements; it is absent if they are all empty."""
    return _Field(name, many=many, parts=parts, make=make)


def _day(text: str | None, element: etree._Element, note: Notebook) -> date | None:
    if text is None:
        return None
    try:
        return day_in(text)
    except ValueError:  # valid by the schema, but in a year that no calendar has
        note("ipm.datum", element, text)
        return None


def day_in(text: str) -> date:
    """Return the day of a text, as :func:`woo_harvester.utils.dates.parse_date` does, with a cache."""
    return parse_date(text) if len(text) > _CACHED_LENGTH else _parse_date(text)


# Cached, since many messages have the same days.
_parse_date = lru_cache(maxsize=4096)(parse_date)


def _number(text: str | None, element: etree._Element, note: Notebook) -> float | None:
    if text is None:
        return None
    number = float(text.replace(",", "."))
    if isfinite(number):
        return number
    note("ipm.coordinaten", element, text, "weggelaten")
    return None


def _reference(label: str | None, element: etree._Element, note: Notebook) -> Waarde | None:
    uri = (element.get("resourceIdentifier") or "").strip()
    return Waarde(id=uri or None, label=label) if uri or label else None


def _term(label: str | None, element: etree._Element, note: Notebook) -> Term | None:
    if label is None:
        return None
    scheme = element.get("scheme", "")
    make = _make_term if len(label) + len(scheme) > _CACHED_LENGTH else _cached_term
    term, problem = make(scheme, label, note.organisations)
    if problem:
        note(problem, element, scheme if problem == "ipm.scheme-onbekend" else label, _KEPT)
    return term


def _make_term(scheme: str, label: str, organisations: ValueList) -> tuple[Term, str | None]:
    """Return the term, and the code of a finding if its scheme is unknown or its address is not one."""
    scheme = scheme.strip()
    if not scheme:
        return Term(label=label), None
    prefix, _, kind = scheme.casefold().partition(":")
    if kind not in _SCHEMES.get(prefix, ()):
        return Term(scheme=scheme, label=label), "ipm.scheme-onbekend"
    organisation = organisation_by_name(organisations, kind, label) if kind in _ORGANISATION_TYPES else None
    if organisation is not None and organisation.uri:  # the register has some without one
        return Term(scheme=scheme, type=kind, id=organisation.uri, label=label), None
    if kind != _POSTCODE:
        return Term(scheme=scheme, label=label), None
    address = postcode_and_number(label)
    term = Term(scheme=scheme, label=label, postcodeHuisnummer=address)
    return term, None if address else "ipm.adres"


_cached_term = lru_cache(maxsize=8192)(_make_term)


def _plain_term(label: str | None, element: etree._Element, note: Notebook) -> Term | None:
    """Return the term of an element that the model does not check, so that nothing of it is a finding."""
    if label is None:
        return None
    return _make_term(element.get("scheme", ""), label, note.organisations)[0]


def _plain_day(text: str | None, *_: object) -> str | None:
    """Return the day of such an element, or its text if it is none."""
    with suppress(ValueError):
        return day_in(text or "").isoformat()
    return text


def _available(text: str | None, element: etree._Element, note: Notebook) -> Beschikbaar | None:
    days = {local_name(child.tag): _plain_day((child.text or "").strip() or None) for child in element}
    start, end = days.get("start") or _plain_day(text), days.get("end")
    return Beschikbaar(start, end) if start or end else None


def _period(found: dict[str, Any], element: etree._Element, note: Notebook) -> Periode:
    period = Periode(**found)
    _check_order(element, period.start, period.end, note)
    return period


def _term_period(found: dict[str, Any], element: etree._Element, note: Notebook) -> TermijnsoortPeriode:
    period = TermijnsoortPeriode(**found)
    _check_order(element, period.startdatumTermijn, period.einddatumTermijn, note)
    return period


def _check_order(element: etree._Element, start: date | None, end: date | None, note: Notebook) -> None:
    if start and end and end < start:
        note("ipm.periode", element, f"{start} – {end}", _KEPT)


def _house(found: dict[str, Any], element: etree._Element, note: Notebook) -> PostcodeHuisnummer | None:
    given = found.get("postcode"), found.get("huisnummer"), found.get("huisnummertoevoeging")
    read = house_address if sum(map(len, found.values())) > _CACHED_LENGTH else _house_address
    address, understood = read(*given)
    if not understood:
        note("ipm.adres", element, " ".join(filter(None, given)), _KEPT)
    return address


_house_address = lru_cache(maxsize=4096)(house_address)


def _coordinates(found: dict[str, Any], element: etree._Element, note: Notebook) -> Coordinaten:
    coordinates = Coordinaten(**found)
    x, y = coordinates.x_waarde, coordinates.y_waarde
    coordinates.wgs84 = _place(x, y)
    if coordinates.wgs84 is None:
        note("ipm.coordinaten", element, f"x {_shown(x)}, y {_shown(y)}", "zonder plaats op de kaart")
    return coordinates


def _place(x: float | None, y: float | None) -> Wgs84 | None:
    return None if x is None or y is None else to_wgs84(x, y)


def _shown(number: float | None) -> str:
    return "ontbreekt" if number is None else f"{number:.15g}"


def _plain(kind: Callable[..., Any]) -> _Make:
    """Return a maker of a dataclass that needs no checks."""
    return lambda found, element, note: kind(**found)


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
    _Field("authority", _plain_term),
    _Field("publisher", _plain_term),
    _Field("subject", _plain_term, many=True),
    _Field("alternative", many=True),
    _Field("issued", _plain_day),
    _Field("available", _available),
    _Field("modified", _day),
    _object("temporal", _period, _fields("", _Field("start", _day), _Field("end", _day))),
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
    _object("termijnsoortPeriode", _term_period, _TERM_PERIOD, many=True),
)

_ACTOR = _fields(CASE_NS, _Field("bedrijfsnaam"), _Field("bedrijfsadres", _term))

_HOUSE = _fields(CASE_NS, _Field("postcode"), _Field("huisnummer"), _Field("huisnummertoevoeging"))

_ADDRESS = _fields(
    CASE_NS,
    _object("postcodeHuisnummer", _house, _HOUSE),
    _object("woonplaatsAdres", _plain(WoonplaatsAdres), _fields(CASE_NS, _Field("woonplaats"))),
    _Field("gemeente"),
    _Field("provincie"),
)

_PARCEL = _fields(CASE_NS, _Field("kadastralegemeente", _term), _Field("sectie"), _Field("nummer"))

_PLACE: _Table = {f"{{{CASE_NS}}}{axis}-waarde": _Field(f"{axis}_waarde", _number) for axis in "xyz"}

_SUBJECT = _fields(
    CASE_NS,
    _Field("referentienummer"),
    _object("adres", _plain(Adres), _ADDRESS, many=True),
    _object("perceel", _plain(Perceel), _PARCEL, many=True),
    _object("coordinaten", _coordinates, _PLACE, many=True),
)

_CASE_ONLY = _fields(
    CASE_NS,
    _object("product", _plain(Product), _PRODUCT),
    _object("termijn", _plain(Termijn), _TERM),
    _object("actor", _plain(Actor), _ACTOR),
    _object("object", _plain(Vergunningobject), _SUBJECT),
)

_CASE = _OWMS | _fields(DCTERMS_NS, _Field("isPartOf", _reference, many=True)) | _CASE_ONLY

_DOCUMENT = (
    _OWMS
    | _fields(DCTERMS_NS, _Field("isPartOf", _reference))
    | _fields(DOCUMENT_NS, _Field("documenttype", _term))
)
