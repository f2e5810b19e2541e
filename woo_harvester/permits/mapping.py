"""From the tree of a valid message to the metadata of a case or a document.

The tables say where each element goes; what the schema cannot say (an element twice, a value that makes no
sense) is noted as it is met. Source: the model's elements as in ``schema/ipm-4.0*.xsd``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import lru_cache
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
from woo_harvester.permits.schema import CASE, DCTERMS, DOCUMENT
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
_POSTCODE = "postcodehuisnummer"

#: Longest text that is remembered, in characters.
CACHED_LENGTH = 200


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
    read: Read | None = None
    """None for a text."""
    many: bool = False


Table = dict[str, Field]
"""By the tag, with its namespace."""


def _parts(container: etree._Element, table: Table, note: Notebook) -> dict[str, Any]:
    """What stands in owmskern, owmsmantel and vergunningenmeta, taken together."""
    found: dict[str, Any] = {}
    for group in container:
        _fill(found, group, table, note)
    return found


def _fill(found: dict[str, Any], parent: etree._Element, table: Table, note: Notebook) -> None:
    """Read the children of *parent*; what is empty is absent."""
    value: Any
    for child in parent:
        name, read, many = table[child.tag]  # type: ignore[index]  # a tag is text: there are no comments
        if read is None:  # as text_of, which half of all elements would call
            text = child.text
            value = (text.strip() or None) if text else None
        else:
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


def _day(element: etree._Element, note: Notebook) -> date | None:
    text = text_of(element)
    if text is None:
        return None
    try:
        return day_in(text)
    except ValueError:  # by the schema a date, but in no year that a calendar has
        note("ipm.datum", element, text)
        return None


def day_in(text: str) -> date:
    """The day that a text stands for, as :func:`woo_harvester.dates.parse_date`."""
    return parse_date(text) if len(text) > CACHED_LENGTH else _parse_date(text)


#: The same days and values come by in many messages.
_parse_date = lru_cache(maxsize=4096)(parse_date)


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
    scheme = element.get("scheme", "")
    make = _make_term if len(label) + len(scheme) > CACHED_LENGTH else _cached_term
    term, problem = make(scheme, label)
    if problem:
        note(problem, element, scheme if problem == "ipm.scheme-onbekend" else label, KEPT)
    return term


def _make_term(scheme: str, label: str) -> tuple[Term, str | None]:
    """The term, with the code of the finding where it is not simply known."""
    scheme = scheme.strip()
    if not scheme:
        return Term(label=label), None
    prefix, _, kind = scheme.casefold().partition(":")
    if kind not in _SCHEMES.get(prefix, ()):
        return Term(scheme=scheme, label=label), "ipm.scheme-onbekend"
    if kind in _BODIES and (body := public_body(kind, label)):
        return Term(scheme=scheme, type=kind, id=body.uri, label=label), None
    if kind != _POSTCODE:
        return Term(scheme=scheme, label=label), None
    address = postcode_and_number(label)
    term = Term(scheme=scheme, label=label, postcodeHuisnummer=address)
    return term, None if address else "ipm.adres"


_cached_term = lru_cache(maxsize=8192)(_make_term)


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
    given = found.get("postcode"), found.get("huisnummer"), found.get("huisnummertoevoeging")
    read = house_address if sum(map(len, found.values())) > CACHED_LENGTH else _house_address
    address, understood = read(*given)
    if not understood:
        note("ipm.adres", element, " ".join(filter(None, given)), KEPT)
    return address


_house_address = lru_cache(maxsize=4096)(house_address)


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


def _table(space: str, *fields: Field) -> Table:
    """Fields that bear the names of their elements."""
    return {f"{{{space}}}{field.name}" if space else field.name: field for field in fields}


_OWMS = _table(
    DCTERMS,
    Field("identifier"),
    Field("title"),
    Field("language"),
    Field("type", _term),
    Field("creator", _term),
    Field("modified", _day),
    Field("temporal", _object(_period, _table("", Field("start", _day), Field("end", _day)))),
    Field("spatial", _term, many=True),
    Field("description"),
    Field("references", _reference, many=True),
    Field("hasPart", _reference, many=True),
    Field("format"),
)

_PRODUCT = _table(CASE, Field("producttype", _term), Field("activiteit", _term, many=True))

_TERM_PERIOD = _table(
    CASE, Field("termijnsoort"), Field("startdatumTermijn", _day), Field("einddatumTermijn", _day)
)

_TERM = _table(
    CASE, Field("fase"), Field("termijnsoortPeriode", _object(_term_period, _TERM_PERIOD), many=True)
)

_ACTOR = _table(CASE, Field("bedrijfsnaam"), Field("bedrijfsadres", _term))

_HOUSE = _table(CASE, Field("postcode"), Field("huisnummer"), Field("huisnummertoevoeging"))

_ADDRESS = _table(
    CASE,
    Field("postcodeHuisnummer", _object(_house, _HOUSE)),
    Field("woonplaatsAdres", _object(_plain(WoonplaatsAdres), _table(CASE, Field("woonplaats")))),
    Field("gemeente"),
    Field("provincie"),
)

_PARCEL = _table(CASE, Field("kadastralegemeente", _term), Field("sectie"), Field("nummer"))

_PLACE: Table = {f"{{{CASE}}}{axis}-waarde": Field(f"{axis}_waarde", _number) for axis in "xyz"}

_SUBJECT = _table(
    CASE,
    Field("referentienummer"),
    Field("adres", _object(_plain(Adres), _ADDRESS), many=True),
    Field("perceel", _object(_plain(Perceel), _PARCEL), many=True),
    Field("coordinaten", _object(_coordinates, _PLACE), many=True),
)

_CASE_ONLY = _table(
    CASE,
    Field("product", _object(_plain(Product), _PRODUCT)),
    Field("termijn", _object(_plain(Termijn), _TERM)),
    Field("actor", _object(_plain(Actor), _ACTOR)),
    Field("object", _object(_plain(Vergunningobject), _SUBJECT)),
)

_CASE = _OWMS | _table(DCTERMS, Field("isPartOf", _reference, many=True)) | _CASE_ONLY

_DOCUMENT = (
    _OWMS | _table(DCTERMS, Field("isPartOf", _reference)) | _table(DOCUMENT, Field("documenttype", _term))
)
