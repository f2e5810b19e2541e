"""From the tree of a valid message to the metadata of a case or a document.

The tables say where each element goes; what the schema cannot say (an element twice, a value that makes no
sense) is noted as it is met. Source: the model's elements as in ``schema/ipm-4.0*.xsd``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from math import isfinite
from typing import Any, NamedTuple

from lxml import etree

from woo_harvester.dates import parse_date
from woo_harvester.findings import Finding
from woo_harvester.permits.parsing import REFUSED, path_of, text_of
from woo_harvester.permits.record import (
    Actor,
    Adres,
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
from woo_harvester.permits.values import house_address, postcode_and_number, public_body, to_wgs84
from woo_harvester.record import Waarde
from woo_harvester.sitemaps.reader import local_name

KEPT = "bewaard zoals gegeven"

#: Schemes of which the value is a public body.
_BODIES = frozenset({"gemeente", "provincie", "waterschap", "ministerie"})
#: The schemes of OWMS and of the model that messages use. One that is not here is kept, and told.
_SCHEMES = {
    "overheid": _BODIES
    | {"informatietype", "organisatietype", "overheidsorganisatie", "openbaarlichaam"}
    | {"regionaalsamenwerkingsorgaan", "kadastralegemeente", "woonplaats", "wijk", "buurt"}
    | {"postcode", "postcodehuisnummer"},
    "overheidvg": frozenset({"product", "activiteit", "documenttype", "fase", "termijnsoort"}),
    "dcterms": frozenset({"rfc4646", "w3cdtf", "uri", "imt", "box", "point"}),
}
_POSTCODE_SCHEME = "overheid:postcodehuisnummer"


class Notebook:
    """Collects the findings about one message."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def __call__(self, code: str, element: etree._Element, seen: str | None, action: str = REFUSED) -> None:
        """Note *code* at an element."""
        self.findings.append(
            Finding(code=code, line=element.sourceline, element=path_of(element), seen=seen, action=action)
        )

    def missing(self, parent: etree._Element, name: str) -> None:
        """Note that *parent* lacks an element, unless something was noted of that element already."""
        path, action = f"{path_of(parent)}/{name}", f"{REFUSED}; verplicht bij C en U"
        if not any(finding.element == path for finding in self.findings):
            line = parent.sourceline
            self.findings.append(
                Finding(code="ipm.schema", line=line, element=path, seen="ontbreekt", action=action)
            )


def map_case(meta: etree._Element, note: Notebook) -> Vergunning:
    """The metadata of a case: what stands in ``meta``."""
    return Vergunning(**_parts(meta, _CASE, note))


def map_document(meta: etree._Element, note: Notebook) -> VergunningDocument:
    """The metadata of a document of a case."""
    return VergunningDocument(**_parts(meta, _DOCUMENT, note))


Read = Callable[[etree._Element, Notebook], Any]


class Field(NamedTuple):
    """Where an element goes."""

    name: str
    read: Read
    many: bool = False


Table = dict[str, Field]


def _parts(container: etree._Element, table: Table, note: Notebook) -> dict[str, Any]:
    """What stands in owmskern, owmsmantel and vergunningenmeta, taken together."""
    found: dict[str, Any] = {}
    for group in container:
        _fill(found, group, table, note)
    return found


def _fill(found: dict[str, Any], parent: etree._Element, table: Table, note: Notebook) -> None:
    for child in parent:
        name, read, many = table[local_name(child.tag)]
        value = read(child, note)
        if value is None:
            continue
        if many:
            found.setdefault(name, []).append(value)
        elif name in found:
            note("ipm.schema", child, f"<{local_name(child.tag)}> staat er meer dan eens")
        else:
            found[name] = value


def _object(make: Callable[..., Any], table: Table) -> Read:
    """Reads an element with elements in it; None where they are all empty."""

    def read(element: etree._Element, note: Notebook) -> Any:
        found: dict[str, Any] = {}
        _fill(found, element, table, note)
        return make(element, note, found) if found else None

    return read


def _text(element: etree._Element, note: Notebook) -> str | None:
    return text_of(element)


def _day(element: etree._Element, note: Notebook) -> date | None:
    text = text_of(element)
    if text is None:
        return None
    try:
        return parse_date(text)
    except ValueError:  # by the schema a date, but in no year that a calendar has
        note("ipm.datum", element, text)
        return None


def _number(element: etree._Element, note: Notebook) -> float | None:
    text = text_of(element)
    if text is None:
        return None
    number = float(text.replace(",", "."))
    if isfinite(number):
        return number
    note("ipm.coordinaten", element, text, "weggelaten")
    return None


def _reference(element: etree._Element, note: Notebook) -> Waarde | None:
    uri, label = (element.get("resourceIdentifier") or "").strip(), text_of(element)
    return Waarde(id=uri or None, label=label) if uri or label else None


