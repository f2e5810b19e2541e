"""What is known of an entry and of its document, for tests of what is decided on it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from woo_harvester.sitemaps.decide import find_loc_problem
from woo_harvester.sitemaps.facts import (
    EntryFacts,
    EntryFinding,
    KnownDocument,
    KnownVersion,
    SitemapListing,
    Terms,
)
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.utils.dates import parse_datetime, to_microseconds

LOC = "https://www.a.nl/besluit.pdf"
EARLIER, BEFORE, LATER = "2024-04-01T10:00:00Z", "2024-04-02T10:00:00Z", "2024-04-03T10:00:00Z"
FUTURE, TYPO = "2024-06-01T12:05:01Z", "2042-04-02T10:00:00Z"
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
WEEK = 7 * 86_400
#: Numbers of contents: one that lacks nothing, one that lacks something, and what an earlier run wanted.
ENOUGH, SHORT, LESS = 1, 2, 3
TERMS = Terms(
    refused_interval=WEEK,
    recheck_interval=WEEK,
    sufficient=frozenset({ENOUGH}),
    wanted_less=frozenset({LESS}),
)
HERE, THERE = 1, 2
"""Sitemaps: the one that is read, and another one."""
DIGEST = b"digest"

SEEN = KnownDocument(LOC, 7, HERE, None, None, None, None, None)
HARVESTED = SEEN._replace(
    lastmod=to_microseconds(parse_datetime(BEFORE)),
    published="2024-03-01",
    harvested=SECONDS - 2 * WEEK,
    cause="wijziging",
    content=ENOUGH,
)
#: Harvested with a typo as lastmod, at that moment, two weeks ago.
MISTYPED = HARVESTED._replace(lastmod=to_microseconds(parse_datetime(TYPO)))
CORRECTED, CHANGED_SINCE = "2024-05-18T11:59:59Z", "2024-05-18T12:00:01Z"
WITHDRAWN = HARVESTED._replace(withdrawn=SECONDS - WEEK)
REFUSED = HARVESTED._replace(
    fault="format.onbekend",
    fault_seen="application/x",
    fault_since=SECONDS - 5,
    refused_at=SECONDS - 5,
    refused_lastmod=to_microseconds(parse_datetime(LATER)),
)
REFUSED_AHEAD = REFUSED._replace(refused_lastmod=to_microseconds(parse_datetime(TYPO)))
#: Refused when it was fetched for the first time.
NEVER_DELIVERED = SEEN._replace(
    fault="format.onbekend",
    fault_seen="application/x",
    fault_since=SECONDS,
    refused_at=SECONDS,
    refused_lastmod=HARVESTED.lastmod,
)
NEVER_DELIVERED_UNDATED = NEVER_DELIVERED._replace(refused_lastmod=None)
LACKING = HARVESTED._replace(content=SHORT)
#: Refused when it was fetched again, so that its version lacks content.
REFUSED_LATER = LACKING._replace(
    fault="document.html-pagina",
    fault_seen="text/html",
    fault_since=SECONDS - 5,
    refused_at=SECONDS - 5,
    refused_lastmod=LACKING.lastmod,
)
REFUSED_PAGE = EntryFinding(
    "document.html-pagina", None, "text/html", "niet opnieuw opgehaald, want de lastmod is niet nieuwer"
)
SAID_SAME = HARVESTED._replace(fetched_at=SECONDS - WEEK, unchanged_since=SECONDS - WEEK)

#: Where the known version came from.
FROM_OTHERS = KnownVersion(is_own=False)
FROM_OTHER_HOST = KnownVersion(is_own=True, is_here=False, host="open.a.nl")
FROM_HOST_THAT_DROPPED_IT = KnownVersion(is_own=True, is_here=False, is_listed=False)
OWNER_LISTS_IT = KnownVersion(is_own=True, is_here=False, owner="www.a.nl")


def row(lastmod: str | None = None, *, foreign: bool = False, misses: int = 0) -> SitemapListing:
    """Return what the state has, or is to have, of the document in the sitemap."""
    return SitemapListing(7, misses, foreign, to_microseconds(parse_datetime(lastmod)) if lastmod else None)


def entry(lastmod: str | None = BEFORE, loc: str = LOC, **facts: Any) -> EntryFacts:
    """Return the facts of an entry; without more, the owner's and of a document that the sitemap listed."""
    facts = {"digest": DIGEST, "sitemap_id": HERE, "listing": row(), **facts}
    return EntryFacts(Entry(loc, lastmod, 3, None), loc_problem=find_loc_problem(loc), **facts)


def others(lastmod: str | None = BEFORE, **facts: Any) -> EntryFacts:
    """Return the facts of an entry of another organisation's document."""
    return entry(lastmod, is_own=False, **{"listing": row(BEFORE, foreign=True), **facts})
