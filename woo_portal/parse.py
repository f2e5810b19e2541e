"""Parameters of an address to a question, and back.

All bounds are checked here. Whatever is wrong with a question raises QuestionError, whose one line in Dutch
says what, and what can be done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from itertools import chain
from typing import TypeVar

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.definition import facets
from woo_harvester.utils.dates import day_of
from woo_portal.names import organisations_named
from woo_portal.question import (
    MAX_CHOSEN,
    MAX_SIZE,
    MAX_START,
    MAX_TEXT,
    Box,
    Period,
    Place,
    Question,
    QuestionError,
    Sort,
    chosen_value,
    clauses_of,
    readable,
    text_of,
)

_T = TypeVar("_T")

Pairs = Iterable[tuple[str, str]]

#: The dates with a period, by the name of the kind of records.
DATES: Mapping[str, tuple[str, ...]] = {
    WOO.name: ("openbaarmakingsdatum", "mutatiedatumtijd", "creatiedatum"),
    PERMITS.name: ("mutatiedatumtijd",),
}
#: The first and the last day of a period: ``openbaarmakingsdatumVan``.
BEGIN, END = "Van", "Tot"
#: The hits on a page unless the question says how many, and the distance from a place in metres.
SIZE, DISTANCE = 10, 1000
MAX_DISTANCE = 100_000
#: The parameters of all questions, and those of permits only.
GENERAL = ("zoektekst", "sorteer", "start", "aantal")
_PLACES = ("plaats", "afstand", "kader", "lopend")

_NUMBER = re.compile("[0-9]{1,9}")
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: Degrees north and east, and with commas between them a place, and two opposite corners of a part of a map.
_LAT = r"\s*-?(?:[0-8]?[0-9](?:\.[0-9]{1,15})?|90(?:\.0{1,15})?)\s*"
_LON = r"\s*-?(?:(?:1[0-7]|[0-9])?[0-9](?:\.[0-9]{1,15})?|180(?:\.0{1,15})?)\s*"
PLACE, BOX = f"{_LAT},{_LON}", f"{_LAT},{_LON},{_LAT},{_LON}"


def names_of(kind: Kind) -> tuple[str, ...]:
    """Return the names of all parameters of questions about records of *kind*."""
    days = chain.from_iterable((name + BEGIN, name + END) for name in DATES[kind.name])
    own = _PLACES if kind == PERMITS else ()
    return (*GENERAL, *_lists(kind), *days, *own)


def sorts_of(kind: Kind) -> tuple[Sort, ...]:
    """Return the orders of records of *kind*; that by distance needs a place."""
    left_out = {Sort.HARVESTED, *([] if kind == PERMITS else [Sort.DISTANCE])}
    return tuple(sort for sort in Sort if sort not in left_out)


def question_of_pairs(
    kind: Kind, pairs: Pairs, *, size: int = SIZE, most: int = MAX_CHOSEN, today: date | None = None
) -> Question:
    """Return the question that these parameters ask; one without a value counts as absent.

    *size* is the number of hits on a page if they do not say it, *most* that of the values of a parameter.
    Raises QuestionError.
    """
    given = _Given(kind, pairs, most)
    one = given.one
    near = _near(one("plaats", _place), one("afstand", _distance))
    sort = one("sorteer", lambda name, text: _sort(kind, text)) or Sort.RELEVANCE
    if sort is Sort.DISTANCE and near is None:  # a form without a place still has a distance and this order
        sort = Sort.RELEVANCE
    is_running = one("lopend", _yes_or_no)
    day = today or day_of(datetime.now(UTC))
    start, asked = one("start", number_of) or 0, one("aantal", number_of)
    hits = size if asked is None else asked
    _check_page(start, hits)
    text = " ".join(given.all("zoektekst"))
    return Question(
        kind,
        clauses=clauses_of(text),
        named=organisations_named(text),
        chosen=given.chosen(),
        periods={
            name: period
            for name in DATES[kind.name]
            if (period := period_of(one(name + BEGIN, _day), one(name + END, _day)))
        },
        ids=given.all("id"),
        near=near,
        box=one("kader", _box),
        running_on=day if is_running else None,
        ended_before=day if is_running is False else None,
        sort=sort,
        start=start,
        size=hits,
    )


class _Given:
    """The parameters of an address that have a value.

    Raises QuestionError for an unknown name, a long value or too many.
    """

    def __init__(self, kind: Kind, pairs: Pairs, most: int) -> None:
        self._kind, known = kind, names_of(kind)
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            if name not in known:
                raise QuestionError(f"De vraag kent geen {name[:50]!r}. Mogelijk zijn: {', '.join(known)}.")
            values = self._values.setdefault(name, [])
            values.append(_short(name, value) if name in _lists(kind) else value.strip())
            if len(values) > most:
                raise QuestionError(f"Kies hoogstens {most} waarden bij {name}.")

    def all(self, name: str) -> tuple[str, ...]:
        """Return the values of a parameter; one of invisible signs only is none."""
        return tuple(filter(None, self._values.get(name, ())))

    def one(self, name: str, read: Callable[[str, str], _T]) -> _T | None:
        """Return the only value of a parameter, or None. Raises QuestionError if there are several."""
        values = self.all(name)
        if len(values) > 1:
            raise QuestionError(f"Geef {name} maar één keer.")
        return read(name, values[0]) if values else None

    def chosen(self) -> dict[str, tuple[str, ...]]:
        """Return the chosen values of each facet that has any, each once."""
        found = {
            facet.name: tuple(
                dict.fromkeys(chosen_value(self._kind, facet.name, text) for text in self.all(facet.name))
            )
            for facet in facets(self._kind)
        }
        return {name: values for name, values in found.items() if values}


def pairs_of(question: Question, *, size: int = SIZE) -> list[tuple[str, str]]:
    """Return the parameters of a question: the same ones in the same order for the same question."""
    return [(name, value) for name, value in _pairs(question, size) if value]


def _pairs(question: Question, size: int) -> Iterator[tuple[str, str]]:
    yield "zoektekst", text_of(question.clauses)
    for name in _lists(question.kind):
        for value in sorted(question.ids if name == "id" else question.chosen.get(name, ())):
            yield name, value
    for name in DATES[question.kind.name]:
        period = question.periods.get(name, Period())
        for end, day in ((BEGIN, period.begin), (END, period.end)):
            yield name + end, day.isoformat() if day else ""
    if near := question.near:
        yield "plaats", f"{_degrees(near.lat)},{_degrees(near.lon)}"
        yield "afstand", str(near.metres) if near.metres != DISTANCE else ""
    if box := question.box:
        yield "kader", ",".join(map(_degrees, (box.south, box.west, box.north, box.east)))
    yield "lopend", "ja" if question.running_on else "nee" if question.ended_before else ""
    yield "sorteer", question.sort.value if question.sort is not Sort.RELEVANCE else ""
    yield "start", str(question.start) if question.start else ""
    yield "aantal", str(question.size) if question.size != size else ""


def _lists(kind: Kind) -> tuple[str, ...]:
    """Return the parameters that may have several values."""
    return (*(facet.name for facet in facets(kind)), "id")


def _short(name: str, value: str) -> str:
    if len(value) > MAX_TEXT:
        raise QuestionError(f"De waarde van {name} is te lang: gebruik hoogstens {MAX_TEXT} tekens.")
    return readable(value, f"de waarde van {name}").strip()


def _check_page(start: int, size: int) -> None:
    if not 1 <= size <= MAX_SIZE:
        raise QuestionError(f"aantal is 1 tot en met {MAX_SIZE}.")
    if start > MAX_START:
        what = "kies een filter, of download alle resultaten"
        raise QuestionError(f"De bladzijden beginnen tot resultaat {MAX_START}: {what}.")


def number_of(name: str, text: str) -> int:
    """Return the number in a parameter. Raises QuestionError."""
    if not _NUMBER.fullmatch(text):
        raise QuestionError(f"{name} is een getal, zoals 20.")
    return int(text)


def _sort(kind: Kind, text: str) -> Sort:
    if text not in sorts_of(kind):
        raise QuestionError(f"sorteer is een van: {', '.join(sorts_of(kind))}.")
    return Sort(text)


def _yes_or_no(name: str, text: str) -> bool:
    if text not in ("ja", "nee"):
        raise QuestionError(f"{name} is ja of nee.")
    return text == "ja"


def _day(name: str, text: str) -> date:
    if _DAY.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass
    raise QuestionError(f"{name} is een dag, zoals 2026-04-02.")


def period_of(begin: date | None, end: date | None) -> Period | None:
    """Return the period between two days in any order; None if both are absent."""
    if begin and end:
        begin, end = sorted((begin, end))
    return Period(begin, end) if begin or end else None


def _place(name: str, text: str) -> tuple[float, float]:
    """Return the degrees north and east in a parameter. Raises QuestionError."""
    if re.fullmatch(PLACE, text):
        lat, lon = map(float, text.split(","))
        return lat, lon
    raise QuestionError(f"{name} is een breedtegraad en een lengtegraad, zoals 52.3731,4.8926.")


def _distance(name: str, text: str) -> int:
    metres = number_of(name, text)
    if not 1 <= metres <= MAX_DISTANCE:
        raise QuestionError(f"{name} is 1 tot en met {MAX_DISTANCE} meter.")
    return metres


def _near(place: tuple[float, float] | None, metres: int | None) -> Place | None:
    return None if place is None else Place(*place, metres=metres or DISTANCE)


def _box(name: str, text: str) -> Box:
    if re.fullmatch(BOX, text):
        north, east, south, west = map(float, text.split(","))
        return Box(min(north, south), min(east, west), max(north, south), max(east, west))
    raise QuestionError(f"{name} is zuid, west, noord en oost in graden, zoals 52.06,5.05,52.12,5.18.")


def _degrees(value: float) -> str:
    """Return degrees with at most six decimals, which is a tenth of a metre."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
