"""Reads dates in directory listings: a table of the notations of web servers, in four languages.

All web servers show a file's date with a time of day. A date without a time is not read: a page may show days
that have nothing to do with its files, such as the day of a permit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from functools import lru_cache
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
_NAME = "(?P<name>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")[^\W\d_]{0,8}\.?"
_DAY, _MONTH, _YEAR = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<year>\d{4})"

#: The notations of a day. In those with the group ``either``, day and month can be swapped: the complete
#: listing decides which comes first.
_NOTATIONS = (
    rf"{_YEAR}-{_MONTH}-{_DAY}",  # Apache 2.4
    rf"{_DAY}-{_NAME}-{_YEAR}",  # nginx, Apache 2.2
    rf"{_YEAR}-{_NAME}-{_DAY}",  # lighttpd, nginx's fancyindex
    rf"{_DAY}(?P<either>[/-]){_MONTH}(?P=either)(?P<year>\d{{4}}|\d\d)",  # IIS, Caddy
    rf"{_DAY}\.{_MONTH}\.{_YEAR}",  # IIS in German
    rf"{_YEAR}/{_MONTH}/{_DAY}",
    rf"{_DAY}\.? {_NAME} {_YEAR}",  # IIS with long dates, Tomcat
    rf"{_NAME} {_DAY}, ?{_YEAR}",  # IIS with long dates in English, Jetty
)
_GAP = r"(?:[ \u00a0\t]{1,20}|T|,[ \u00a0]?|[ \u00a0]+(?:at|om|um|à)[ \u00a0]+)"
_TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:[ \u00a0\u202f]?(?P<half>[ap])\.?m\b\.?)?"
)
_ZONE = r"(?:[ \u00a0]?(?P<zone>GMT|UTC|Z\b|[+-]\d{2}:?\d{2}\b))?"
_PATTERNS = [re.compile(rf"(?<![\w.:/-]){each}{_GAP}{_TIME}{_ZONE}", re.IGNORECASE) for each in _NOTATIONS]
_TIME_OF_DAY = re.compile(r"\d:\d\d")


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

    year: int
    month: int
    day: int
    time: time
    """The time of day."""
    to_the_second: bool
    """True if the time has seconds."""
    zone: str
    """The offset or its name; empty if there is none."""
    can_swap: bool
    """True if the first number can be the month."""
    is_american: bool
    """True if the time has AM or PM."""

    def stamp(self, *, month_first: bool = False) -> Stamp | None:
        """Return the date; None if the numbers are not those of a date."""
        month, day = (self.day, self.month) if month_first and self.can_swap else (self.month, self.day)
        try:
            moment = datetime.combine(date(self.year, month, day), self.time, _zone(self.zone))
        except ValueError:
            return None
        return stamp_of(moment, to_the_second=self.to_the_second)


def find_date(text: str) -> Found | None:
    """Return the first date with a time in the *text* of a row, or None."""
    if not _TIME_OF_DAY.search(text):
        return None
    text = text[:SEARCHED]
    match = next(filter(None, (pattern.search(text) for pattern in _PATTERNS)), None)
    clock = None if match is None else _clock(*match.group("hour", "minute", "second", "half"))
    if match is None or clock is None:
        return None
    part = match.groupdict()
    year = part["year"] if len(part["year"]) > len("26") else f"20{part['year']}"
    return Found(
        int(year),
        _MONTHS[part["name"].lower()] if "name" in part else int(part["month"]),
        int(part["day"]),
        clock,
        to_the_second=part["second"] is not None,
        zone=(part["zone"] or "").upper(),
        can_swap="either" in part,
        is_american=part["half"] is not None,
    )


def read_stamps(found: Sequence[Found | None]) -> list[Stamp | None]:
    """Return the dates of one listing, in their order; None for a text that is not a date.

    Whether 04/01 is in January or April is decided for the complete listing: by the order in which most of
    its dates are dates. If both orders fit as many, a time with AM or PM means American order.
    """
    unclear = [each for each in found if each is not None and each.can_swap]
    european, american = (
        sum(each.stamp(month_first=order) is not None for each in unclear) for order in (False, True)
    )
    is_tie_american = european == american and any(each.is_american for each in unclear)
    month_first = american > european or is_tie_american
    return [None if each is None else each.stamp(month_first=month_first) for each in found]


@lru_cache(maxsize=256)
def _zone(text: str) -> tzinfo | None:
    """Return the offset in the text after a time; None for no text. Raises ValueError if it is not one."""
    if not text:
        return None
    return UTC if text in {"GMT", "UTC", "Z"} else datetime.strptime(text, "%z").tzinfo


@lru_cache(maxsize=4096)
def _clock(hour: str, minute: str, second: str | None, half: str | None) -> time | None:
    """Return the time of day, or None if it is not one. Cached: many files have the same time."""
    form = "%H" if half is None else "%I%p"
    try:
        hours = datetime.strptime(hour if half is None else f"{hour}{half}m", form).hour  # noqa: DTZ007
        return time(hours, int(minute), int(second or 0))
    except ValueError:
        return None
