"""Compares the lastmod of an entry with the one that is known.

Source: seed "Sitemapindex en Sitemaps", field lastmod; "A lastmod in the future" in the interface.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from woo_harvester.utils.dates import CLOCK_SLACK, day_of, to_microseconds

_SLACK = CLOCK_SLACK // timedelta(microseconds=1)

#: Microseconds in a second.
_SECOND = 1_000_000


def is_future(lastmod: datetime | None, now: datetime) -> bool:
    """Return whether a lastmod lies in the future, by more than clocks differ."""
    return lastmod is not None and lastmod > now + CLOCK_SLACK


def first_day(lastmod: datetime | None, now: datetime) -> date:
    """Return the openbaarmakingsdatum of a document that is first seen with this lastmod."""
    return day_of(now if lastmod is None or is_future(lastmod, now) else lastmod)


def was_future(lastmod: int | None, read_at: int | None) -> bool:
    """Return whether a *lastmod* in microseconds was in the future at *read_at*, in seconds since 1970."""
    return lastmod is not None and read_at is not None and lastmod > read_at * _SECOND + _SLACK


def moment_compared(lastmod: int | None, read_at: int | None) -> int | None:
    """Return the moment with which a known *lastmod* takes part in a comparison, in microseconds since 1970.

    That is the moment at which it was read (*read_at*, in seconds), if it was in the future then.
    """
    return read_at * _SECOND if read_at is not None and was_future(lastmod, read_at) else lastmod


def is_newer(given: datetime | None, known: int | None, read_at: int | None, now: datetime) -> bool | None:
    """Return whether a *given* lastmod is newer than the *known* one; None if that says nothing new.

    It says nothing new if it is absent, if it is the same, or if it corrects one that was in the future to a
    moment that was past when that was read, at *read_at*.
    """
    if given is None or (given_moment := to_microseconds(given)) == known:
        return None
    if is_future(given, now):
        given_moment = to_microseconds(now)
    before = moment_compared(known, read_at)
    if before is None or given_moment > before:
        return True
    return False if before == known else None
