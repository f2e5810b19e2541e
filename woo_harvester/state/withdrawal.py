"""Finds the documents to withdraw, and those whose withdrawal has to wait.

A document is withdrawn if each sitemap that listed it has lacked it for as many complete reads as are needed.
That is one, or several if the host may have lost it by a mistake.

Source: "Gone" in the interface description.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Connection, Exists, Row, bindparam, case, exists, func, select, update

from woo_harvester.state.listings import is_published
from woo_harvester.state.schema import documents, hosts, listings, resources
from woo_harvester.state.sql import batches


@dataclass(frozen=True, slots=True)
class WithdrawalLimits:
    """Limits above which documents that are gone at once may be a mistake, so that their withdrawal waits."""

    share: float = 0.2
    """Share of a host's documents. They wait if more than this and more than ``documents`` are gone."""
    documents: int = 50
    """Number of documents; see ``share``."""
    all_of: int = 10
    """Number of documents of a host from which they wait if all of them are gone."""
    runs: int = 3
    """Complete reads in a row that must lack a document that waits, before it is withdrawn."""


class PendingAt(NamedTuple):
    """A sitemap that has not lacked a document for long enough yet."""

    host: str
    index_url: str | None


@dataclass(frozen=True, slots=True)
class Missing:
    """A document that no sitemap lists any more, as far as is known."""

    id: int
    loc: str
    is_harvested: bool
    """False if it was only seen, and never delivered."""
    misses: int
    """Complete reads in a row that lacked it: the smallest number of the sitemaps that listed it."""
    since: int
    """Start of the run that found it missing from the last of them, in microseconds since 1970."""
    hosts: frozenset[str]
    """The hosts that listed it."""
    pending: tuple[PendingAt, ...]
    """The sitemaps that need more complete reads without it."""


_WITH_HOST = (
    select(
        listings.c.document_id,
        documents.c.loc,
        documents.c.harvested.is_not(None).label("is_harvested"),
        hosts.c.host,
        listings.c.misses,
        listings.c.needed,
        listings.c.missing_since,
        resources.c.index_url,
    )
    .join_from(listings, documents, documents.c.id == listings.c.document_id)
    .join(resources, resources.c.id == listings.c.sitemap_id)
    .join(hosts, hosts.c.id == resources.c.host_id)
    .order_by(listings.c.document_id, listings.c.sitemap_id)
)


def missing_documents(connection: Connection, host_id: int) -> Iterator[Missing]:
    """Yield the documents that a host lacks, and that no sitemap of any host lists."""
    lacked = (
        select(listings.c.document_id)
        .distinct()
        .join_from(listings, documents, documents.c.id == listings.c.document_id)
        .join(resources, resources.c.id == listings.c.sitemap_id)
        .where(resources.c.host_id == host_id, listings.c.misses > 0, documents.c.withdrawn.is_(None))
        .order_by(listings.c.document_id)
    )
    for part in batches(connection.execute(lacked).scalars().all()):
        rows = connection.execute(_WITH_HOST.where(listings.c.document_id.in_(part)))
        for _, group in groupby(rows, key=attrgetter("document_id")):
            if (found := _missing(list(group))) is not None:
                yield found


def _missing(rows: Sequence[Row[Any]]) -> Missing | None:
    """Return the document of *rows* if no sitemap lists it; None if one does."""
    if any(not row.misses for row in rows):
        return None
    return Missing(
        id=rows[0].document_id,
        loc=rows[0].loc,
        is_harvested=rows[0].is_harvested,
        misses=min(row.misses for row in rows),
        since=max(row.missing_since or 0 for row in rows),
        hosts=frozenset(row.host for row in rows),
        pending=tuple(PendingAt(row.host, row.index_url) for row in rows if row.misses < (row.needed or 1)),
    )


def exceeds_limits(count: int, published: int, limits: WithdrawalLimits) -> bool:
    """Return whether *count* missing documents out of *published* exceed the limits."""
    many = count > limits.share * published and count > limits.documents
    return many or (count >= limits.all_of and count >= published)


class CompleteRead(NamedTuple):
    """What a complete read of a host has found."""

    host_id: int
    indexes: Collection[str]
    """URLs of the indexes that robots.txt named."""
    sitemaps: Collection[int]
    """Numbers of the sitemaps that were read, or that are unchanged since they were."""


