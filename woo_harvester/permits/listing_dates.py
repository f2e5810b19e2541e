"""Dates of directory listings: a table of the notations that web servers write, in four languages.

A date without a time of day is no file's date in any of them, and is not read: a page may tell days that
have nothing to do with its files, such as that of a permit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, tzinfo
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from woo_harvester.dates import AMSTERDAM

#: Longest part of a row's text that is searched, in characters.
SEARCHED = 400

#: How the months begin in Dutch, English, German and French.
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


class Notation(NamedTuple):
    """How a day is written, and what ``strptime`` makes of it once its month is a number."""

    day: str
    """Regular expression; the month by its name, where it has one, is ``{month}``."""
    formats: tuple[str, ...]
    """More than one where the day and the month can be swapped: the listing as a whole tells which."""


NOTATIONS = (
    Notation(r"\d{4}-\d{1,2}-\d{1,2}", ("%Y-%m-%d",)),  # Apache 2.4
    Notation(r"\d{1,2}-{month}-\d{4}", ("%d-%m-%Y",)),  # nginx, Apache 2.2
    Notation(r"\d{4}-{month}-\d{1,2}", ("%Y-%m-%d",)),  # lighttpd, nginx's fancyindex
    Notation(r"\d{1,2}/\d{1,2}/\d{4}", ("%d/%m/%Y", "%m/%d/%Y")),  # IIS, Caddy
    Notation(r"\d{1,2}-\d{1,2}-\d{4}", ("%d-%m-%Y", "%m-%d-%Y")),  # IIS in Dutch
    Notation(r"\d{1,2}\.\d{1,2}\.\d{4}", ("%d.%m.%Y",)),  # IIS in German
    Notation(r"\d{4}/\d{1,2}/\d{1,2}", ("%Y/%m/%d",)),
    Notation(r"\d{1,2}/\d{1,2}/\d{2}", ("%d/%m/%y", "%m/%d/%y")),  # IIS with short years
    Notation(r"\d{1,2}-\d{1,2}-\d{2}", ("%d-%m-%y", "%m-%d-%y")),
    Notation(r"\d{1,2}\.? {month} \d{4}", ("%d %m %Y",)),  # IIS with long dates, Tomcat
    Notation(r"{month} \d{1,2}, ?\d{4}", ("%m %d %Y",)),  # IIS with long dates in English, Jetty
)
_PATTERNS = [
    re.compile(
        rf"(?<![\w.:/-])(?P<day>{each.day.replace('{month}', _MONTH)}){_GAP}{_TIME}{_ZONE}", re.IGNORECASE
    )
    for each in NOTATIONS
]
_TIME_OF_DAY = re.compile(r"\d:\d\d")
#: AM or PM, with or without points and a space.
_HALF = re.compile(r"[\s\u00a0\u202f]*([ap])\.?m\.?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file's date by a listing."""

    moment: datetime
    """Naive where the listing tells no zone, which is the rule."""
    to_the_second: bool
    """Whether it tells the second; most tell the minute."""

    def as_utc(self) -> datetime:
        """The moment, a listing without a zone taken for Dutch time, as Apache and IIS write it."""
        return (self.moment if self.moment.tzinfo else self.moment.replace(tzinfo=AMSTERDAM)).astimezone(UTC)

    def readings(self) -> tuple[datetime, ...]:
        """The moments in UTC that it can stand for: nginx writes UTC, Apache and IIS local time."""
        if self.moment.tzinfo:
            return (self.moment.astimezone(UTC),)
        return self.moment.replace(tzinfo=UTC), self.as_utc()

    def __str__(self) -> str:
        """As it is remembered; two runs compare these."""
        return self.moment.isoformat(timespec="seconds" if self.to_the_second else "minutes")


def stamp_of(moment: datetime, *, to_the_second: bool) -> Stamp | None:
    """The date of a file, or None for a year that no file is of: in another zone it may not even exist."""
    return Stamp(moment, to_the_second) if 1970 <= moment.year < 9999 else None


class Found(NamedTuple):
    """A date as it stands in a listing."""

    notation: int
    """Its place in the table."""
    day: str
    time: str
    zone: str


class Finder:
    """Finds the date in the text of each row; a listing writes them all in one notation."""

    def __init__(self) -> None:
        self._last = 0

    def find(self, text: str) -> Found | None:
        """The first date with a time in *text*."""
        if not _TIME_OF_DAY.search(text):
            return None
        text = text[:SEARCHED]
        if (found := self._in(self._last, text)) is not None:
            return found
        for number in range(len(NOTATIONS)):
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
        return Found(number, intern(day), intern(clock), zone or "")  # the same ones come by for many files


def read_stamps(found: Iterable[Found | None]) -> list[Stamp | None]:
    """The dates of one listing, in their order; None for what is no date.

    Whether 04/01 is in January or in April is decided for all of them: the time with AM or PM tells
    American order, else the first order in which most of them are dates.
    """
    given = list(found)
    by_notation: dict[int, list[Found]] = {}
    for each in filter(None, given):
        by_notation.setdefault(each.notation, []).append(each)
    formats = {number: _chosen(number, dates) for number, dates in by_notation.items()}
    return [None if each is None else _stamp(each, formats[each.notation]) for each in given]


def _chosen(number: int, found: list[Found]) -> str:
    """The format of a notation."""
    formats = NOTATIONS[number].formats
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
    """The offset in the text after a time; raises ValueError for one that is none."""
    text = text.strip()
    return UTC if text.upper() in {"GMT", "UTC", "Z"} else datetime.strptime(text, "%z").tzinfo


@lru_cache(maxsize=4096)
def _day(text: str, form: str) -> datetime | None:
    """Cached, since many files are of one day."""
    try:
        return datetime.strptime(text, form)  # noqa: DTZ007 -- a listing tells no zone
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
    """The day with its month as a number."""
    number = _MONTHS[month.lower()]
    parts = re.sub(rf"{re.escape(month)}[^\W\d_]*\.?", str(number), day, count=1, flags=re.IGNORECASE)
    return re.sub(r"[\s.,]+", " ", parts)
