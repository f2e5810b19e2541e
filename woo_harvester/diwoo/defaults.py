"""What a record says where its publisher gave nothing: title, category, organisations, dates."""

from __future__ import annotations

from datetime import date

from msgspec.structs import replace

from woo_harvester.diwoo.mapping import CATEGORY, organisation_value, resolved_as
from woo_harvester.diwoo.titles import title_from_loc
from woo_harvester.findings import Reporter
from woo_harvester.record import Record, Waarde
from woo_harvester.register.register import Match, Organisation
from woo_harvester.tooi.lists import UNKNOWN_CATEGORY, UNKNOWN_ORGANISATION
from woo_harvester.tooi.values import Concept, ValueList

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
