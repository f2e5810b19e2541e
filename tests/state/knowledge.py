"""Fills a state with hosts, documents and listings."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from woo_harvester.sitemaps.decide import Depth, SitemapListing
from woo_harvester.state import listings
from woo_harvester.state.deliveries import Harvested
from woo_harvester.state.documents import add_seen, confirm_harvested
from woo_harvester.state.resources import host_of_state, keep_read, resource_of
from woo_harvester.state.withdrawal import end_reads

HARVESTED = 1_700_000_100
#: Start of a run, in microseconds since 1970.
BEGUN = 1_700_000_090_000_000
LASTMOD = 1_712_044_800_000_000
DAY = "2024-04-02"


def sitemap_of(connection: Connection, host: str = "a.nl", name: str = "s0.xml") -> int:
    """Return the id of a sitemap."""
    host_id = host_of_state(connection, host).id
    index = f"https://{host}/sitemapindex-diwoo.xml"
    return resource_of(connection, host_id, f"https://{host}/{name}", "sitemap", index).id


def see(connection: Connection, sitemap: int, locs: Iterable[str]) -> list[int]:
    """Add documents that were seen in a sitemap and not delivered; return their ids."""
    given = list(locs)
    known = add_seen(connection, given, sitemap)
    ids = [known[loc].id for loc in given]
    list_in(connection, sitemap, ids)
    return ids


def list_in(connection: Connection, sitemap: int, ids: Iterable[int], misses: int = 0) -> None:
    """Add listings of documents, with a number of misses."""
    listings.write(connection, sitemap, [SitemapListing(key, misses) for key in ids])


def read_before(connection: Connection, *files: int, etag: str = '"e"', digest: bytes = b"d") -> None:
    """Note that files were read, each with the same answer."""
    for key in files:
        keep_read(connection, key, etag=etag, last_modified=None, digest=digest, at=7)


def miss(connection: Connection, lacking: dict[int, list[int]], host: str = "a.nl") -> None:
    """Count a complete read of a host. It reads only these sitemaps, and each lacks these documents."""
    host_id = host_of_state(connection, host).id
    listings.missed(connection, host_id, lacking.keys(), dict(lacking), BEGUN)
    end_reads(connection, [host_id], HARVESTED, BEGUN)


def harvest(connection: Connection, sitemap: int, locs: Iterable[str]) -> list[int]:
    """Add documents that were harvested; return their ids."""
    ids = see(connection, sitemap, locs)
    harvested = (Harvested(key, LASTMOD, DAY, HARVESTED, sitemap, depth=Depth.HEADERS) for key in ids)
    confirm_harvested(connection, harvested)
    return ids


def locs(count: int, host: str = "a.nl") -> list[str]:
    """Return *count* locations."""
    return [f"https://{host}/d/{number}.pdf" for number in range(count)]
