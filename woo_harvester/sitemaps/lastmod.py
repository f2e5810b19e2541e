"""Reads the lastmod of an entry, and compares it with the one of the version that is known.

A lastmod in the future counts as the moment of the harvest: the document cannot have changed later than that.
The state keeps the lastmod as given, beside the moment of the harvest. So the same lastmod is recognised on a
later day, also when it is past by then.

Source: seed "Sitemapindex en Sitemaps", field lastmod; "A lastmod in the future" in the interface.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from woo_harvester.dates import CLOCK_SLACK, parse_datetime, to_microseconds
from woo_harvester.sitemaps.decision import EntryFinding

AS_HARVESTED = "telt als het moment van de oogst"

_SLACK = CLOCK_SLACK // timedelta(microseconds=1)

#: Microseconds in a second.
_SECOND = 1_000_000


def read_lastmod(text: str | None, now: datetime) -> tuple[datetime | None, tuple[EntryFinding, ...]]:
    """Return the moment of a lastmod and what is wrong with it; one that cannot be read counts as absent."""
    if text is None:
        return None, (EntryFinding("lastmod.ontbreekt", "lastmod"),)
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None, (EntryFinding("lastmod.ongeldig", "lastmod", text, "telt als afwezig"),)
    if is_future(moment, now):
        return moment, (EntryFinding("lastmod.toekomst", "lastmod", text, AS_HARVESTED),)
    return moment, ()


def is_future(lastmod: datetime | None, now: datetime) -> bool:
    """Return whether a lastmod lies in the future, by more than clocks differ."""
    return lastmod is not None and lastmod > now + CLOCK_SLACK


def moment_compared(lastmod: int | None, read_at: int | None) -> int | None:
    """Return the moment with which a known *lastmod* takes part in a comparison, in microseconds since 1970.

    That is *read_at*, if the lastmod was in the future at that moment (in seconds since 1970).
    """
    if lastmod is None or read_at is None:
        return lastmod
    moment = read_at * _SECOND
    return moment if lastmod > moment + _SLACK else lastmod


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
