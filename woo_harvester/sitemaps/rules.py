"""The rules on the loc and the lastmod of an entry, before anything is known of its document.

Source: seed "Sitemapindex en Sitemaps", fields loc and lastmod; seed "Technische implementatie", section
"Protocol indicatie".
"""

from __future__ import annotations

from datetime import datetime, timedelta

from woo_harvester.dates import parse_datetime
from woo_harvester.findings import Reporter
from woo_harvester.urls import loc_problem

SKIPPED = "overgeslagen"

#: Clocks of servers differ; a lastmod this much ahead says nothing about its publisher.
CLOCK_SLACK = timedelta(minutes=5)


def is_usable(loc: str, report: Reporter) -> bool:
    """Whether *loc* can be the place of a document; a finding tells where it cannot."""
    if not loc:
        report("loc.ontbreekt", element="loc", action=SKIPPED)
        return False
    if code := loc_problem(loc):
        report(code, element="loc", seen=loc, action=SKIPPED)
        return False
    return True


def read_lastmod(text: str | None, now: datetime, report: Reporter) -> datetime | None:
    """The moment of a lastmod; one that cannot be read counts as absent."""
    if text is None:
        report("lastmod.ontbreekt", element="lastmod")
        return None
    try:
        moment = parse_datetime(text)
    except ValueError:
        report("lastmod.ongeldig", element="lastmod", seen=text, action="telt als afwezig")
        return None
    if moment > now + CLOCK_SLACK:
        report("lastmod.toekomst", element="lastmod", seen=text)
    return moment
