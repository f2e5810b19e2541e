"""A question to a search engine, and its bounds.

Each engine gives the same hits for the same question: a record is a hit if all clauses of its text match, it
has one of the chosen values of each facet, and it lies in each period, near the place and on the day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from woo_harvester.search.record_kind import RecordKind, Status

#: The longest text of a question, in characters.
MAX_TEXT = 500
#: The most words and phrases in a text.
MAX_CLAUSES = 20
#: The most chosen values of one facet.
MAX_CHOSEN = 50
#: The most hits on a page.
MAX_SIZE = 100
#: The number of hits up to which pages go; a download has all of them.
MAX_DEPTH = 10_000


class QuestionError(ValueError):
    """A question that cannot be asked; the message is one line in Dutch that says what is wrong."""


class Sort(StrEnum):
    """The order of hits. Hits that are equal in it are in the order of their ids."""

    RELEVANCE = "relevantie"
    NEWEST = "nieuwste"
    """The newest openbaarmakingsdatum first, of a permit mutatiedatumtijd; also without a text to rank by."""
    OLDEST = "oudste"
    TITLE = "titel"
    DISTANCE = "afstand"
    """Nearest first; only with a place."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A word, or a phrase between quotes, that a hit must have, or must not have."""

    text: str
    is_phrase: bool = False
    """Whether the words must stand exactly so, one after another."""
    is_excluded: bool = False


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

    kind: RecordKind
    clauses: tuple[Clause, ...] = ()
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The chosen values (:class:`~woo_harvester.search.facets.FacetValue`) by the name of the facet."""
    periods: Mapping[str, Period] = field(default_factory=dict)
    """Periods by the name of the date: openbaarmakingsdatum, mutatiedatumtijd, creatiedatum."""
    ids: tuple[str, ...] = ()
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
    with_highlights: bool = True
