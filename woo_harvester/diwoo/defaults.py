"""What a record says where its publisher gave nothing, and the entries that a run chooses by what they say.

A title is made of the file name in the loc, or of the properties of the document.

Source: seed "Aanbevelingen voor metadata", section "TOOI veld 'officieleTitel'".
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime

from msgspec.structs import replace

from woo_harvester.diwoo.given import metadata_of
from woo_harvester.diwoo.mapping import CATEGORY, organisation_value, resolved_as
from woo_harvester.findings import Reporter
from woo_harvester.record import Record, Waarde
from woo_harvester.register.register import Match, Organisation
from woo_harvester.sitemaps.facts import EntryFacts
from woo_harvester.sitemaps.lastmod import first_day
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.tooi import UNKNOWN_CATEGORY, UNKNOWN_ORGANISATION
from woo_harvester.tooi.coded import resolve
from woo_harvester.tooi.values import Concept, ValueList
from woo_harvester.utils.dates import parse_date
from woo_harvester.utils.urls import last_segment

#: Extensions of documents, and of programs on web servers that send them. Other endings stay in the title,
#: such as the .2 of "besluit 1.2" and the .State of "Raad.van.State".
_EXTENSION = re.compile(
    r"(?:pdf|docx?|docm|odt|rtf|txt|xlsx?|xlsm|ods|csv|pptx?|ppsx?|odp|odf|x?html?|xml|json|zip|7z|msg|eml"
    r"|jpe?g|png|tiff?|gif|aspx?|ashx|axd|jspx?|php|cfm|do)",
    re.IGNORECASE,
)
#: Prefix that Office programs put before the file name to make a title.
_PROGRAM = re.compile(r"\s*Microsoft (?:Office )?(?:Word|Excel|PowerPoint|Outlook) - ", re.IGNORECASE)
_UUID = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])", re.IGNORECASE)
#: White space, the usual separators, and characters that do not print: control, formatting, replacement.
_SEPARATORS = re.compile(
    r"[\s_+\-\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd\ud800-\udfff]+"
)
_HASH = re.compile("[0-9a-f]{16,}", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
#: Words about how a document is offered, not what it is; also written together: getdocument, downloadfile.
_GENERAL = re.compile(
    "(?:download(?:s|en)?|document(?:s|en)?|docs?|index|files?|filename|bestand(?:en)?|bestandsnaam|attachments?"
    "|default|get|fetch|retrieve|view(?:er)?|show|bekijk(?:en)?|toon|open(?:en)?|preview|inline|print|export"
    "|object|item|content|media|asset|resource|blob|stream|binary|handler|servlet|raw|original|origineel"
    "|page|pagina|home|main|scan|img|image|untitled|unnamed|naamloos|nieuw|new|temp|tmp|id|nr|nummer|versie|version"
    "|copy|kopie|pdf|docx|odt|xlsx?|pptx?|zip|html?)+"
)
#: Longest word that is compared with the general words, in characters.
_GENERAL_MAXLENGTH = 40


def title_from_loc(loc: str) -> str | None:
    """Return the title in the file name of a location, or None if the name is meaningless.

    The name is percent-decoded. Its extension and UUIDs are removed, and separators become spaces. A name is
    meaningless if it has only numbers, hashes (16 or more hex digits), single letters and general words, such
    as download, document and index.
    """
    path = re.split(r"[?#]", loc.strip(), maxsplit=1)[0].rstrip("/")
    name = last_segment(path).rstrip("/").rpartition("/")[2].strip()
    stem = _without_extensions(name)
    title = _SEPARATORS.sub(" ", _UUID.sub(" ", unicodedata.normalize("NFC", stem))).strip(" .,;")
    return title if _is_meaningful(title) else None


def title_from_properties(text: str) -> str | None:
    """Return the title in a document's own properties, or None if it is meaningless.

    Many programs fill it in with the name of the file, some with their own name before it, such as "Microsoft
    Word - brief.docx". The program and the extension are removed. The rest must have meaning, as in
    :func:`title_from_loc`.
    """
    title = " ".join(_without_extensions(_PROGRAM.sub("", text).strip()).split())
    return title if _is_meaningful(_UUID.sub(" ", title)) else None


def _without_extensions(name: str) -> str:
    """Remove all known extensions from the end of a name, such as both of ``besluit.docx.pdf``."""
    while (parts := name.rpartition("."))[1] and _EXTENSION.fullmatch(parts[2]):
        name = parts[0]
    return name


def _is_meaningful(title: str) -> bool:
    """Return whether the title has a word that says what the document is."""
    words = (word for word in title.split() if not _HASH.fullmatch(word))
    return any(not _is_general(run.lower()) for word in words for run in _LETTERS.findall(word))


def _is_general(word: str) -> bool:
    if len(word) == 1 or not any(map(str.isalpha, word)):  # ½ and ² are neither digits nor letters
        return True
    return len(word) <= _GENERAL_MAXLENGTH and _GENERAL.fullmatch(word) is not None


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
    """Return each value once. A value with a bronwaarde replaces the same value without one."""
    explained = {waarde.id for waarde in values if waarde.bronwaarde}
    return list(dict.fromkeys(waarde for waarde in values if waarde.bronwaarde or waarde.id not in explained))


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


@dataclass(frozen=True, slots=True)
class Choice:
    """The entries that a run chooses, by category, lastmod and date; None for no limit."""

    categories: frozenset[str] | None = None
    """URIs of informatiecategorieën: a document has one of them."""
    since: datetime | None = None
    """The lastmod is this moment or a later one. An entry without a lastmod that can be read is left out."""
    until: datetime | None = None
    """The lastmod is this moment or an earlier one, in the same way."""
    published: tuple[date, date] | None = None
    """The date of the document is one of these days or between them."""

    def has(self, facts: EntryFacts, index: Concept | None, categories: ValueList) -> bool:
        """Return whether the run chooses an entry.

        *index* is the category in the name of its index. *categories* is the value list of this run.
        """
        if (self.since or self.until) and not (
            facts.moment is not None
            and (self.since is None or self.since <= facts.moment.utc)
            and (self.until is None or facts.moment.utc <= self.until)
        ):
            return False
        if self.published is not None and not self.published[0] <= _date(facts) <= self.published[1]:
            return False
        return self.categories is None or not self.categories.isdisjoint(
            _categories(facts.entry, index, categories)
        )


def _date(facts: EntryFacts) -> date:
    """Return the date that the record of an entry would have: creatiedatum, else openbaarmakingsdatum."""
    with suppress(ValueError):
        if given := metadata_of(facts.entry).creatiedatum:
            return parse_date(given)
    if facts.known is not None and facts.known.published:
        return date.fromisoformat(facts.known.published)
    return first_day(facts.moment, datetime.now(UTC))


def _categories(entry: Entry, index: Concept | None, categories: ValueList) -> set[str]:
    """Return the URIs of the categories that the record of an entry would have.

    That of the index counts for a category that is absent or unknown, as in :func:`default_category`.
    """
    otherwise = index or UNKNOWN_CATEGORY
    found = set()
    for value in metadata_of(entry).informatiecategorieen:
        resolved = resolve(categories, value.label, value.uri)
        if resolved is not None and resolved.concept is not None:
            is_known = resolved.concept.uri != UNKNOWN_CATEGORY.uri
            found.add((resolved.concept if is_known else otherwise).uri)
    return found or {otherwise.uri}
