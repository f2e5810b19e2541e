"""What the page of a document shows: its fields in rows, each value with the address that it leads to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from woo_harvester.kinds import WOO
from woo_harvester.outputs.definition import Metadata, metadata_of, values_at
from woo_portal.engine import Hit, Piece
from woo_portal.wording import capitalised, counted, day, day_and_time, path_of, size, visible

Json = Mapping[str, Any]

_DOCUMENT = "document"
_CLASSES = f"{_DOCUMENT}.classificatiecollectie"

#: The origin of a default value (``herkomst.standaardwaarden``), in words.
_ORIGINS = {
    "register": "uit het register van overheidsorganisaties",
    "index": "uit de naam van de lijst waarin het document staat",
    "bestandsnaam": "uit de naam van het bestand",
    "publisher": "gelijk aan de organisatie die het publiceerde",
    "openbaarmakingsdatum": "gelijk aan de dag van openbaarmaking",
    "oogstdatum": "de dag waarop het document is geoogst",
    "content-type": "uit het antwoord van de server",
    "extensie": "uit het adres van het bestand",
    "inhoud": "uit de inhoud van het bestand",
    "onbekend": "de organisatie gaf dit niet",
}


#: The largest number that a page shows: JavaScript and a search index have no larger whole numbers.
_LARGEST = 2**53
#: The paths in a store of documents: the SHA-256 of a document below its first two digits, and nothing else.
_STORED = re.compile(r"([0-9a-f]{2})/\1[0-9a-f]{62}")
#: The causes of a version (``versies[].oorzaak``) in words.
_CAUSES = {
    "aanlevering": "Nieuw",
    "wijziging": "Gewijzigd",
    "intrekking": "Ingetrokken",
    "herpublicatie": "Opnieuw openbaar",
}


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a field."""

    text: str
    path: str = ""
    """The path in the portal to which it leads."""
    url: str = ""
    """The address of elsewhere to which it leads, if there is no path; only http and https become a link."""
    source: str = ""
    """What the publisher wrote, if that differs."""


@dataclass(frozen=True, slots=True)
class Row:
    """A field with its values."""

    label: str
    values: tuple[Value, ...]
    filled: str = ""
    """The origin of the value in words, if the publisher did not give it."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a document."""

    name: str
    url: str
    facts: tuple[str, ...]
    """Its type, size, pages and language, as far as they are known."""
    digest: str
    """Its SHA-256; empty if it was not fetched."""
    media_type: str
    stored: str
    """The path of its copy in the store of documents; empty if it has none."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a document."""

    name: str
    """Its number, such as ``Versie 2``."""
    cause: str
    moment: str
    reason: str


def title_of(document: Json) -> str:
    """Return the title of a document; of one without, such as a withdrawn one, its address."""
    title = first(document, f"{_DOCUMENT}.titelcollectie.officieleTitel")
    shown = (visible(text).strip() for text in (title, location_of(document)))
    return next(filter(None, shown), "Onbekend")


def heading_of(hit: Hit, title: str) -> list[Piece]:
    """Return the title of a hit for a list, with its matches.

    *title* is shown if the search has no text to mark, or the record no title.
    """
    marked = [replace(piece, text=visible(piece.text)) for piece in hit.title]
    return marked if any(piece.text.strip() for piece in marked) else [Piece(title)]


def location_of(document: Json) -> str:
    """Return the publisher's own address of a document."""
    return first(document, f"{_DOCUMENT}.weblocatie")


def group_of(document: Json) -> str:
    """Return the key that a document shares with the others of its group, or an empty text."""
    return first(document, f"{_DOCUMENT}.aggregatiekenmerk")


def organisation_of(document: Json) -> str:
    """Return the name of the organisation that a document is shown with."""
    names = (first(document, f"{_DOCUMENT}.{name}.label") for name in ("verantwoordelijke", "publisher"))
    return next(filter(None, names), "")


def version_of(document: Json) -> Json:
    """Return the version that a document has now."""
    return (_objects(document, "versies") or [{}])[-1]


def files_of(version: Json) -> list[Json]:
    """Return the files of a version as the record has them; a file that is no object is left out."""
    return _objects(version, "bestanden")


