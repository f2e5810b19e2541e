"""From what a publisher gave to the record: coded values, dates, own metadata.

Nothing is filled in here that was not given: that is ``defaults``. Source: seed "Aanbevelingen voor
metadata"; the rule for coded values is that of ``tooi.coded``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime
from functools import lru_cache

from woo_harvester.dates import parse_date, parse_datetime
from woo_harvester.diwoo.given import Extra, Given, Handling, Relation, Value
from woo_harvester.findings.notes import Notes
from woo_harvester.formats import from_metadata
from woo_harvester.record import (
    Documenthandeling,
    Documentrelatie,
    ExtraMetadata,
    Geldigheid,
    Record,
    Veld,
    Waarde,
)
from woo_harvester.tooi import lists
from woo_harvester.tooi.coded import resolve
from woo_harvester.tooi.organisations import kind_of
from woo_harvester.tooi.values import Concept, ValueList

OMITTED = "weggelaten"


def map_given(given: Given, record: Record, notes: Notes) -> None:
    """Fill the record's metadata from *given*, noting what is unknown, unreadable or not supported."""
    _note_kind(given, notes)
    _map_organisations(given, record, notes)
    _map_titles_and_classification(given, record, notes)
    _map_dates(given, record, notes)
    _map_references(given, record, notes)
    document = record.document
    document.identifiers = given.identifiers
    document.omschrijvingen = given.omschrijvingen
    document.aggregatiekenmerk = given.aggregatiekenmerk
    document.naamOpsteller = given.naam_opsteller
    if given.language:
        document.language = coded(given.language, lists.talen(), notes, "language")
    if given.format:
        document.format = _format(given.format, notes)
    document.documenthandelingen = _handlings(given.handelingen, notes)
    if given.extra:
        document.extraMetadata = [_extra(extra) for extra in given.extra]


def coded(
    value: Value, values: ValueList, notes: Notes, element: str, unknown: str = "waarde.label-onbekend"
) -> Waarde | None:
    """*value* resolved against a list. *unknown* is the code for a value that is not in it at all."""
    waarde, problem = _resolved(value, values.name)
    if problem:
        code = unknown if problem == "waarde.label-onbekend" else problem
        notes(code, element=element, seen=as_given(value), action=_taken(waarde))
    return waarde


def organisation(concept: Concept, bronwaarde: str | None = None) -> Waarde:
    """A public body as the record has it; the label is absent where only the URI is known."""
    return Waarde(kind_of(concept.uri), concept.uri, concept.label or None, bronwaarde)


def as_given(value: Value) -> str:
    """A value as the publisher wrote it: ``label (URI)``."""
    return f"{value.label} ({value.uri})" if value.label and value.uri else value.label or value.uri or ""


LISTS: dict[str, Callable[[], ValueList]] = {
    source().name: source
    for source in (
        lists.informatiecategorieen,
        lists.documentsoorten,
        lists.themas,
        lists.filetypes,
        lists.talen,
        lists.handelingen,
        lists.documentrelaties,
        lists.redenen,
        lists.organisaties,
    )
}


@lru_cache(maxsize=4096)
def _resolved(value: Value, name: str) -> tuple[Waarde | None, str | None]:
    """Cached: the same few values come by for millions of documents, and a Waarde never changes."""
    values = LISTS[name]()
    resolved = resolve(values, value.label, value.uri)
    if resolved is None:
        return None, None
    if resolved.concept is None:
        return Waarde(bronwaarde=resolved.bronwaarde), resolved.problem
    if values is lists.organisaties():
        return organisation(resolved.concept, resolved.bronwaarde), resolved.problem
    return Waarde(None, resolved.concept.uri, resolved.concept.label, resolved.bronwaarde), resolved.problem


def _taken(waarde: Waarde | None) -> str:
    if waarde is None or not waarde.id:
        return "bewaard als bronwaarde"
    return f"gelezen als {waarde.label or ''} ({waarde.id})"


def _note_kind(given: Given, notes: Notes) -> None:
    if given.has_mdto:
        notes("metadata.mdto", element="MDTO", action="genegeerd")
    if not given.has_diwoo and not given.extra:
        notes("metadata.ontbreekt", action="standaardwaarden gebruikt")
    if given.unread:
        notes("metadata.element-onbekend", seen=", ".join(given.unread), action="niet gelezen")


def _all(
    values: Iterable[Value],
    source: ValueList,
    notes: Notes,
    element: str,
    unknown: str = "waarde.label-onbekend",
) -> list[Waarde]:
    return [waarde for value in values if (waarde := coded(value, source, notes, element, unknown))]