def _term(element: etree._Element, note: Notebook) -> Term | None:
    label = text_of(element)
    if label is None:
        return None
    scheme = element.get("scheme")
    if not scheme:
        return Term(label=label)
    prefix, _, kind = scheme.strip().casefold().partition(":")
    if kind not in _SCHEMES.get(prefix, ()):
        note("ipm.scheme-onbekend", element, scheme, KEPT)
    term = Term(scheme=scheme.strip(), label=label)
    if kind in _BODIES and (body := public_body(kind, label)):
        term.type, term.id = kind, body.uri
    elif f"{prefix}:{kind}" == _POSTCODE_SCHEME:
        term.postcodeHuisnummer = postcode_and_number(label)
        if term.postcodeHuisnummer is None:
            note("ipm.adres", element, label, KEPT)
    return term


def _period(element: etree._Element, note: Notebook, found: dict[str, Any]) -> Periode:
    period = Periode(**found)
    _check_order(element, period.start, period.end, note)
    return period


def _term_period(element: etree._Element, note: Notebook, found: dict[str, Any]) -> TermijnsoortPeriode:
    period = TermijnsoortPeriode(**found)
    _check_order(element, period.startdatumTermijn, period.einddatumTermijn, note)
    return period


def _check_order(element: etree._Element, start: date | None, end: date | None, note: Notebook) -> None:
    if start and end and end < start:
        note("ipm.periode", element, f"{start} – {end}", KEPT)


def _house(element: etree._Element, note: Notebook, found: dict[str, Any]) -> PostcodeHuisnummer | None:
    given = [found.get(name) for name in ("postcode", "huisnummer", "huisnummertoevoeging")]
    address, understood = house_address(*given)
    if not understood:
        note("ipm.adres", element, " ".join(filter(None, given)), KEPT)
    return address


def _coordinates(element: etree._Element, note: Notebook, found: dict[str, Any]) -> Coordinaten:
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


def _plain(kind: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a dataclass of which nothing needs checking."""
    return lambda element, note, found: kind(**found)


def _table(*fields: Field) -> Table:
    return {field.name: field for field in fields}


_PERIOD = _table(Field("start", _day), Field("end", _day))

_OWMS = _table(
    Field("identifier", _text),
    Field("title", _text),
    Field("language", _text),
    Field("type", _term),
    Field("creator", _term),
    Field("modified", _day),
    Field("temporal", _object(_period, _PERIOD)),
    Field("spatial", _term, many=True),
    Field("description", _text),
    Field("references", _reference, many=True),
    Field("hasPart", _reference, many=True),
    Field("format", _text),
)

_PRODUCT = _table(Field("producttype", _term), Field("activiteit", _term, many=True))

_TERM_PERIOD = _table(
    Field("termijnsoort", _text), Field("startdatumTermijn", _day), Field("einddatumTermijn", _day)
)

_TERM = _table(
    Field("fase", _text),
    Field("termijnsoortPeriode", _object(_term_period, _TERM_PERIOD), many=True),
)

_ACTOR = _table(Field("bedrijfsnaam", _text), Field("bedrijfsadres", _term))

_HOUSE = _table(Field("postcode", _text), Field("huisnummer", _text), Field("huisnummertoevoeging", _text))

_ADDRESS = _table(
    Field("postcodeHuisnummer", _object(_house, _HOUSE)),
    Field("woonplaatsAdres", _object(_plain(WoonplaatsAdres), _table(Field("woonplaats", _text)))),
    Field("gemeente", _text),
    Field("provincie", _text),
)

_PARCEL = _table(Field("kadastralegemeente", _term), Field("sectie", _text), Field("nummer", _text))

_PLACE: Table = {
    "x-waarde": Field("x_waarde", _number),
    "y-waarde": Field("y_waarde", _number),
    "z-waarde": Field("z_waarde", _number),
}

_SUBJECT = _table(
    Field("referentienummer", _text),
    Field("adres", _object(_plain(Adres), _ADDRESS), many=True),
    Field("perceel", _object(_plain(Perceel), _PARCEL), many=True),
    Field("coordinaten", _object(_coordinates, _PLACE), many=True),
)

_CASE: Table = _OWMS | _table(
    Field("isPartOf", _reference, many=True),
    Field("product", _object(_plain(Product), _PRODUCT)),
    Field("termijn", _object(_plain(Termijn), _TERM)),
    Field("actor", _object(_plain(Actor), _ACTOR)),
    Field("object", _object(_plain(Vergunningobject), _SUBJECT)),
)

_DOCUMENT: Table = _OWMS | _table(Field("isPartOf", _reference), Field("documenttype", _term))
