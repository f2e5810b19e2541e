"""Listings: which sitemaps list which documents, and how long each document has been missing.

A row stands for one document in one sitemap. A run adds it when it first sees the document there. The row
counts how many complete reads of the host in a row lacked the document, and how many are needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Insert,
    Select,
    bindparam,
    case,
    delete,
    exists,
    func,
    select,
    update,
)

from woo_harvester.sitemaps.decide import SitemapListing
from woo_harvester.state.schema import documents, hosts, listings, resources
from woo_harvester.state.sql import batches, insert_or_update, is_one_of, write_rows


class HostListing(NamedTuple):
    """A document in one sitemap that lists it."""

    document_id: int
    loc: str
    host: str
    sitemap_id: int
    gave_version: bool
    """The known version of the document came from this sitemap."""


_IN_SITEMAP = listings.c.sitemap_id == bindparam("in_sitemap")
_OF_DOCUMENT = listings.c.document_id == bindparam("key")
_COUNT = select(func.count()).where(_IN_SITEMAP, listings.c.misses == 0)
_IDS = select(listings.c.document_id).where(_IN_SITEMAP).order_by(listings.c.document_id)
_PASSED_OVER = select(listings.c.document_id).where(_IN_SITEMAP, listings.c.passed_over)
_IS_LISTED = listings.c.misses == 0
_SINCE = bindparam("since", type_=BigInteger)
_ONE_MORE = {
    "misses": listings.c.misses + 1,
    "missing_since": func.coalesce(listings.c.missing_since, _SINCE),
}
_MISSED = update(listings).where(_IN_SITEMAP, _OF_DOCUMENT).values(**_ONE_MORE)
_ALL_MISSED = update(listings).where(_IN_SITEMAP).values(**_ONE_MORE)
_LISTED_BY = (
    select(
        listings.c.document_id,
        documents.c.loc,
        hosts.c.host,
        listings.c.sitemap_id,
        documents.c.sitemap_id == listings.c.sitemap_id,
    )
    .join_from(listings, documents, documents.c.id == listings.c.document_id)
    .join(resources, resources.c.id == listings.c.sitemap_id)
    .join(hosts, hosts.c.id == resources.c.host_id)
    .where(_IS_LISTED)
)


@cache
def _find(dialect: str) -> Select[Any]:
    columns = listings.c.document_id, listings.c.misses, listings.c.passed_over
    return select(*columns).where(_IN_SITEMAP, is_one_of(dialect, listings.c.document_id, "ids"))


@cache
def _write(dialect: str) -> Insert:
    place = listings.c.sitemap_id, listings.c.document_id
    return insert_or_update(dialect, listings, place, "misses", "passed_over", "needed", "missing_since")


@cache
def _listed_by(dialect: str) -> Select[Any]:
    chosen = _LISTED_BY.where(is_one_of(dialect, listings.c.document_id, "ids"))
    return chosen.order_by(listings.c.document_id, listings.c.sitemap_id)


def find(connection: Connection, sitemap_id: int, ids: Sequence[int]) -> dict[int, SitemapListing]:
    """Return what is known of these documents in one sitemap, by document number."""
    found: dict[int, SitemapListing] = {}
    for part in batches(ids):
        rows = connection.execute(_find(connection.dialect.name), {"in_sitemap": sitemap_id, "ids": part})
        found.update((row[0], SitemapListing._make(row)) for row in rows)
    return found


def write(connection: Connection, sitemap_id: int, rows: Iterable[SitemapListing]) -> None:
    """Write that a sitemap lists documents: the count of misses begins anew."""
    values = [
        {"sitemap_id": sitemap_id, "needed": None, "missing_since": None, **row._asdict()}
        for row in sorted(rows, key=attrgetter("document_id"))
    ]
    write_rows(connection, _write(connection.dialect.name), values)


def ids_of(connection: Connection, sitemap_id: int) -> Sequence[int]:
    """Return the numbers of all documents of a sitemap, missing ones included."""
    return connection.execute(_IDS, {"in_sitemap": sitemap_id}).scalars().all()


def count(connection: Connection, sitemap_id: int) -> int:
    """Return how many documents a sitemap lists."""
    return connection.scalar(_COUNT, {"in_sitemap": sitemap_id}) or 0


def sitemaps_of(connection: Connection, document_id: int) -> Sequence[int]:
    """Return the sitemaps with a row for a document: those that list it, or did and may list it again."""
    query = select(listings.c.sitemap_id).where(listings.c.document_id == document_id)
    return connection.execute(query.order_by(listings.c.sitemap_id)).scalars().all()


def passed_over(connection: Connection, sitemap_id: int) -> Iterator[list[int]]:
    """Yield the documents of a sitemap for which another entry counted, in batches."""
    yield from batches(connection.execute(_PASSED_OVER, {"in_sitemap": sitemap_id}).scalars().all())


def listed_by(connection: Connection, ids: Sequence[int]) -> Iterator[HostListing]:
    """Yield a row for each sitemap that lists one of these documents; sorted by document."""
    for part in batches(ids):
        for row in connection.execute(_listed_by(connection.dialect.name), {"ids": part}):
            yield HostListing._make(row)


def places(connection: Connection, sitemaps: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return the host and the URL of each of these sitemaps, by sitemap number."""
    query = select(resources.c.id, hosts.c.host, resources.c.url).join_from(resources, hosts)
    rows = connection.execute(query.where(resources.c.id.in_(list(sitemaps)))) if sitemaps else ()
    return {key: (host, url) for key, host, url in rows}


