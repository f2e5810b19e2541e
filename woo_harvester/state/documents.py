"""The documents of the state, in batches: what was seen, what was harvested, what is gone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import Connection, Insert, Select, bindparam, delete, func, or_, select, update

from woo_harvester.sitemaps.facts import KnownDocument
from woo_harvester.state.batches import batches
from woo_harvester.state.confirmation import FILE_COLUMNS
from woo_harvester.state.dialects import insert_new, is_one_of, is_one_writer
from woo_harvester.state.schema import documents, hosts, listings, resources
from woo_harvester.state.versions import KnownFile

#: Documents of one sitemap whose digests are kept in memory while it is read (some 200 bytes each): twice as
#: many as the guide lets it have. Those beyond are looked up.
SAME_MAX = 100_000

KNOWN_COLUMNS = (
    documents.c.loc,
    documents.c.id,
    documents.c.sitemap_id,
    documents.c.lastmod,
    documents.c.published,
    documents.c.harvested,
    documents.c.withdrawn,
    documents.c.entry_digest,
    documents.c.fault,
    documents.c.fault_seen,
    documents.c.fault_since,
    documents.c.refused_at,
    documents.c.refused_lastmod,
    documents.c.restore,
    documents.c.fetched_at,
    documents.c.unchanged_since,
)

#: Makes a KnownDocument of a row, without the Python code in a named tuple's own constructor.
_known: Callable[[Any], KnownDocument] = partial(tuple.__new__, KnownDocument)


@dataclass(frozen=True, slots=True)
class Gone:
    """A document that is no longer listed."""

    id: int
    loc: str
    published: str | None
    lastmod: int | None
    harvested: int
    """Seconds since 1970."""
    sitemap: str
    index: str | None


@cache
def _known_at(dialect: str) -> Select[Any]:
    return select(*KNOWN_COLUMNS).where(is_one_of(dialect, documents.c.loc, "locs"))


@cache
def _files_at(dialect: str) -> Select[Any]:
    chosen = is_one_of(dialect, documents.c.id, "ids"), documents.c.sha256.is_not(None)
    return select(documents.c.id, *FILE_COLUMNS).where(*chosen)


@cache
def _add(dialect: str) -> Insert:
    return insert_new(dialect, documents)


def look_up(connection: Connection, locs: Sequence[str]) -> dict[str, KnownDocument]:
    """What is known of the documents at *locs*, by loc."""
    known: dict[str, KnownDocument] = {}
    # No document has NUL in its location, and PostgreSQL cannot be asked for one.
    asked = [loc for loc in locs if "\0" not in loc]
    query = _known_at(connection.dialect.name)
    for part in batches(asked):
        rows = connection.execute(query, {"locs": part}).all()
        known.update({row[0]: _known(row) for row in rows})
    return known


@dataclass(frozen=True, slots=True)
class Before:
    """What a sitemap listed before it is read again."""

    same: dict[bytes, int]
    """Number of each published document, by the digest of its entry when it was last read.

    An entry with such a digest needs no further look-up: on most days that is nearly all of them.
    """
    others: list[int]
    """All other documents that it listed."""
    is_all: bool
    """Whether these are all: False where there are more than are kept in memory."""


_LISTED_BEFORE = (
    select(
        listings.c.document_id,
        listings.c.misses,
        documents.c.entry_digest,
        documents.c.harvested,
        documents.c.withdrawn,
        documents.c.fault,
        documents.c.unchanged_since,
        documents.c.sitemap_id,
    )
    .join_from(listings, documents, documents.c.id == listings.c.document_id)
    .where(listings.c.sitemap_id == bindparam("sitemap_id"))
    .limit(bindparam("most"))
)


def before(connection: Connection, sitemap_id: int, sitemaps: Collection[int]) -> Before:
    """Return what is known of a sitemap that is about to be read; *sitemaps* are all those of its host.

    An entry is the same only where the version that was harvested came from an entry of this host: another
    host's entry with the same bytes may not count, or count in another index.
    """
    rows = connection.execute(_LISTED_BEFORE, {"sitemap_id": sitemap_id, "most": SAME_MAX + 1}).all()
    if len(rows) > SAME_MAX:
        return Before({}, [], is_all=False)
    same: dict[bytes, int] = {}
    others: list[int] = []
    for key, misses, digest, harvested, withdrawn, fault, unchanged_since, source in rows:
        is_published = harvested is not None and withdrawn is None
        nothing_due = not misses and fault is None and unchanged_since is None
        if digest is not None and is_published and nothing_due and source in sitemaps:
            same[digest] = key
        else:
            others.append(key)
    return Before(same, others, is_all=True)


def add_seen(
    connection: Connection, locs: Collection[str], sitemap_id: int, at: int
) -> dict[str, KnownDocument]:
    """Note documents that were seen for the first time; they count as harvested only later.

    Another run on other hosts may see the same document at the same moment: then it stays as that noted it.
    """
    if not locs:
        return {}
    rows = [{"loc": loc, "sitemap_id": sitemap_id, "first_seen": at} for loc in sorted(locs)]
    connection.execute(_add(connection.dialect.name), rows)
    return look_up(connection, list(locs))


def lock_rows(connection: Connection, ids: Collection[int]) -> None:
    """Lock rows that a transaction is going to write, in one order: before it writes them in several steps.

    Two runs that list the same documents would wait for each other for ever otherwise.
    """
    if ids and not is_one_writer(connection):
        rows = select(documents.c.id).where(is_one_of(connection.dialect.name, documents.c.id, "ids"))
        connection.execute(rows.order_by(documents.c.id).with_for_update(key_share=True), {"ids": list(ids)})


def move(connection: Connection, ids: Iterable[int], sitemap_id: int) -> None:
    """Note that the version that is known of these documents is that of an entry of *sitemap_id*."""
    rows = [{"key": key} for key in sorted(ids)]
    if rows:
        statement = update(documents).where(documents.c.id == bindparam("key")).values(sitemap_id=sitemap_id)
        connection.execute(statement, rows)


def keep_digests(connection: Connection, digests: dict[int, bytes]) -> None:
    """Keep the digest of entries that the full reader has read and found unchanged by their lastmod."""
    if digests:
        rows = [{"key": key, "digest": digest} for key, digest in sorted(digests.items())]
        statement = update(documents).where(documents.c.id == bindparam("key"))
        connection.execute(statement.values(entry_digest=bindparam("digest")), rows)


# Built once, since it runs for each file of each host.
_RECHECK_DUE = (
    select(documents.c.id)
    .where(
        documents.c.sitemap_id == bindparam("sitemap_id"),
        documents.c.unchanged_since.is_not(None),
        documents.c.withdrawn.is_(None),
        documents.c.refused_at.is_(None),
        or_(
            documents.c.fetched_at.is_(None),
            documents.c.fetched_at <= bindparam("latest"),
            documents.c.fetched_at > bindparam("now"),  # the clock was set back
        ),
    )
    .limit(1)
)


def is_recheck_due(connection: Connection, sitemap_id: int, now: int, interval: int) -> bool:
    """Return whether a document of a sitemap is to be asked for unconditionally in this run.

    That is one whose server said that it is the same, and that was received *interval* seconds ago or longer;
    *now* is in seconds since 1970. One that was refused since then waits for its own time.
    """
    given = {"sitemap_id": sitemap_id, "now": now, "latest": now - interval}
    return connection.execute(_RECHECK_DUE, given).first() is not None


def claim(connection: Connection, ids: Collection[int], host_id: int) -> set[int]:
    """Have the run on a host withdraw documents; return those that no other run withdraws already."""
    claimed: set[int] = set()
    for part in batches(sorted(ids)):
        lock_rows(connection, part)
        free = (
            documents.c.id.in_(part),
            documents.c.withdrawn.is_(None),
            documents.c.harvested.is_not(None),
            documents.c.withdrawing.is_(None),
        )
        statement = update(documents).where(*free).values(withdrawing=host_id).returning(documents.c.id)
        claimed.update(connection.execute(statement).scalars())
    return claimed


def end_restore(connection: Connection, host_id: int) -> None:
    """Leave withdrawn documents that were to be restored and that the host did not list."""
    of_host = select(resources.c.id).where(resources.c.host_id == host_id)
    listed = select(listings.c.document_id).where(listings.c.document_id == documents.c.id)
    marked = documents.c.restore, documents.c.sitemap_id.in_(of_host), ~listed.exists()
    connection.execute(update(documents).where(*marked).values(restore=None))


def end_claims(connection: Connection, host_ids: Collection[int]) -> None:
    """Leave withdrawals to other runs that those on these hosts did not deliver."""
    left = documents.c.withdrawing.is_not(None), documents.c.withdrawing.in_(list(host_ids))
    connection.execute(update(documents).where(*left).values(withdrawing=None))


def files_of(connection: Connection, ids: Sequence[int]) -> dict[int, KnownFile]:
    """Return what is known of the files of documents, by number; those never fetched are left out."""
    found: dict[int, KnownFile] = {}
    for part in batches(ids):
        rows = connection.execute(_files_at(connection.dialect.name), {"ids": part})
        found.update((key, KnownFile(*values)) for key, *values in rows)
    return found


def count_by_host(connection: Connection) -> dict[str, int]:
    """How many documents are known of each host, whatever is known of them: an index has the answer."""
    counted = select(documents.c.sitemap_id, func.count().label("count"))
    of_sitemap = counted.group_by(documents.c.sitemap_id).subquery()
    query = (
        select(hosts.c.host, func.sum(of_sitemap.c.count))
        .join_from(of_sitemap, resources, resources.c.id == of_sitemap.c.sitemap_id)
        .join(hosts)
        .group_by(hosts.c.host)
    )
    return {host: int(count) for host, count in connection.execute(query)}


def gone(connection: Connection, ids: Sequence[int], host_id: int) -> Iterator[Gone]:
    """Give what the record of a withdrawal says of documents, with a sitemap of the host that listed them."""
    columns = (documents.c.id, documents.c.loc, documents.c.published, documents.c.lastmod)
    query = select(*columns, documents.c.harvested, resources.c.url, resources.c.index_url)
    query = query.join_from(documents, listings, listings.c.document_id == documents.c.id)
    query = query.join(resources, resources.c.id == listings.c.sitemap_id)
    for part in batches(ids):
        chosen = documents.c.id.in_(part), resources.c.host_id == host_id
        found: dict[int, Gone] = {}
        for row in connection.execute(query.where(*chosen).order_by(documents.c.id, resources.c.id)):
            found.setdefault(row[0], Gone(*row))
        yield from found.values()


def harvested_of(connection: Connection, ids: Sequence[int]) -> set[int]:
    """Return which of these documents were harvested and are not withdrawn."""
    found: set[int] = set()
    for part in batches(ids):
        query = select(documents.c.id).where(
            documents.c.id.in_(part),
            documents.c.harvested.is_not(None),
            documents.c.withdrawn.is_(None),
        )
        found.update(connection.execute(query).scalars())
    return found


def forget(connection: Connection, ids: Sequence[int]) -> None:
    """Forget documents, as if they had never been seen."""
    for part in batches(sorted(ids)):
        lock_rows(connection, part)
        connection.execute(delete(listings).where(listings.c.document_id.in_(part)))
        connection.execute(delete(documents).where(documents.c.id.in_(part)))
