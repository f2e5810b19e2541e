"""A question to a search engine, and its bounds.

Each engine gives the same hits for the same question: a record is a hit if all clauses of its text match, it
has one of the chosen values of each facet, and it lies in each period, near the place and on the day.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.definition import Status, composed, without_punctuation
from woo_harvester.permits.mapping import organisation_by_name
from woo_harvester.tooi.lists import documentsoorten, filetypes, informatiecategorieen, organisaties, themas
from woo_harvester.tooi.values import ValueList
from woo_portal.names import other_names, with_spaces
from woo_portal.wording import day as written_day

#: The longest text of a question, in characters.
MAX_TEXT = 500
#: The most words and phrases in a text.
MAX_CLAUSES = 20
#: The most chosen values of one facet.
MAX_CHOSEN = 50
#: The most hits on a page.
MAX_SIZE = 100
#: The most values of a facet that are counted if all are wanted.
MAX_VALUES = 60_000
#: The hit that the last page begins with: a search engine gives 10,000. A download has all of them.
MAX_START = 10_000 - MAX_SIZE


class QuestionError(ValueError):
    """A question that cannot be asked; the message is one line in Dutch that says what is wrong."""


class Sort(StrEnum):
    """The order of hits. Hits that are equal in it are in the order of their ids."""

    RELEVANCE = "relevantie"
    NEWEST = "nieuwste"
    """The newest openbaarmakingsdatum first, of a permit mutatiedatumtijd; also without a text to rank by."""
    OLDEST = "oudste"
    CHANGED = "gewijzigd"
    """The latest change that the publisher names first (lastmod, of a permit ``modified``)."""
    TITLE = "titel"
    DISTANCE = "afstand"
    """Nearest first; only with a place."""
    HARVESTED = "geoogst"
    """The latest moment of harvest first: what the newest run found. No parameter asks for it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A word, or a phrase between quotes, that a hit must have, or must not have."""

    text: str
    is_phrase: bool = False
    """Whether the words must stand exactly so, one after another."""
    is_excluded: bool = False
    others: tuple[str, ...] = ()
    """Other names of the same."""


@dataclass(frozen=True, slots=True)
class Period:
    """A period of days, both included; None is without bound."""

    begin: date | None = None
    end: date | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A circle in WGS84."""

    lat: float
    lon: float
    metres: int


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in WGS84, such as the part of a map that is shown."""

    south: float
    west: float
    north: float
    east: float


@dataclass(frozen=True, slots=True)
class Question:
    """What to search for. Its values are within the bounds of this module; ``parse`` sees to that."""

    kind: Kind
    clauses: tuple[Clause, ...] = ()
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The chosen values (:class:`~woo_harvester.outputs.definition.FacetValue`) by the name of the facet."""
    periods: Mapping[str, Period] = field(default_factory=dict)
    """Periods by the name of the date: openbaarmakingsdatum, mutatiedatumtijd, creatiedatum, opgehaald."""
    ids: tuple[str, ...] = ()
    part: tuple[int, int] | None = None
    """Number and count: one of so many equal parts of all ids, from 1; see :func:`ids_of_part`."""
    near: Place | None = None
    box: Box | None = None
    running_on: date | None = None
    """The day on which a permit must run, by its period; one without a period does not."""
    ended_before: date | None = None
    """The day before which the period of a permit must have ended."""
    status: Status | None = Status.GEPUBLICEERD
    """None for both."""
    sort: Sort = Sort.RELEVANCE
    start: int = 0
    size: int = 10
    with_counts: bool = True
    all_of: str = ""
    """The name of a facet of which all values are counted, and no other facet. Empty: of each facet the most
    frequent values."""
    with_highlights: bool = True
    named: tuple[str, ...] = ()
    """The URIs of the organisations whose name the text is: their documents come first."""
    lacking: int = 0
    """How many of its words and phrases a hit may lack."""


#: The bits of an id by which records are in parts: the first fifteen of its digits.
PART_BITS = 60


