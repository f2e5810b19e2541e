"""What is filled in where a publisher gave nothing, exactly as the guide documents it.

Source: seed "Aanbevelingen voor metadata", section "Toelichting op de verplichte TOOI velden"; seed
"Sitemapindex en Sitemaps", section "Naamgeving van informatiecategorieën". Every default is named in
``herkomst.standaardwaarden`` with where it came from.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from woo_harvester.diwoo.mapping import CATEGORY, organisation, taken
from woo_harvester.diwoo.titles import title_from_loc
from woo_harvester.findings import Reporter
from woo_harvester.record import Record, Waarde
from woo_harvester.register.organisations import Match, Organisation
from woo_harvester.tooi import UNKNOWN_CATEGORY, UNKNOWN_ORGANISATION
from woo_harvester.tooi.lists import organisaties
from woo_harvester.tooi.values import Concept

UNKNOWN_TITLE = "Onbekend"

TITLE = "document.titelcollectie.officieleTitel"
CATEGORIES = "document.classificatiecollectie.informatiecategorieen"


def default_title(record: Record, report: Reporter) -> None:
    """The title from the file name in loc, else "Onbekend"."""
    titles = record.document.titelcollectie
    if titles.officieleTitel:
        return
    title = title_from_loc(record.document.weblocatie)
    titles.officieleTitel = title or UNKNOWN_TITLE
    record.herkomst.standaardwaarden[TITLE] = "bestandsnaam" if title else "onbekend"
    report("titel.ontbreekt", element="titelcollectie/officieleTitel", action=_filled(titles.officieleTitel))
    if not title:
        report("titel.onbekend", element="titelcollectie/officieleTitel", action=_filled(UNKNOWN_TITLE))


def default_category(record: Record, index: Concept | None, report: Reporter) -> None:
    """The category from the metadata, else from the name of the index, else "onbekend".

    *index* is the category that the index's name tells. A category in the metadata that is not in the list
    is that of the index, where that has one; what was given stays as its bronwaarde.
    """
    unknown = UNKNOWN_CATEGORY
    classification = record.document.classificatiecollectie
    given = classification.informatiecategorieen
    if not given:
        category = index or unknown
        classification.informatiecategorieen = [Waarde(None, category.uri, category.label)]
        record.herkomst.standaardwaarden[CATEGORIES] = "index" if index else "onbekend"
        if not index:
            report("informatiecategorie.ontbreekt", element=CATEGORY, action=_filled(unknown.label))
        return
    known = {waarde.id for waarde in given} - {unknown.uri}
    if index and known and index.uri not in known:
        labels = ", ".join(waarde.label or "" for waarde in given if waarde.id in known)
        seen = f"{labels}; index: {index.label}"
        report("informatiecategorie.strijdig", element=CATEGORY, seen=seen, action="metadata gebruikt")
    values = [_known_category(waarde, index, report) for waarde in given]
    if values != given and index:
        record.herkomst.standaardwaarden[CATEGORIES] = "index"
    classification.informatiecategorieen = _distinct(values) if len(values) > 1 else values


def _known_category(waarde: Waarde, index: Concept | None, report: Reporter) -> Waarde:
    """The category itself; of an unknown one, that of the index where it has one."""
    if waarde.id != UNKNOWN_CATEGORY.uri:
        return waarde
    category = replace(waarde, id=index.uri, label=index.label) if index else waarde
    report("informatiecategorie.onbekend", element=CATEGORY, seen=waarde.bronwaarde, action=taken(category))
    return category


def _distinct(values: list[Waarde]) -> list[Waarde]:
    """Each value once: one without bronwaarde says nothing beside the same one with it."""
    told = {waarde.id for waarde in values if waarde.bronwaarde}
    return list(dict.fromkeys(waarde for waarde in values if waarde.bronwaarde or waarde.id not in told))


def default_organisations(record: Record, match: Match, report: Reporter) -> None:
    """The publisher from the register, else unknown; the verantwoordelijke from the publisher."""
    document, defaults = record.document, record.herkomst.standaardwaarden
    if document.publisher is None:
        if match.organisation is not None:
            document.publisher = registered(match.organisation)
            defaults["document.publisher"] = "register"
        else:
            document.publisher = organisation(UNKNOWN_ORGANISATION)
            defaults["document.publisher"] = "onbekend"
        report("publisher.ontbreekt", element="publisher", action=_filled(document.publisher.label or ""))
        if match.candidates:
            seen = ", ".join(body.name for body in match.candidates)
            report("register.meerdere-organisaties", seen=seen, action=_filled(UNKNOWN_ORGANISATION.label))
    if document.verantwoordelijke is None:
        document.verantwoordelijke = document.publisher
        defaults["document.verantwoordelijke"] = "publisher"
        report("verantwoordelijke.ontbreekt", element="verantwoordelijke", action="publisher overgenomen")


def default_dates(record: Record, published: date) -> None:
    """The creatiedatum from the openbaarmakingsdatum."""
    if record.document.creatiedatum is None:
        record.document.creatiedatum = published
        record.herkomst.standaardwaarden["document.creatiedatum"] = "openbaarmakingsdatum"


def registered(body: Organisation) -> Waarde:
    """A body of the register as publisher, by its label in the list, else by its name in the register."""
    concept = organisaties().by_uri(body.uri) if body.uri else None
    if concept is not None:
        return organisation(concept)
    if body.uri:
        return organisation(Concept(body.uri, body.name))
    return Waarde(label=body.name)


def _filled(value: str) -> str:
    return f"standaardwaarde gebruikt: {value}"