def missed(
    connection: Connection,
    host_id: int,
    read: Collection[int],
    lacking: Mapping[int, Sequence[int]],
    since: int,
) -> None:
    """Count the misses of a complete read of a host.

    *read* are the sitemaps that were read, *lacking* the documents that each of them no longer lists, *since*
    the start of the run in microseconds since 1970. All documents of the host's other sitemaps are missing
    too: no index names those sitemaps any more.
    """
    values = {"since": since}
    for sitemap_id, ids in lacking.items():
        if rows := [{"in_sitemap": sitemap_id, "key": key, **values} for key in sorted(ids)]:
            connection.execute(_MISSED, rows)
    for sitemap_id in _with_listings(connection, host_id):
        if sitemap_id not in read:
            connection.execute(_ALL_MISSED, {"in_sitemap": sitemap_id, **values})


def passed_over_for(connection: Connection, host_id: int) -> set[int]:
    """Return the sitemaps with an entry that was passed over for one that a host has lost since."""
    lost = select(listings.c.document_id).where(is_of_host(host_id), listings.c.misses == 1)
    other = listings.alias()
    query = select(other.c.sitemap_id).distinct()
    rows = other.c.passed_over, other.c.misses == 0, other.c.document_id.in_(lost)
    return set(connection.execute(query.where(*rows)).scalars())


def need(connection: Connection, host_id: int, reads: int) -> None:
    """Note how many reads must lack the documents that a host lacks since its last complete read."""
    rows = is_of_host(host_id), listings.c.misses > 0, listings.c.needed.is_(None)
    connection.execute(update(listings).where(*rows).values(needed=reads))


def count_lacking(connection: Connection, host_id: int) -> tuple[int, int]:
    """Return how many published documents a host lacks, and how many it lists or lacks."""
    lacking = case((listings.c.misses > 0, listings.c.document_id))
    listed = case((_IS_LISTED, listings.c.document_id))
    query = (
        select(func.count(lacking.distinct()), func.count(listed.distinct()))
        .join_from(listings, resources, resources.c.id == listings.c.sitemap_id)
        .join(documents, documents.c.id == listings.c.document_id)
        .where(resources.c.host_id == host_id, is_published())
    )
    gone, there = connection.execute(query).one()
    return gone, gone + there


def drop_settled(connection: Connection, host_id: int) -> None:
    """Remove the rows of documents that a host has lacked for long enough, and that wait for nothing here.

    They are withdrawn by now, or another host lists them. What another sitemap of the host lists has moved
    there.
    """
    lacked = is_of_host(host_id), listings.c.misses > 0
    here, there = resources.alias(), listings.alias()
    is_here = exists().where(
        there.c.document_id == listings.c.document_id,
        there.c.misses == 0,
        there.c.sitemap_id == here.c.id,
        here.c.host_id == host_id,
    )
    connection.execute(delete(listings).where(*lacked, is_here))
    gone = select(documents.c.id).where(documents.c.withdrawn.is_not(None))
    connection.execute(delete(listings).where(*lacked, listings.c.document_id.in_(gone)))
    other = listings.alias()
    elsewhere = exists().where(other.c.document_id == listings.c.document_id, other.c.misses == 0)
    connection.execute(delete(listings).where(*lacked, listings.c.misses >= listings.c.needed, elsewhere))


def is_published() -> ColumnElement[bool]:
    """Return the condition that a document was harvested and is not withdrawn."""
    return documents.c.harvested.is_not(None) & documents.c.withdrawn.is_(None)


def is_missing() -> ColumnElement[bool]:
    """Return the condition that a document is missing from a sitemap and that no other sitemap lists it."""
    other = listings.alias()
    listed = exists().where(other.c.document_id == listings.c.document_id, other.c.misses == 0)
    return (listings.c.misses > 0) & ~listed


def is_of_host(host_id: int) -> ColumnElement[bool]:
    """Return the condition that a sitemap of a host lists a document, or did."""
    return listings.c.sitemap_id.in_(select(resources.c.id).where(resources.c.host_id == host_id))


def _with_listings(connection: Connection, host_id: int) -> Sequence[int]:
    """Return the sitemaps of a host that have rows."""
    any_row = exists().where(listings.c.sitemap_id == resources.c.id)
    query = select(resources.c.id).where(resources.c.host_id == host_id, any_row)
    return connection.execute(query).scalars().all()
