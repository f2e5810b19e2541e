"""Listings: which sitemaps list which documents, and how long each document has been missing.

A row stands for one document in one sitemap. A run adds it when it first sees the document there. The row
counts how many complete reads of the host in a row lacked the document.
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
    Update,
    bindparam,
    case,
    delete,
    exists,
    func,
    select,
    update,
)

from woo_harvester.sitemaps.facts import SitemapListing
from woo_harvester.state.schema import documents, hosts, listings, resources
from woo_harvester.state.sql import batches, insert_new, is_one_of, write_rows

#: Value of ``misses`` for a withdrawal that an operator has confirmed: it passes every limit.
CONFIRMED = 1_000_000


class HostListing(NamedTuple):
    """A document in one sitemap of a host, with the last read of that host."""

    document_id: int
    loc: str
    host: str
    host_id: int
    misses: int
    complete: bool
    """True if the last read of the host was complete."""
    massive: bool
    """True if it may be missing by a mistake: its withdrawal waits."""
    missing_since: int | None
    """Microseconds since 1970; the start of the run that first found it missing."""
    index_gone: str | None = None
    """URL of the index that listed the sitemap, if robots.txt no longer names that index."""


_IN_SITEMAP = listings.c.sitemap_id == bindparam("in_sitemap")
_OF_DOCUMENT = listings.c.document_id == bindparam("key")
_COUNT = select(func.count()).where(_IN_SITEMAP, listings.c.misses == 0)
_IDS = select(listings.c.document_id).where(_IN_SITEMAP).order_by(listings.c.document_id)
_FOREIGN = select(listings.c.document_id).where(_IN_SITEMAP, listings.c.foreign, listings.c.misses == 0)
_READS = (
    select(func.coalesce(hosts.c.reads, 0))
    .join_from(hosts, resources, resources.c.host_id == hosts.c.id)
    .where(resources.c.id == bindparam("in_sitemap"))
    .scalar_subquery()
)
_IS_LISTED = listings.c.misses == 0
_SINCE = bindparam("since", type_=BigInteger)
_LISTED = {"misses": 0, "missing_since": case((listings.c.massive.is_(True), _READS))}
# A mark ends here, so that nothing has to be written on a day on which all documents are listed.
_ONE_MORE = {
    "misses": listings.c.misses + 1,
    "missing_since": case((_IS_LISTED, _SINCE), else_=func.coalesce(listings.c.missing_since, _SINCE)),
    "massive": case(
        (_IS_LISTED & (listings.c.missing_since <= bindparam("marks_until", type_=BigInteger)), None),
        else_=listings.c.massive,
    ),
}
_ALL_LISTED_AGAIN = update(listings).where(_IN_SITEMAP, listings.c.misses > 0).values(**_LISTED)
_LISTED_AGAIN = _ALL_LISTED_AGAIN.where(_OF_DOCUMENT)
_MISSED = update(listings).where(_IN_SITEMAP, _OF_DOCUMENT).values(**_ONE_MORE)
_ALL_MISSED = update(listings).where(_IN_SITEMAP).values(**_ONE_MORE)
_KEEP_LASTMOD = (
    update(listings)
    .where(_IN_SITEMAP, _OF_DOCUMENT)
    .values(foreign=bindparam("is_foreign"), lastmod=bindparam("given"))
)
_WITH_HOST = (
    select(
        listings.c.document_id,
        documents.c.loc,
        hosts.c.host,
        hosts.c.id,
        listings.c.misses,
        hosts.c.complete,
        listings.c.massive.is_(True),
        listings.c.missing_since,
        case((resources.c.index_gone, resources.c.index_url)),
    )
    .join_from(listings, documents, documents.c.id == listings.c.document_id)
    .join(resources, resources.c.id == listings.c.sitemap_id)
    .join(hosts, hosts.c.id == resources.c.host_id)
)


@cache
def _find(dialect: str) -> Select[Any]:
    columns = listings.c.document_id, listings.c.misses, listings.c.foreign, listings.c.lastmod
    return select(*columns).where(_IN_SITEMAP, is_one_of(dialect, listings.c.document_id, "ids"))


@cache
def _add(dialect: str) -> Insert:
    return insert_new(dialect, listings)


def find(connection: Connection, sitemap_id: int, ids: Sequence[int]) -> dict[int, SitemapListing]:
    """Return what is known of these documents in one sitemap, by document number."""
    found: dict[int, SitemapListing] = {}
    for part in batches(ids):
        rows = connection.execute(_find(connection.dialect.name), {"in_sitemap": sitemap_id, "ids": part})
        found.update((row[0], SitemapListing._make(row)) for row in rows)
    return found


def add(connection: Connection, sitemap_id: int, rows: Iterable[SitemapListing]) -> None:
    """Add rows for documents that a sitemap lists, unless they are known already."""
    values = [{"sitemap_id": sitemap_id, **row._asdict()} for row in _ordered(rows)]
    write_rows(connection, _add(connection.dialect.name), values)


def listed_again(connection: Connection, sitemap_id: int, ids: Collection[int]) -> None:
    """Note that a sitemap lists documents again: set their count of misses to 0.

    If they are marked, the state keeps how many complete reads the host had had.
    """
    _for_each(connection, _LISTED_AGAIN, sitemap_id, ids)


def all_listed_again(connection: Connection, sitemap_id: int) -> None:
    """Note that a sitemap lists all its documents: set every count of misses to 0."""
    connection.execute(_ALL_LISTED_AGAIN, {"in_sitemap": sitemap_id})


def keep_foreign(connection: Connection, sitemap_id: int, rows: Iterable[SitemapListing]) -> None:
    """Keep for each row whether its entry is foreign, and its lastmod."""
    values = [
        {"in_sitemap": sitemap_id, "key": row.document_id, "is_foreign": row.foreign, "given": row.lastmod}
        for row in _ordered(rows)
    ]
    if values:
        connection.execute(_KEEP_LASTMOD, values)


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


def foreign_documents(connection: Connection, sitemap_id: int) -> Iterator[list[int]]:
    """Yield the documents of other organisations that a sitemap lists, in batches."""
    yield from batches(connection.execute(_FOREIGN, {"in_sitemap": sitemap_id}).scalars().all())


def listed_by(connection: Connection, ids: Sequence[int]) -> Iterator[HostListing]:
    """Yield a row for each sitemap that lists one of these documents, with its host."""
    yield from _hosts_of(connection, ids, _WITH_HOST.where(listings.c.misses == 0))


def own_versions(connection: Connection, ids: Sequence[int]) -> set[int]:
    """Return the documents whose known version came from an entry of their own organisation."""
    query = (
        select(listings.c.document_id)
        .join_from(
            listings,
            documents,
            (documents.c.id == listings.c.document_id) & (documents.c.sitemap_id == listings.c.sitemap_id),
        )
        .where(is_one_of(connection.dialect.name, listings.c.document_id, "ids"), ~listings.c.foreign)
    )
    found: set[int] = set()
    for part in batches(ids):
        found.update(connection.execute(query, {"ids": part}).scalars())
    return found


def known_by(connection: Connection, ids: Sequence[int]) -> Iterator[HostListing]:
    """Yield a row for each sitemap that lists one of these documents, or did; sorted by document."""
    yield from _hosts_of(connection, ids, _WITH_HOST)


def missed(
    connection: Connection,
    host_id: int,
    read: Collection[int],
    lacking: Mapping[int, Sequence[int]],
    since: int,
    runs: int,
) -> None:
    """Count the misses of a complete read of a host.

    *read* are the sitemaps that were read, *lacking* the documents that each of them no longer lists, *since*
    the start of the run in microseconds since 1970. All documents of the host's other sitemaps are missing
    too: no index names those sitemaps any more. The mark of a document ends if *runs* complete reads in a row
    have listed it.
    """
    reads = connection.scalar(select(hosts.c.reads).where(hosts.c.id == host_id)) or 0
    values = {"since": since, "marks_until": reads - runs}
    for sitemap_id, ids in lacking.items():
        _for_each(connection, _MISSED, sitemap_id, ids, **values)
    for sitemap_id in _with_listings(connection, host_id):
        if sitemap_id not in read:
            connection.execute(_ALL_MISSED, {"in_sitemap": sitemap_id, **values})
    # A document that another sitemap of the host lists has moved there, with its mark: it is not missing.
    marked = select(listings.c.document_id).where(
        is_of_host(host_id), listings.c.misses > 0, listings.c.massive.is_(True)
    )
    moved_to = is_of_host(host_id), _IS_LISTED, listings.c.document_id.in_(marked)
    connection.execute(update(listings).where(*moved_to).values(massive=True, missing_since=reads))
    here = resources.alias()
    there = listings.alias()
    moved = exists().where(
        there.c.document_id == listings.c.document_id,
        there.c.misses == 0,
        there.c.sitemap_id == here.c.id,
        here.c.host_id == host_id,
    )
    connection.execute(delete(listings).where(is_of_host(host_id), listings.c.misses > 0, moved))


def missing(connection: Connection, host_id: int) -> Sequence[int]:
    """Return the documents, withdrawn ones left out, that the last complete read of a host lacked."""
    query = (
        select(listings.c.document_id)
        .distinct()
        .join_from(listings, documents, documents.c.id == listings.c.document_id)
        .where(is_of_host(host_id), listings.c.misses > 0, documents.c.withdrawn.is_(None))
        .order_by(listings.c.document_id)
    )
    return connection.execute(query).scalars().all()


def count_published(connection: Connection, host_id: int, *which: ColumnElement[bool]) -> int:
    """Return the number of published documents of a host: harvested and not withdrawn.

    *which* are conditions on its listings.
    """
    query = (
        select(func.count(listings.c.document_id.distinct()))
        .join_from(listings, resources, resources.c.id == listings.c.sitemap_id)
        .join(documents, documents.c.id == listings.c.document_id)
        .where(
            resources.c.host_id == host_id,
            is_published(),
            *which,
        )
    )
    return connection.scalar(query) or 0


def count_lacking(connection: Connection, host_id: int, runs: int) -> int:
    """Return how many published documents a host lacks, without those that it has lacked for longer.

    *runs* is the number of complete reads that a pending withdrawal takes. What this read lacked for the last
    of them still counts, and so does what an operator has confirmed meanwhile. It makes no difference whether
    another host lists the documents.
    """
    return count_published(connection, host_id, listings.c.misses > 0, _is_recent(runs))


def count_listed_before(connection: Connection, host_id: int, runs: int) -> int:
    """Return how many published documents a host lists, with those that :func:`count_lacking` counts."""
    return count_published(connection, host_id, _is_recent(runs))


def _is_recent(runs: int) -> ColumnElement[bool]:
    misses = listings.c.misses
    return (misses <= runs) | misses.between(CONFIRMED, CONFIRMED + runs)


def mark_massive(connection: Connection, host_id: int) -> None:
    """Mark the documents that a host lacks: each waits until enough reads in a row have lacked it."""
    rows = is_of_host(host_id), listings.c.misses > 0, listings.c.massive.is_not(True)
    connection.execute(update(listings).where(*rows).values(massive=True))


def count_massive(connection: Connection, host_id: int, runs: int) -> tuple[int, int]:
    """Return how many published documents a host lacked at once, of how many."""
    is_waiting = listings.c.massive.is_(True) & (listings.c.misses < runs)
    count = count_published(connection, host_id, listings.c.misses > 0, is_waiting)
    return count, count_listed_before(connection, host_id, runs) if count else 0


def end_withdrawn(connection: Connection, ids: Sequence[int]) -> list[int]:
    """Remove the rows of withdrawn documents that are missing from a sitemap.

    Returns the sitemaps that list one of them again. Those must be read in full next time, so that the run
    reports the documents that are listed and not harvested.
    """
    again: set[int] = set()
    for part in batches(ids):
        rows = listings.c.document_id.in_(part)
        # Skip rows that a run on another host has locked: to wait for them could be a deadlock. That run
        # removes them itself, in drop_missing_withdrawn.
        missing = select(listings.c.sitemap_id, listings.c.document_id).where(rows, listings.c.misses > 0)
        free = connection.execute(missing.with_for_update(skip_locked=True)).all()
        for sitemap_id in sorted({row.sitemap_id for row in free}):
            here = [row.document_id for row in free if row.sitemap_id == sitemap_id]
            gone = listings.c.sitemap_id == sitemap_id, listings.c.document_id.in_(here)
            connection.execute(delete(listings).where(*gone))
        listed = select(listings.c.sitemap_id).distinct().where(rows, listings.c.misses == 0)
        again.update(connection.execute(listed).scalars())
    return sorted(again)


def drop(connection: Connection, host_id: int, ids: Sequence[int]) -> None:
    """Remove the rows of documents in the sitemaps of a host."""
    for part in batches(ids):
        rows = is_of_host(host_id), listings.c.document_id.in_(part)
        connection.execute(delete(listings).where(*rows))


def drop_missing_withdrawn(connection: Connection, host_id: int) -> None:
    """Remove the rows of withdrawn documents that a host no longer lists."""
    gone = select(documents.c.id).where(documents.c.withdrawn.is_not(None))
    connection.execute(
        delete(listings).where(is_of_host(host_id), listings.c.misses > 0, listings.c.document_id.in_(gone))
    )


def is_published() -> ColumnElement[bool]:
    """Return the condition that a document was harvested and is not withdrawn."""
    return documents.c.harvested.is_not(None) & documents.c.withdrawn.is_(None)


def is_missing() -> ColumnElement[bool]:
    """Return the condition that a document is missing from a sitemap and that no other sitemap lists it.

    The sitemaps of hosts that the register does not have are not asked.
    """
    other, file, host = listings.alias(), resources.alias(), hosts.alias()
    listed = exists().where(
        other.c.document_id == listings.c.document_id,
        other.c.misses == 0,
        file.c.id == other.c.sitemap_id,
        host.c.id == file.c.host_id,
        host.c.unregistered.is_(None),
    )
    return (listings.c.misses > 0) & ~listed


def is_of_host(host_id: int) -> ColumnElement[bool]:
    """Return the condition that a sitemap of a host lists a document, or did."""
    return listings.c.sitemap_id.in_(select(resources.c.id).where(resources.c.host_id == host_id))


def _with_listings(connection: Connection, host_id: int) -> Sequence[int]:
    """Return the sitemaps of a host that have rows."""
    any_row = exists().where(listings.c.sitemap_id == resources.c.id)
    query = select(resources.c.id).where(resources.c.host_id == host_id, any_row)
    return connection.execute(query).scalars().all()


def _for_each(
    connection: Connection, statement: Update, sitemap_id: int, ids: Collection[int], **values: int
) -> None:
    if rows := [{"in_sitemap": sitemap_id, "key": key, **values} for key in sorted(ids)]:
        connection.execute(statement, rows)


def _hosts_of(connection: Connection, ids: Sequence[int], query: Select[Any]) -> Iterator[HostListing]:
    chosen = query.where(is_one_of(connection.dialect.name, listings.c.document_id, "ids"))
    chosen = chosen.order_by(listings.c.document_id, listings.c.sitemap_id)
    for part in batches(ids):
        for row in connection.execute(chosen, {"ids": part}):
            yield HostListing._make(row)


def _ordered(rows: Iterable[SitemapListing]) -> list[SitemapListing]:
    return sorted(rows, key=attrgetter("document_id"))
