"""Periods as ranges in the index."""

from __future__ import annotations

from woo_harvester.dates import parse_datetime


def period(begin: str | None, end: str | None) -> dict[str, str] | None:
    """Return a ``date_range``, or None if both ends are absent or the end is before the begin."""
    if begin and end and parse_datetime(begin) > parse_datetime(end):
        return None
    return {key: day for key, day in (("gte", begin), ("lte", end)) if day} or None