def whole_number(value: Any) -> int | None:
    """Return a number of a record, or None for what is no count: a negative one, a fraction, a text."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        return None
    return value


def cause_of(document: Json) -> str:
    """Return what happened to a record, in words; *Gewijzigd* if its version does not say it."""
    return _cause(version_of(document))


def versions(document: Json) -> list[Version]:
    """Return the versions of a document that are known here, the newest first."""
    found = []
    for version in reversed(_objects(document, "versies")):
        number, moment = whole_number(version.get("nummer")), version.get("mutatiedatumtijd")
        found.append(
            Version(
                f"Versie {number}" if number else "Deze versie",
                _cause(version),
                day_and_time(moment) if moment else day(version.get("openbaarmakingsdatum")),
                str(version.get("redenVerwijderingVervanging") or ""),
            )
        )
    return found


def earlier_versions(document: Json) -> int:
    """Return the number of versions that were before those that are known here."""
    numbers = [whole_number(each.get("nummer")) for each in _objects(document, "versies")]
    return max(0, min((each for each in numbers if each is not None), default=1) - 1)


def _cause(version: Json) -> str:
    return _CAUSES.get(str(version.get("oorzaak")), "Gewijzigd")


def facts_of(document: Json) -> list[str]:
    """Return what a list of documents says of one: organisation, category, day, type and size."""
    version = version_of(document)
    length = next((whole_number(file.get("grootte")) for file in files_of(version)), None)
    found = [
        organisation_of(document),
        capitalised(first(document, f"{_CLASSES}.informatiecategorieen.label")),
        day(version.get("openbaarmakingsdatum")),
        ", ".join(filter(None, (first(document, f"{_DOCUMENT}.format.label"), size(length)))),
    ]
    return [text for text in found if text]


def about(document: Json) -> list[Row]:
    """Return the rows about what a document is, and whose."""
    rows = [_metadata(document, field) for field in metadata_of(WOO) if field.label]
    owner, publisher = rows[:2]
    if [each.text for each in owner.values] == [each.text for each in publisher.values]:
        # The publisher is named only if it is another organisation.
        rows[:2] = [replace(publisher if owner.filled else owner, label=owner.label)]
    return with_values(*rows)


def dates(document: Json) -> list[Row]:
    """Return the rows with the dates of a document and with what was done with it."""
    version, origins = version_of(document), _origins(document)
    made = f"{_DOCUMENT}.creatiedatum"
    return with_values(
        row("Openbaar gemaakt", [day(version.get("openbaarmakingsdatum"))]),
        row("Laatst gewijzigd", [day_and_time(version.get("mutatiedatumtijd"))],
             origins.get("versies.mutatiedatumtijd", "")),
        row("Gemaakt", [day(first(document, made))], origins.get(made, "")),
        row("Geldig", [_validity(document)]),
        *(row(*handling) for handling in _handlings(document)),
    )  # fmt: skip


def files(document: Json) -> list[File]:
    """Return the files of a document."""
    kind = first(document, f"{_DOCUMENT}.format.label")
    found = []
    for each in files_of(version_of(document)):
        pages, language = whole_number(each.get("paginas")), each.get("taal")
        facts = (
            kind,
            size(whole_number(each.get("grootte"))),
            counted(pages, "pagina", "pagina\u2019s") if pages else "",
            f"taal: {language}" if language else "",
        )
        url = str(each.get("url") or "")
        name = str(each.get("bestandsnaam") or url or "Bestand zonder naam")
        digest, media_type, stored = (str(each.get(key) or "") for key in ("hash", "mime-type", "pad"))
        stored = stored if _STORED.fullmatch(stored) else ""
        found.append(File(name, url, tuple(filter(None, facts)), digest, media_type, stored))
    return found


def own_fields(document: Json) -> list[tuple[str, list[Row]]]:
    """Return the publisher's own fields, in their groups by namespace."""
    groups = _objects(document, f"{_DOCUMENT}.extraMetadata")
    return [
        (
            str(group.get("prefix") or group.get("namespace") or ""),
            [row(str(each.get("key") or ""), map(str, each.get("values") or ()))
             for each in group.get("velden") or ()],
        )
        for group in groups
    ]  # fmt: skip


