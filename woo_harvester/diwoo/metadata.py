"""The metadata of a record: mapped from what its publisher gave, with defaults for what he did not give.

Source: seed "Aanbevelingen voor metadata". ``tooi.coded`` resolves coded values.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from html import unescape
from html.entities import html5

from msgspec.structs import replace

from woo_harvester.diwoo.given import Extra, GivenMetadata, Handling, Relation, Value, meant_element
from woo_harvester.diwoo.titles import title_from_loc
from woo_harvester.documents.formats import from_metadata
from woo_harvester.findings import Reporter
from woo_harvester.record import (
    Documenthandeling,
    Documentrelatie,
    ExtraMetadata,
    Geldigheid,
    Record,
    Relatierol,
    Veld,
    Waarde,
)
from woo_harvester.register.register import Match, Organisation
from woo_harvester.sitemaps.lastmod import FIRST_YEAR
from woo_harvester.tooi.coded import resolve
from woo_harvester.tooi.lists import ORGANISATIONS, UNKNOWN_CATEGORY, UNKNOWN_ORGANISATION, ValueLists
from woo_harvester.tooi.values import Concept, ValueList, one_line, organisation_type
from woo_harvester.utils.dates import day_of, is_no_date, parse_date, parse_datetime, parse_end

_OMITTED = "weggelaten"
_KEPT = "bewaard zoals gegeven"
_PUBLISHED = "openbaarmakingsdatum overgenomen"
#: Text in a finding for a documenthandeling without soortHandeling.
NO_KIND = "geen soortHandeling"
CATEGORY = "classificatiecollectie/informatiecategorieen/informatiecategorie"
_HANDLING = "documenthandelingen/documenthandeling"
_RELATION = "documentrelaties/documentrelatie"

#: A reference to a resource on the web without https. URIs of value lists are names, not references; those of
#: the EU and of OWMS begin with http.
_INSECURE = re.compile(
    r"http://(?!(?:publications\.europa\.eu|identifier\.overheid\.nl|standaarden\.overheid\.nl)(?:[:/]|$))",
    re.IGNORECASE,
)

#: A reference of HTML, whose name ends in a semicolon.
_REFERENCE = re.compile(r"&(#[0-9]{1,7};|#[xX][0-9A-Fa-f]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)")

#: Longest value whose result is cached, in characters of label and URI. No list has longer values.
_CACHED_LENGTH = 1000


def map_metadata(
    given: GivenMetadata, record: Record, lists: ValueLists, report: Reporter, now: datetime
) -> None:
    """Fill the record's metadata from *given*; note values that are unknown, unreadable or not supported.

    *lists* are the value lists for the host whose sitemap lists the document. *now* is the moment of the
    harvest, in UTC.
    """
    _note_elements(given, report)
    _map_organisations(given, record, lists.organisaties, report)
    _map_titles(given, record, report)
    _map_classification(given, record, lists, report)
    _map_dates(given, record, report, now)
    _map_references(given, record, lists, report)
    document = record.document
    document.identifiers = given.identifiers
    document.omschrijvingen = given.omschrijvingen
    document.aggregatiekenmerk = given.aggregatiekenmerk
    document.naamOpsteller = given.naam_opsteller
    if given.language:
        document.language = _coded(given.language, lists.talen, report, "language")
    if given.format:
        document.format = _format(given.format, lists.filetypes, report)
    document.documenthandelingen = _handlings(given.handelingen, lists, report)
    if given.extra:
        document.extraMetadata = [_extra(extra) for extra in given.extra]


def _coded(value: Value, values: ValueList, report: Reporter, element: str) -> Waarde | None:
    """Resolve *value* against a list, and note a finding if the list does not know it as given.

    An unknown informatiecategorie is noted in ``defaults``, which decides what replaces it.
    """
    waarde, problems = _resolved(value, values)
    for problem in problems:
        if problem != "waarde.label-onbekend" or values.unknown != UNKNOWN_CATEGORY:
            report(problem, element=element, seen=_as_given(value), action=resolved_as(waarde))
    return waarde


def organisation_value(concept: Concept, bronwaarde: str | None = None) -> Waarde:
    """Return an organisation as the record has it, without the URI or the label that is not known."""
    return Waarde(organisation_type(concept.uri), concept.uri or None, concept.label or None, bronwaarde)


def _as_given(value: Value) -> str:
    """Return a value as the publisher wrote it, on one line: ``label (URI)``."""
    label, uri = one_line(value.label or ""), value.uri
    return f"{label} ({uri})" if label and uri else label or uri or ""


_Found = tuple[Waarde | None, tuple[str, ...]]


def _resolved(value: Value, values: ValueList) -> _Found:
    """Return the value for the record, and the codes of what is wrong with it as given."""
    if len(value.label or "") + len(value.uri or "") > _CACHED_LENGTH:
        return _resolve(value, values)
    return _resolve_cached(value, values)


def _resolve(value: Value, values: ValueList) -> _Found:
    resolved = resolve(values, value.label, value.uri)
    if resolved is None:
        return None, ()
    if resolved.concept is None:
        return Waarde(bronwaarde=resolved.bronwaarde), resolved.problems
    if values.name == ORGANISATIONS:
        return organisation_value(resolved.concept, resolved.bronwaarde), resolved.problems
    return Waarde(None, resolved.concept.uri, resolved.concept.label, resolved.bronwaarde), resolved.problems


#: Millions of documents share the same few values, and a Waarde never changes. Each host has a list of
#: organisations of its own, so the cache mixes no hosts.
_resolve_cached = lru_cache(maxsize=4096)(_resolve)


def resolved_as(waarde: Waarde | None) -> str:
    """Return the ``action`` of a finding: how the record has the value."""
    if waarde is None or not (waarde.id or waarde.label):
        return "bewaard als bronwaarde"
    return f"gelezen als {waarde.label or ''} ({waarde.id})" if waarde.id else f"gelezen als {waarde.label}"


def _note_elements(given: GivenMetadata, report: Reporter) -> None:
    if given.has_mdto:
        report("metadata.mdto", element="MDTO", action="genegeerd")
    if not given.has_diwoo and not given.extra:
        report("metadata.ontbreekt", action="standaardwaarden gebruikt")
    if given.namespace is not None:
        seen = given.namespace or "geen naamruimte"
        report("metadata.naamruimte", element="DiWoo", seen=seen, action="toch gelezen")
    if given.outside:
        report("metadata.plaats", seen=", ".join(given.outside), action="toch gelezen")
    if given.doubled:
        seen = ", ".join(f"{name}, {name}" for name in given.doubled)
        report("metadata.dubbel", seen=seen, action="de eerste telt")
    if given.resource_elements:
        seen = ", ".join(given.resource_elements)
        report("metadata.resource-element", seen=seen, action="gelezen als het attribuut resource")
    if given.other_case:
        seen = ", ".join(f"<{name}>" for name in given.other_case)
        right = ", ".join(f"<{meant_element(name)}>" for name in given.other_case)
        report("sitemap.hoofdletters", seen=seen, action=f"gelezen als {right}")
    if given.unread:
        report("metadata.element-onbekend", seen=", ".join(given.unread), action="niet gelezen")
        report.misspelt = frozenset(filter(None, map(meant_element, given.unread)))
    if given.bare:
        report("metadata.tekst", seen=", ".join(given.bare), action="niet gelezen")


def _all(
    values: list[Value],
    source: ValueList,
    report: Reporter,
    element: str,
) -> list[Waarde]:
    return (
        [waarde for value in values if (waarde := _coded(value, source, report, element))] if values else []
    )


def _map_organisations(
    given: GivenMetadata, record: Record, organisations: ValueList, report: Reporter
) -> None:
    document = record.document
    if given.publisher:
        document.publisher = _coded(given.publisher, organisations, report, "publisher")
    if given.verantwoordelijke:
        document.verantwoordelijke = _coded(
            given.verantwoordelijke, organisations, report, "verantwoordelijke"
        )
    if given.opsteller:
        document.opsteller = _coded(given.opsteller, organisations, report, "opsteller")
    document.medeverantwoordelijken = _all(
        given.medeverantwoordelijken, organisations, report, "medeverantwoordelijken/medeverantwoordelijke"
    )


def _map_titles(given: GivenMetadata, record: Record, report: Reporter) -> None:
    titles, title = record.document.titelcollectie, given.officiele_titel
    if title:
        titles.officieleTitel = read_title(title)
        if titles.officieleTitel != one_line(title):
            record.herkomst.titelBronwaarde = title
            action = f"gelezen als {titles.officieleTitel}"
            report("titel.entiteiten", element="titelcollectie/officieleTitel", seen=title, action=action)
    titles.verkorteTitels = [*filter(None, map(read_title, given.verkorte_titels))]
    titles.alternatieveTitels = [*filter(None, map(read_title, given.alternatieve_titels))]


def read_title(text: str) -> str:
    """Return a title on one line, without the references of HTML that a second escape has left in it."""
    return one_line(without_references(text))


def without_references(text: str) -> str:
    """Return a text with the character of each reference of HTML that a second escape has left in it."""
    return _REFERENCE.sub(_referred, text) if "&" in text else text


def _referred(reference: re.Match[str]) -> str:
    """Return the character of a complete reference; one with an unknown name stays as it is."""
    name = reference[1]
    return unescape(reference[0]) if name.startswith("#") or name in html5 else reference[0]


def _map_classification(given: GivenMetadata, record: Record, lists: ValueLists, report: Reporter) -> None:
    classification = record.document.classificatiecollectie
    classification.trefwoorden = given.trefwoorden
    path = "classificatiecollectie/"
    classification.documentsoorten = _all(
        given.documentsoorten, lists.documentsoorten, report, path + "documentsoorten/documentsoort"
    )
    classification.themas = _all(given.themas, lists.themas, report, path + "themas/thema")
    classification.informatiecategorieen = _all(
        given.informatiecategorieen, lists.informatiecategorieen, report, CATEGORY
    )


def _map_dates(given: GivenMetadata, record: Record, report: Reporter, now: datetime) -> None:
    document = record.document
    document.creatiedatum = day = _creation(given.creatiedatum, report, now)
    if day is not None and day.year < FIRST_YEAR:
        report("datum.onwaarschijnlijk", element="creatiedatum", seen=given.creatiedatum, action=_PUBLISHED)
        document.creatiedatum, record.herkomst.creatiedatum = None, given.creatiedatum
    begin = _moment(given.begindatum, report, "geldigheid/begindatum")
    end = _moment(given.einddatum, report, "geldigheid/einddatum", parse_end)
    if begin or end:
        document.geldigheid = Geldigheid(begin, end)
    if begin and end and end < begin:
        seen = f"{given.begindatum} – {given.einddatum}"
        report("geldigheid.omgekeerd", element="geldigheid", seen=seen, action=_KEPT)


def _creation(text: str | None, report: Reporter, now: datetime) -> date | None:
    if text is None:
        report.absent("creatiedatum.ontbreekt", element="creatiedatum", action=_PUBLISHED)
        return None
    try:
        day = parse_date(text)
    except ValueError:
        report("datum.ongeldig", element="creatiedatum", seen=text, action=_PUBLISHED)
        return None
    # The Dutch day never begins after that of UTC, which is faster to compare with.
    if day > now.date() and day > day_of(now):
        report("creatiedatum.toekomst", element="creatiedatum", seen=text, action=_KEPT)
    return day


def _moment(
    text: str | None, report: Reporter, element: str, parse: Callable[[str], datetime] = parse_datetime
) -> datetime | None:
    if text is None:
        return None
    try:
        if not is_no_date(moment := parse(text)):
            return moment
        code = "datum.onwaarschijnlijk"
    except ValueError:
        code = "datum.ongeldig"
    report(code, element=element, seen=text, action=_OMITTED)
    return None


def _map_references(given: GivenMetadata, record: Record, lists: ValueLists, report: Reporter) -> None:
    document = record.document
    _note_insecure(given, report)
    document.isPartOf = _reference(given.is_part_of)
    document.hasParts = [_given_reference(value) for value in given.has_parts]
    for relation in given.relaties:
        _add_relation(relation, record, lists.documentrelaties, report)
    if reason := given.reden:
        known = _coded(reason, lists.redenen, report, "redenVerwijderingVervanging")
        record.herkomst.redenVerwijderingVervanging = known
        for version in record.versies:
            version.redenVerwijderingVervanging = (
                (known and known.label) or one_line(reason.label or "") or reason.uri
            )


def _format(value: Value, values: ValueList, report: Reporter) -> Waarde | None:
    """Return the format for the record. An extension or media type is also known, and kept as bronwaarde.

    The result never differs from what ``filetype`` decides by the same metadata.
    """
    known, problems = _resolved(value, values)
    if not problems:
        return known
    filetype = from_metadata(value.label, value.uri).filetype
    is_listed = values.by_label(value.label or "") or values.by_similar_uri(value.uri or "")
    if filetype is None or (known and known.id == filetype.uri and is_listed):
        return _coded(value, values, report, "format")
    waarde = Waarde(None, filetype.uri, filetype.label, _as_given(value))
    if value.uri and not from_metadata(None, value.uri).filetype:
        report("waarde.uri-onbekend", element="format", seen=_as_given(value), action=resolved_as(waarde))
    return waarde


def _note_insecure(given: GivenMetadata, report: Reporter) -> None:
    """Note references with http: one finding an element, however many there are in it."""
    if not (given.is_part_of or given.has_parts or given.relaties):
        return
    references = (
        ("isPartOf", [given.is_part_of]),
        ("hasParts/hasPart", given.has_parts),
        (f"{_RELATION}/relation", [relation.relation for relation in given.relaties]),
    )
    for element, values in references:
        found = [value for value in values if value and any(map(_INSECURE.match, filter(None, value)))]
        if found:
            action = _KEPT if len(found) == 1 else f"{len(found)} verwijzingen {_KEPT}"
            report("verwijzing.geen-https", element=element, seen=_as_given(found[0]), action=action)


def _reference(value: Value | None) -> Waarde | None:
    return _given_reference(value) if value else None


def _given_reference(value: Value) -> Waarde:
    return Waarde(None, value.uri, one_line(value.label) if value.label else None)


def _add_relation(given: Relation, record: Record, roles: ValueList, report: Reporter) -> None:
    """Add a relation, whose parts are texts, and what they leave out of its role to ``herkomst``."""
    role, other = given.role, _reference(given.relation) or Waarde()
    known = _coded(role, roles, report, f"{_RELATION}/role") if role else None
    if role and known:
        record.herkomst.documentrelaties.append(Relatierol(other.id or other.label, known))
    uri = (known and known.id) or (role and role.uri) or None
    record.documentrelaties.append(Documentrelatie(other.id, uri, other.label))


def _handlings(given: list[Handling], lists: ValueLists, report: Reporter) -> list[Documenthandeling]:
    """Return the documenthandelingen of the three kinds that are recognised; note the others.

    Source: seed "Aanbevelingen voor metadata", section "TOOI veld 'documenthandeling'".
    """
    if not given:
        report.absent("documenthandeling.ontbreekt", element=_HANDLING)
    return [found for handling in given if (found := _handling(handling, lists, report)) is not None]


def _handling(given: Handling, lists: ValueLists, report: Reporter) -> Documenthandeling | None:
    kind, at_time, organisation = given
    element, kind = f"{_HANDLING}/soortHandeling", kind or Value(None, None)
    known, problems = _resolved(kind, lists.handelingen)
    if known is None or known.id is None:
        parts = (_as_given(kind) or NO_KIND, at_time, _as_given(organisation) if organisation else None)
        seen = "; ".join(filter(None, parts))
        refuse = report if given.kind else report.absent
        refuse("documenthandeling.onbekend", element=element, seen=seen, action=_OMITTED)
        return None
    for problem in problems:
        report(problem, element=element, seen=_as_given(kind), action=resolved_as(known))
    moment = _moment(at_time, report, f"{_HANDLING}/atTime")
    path = f"{_HANDLING}/wasAssociatedWith"
    who = _coded(organisation, lists.organisaties, report, path) if organisation else None
    return Documenthandeling(known, moment, who)


def _extra(extra: Extra) -> ExtraMetadata:
    return ExtraMetadata(extra.namespace, extra.prefix, [Veld(key, values) for key, values in extra.fields])


_UNKNOWN_TITLE = "Onbekend"

TITLE = "document.titelcollectie.officieleTitel"
_CATEGORIES = "document.classificatiecollectie.informatiecategorieen"


def fill_in(
    record: Record, match: Match, index: Concept | None, organisations: ValueList, report: Reporter
) -> None:
    """Fill in all that the publisher did not give; the arguments are those of the functions below."""
    default_organisations(record, match, organisations, report)
    default_title(record, report)
    default_category(record, index, report)
    for version in record.versies:
        if version.openbaarmakingsdatum is not None:
            default_dates(record, version.openbaarmakingsdatum)


def default_title(record: Record, report: Reporter) -> None:
    """Fill in a missing title from the file name in loc, else "Onbekend"; report which of the two."""
    titles = record.document.titelcollectie
    if titles.officieleTitel:
        return
    title = title_from_loc(record.document.weblocatie)
    titles.officieleTitel = title or _UNKNOWN_TITLE
    record.herkomst.standaardwaarden[TITLE] = "bestandsnaam" if title else "onbekend"
    code = "titel.ontbreekt" if title else "titel.onbekend"
    report.absent(code, element="titelcollectie/officieleTitel", action=_filled(titles.officieleTitel))


def default_category(record: Record, index: Concept | None, report: Reporter) -> None:
    """Fill in a missing or unknown category from the name of the index, else "onbekend".

    *index* is the category in the name of the index, or None if the name has none. The text that the
    publisher gave for an unknown category stays as its bronwaarde.
    """
    unknown = UNKNOWN_CATEGORY
    classification = record.document.classificatiecollectie
    given = classification.informatiecategorieen
    if not given:
        category = index or unknown
        classification.informatiecategorieen = [Waarde(None, category.uri, category.label)]
        record.herkomst.standaardwaarden[_CATEGORIES] = "index" if index else "onbekend"
        if not index:
            report.absent("informatiecategorie.ontbreekt", element=CATEGORY, action=_filled(unknown.label))
        return
    known = {waarde.id for waarde in given} - {unknown.uri}
    if index and known and index.uri not in known:
        labels = ", ".join(waarde.label or "" for waarde in given if waarde.id in known)
        seen = f"{labels}; index: {index.label}"
        report("informatiecategorie.strijdig", element=CATEGORY, seen=seen, action="metadata gebruikt")
    values = [_known_category(waarde, index, report) for waarde in given]
    if values != given and index:
        record.herkomst.standaardwaarden[_CATEGORIES] = "index"
    classification.informatiecategorieen = _distinct(values) if len(values) > 1 else values


def _known_category(waarde: Waarde, index: Concept | None, report: Reporter) -> Waarde:
    """Return a known category as it is, and for an unknown one that of the index, if there is one."""
    if waarde.id != UNKNOWN_CATEGORY.uri:
        return waarde
    category = replace(waarde, id=index.uri, label=index.label) if index else waarde
    report(
        "informatiecategorie.onbekend", element=CATEGORY, seen=waarde.bronwaarde, action=resolved_as(category)
    )
    return category


def _distinct(values: list[Waarde]) -> list[Waarde]:
    """Return each value once, at its first place. One with a bronwaarde replaces the same one without."""
    explained = {waarde.id: waarde for waarde in reversed(values) if waarde.bronwaarde}
    return list(dict.fromkeys(each if each.bronwaarde else explained.get(each.id, each) for each in values))


def default_organisations(record: Record, match: Match, organisations: ValueList, report: Reporter) -> None:
    """Fill in a missing publisher from the register, and a missing verantwoordelijke from the publisher.

    If the register does not know the publisher either, it becomes the TOOI value for unknown.
    """
    document, defaults = record.document, record.herkomst.standaardwaarden
    if document.publisher is None:
        if match.organisation is not None:
            document.publisher = _registered(match.organisation, organisations)
            defaults["document.publisher"] = "register"
        else:
            document.publisher = organisation_value(UNKNOWN_ORGANISATION)
            defaults["document.publisher"] = "onbekend"
        action = _filled(document.publisher.label or "")
        report.absent("publisher.ontbreekt", element="publisher", action=action)
        if match.candidates:
            seen = ", ".join(candidate.name for candidate in match.candidates)
            report("register.meerdere-organisaties", seen=seen, action=_filled(UNKNOWN_ORGANISATION.label))
    if document.verantwoordelijke is None:
        document.verantwoordelijke = document.publisher
        defaults["document.verantwoordelijke"] = "publisher"
        report.absent(
            "verantwoordelijke.ontbreekt", element="verantwoordelijke", action="publisher overgenomen"
        )


def default_dates(record: Record, published: date) -> None:
    """Fill in a missing creatiedatum with *published*, the openbaarmakingsdatum."""
    if record.document.creatiedatum is None:
        record.document.creatiedatum = published
        record.herkomst.standaardwaarden["document.creatiedatum"] = "openbaarmakingsdatum"


def _registered(organisation: Organisation, organisations: ValueList) -> Waarde:
    """Return a registered organisation as publisher: with its label in the list, else its registered name."""
    concept = organisations.by_uri(organisation.uri) if organisation.uri else None
    return organisation_value(concept or Concept(organisation.uri or "", organisation.name))


def _filled(value: str) -> str:
    return f"standaardwaarde gebruikt: {value}"
