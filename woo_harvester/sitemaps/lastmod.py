"""The moment that a lastmod says, and how it is compared with the one that is known.

Source: seed "Sitemapindex en Sitemaps", field lastmod; "A lastmod in the future" in the interface.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import NamedTuple, Self

from woo_harvester.utils.dates import (
    CLOCK_SLACK,
    day_of,
    from_microseconds,
    iso_datetime,
    parse_datetime,
    to_microseconds,
)

_SLACK = CLOCK_SLACK // timedelta(microseconds=1)

#: The first year of a lastmod. Software writes 1970, 1900 or the year 1 for no date.
FIRST_YEAR = 1990
_FIRST = parse_datetime(str(FIRST_YEAR))

#: Microseconds in a second.
_SECOND = 1_000_000


class Moment(NamedTuple):
    """The moment that a lastmod says, made once where the entry is read."""

    text: str
    """As given."""
    at: int
    """Microseconds since 1970, as the state keeps it."""
    utc: datetime
    """The same in UTC."""

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        """Return the moment in a lastmod; None if it is absent, cannot be read, or is a placeholder."""
        if text is None or (utc := _read(text)) is None or utc < _FIRST:
            return None
        return cls(text, to_microseconds(utc), utc)

    @classmethod
    def kept(cls, at: int | None) -> Self | None:
        """Return the moment that the state has kept of an earlier lastmod."""
        return None if at is None else cls(iso_datetime(utc := from_microseconds(at)), at, utc)

    @property
    def day(self) -> date:
        """Its day in Dutch time."""
        return day_of(self.utc)


def is_placeholder(text: str) -> bool:
    """Return whether a lastmod is a date from before there were web pages, which software writes for none."""
    utc = _read(text)
    return utc is not None and utc < _FIRST


def _read(text: str) -> datetime | None:
    """Return the moment in a text, in UTC; None if it cannot be read."""
    try:
        return parse_datetime(text)
    except ValueError:
        return None


def is_future(lastmod: Moment | None, now: datetime) -> bool:
    """Return whether a lastmod lies in the future, by more than clocks differ."""
    return lastmod is not None and lastmod.at > to_microseconds(now) + _SLACK


def first_day(lastmod: Moment | None, now: datetime) -> date:
    """Return the openbaarmakingsdatum of a document first seen with a lastmod: its Dutch day, or today."""
    return day_of(now) if lastmod is None or is_future(lastmod, now) else lastmod.day


def was_future(lastmod: int | None, read_at: int | None) -> bool:
    """Return whether a *lastmod* in microseconds was in the future at *read_at*, in seconds since 1970."""
    return lastmod is not None and read_at is not None and lastmod > read_at * _SECOND + _SLACK


def moment_compared(lastmod: int | None, read_at: int | None) -> int | None:
    """Return the moment with which a known *lastmod* takes part in a comparison, in microseconds since 1970.

    That is the moment at which it was read (*read_at*, in seconds), if it was in the future then.
    """
    return read_at * _SECOND if read_at is not None and was_future(lastmod, read_at) else lastmod


def is_newer(given: Moment | None, known: int | None, read_at: int | None, now: datetime) -> bool | None:
    """Return whether a *given* lastmod is newer than the *known* one; None if that says nothing new.

    It says nothing new if it is absent, if it is the same, or if it corrects one that was in the future to a
    moment that was past when that was read, at *read_at*.
    """
    if given is None or given.at == known:
        return None
    at = min(given.at, to_microseconds(now)) if is_future(given, now) else given.at
    before = moment_compared(known, read_at)
    if before is None or at > before:
        return True
    return False if before == known or is_future(given, now) else None