def relations(document: Json) -> list[tuple[str, Json]]:
    """Return each relation to another document: its kind in words, and the term of the other one."""
    found = [("Onderdeel van", term) for term in _objects(document, f"{_DOCUMENT}.isPartOf")]
    found += [("Heeft als onderdeel", term) for term in _objects(document, f"{_DOCUMENT}.hasParts")]
    known = _objects(document, "herkomst.documentrelaties.role")
    roles = {str(role.get("id")): role.get("label") for role in known}
    for relation in _objects(document, "documentrelaties"):
        role = capitalised(str(roles.get(str(relation.get("role"))) or "Heeft te maken met"))
        found.append((role, {"id": relation.get("relation"), "label": relation.get("titel")}))
    return [(role, term) for role, term in found if term.get("id") or term.get("label")]


def origin(document: Json) -> list[Row]:
    """Return the rows about where a document was found."""
    found = document.get("herkomst") or {}
    return with_values(
        link_row("Website van de organisatie", location_of(document)),
        link_row("Sitemap", found.get("sitemap")),
        link_row("Sitemapindex", found.get("index")),
        row("Datum in de sitemap", [str(found.get("lastmod") or "")]),
        row("Geoogst", [day_and_time(found.get("opgehaald"))]),
        row("Titel in het bestand zelf", [str(found.get("titelVoorstel") or "")]),
    )


def title_origin(document: Json) -> str:
    """Return where the title comes from, in words, if the publisher did not give it."""
    return _origins(document).get(f"{_DOCUMENT}.titelcollectie.officieleTitel", "")


def _origins(document: Json) -> dict[str, str]:
    """Return the origin of each default value in words, by its path."""
    given = (document.get("herkomst") or {}).get("standaardwaarden") or {}
    return {path: _ORIGINS.get(origin, origin) for path, origin in given.items()}


def _metadata(document: Json, field: Metadata) -> Row:
    """Return the row of a field; each value leads to its page, or to a search for it, if there is one."""
    filled = _origins(document).get(field.path, "")
    values = []
    for given in values_at(document, field.path):
        term: Json = given if isinstance(given, Mapping) else {"label": str(given)}
        text = str(term.get("label") or term.get("id") or "")
        value = f'"{text}"' if field.facet == "zoektekst" else str(term.get("id") or text)
        own = "" if filled else path_of(field.facet, value)
        values.append(Value(text, path=own, source=str(term.get("bronwaarde") or "")))
    return Row(field.label, tuple(value for value in values if value.text), filled)


def _handlings(document: Json) -> Iterator[tuple[str, list[str]]]:
    """Yield what was done with a document: the kind, and on which day and by whom."""
    for handling in _objects(document, f"{_DOCUMENT}.documenthandelingen"):
        kind = (handling.get("soortHandeling") or {}).get("label") or "handeling"
        by = (handling.get("wasAssociatedWith") or {}).get("label")
        moment = day(handling.get("atTime")) or "dag niet bekend"
        yield capitalised(str(kind)), [f"{moment}, door {by}" if by else moment]


def _validity(document: Json) -> str:
    period = next(iter(_objects(document, f"{_DOCUMENT}.geldigheid")), {})
    return between(period.get("begindatum"), period.get("einddatum"))


def between(begin: str | None, end: str | None) -> str:
    """Return a period in words; empty without a day."""
    texts = (f"vanaf {day(begin)}" if begin else "", f"tot en met {day(end)}" if end else "")
    return " ".join(filter(None, texts))


def row(label: str, texts: Iterable[str], filled: str = "") -> Row:
    """Return a row of texts without those that are empty."""
    return Row(label, tuple(Value(text) for text in texts if text), filled)


def link_row(label: str, url: Any) -> Row:
    """Return a row of one address, or of none."""
    return Row(label, (Value(str(url), url=str(url)),) if url else ())


def with_values(*rows: Row) -> list[Row]:
    """Return the rows that have a value."""
    return [each for each in rows if each.values]


def first(document: Json, path: str) -> str:
    """Return the first value at a dotted path as a text, or an empty text."""
    return str(next(iter(values_at(document, path)), ""))


def _objects(document: Json, path: str) -> list[Json]:
    return [each for each in values_at(document, path) if isinstance(each, Mapping)]