def _has_listing(*which: Any) -> Exists:
    return exists().where(listings.c.sitemap_id == resources.c.id, *which)


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_FILES = select(
    resources.c.host_id,
    resources.c.id,
    resources.c.kind,
    resources.c.url,
    resources.c.read_at.is_not(None).label("was_read"),
    _has_listing().label("lists"),
    _has_listing(listings.c.misses > 0).label("lacks"),
).where(resources.c.host_id.in_(_IDS))
_PUBLISHING = select(hosts.c.id).where(
    hosts.c.id.in_(_IDS),
    exists(1)
    .select_from(
        resources.join(listings, listings.c.sitemap_id == resources.c.id).join(
            documents, documents.c.id == listings.c.document_id
        )
    )
    .where(resources.c.host_id == hosts.c.id, is_published()),
)


def hosts_with_differences(connection: Connection, reads: Sequence[CompleteRead]) -> set[int]:
    """Return the hosts of which the state has something that a complete read did not find.

    That is a document that is missing; a sitemap that was not read, and that has documents or the data of an
    earlier read; or an index that is not named any more.
    """
    found: set[int] = set()
    for part in batches(reads):
        by_host = {read.host_id: read for read in part}
        rows = connection.execute(_FILES, {"ids": list(by_host)})
        found.update(row.host_id for row in rows if _differs(row, by_host[row.host_id]))
    return found


def _differs(row: Row[Any], read: CompleteRead) -> bool:
    """Return whether the state has something of a file that a complete read of its host did not find."""
    if row.kind == "index":
        return bool(row.was_read) and row.url not in read.indexes
    is_unread = row.kind == "sitemap" and row.id not in read.sitemaps
    return bool(row.lacks or (is_unread and (row.lists or row.was_read)))


def end_reads(connection: Connection, host_ids: Sequence[int], at: int, begun_at: int) -> None:
    """Note that hosts were read completely.

    *at* is in seconds since 1970, *begun_at* is the start of the run in microseconds since 1970.
    """
    values = {"complete_at": at, "begun_at": begun_at, "complete": True}
    for part in batches(host_ids):
        connection.execute(update(hosts).where(hosts.c.id.in_(part)).values(**values))


def hosts_with_published(connection: Connection, host_ids: Sequence[int]) -> set[int]:
    """Return the hosts with published documents, by their last read."""
    found: set[int] = set()
    for part in batches(host_ids):
        found.update(connection.execute(_PUBLISHING, {"ids": part}).scalars())
    return found


class UnregisteredHost(NamedTuple):
    """A host that the register does not have, and that lists or listed published documents."""

    id: int
    host: str
    documents: int
    """Published documents that it still lists, as far as is known: no run reads it."""


def unregistered_hosts(connection: Connection) -> list[UnregisteredHost]:
    """Return the hosts that the register does not have and that have published documents, by name."""
    listed = func.sum(case((listings.c.misses == 0, 1), else_=0))
    query = (
        select(hosts.c.id, hosts.c.host, listed)
        .join_from(hosts, resources, resources.c.host_id == hosts.c.id)
        .join(listings, listings.c.sitemap_id == resources.c.id)
        .join(documents, documents.c.id == listings.c.document_id)
        .where(hosts.c.unregistered, is_published())
        .group_by(hosts.c.id, hosts.c.host)
        .order_by(hosts.c.host)
    )
    return [UnregisteredHost(key, host, int(count)) for key, host, count in connection.execute(query)]


@dataclass(frozen=True, slots=True)
class Gone:
    """A document that is no longer listed."""

    id: int
    loc: str
    published: str | None
    harvested: int
    """The moment of the first record of its version, in seconds since 1970."""
    sitemap: str
    index: str | None


def gone_documents(connection: Connection, ids: Sequence[int], host_id: int) -> Iterator[Gone]:
    """Yield the data for records of withdrawals, with a sitemap of the host that listed each document."""
    columns = (documents.c.id, documents.c.loc, documents.c.published, documents.c.harvested)
    query = select(*columns, resources.c.url, resources.c.index_url)
    query = query.join_from(documents, listings, listings.c.document_id == documents.c.id)
    query = query.join(resources, resources.c.id == listings.c.sitemap_id).where(is_published())
    for part in batches(ids):
        chosen = documents.c.id.in_(part), resources.c.host_id == host_id
        found: dict[int, Gone] = {}
        for row in connection.execute(query.where(*chosen).order_by(documents.c.id, resources.c.id)):
            found.setdefault(row[0], Gone(*row))
        yield from found.values()
