"""Periods, as ranges that can be searched."""

from __future__ import annotations

from woo_harvester.dates import parse_datetime


def period(begin: str | None, end: str | None) -> dict[str, str] | None:
    """A ``date_range``; None where it has no end at all, or ends before it begins, which no index takes."""
    if begin and end and parse_datetime(begin) > parse_datetime(end):
        return None
    return {key: day for key, day in (("gte", begin), ("lte", end)) if day} or None