def _map_organisations(given: Given, record: Record, notes: Notes) -> None:
    document, bodies = record.document, lists.organisaties()
    if given.publisher:
        document.publisher = coded(given.publisher, bodies, notes, "publisher")
    if given.verantwoordelijke:
        document.verantwoordelijke = coded(given.verantwoordelijke, bodies, notes, "verantwoordelijke")
    if given.opsteller:
        document.opsteller = coded(given.opsteller, bodies, notes, "opsteller")
    document.medeverantwoordelijken = _all(
        given.medeverantwoordelijken, bodies, notes, "medeverantwoordelijken/medeverantwoordelijke"
    )


def _map_titles_and_classification(given: Given, record: Record, notes: Notes) -> None:
    titles = record.document.titelcollectie
    titles.officieleTitel = given.officiele_titel
    titles.verkorteTitels = given.verkorte_titels
    titles.alternatieveTitels = given.alternatieve_titels
    classification = record.document.classificatiecollectie
    classification.trefwoorden = given.trefwoorden
    path = "classificatiecollectie/"
    classification.documentsoorten = _all(
        given.documentsoorten, lists.documentsoorten(), notes, path + "documentsoorten/documentsoort"
    )
    classification.themas = _all(given.themas, lists.themas(), notes, path + "themas/thema")
    classification.informatiecategorieen = _all(
        given.informatiecategorieen,
        lists.informatiecategorieen(),
        notes,
        path + "informatiecategorieen/informatiecategorie",
        unknown="informatiecategorie.onbekend",
    )


def _map_dates(given: Given, record: Record, notes: Notes) -> None:
    document = record.document
    if given.creatiedatum is None:
        notes("creatiedatum.ontbreekt", element="creatiedatum", action="openbaarmakingsdatum overgenomen")
    document.creatiedatum = _date(given.creatiedatum, notes, "creatiedatum")
    begin = _moment(given.begindatum, notes, "geldigheid/begindatum")
    end = _moment(given.einddatum, notes, "geldigheid/einddatum")
    if begin or end:
        document.geldigheid = Geldigheid(begin, end)


def _date(text: str | None, notes: Notes, element: str) -> date | None:
    if text is None:
        return None
    try:
        return parse_date(text)
    except ValueError:
        notes("datum.ongeldig", element=element, seen=text, action=OMITTED)
        return None


def _moment(text: str | None, notes: Notes, element: str) -> datetime | None:
    if text is None:
        return None
    try:
        return parse_datetime(text)
    except ValueError:
        notes("datum.ongeldig", element=element, seen=text, action=OMITTED)
        return None


def _map_references(given: Given, record: Record, notes: Notes) -> None:
    document = record.document
    document.isPartOf = _reference(given.is_part_of)
    document.hasParts = [_given_reference(value) for value in given.has_parts]
    record.documentrelaties = [_relation(relation, notes) for relation in given.relaties]
    if given.reden:
        reason = coded(given.reden, lists.redenen(), notes, "redenVerwijderingVervanging")
        for version in record.versies:
            version.redenVerwijderingVervanging = reason


def _format(value: Value, notes: Notes) -> Waarde | None:
    """A format may also be an extension or media type; another value keeps its bronwaarde."""
    _, problem = _resolved(value, lists.filetypes().name)
    filetype = from_metadata(value.label, value.uri).filetype
    if problem == "waarde.label-onbekend" and filetype:
        return Waarde(None, filetype.uri, filetype.label, as_given(value))
    return coded(value, lists.filetypes(), notes, "format")


def _reference(value: Value | None) -> Waarde | None:
    return _given_reference(value) if value else None


def _given_reference(value: Value) -> Waarde:
    return Waarde(None, value.uri, value.label)


def _relation(relation: Relation, notes: Notes) -> Documentrelatie:
    path = "documentrelaties/documentrelatie/role"
    role = coded(relation.role, lists.documentrelaties(), notes, path) if relation.role else None
    return Documentrelatie(_reference(relation.relation), role)


def _handlings(given: list[Handling], notes: Notes) -> list[Documenthandeling]:
    """Those of the three kinds that are recognised; seed, section "TOOI veld 'documenthandeling'"."""
    path = "documenthandelingen/documenthandeling"
    if not given:
        notes("documenthandeling.ontbreekt", element=path)
    handlings = []
    for kind, at_time, body in given:
        known, problem = _resolved(kind or Value(None, None), lists.handelingen().name)
        if known is None or known.id is None:
            seen = as_given(kind) if kind else "geen soortHandeling"
            notes("documenthandeling.onbekend", element=path + "/soortHandeling", seen=seen, action=OMITTED)
            continue
        if kind and problem:
            notes(problem, element=path + "/soortHandeling", seen=as_given(kind), action=_taken(known))
        moment = _moment(at_time, notes, path + "/atTime")
        who = coded(body, lists.organisaties(), notes, path + "/wasAssociatedWith") if body else None
        handlings.append(Documenthandeling(known, moment, who))
    return handlings


def _extra(extra: Extra) -> ExtraMetadata:
    return ExtraMetadata(extra.namespace, extra.prefix, [Veld(key, values) for key, values in extra.fields])