def ids_of_part(number: int, parts: int) -> tuple[int, int]:
    """Return the first and the last number that the ids of a part begin with (``PART_BITS``)."""
    first, after = ((each << PART_BITS) // parts for each in (number - 1, number))
    return first, after - 1


#: Quotes as people and word processors write them.
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))
_CLAUSE = re.compile(
    rf"""(-*)(?:"([^"]*)(?:"|$)|((?:{with_spaces()})(?![^\s"])|[^\s"-][^\s"]*))""", re.IGNORECASE
)


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text in their order, each once.

    A name with spaces, such as ``den bosch``, is one word. A word or phrase with ``-`` before it is excluded.
    A quote that is not closed reaches to the end. ``AND`` in capitals is left out, as all words must be found
    anyway. ``OR`` is a word: the short name of an ondernemingsraad. There is no other operator. Raises
    QuestionError for a text that is too long or has too many clauses.
    """
    if len(text) > MAX_TEXT:
        raise QuestionError(f"De zoekvraag is te lang: gebruik hoogstens {MAX_TEXT} tekens.")
    plain = readable(text, "de zoektekst").translate(_QUOTES)
    found = dict.fromkeys(filter(None, map(_clause, _CLAUSE.finditer(plain))))
    if len(found) > MAX_CLAUSES:
        raise QuestionError(f"De zoekvraag heeft te veel woorden: gebruik er hoogstens {MAX_CLAUSES}.")
    return tuple(found)


#: Compounds with the name of the act, which people write in one word and with a hyphen.
_ACT = re.compile(
    "(woo|wob)-?((?:besluit|verzoek|document|dossier|procedure|co[oö]rdinat|contact|index|stuk|zaak)[a-z]*)",
    re.IGNORECASE,
)
_DAY = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")


def spellings(clause: Clause) -> list[str]:
    """Return the text of a clause, its other names, and how else it may be written.

    ``Woo-besluit`` is ``Woobesluit`` and ``Wob-besluit`` too, and ``12-3-2024`` is ``12 maart 2024``.
    """
    if clause.is_phrase:
        return [clause.text]
    act, day = _ACT.fullmatch(clause.text), _DAY.fullmatch(clause.text)
    others = [*clause.others, without_punctuation(clause.text)]
    others += [f"{name} {act[2]}" for name in ("woo", "wob") if act]
    with suppress(ValueError):  # there is no such day
        others += [written_day(date(*map(int, reversed(day.groups()))))] if day else []
    return [clause.text, *filter(None, others)]


def text_of(clauses: Iterable[Clause]) -> str:
    """Return the text of which :func:`clauses_of` makes these clauses."""
    return " ".join(
        "-" * clause.is_excluded + (f'"{clause.text}"' if clause.is_phrase else clause.text)
        for clause in clauses
    )


def readable(text: str, what: str) -> str:
    """Return a text in composed form (NFC) without marks that nobody can see.

    These change only the direction or the joining of letters, or where a word may break. Raises QuestionError
    for control characters and for parts of broken characters; *what* is the name of the text.
    """
    for character in text:
        is_odd = unicodedata.category(character) in ("Cc", "Cs") or character == "\ufffd"
        if is_odd and not character.isspace():
            raise QuestionError(f"In {what} staan tekens die niet gelezen kunnen worden.")
    return composed(text)


def _clause(match: re.Match[str]) -> Clause | None:
    minus, phrase, word = match.groups()
    if phrase is not None:
        phrase = " ".join(phrase.split())
        return Clause(phrase, is_phrase=True, is_excluded=bool(minus)) if phrase else None
    return Clause(word, is_excluded=bool(minus), others=other_names(word)) if word != "AND" else None


def chosen_value(kind: Kind, name: str, text: str) -> str:
    """Return the value that a question chooses of a facet: the URI for a label of the value lists.

    A text that the lists do not have is a value itself: a URI, or the label of a value that has none.
    """
    if (kind, name) == (PERMITS, _MUNICIPALITY):
        found = organisation_by_name(organisaties(), _MUNICIPALITY, text)
    else:
        values = _LISTS.get((kind.name, name))
        found = values().by_label(text) if values else None
    return found.uri if found else text


def chosen_label(kind: Kind, name: str, value: str) -> str:
    """Return the label of a value of a facet in the value lists; the value itself if they do not have it."""
    values = _LISTS.get((kind.name, name))
    found = values().by_uri(value) if values else None
    return found.label if found else value


_MUNICIPALITY = "gemeente"

_LISTS: Mapping[tuple[str, str], Callable[[], ValueList]] = {
    (WOO.name, "informatiecategorie"): informatiecategorieen,
    (WOO.name, "documentsoort"): documentsoorten,
    (WOO.name, "thema"): themas,
    (WOO.name, "organisatie"): organisaties,
    (WOO.name, "organisatie_aangevuld"): organisaties,
    (WOO.name, "publisher"): organisaties,
    (WOO.name, "bestandstype"): filetypes,
    (PERMITS.name, _MUNICIPALITY): organisaties,
}
