"""Reads dates in directory listings: a table of the notations of web servers, in four languages.

All web servers show a file's date with a time of day. A date without a time is not read: a page may show days
that have nothing to do with its files, such as the day of a permit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, tzinfo
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from woo_harvester.utils.dates import AMSTERDAM

#: Characters of a row's text in which a date is searched.
SEARCHED = 400

#: First letters of the months in Dutch, English, German and French.
_BEGINNINGS = (
    ("jan",),
    ("feb", "fév", "fev"),
    ("mrt", "maa", "mar", "mär"),
    ("apr", "avr"),
    ("mei", "may", "mai"),
    ("jun", "juin"),
    ("jul", "juil"),
    ("aug", "aoû", "aou"),
    ("sep",),
    ("okt", "oct"),
    ("nov",),
    ("dec", "dez", "déc"),
)
_MONTHS = {name: number for number, names in enumerate(_BEGINNINGS, start=1) for name in names}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")[^\W\d_]{0,8}\.?"

_TIME = r"(?P<time>\d{1,2}:\d{2}(?::\d{2})?(?:[ \u00a0\u202f]?[ap]\.?m\b\.?)?)"
_ZONE = r"(?P<zone>[ \u00a0]?(?:GMT|UTC|Z\b|[+-]\d{2}:?\d{2}\b))?"
_GAP = r"(?:[ \u00a0\t]{1,20}|T|,[ \u00a0]?|[ \u00a0]+(?:at|om|um|à)[ \u00a0]+)"


class _Notation(NamedTuple):
    """A notation of a day, and its ``strptime`` formats after a month name has become a number."""

    day: str
    """Regular expression; ``{month}`` stands for the name of a month."""
    formats: tuple[str, ...]
    """More than one if day and month can be swapped. The complete listing decides which."""


_NOTATIONS = (
    _Notation(r"\d{4}-\d{1,2}-\d{1,2}", ("%Y-%m-%d",)),  # Apache 2.4
    _Notation(r"\d{1,2}-{month}-\d{4}", ("%d-%m-%Y",)),  # nginx, Apache 2.2
    _Notation(r"\d{4}-{month}-\d{1,2}", ("%Y-%m-%d",)),  # lighttpd, nginx's fancyindex
    _Notation(r"\d{1,2}/\d{1,2}/\d{4}", ("%d/%m/%Y", "%m/%d/%Y")),  # IIS, Caddy
    _Notation(r"\d{1,2}-\d{1,2}-\d{4}", ("%d-%m-%Y", "%m-%d-%Y")),  # IIS in Dutch
    _Notation(r"\d{1,2}\.\d{1,2}\.\d{4}", ("%d.%m.%Y",)),  # IIS in German
    _Notation(r"\d{4}/\d{1,2}/\d{1,2}", ("%Y/%m/%d",)),
    _Notation(r"\d{1,2}/\d{1,2}/\d{2}", ("%d/%m/%y", "%m/%d/%y")),  # IIS with short years
    _Notation(r"\d{1,2}-\d{1,2}-\d{2}", ("%d-%m-%y", "%m-%d-%y")),
    _Notation(r"\d{1,2}\.? {month} \d{4}", ("%d %m %Y",)),  # IIS with long dates, Tomcat
    _Notation(r"{month} \d{1,2}, ?\d{4}", ("%m %d %Y",)),  # IIS with long dates in English, Jetty
)
_PATTERNS = [
    re.compile(
        rf"(?<![\w.:/-])(?P<day>{each.day.replace('{month}', _MONTH)}){_GAP}{_TIME}{_ZONE}", re.IGNORECASE
    )
    for each in _NOTATIONS
]
_TIME_OF_DAY = re.compile(r"\d:\d\d")
#: AM or PM, with or without full stops and white space.
_HALF = re.compile(r"[\s\u00a0\u202f]*([ap])\.?m\.?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stamp:
    """The date of a file in a listing."""

    moment: datetime
    """Naive if the listing shows no time zone, as is usual."""
    to_the_second: bool
    """True if the listing shows seconds; most show minutes."""

    def as_utc(self) -> datetime:
        """Return the moment in UTC. Without time zone it is Dutch time, as Apache and IIS write it."""
        return (self.moment if self.moment.tzinfo else self.moment.replace(tzinfo=AMSTERDAM)).astimezone(UTC)

    def readings(self) -> tuple[datetime, ...]:
        """Return the moments in UTC that it can stand for: nginx writes UTC, Apache and IIS local time."""
        if self.moment.tzinfo:
            return (self.moment.astimezone(UTC),)
        return self.moment.replace(tzinfo=UTC), self.as_utc()

    def __str__(self) -> str:
        """Return the form that the state keeps, so that two runs can compare it."""
        return self.moment.isoformat(timespec="seconds" if self.to_the_second else "minutes")


def stamp_of(moment: datetime, *, to_the_second: bool) -> Stamp | None:
    """Return the date of a file; None for a year that no file has, or that another zone may not have."""
    return Stamp(moment, to_the_second) if 1970 <= moment.year < 9999 else None


class Found(NamedTuple):
    """A date as it is written in a listing."""

    notation: int
    """Index of the notation in the table."""
    day: str
    time: str
    zone: str


class Finder:
    """A finder of the date in the text of each row. It tries the notation of the previous row first."""

    def __init__(self) -> None:
        self._last = 0

    def find(self, text: str) -> Found | None:
        """Return the first date with a time in *text*, or None."""
        if not _TIME_OF_DAY.search(text):
            return None
        text = text[:SEARCHED]
        if (found := self._in(self._last, text)) is not None:
            return found
        for number in range(len(_NOTATIONS)):
            if (found := self._in(number, text)) is not None:
                self._last = number
                return found
        return None

    def _in(self, number: int, text: str) -> Found | None:
        match = _PATTERNS[number].search(text)
        if match is None:
            return None
        day, clock, zone = match.group("day", "time", "zone")
        if "month" in match.re.groupindex:
            day = _with_number(day, match["month"])
        return Found(number, intern(day), intern(clock), zone or "")  # many files have the same ones


def read_stamps(found: Iterable[Found | None]) -> list[Stamp | None]:
    """Return the dates of one listing, in their order; None for a text that is not a date.

    Whether 04/01 is in January or April is decided for the complete listing: by the order in which most of
    its dates are dates. If both orders fit as many, a time with AM or PM means American order.
    """
    given = list(found)
    by_notation: dict[int, list[Found]] = {}
    for each in filter(None, given):
        by_notation.setdefault(each.notation, []).append(each)
    formats = {number: _chosen(number, dates) for number, dates in by_notation.items()}
    return [None if each is None else _stamp(each, formats[each.notation]) for each in given]


def _chosen(number: int, found: list[Found]) -> str:
    """Return the format in which most of the dates in a notation are dates."""
    formats = _NOTATIONS[number].formats
    if len(formats) == 1:
        return formats[0]
    if any("m" in each.time.lower() for each in found):
        formats = formats[::-1]
    return max(formats, key=lambda form: sum(_day(each.day, form) is not None for each in found))


def _stamp(found: Found, form: str) -> Stamp | None:
    day, clock = _day(found.day, form), _clock(found.time)
    if day is None or clock is None:
        return None
    moment = datetime.combine(day, clock.at)
    try:
        moment = moment.replace(tzinfo=_zone(found.zone)) if found.zone else moment
    except ValueError:
        return None
    return stamp_of(moment, to_the_second=clock.to_the_second)


@lru_cache(maxsize=256)
def _zone(text: str) -> tzinfo | None:
    """Return the offset in the text after a time. Raises ValueError if it is not one."""
    text = text.strip()
    return UTC if text.upper() in {"GMT", "UTC", "Z"} else datetime.strptime(text, "%z").tzinfo


@lru_cache(maxsize=4096)
def _day(text: str, form: str) -> datetime | None:
    """Return the day, or None if it is not one in this format. Cached: many files have the same day."""
    try:
        return datetime.strptime(text, form)  # noqa: DTZ007 -- a listing shows no zone
    except ValueError:
        return None


class _Clock(NamedTuple):
    """A time of day."""

    at: time
    to_the_second: bool


@lru_cache(maxsize=4096)
def _clock(text: str) -> _Clock | None:
    half = "%p" if (match := _HALF.search(text)) else ""
    hours = f"{text[: match.start()]} {match[1]}m" if match else text
    to_the_second = text.count(":") == 2
    form = ("%I:%M" if half else "%H:%M") + (":%S" if to_the_second else "") + (f" {half}" if half else "")
    try:
        return _Clock(datetime.strptime(hours, form).time(), to_the_second)  # noqa: DTZ007 -- no zone
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _with_number(day: str, month: str) -> str:
    """Return the text of a day with a number for the name of its month."""
    number = _MONTHS[month.lower()]
    parts = re.sub(rf"{re.escape(month)}[^\W\d_]*\.?", str(number), day, count=1, flags=re.IGNORECASE)
    return re.sub(r"[\s.,]+", " ", parts)
