"""What the pages of permits show: the fields of a case in rows, its place and its documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from woo_harvester.outputs.definition import values_at
from woo_portal.details import Json, Row, Value, between, first, link_row, row, with_values
from woo_portal.wording import capitalised, day, day_and_time, search_path, visible

#: The path of the page with permits.
PERMITS_PATH = "/vergunningen"


def permit_path(record_id: str) -> str:
    """Return the path of the page of a permit."""
    return f"/vergunning/{record_id}"


def permit_title(document: Json) -> str:
    """Return the title of a case; of one without a title, its address."""
    return visible(first(document, "vergunning.title")).strip() or first(document, "vergunning.identifier")


def permit_facts(document: Json, today: date) -> list[str]:
    """Return what a list of permits says of one: product, phase, municipality, and whether it runs."""
    found = [
        capitalised(first(document, "vergunning.product.producttype.label")),
        capitalised(first(document, "vergunning.termijn.fase")),
        ", ".join(str(each["label"]) for each in document.get("gemeente") or ()),
        running(document, today),
    ]
    return [text for text in found if text]


def running(document: Json, today: date) -> str:
    """Return whether a permit runs today, in words; empty if it has no period."""
    period = (document.get("vergunning") or {}).get("temporal") or {}
    start, end = period.get("start"), period.get("end")
    now = today.isoformat()  # days of the record, as it is written, sort as text
    if start and start > now:
        return f"gaat in op {day(start)}"
    if end and end < now:
        return f"afgelopen op {day(end)}"
    if end:
        return f"geldt tot en met {day(end)}"
    return f"geldt sinds {day(start)}" if start else ""


def about(document: Json) -> list[Row]:
    """Return the rows about what a case is, and whose."""
    case = document.get("vergunning") or {}
    actor = case.get("actor") or {}
    return with_values(
        _terms("Soort vergunning", values_at(case, "product.producttype"), "product"),
        _terms("Activiteiten", values_at(case, "product.activiteit")),
        _link("Fase", first(case, "termijn.fase"), "fase"),
        _terms("Organisatie", values_at(case, "creator"), "organisatie"),
        _terms("Bevoegd gezag", values_at(case, "authority")),
        _terms("Gepubliceerd door", values_at(case, "publisher")),
        _terms("Gemeente", document.get("gemeente") or (), "gemeente"),
        _terms("Onderwerp", values_at(case, "subject")),
        row("Andere titels", map(str, values_at(case, "alternative"))),
        row("Bedrijf", [str(actor.get("bedrijfsnaam") or "")]),
        row("Adres van het bedrijf", [_term_text(actor.get("bedrijfsadres") or {})]),
        row("Kenmerk van de organisatie", [first(case, "object.referentienummer")]),
        _terms("Soort informatie", values_at(case, "type")),
        row("Taal", [first(case, "language")]),
        _links("Verwijst naar", values_at(case, "references")),
        _links("Heeft als onderdeel", values_at(case, "hasPart")),
        _links("Onderdeel van", values_at(case, "isPartOf")),
    )


def dates(document: Json, today: date) -> list[Row]:
    """Return the rows with the period of a permit, its terms and its changes."""
    case = document.get("vergunning") or {}
    period = case.get("temporal") or {}
    terms = (
        row(capitalised(str(term.get("termijnsoort") or "termijn")), [_period(term)])
        for term in values_at(case, "termijn.termijnsoortPeriode")
    )
    return with_values(
        row("Geldig", [between(period.get("start"), period.get("end"))]),
        row("Nu", [capitalised(running(document, today))]),
        *terms,
        row("Uitgegeven", [day(case.get("issued"))]),
        row("Laatst gewijzigd", [day(case.get("modified"))]),
        row("Bericht gemaakt", [day(first(document, "versies.aanmaakdatum") or None)]),
    )


def place(document: Json) -> list[Row]:
    """Return the rows about where the object of a permit is."""
    case = document.get("vergunning") or {}
    spots = [f"{each['lat']}, {each['lon']}" for each in document.get("locatie") or ()]
    return with_values(
        row("Adres", map(_address, values_at(case, "object.adres"))),
        row("Perceel", map(" ".join, map(_parcel, values_at(case, "object.perceel")))),
        row("Gebied", map(_term_text, values_at(case, "spatial"))),
        row("Breedtegraad en lengtegraad", spots),
    )


def documents(document: Json) -> list[tuple[Value, list[str]]]:
    """Return each document of a case, with its kind, file type and day."""
    found = []
    for each in document.get("documenten") or ():
        url = str(each.get("identifier") or "")
        kind = str((each.get("documenttype") or {}).get("label") or "")
        texts = (kind, each.get("format"), day(each.get("modified")), each.get("description"))
        facts = [str(text) for text in texts if text]
        found.append((Value(str(each.get("title") or url), url=url), facts))
    return found


def origin(document: Json) -> list[Row]:
    """Return the rows about where a case was found."""
    found = document.get("herkomst") or {}
    return with_values(
        link_row("Pagina van de organisatie", first(document, "vergunning.identifier")),
        link_row("Bericht", str(found.get("bestand") or "")),
        link_row("Lijst met berichten", str(found.get("ingang") or "")),
        row("Bericht gewijzigd", [day_and_time(first(document, "versies.mutatiedatumtijd") or None)]),
        row("Geoogst", [day_and_time(found.get("opgehaald"))]),
    )


def _terms(label: str, terms: Iterable[Any], facet: str = "") -> Row:
    """Return a row of terms; each leads to the permits that have it if there is a filter for it."""
    values = []
    for term in terms:
        text = _term_text(term)
        value = str(term.get("id") or text)
        values.append(Value(capitalised(text), path=_search(facet, value)))
    return Row(label, tuple(value for value in values if value.text))


def _link(label: str, text: str, facet: str) -> Row:
    return Row(label, (Value(capitalised(text), path=_search(facet, text)),) if text else ())


def _search(facet: str, value: str) -> str:
    return search_path([(facet, value)], PERMITS_PATH) if facet else ""


def _links(label: str, references: Iterable[Mapping[str, Any]]) -> Row:
    values = (
        Value(str(each.get("label") or each.get("id") or ""), url=str(each.get("id") or ""))
        for each in references
    )
    return Row(label, tuple(value for value in values if value.text))


def _term_text(term: Mapping[str, Any]) -> str:
    address = term.get("postcodeHuisnummer")
    return _house(address) if address else str(term.get("label") or term.get("id") or "")


def _address(address: Mapping[str, Any]) -> str:
    parts = (
        _house(address.get("postcodeHuisnummer") or {}),
        str((address.get("woonplaatsAdres") or {}).get("woonplaats") or ""),
        str(address.get("gemeente") or ""),
        str(address.get("provincie") or ""),
    )
    return ", ".join(filter(None, parts))


def _house(address: Mapping[str, Any]) -> str:
    names = ("postcode", "huisnummer", "huisnummertoevoeging")
    return " ".join(str(address[name]) for name in names if address.get(name))


def _parcel(parcel: Mapping[str, Any]) -> Iterator[str]:
    yield _term_text(parcel.get("kadastralegemeente") or {})
    if parcel.get("sectie"):
        yield f"sectie {parcel['sectie']}"
    if parcel.get("nummer"):
        yield f"nummer {parcel['nummer']}"


def _period(term: Mapping[str, Any]) -> str:
    return between(term.get("startdatumTermijn"), term.get("einddatumTermijn")) or "zonder datum"
