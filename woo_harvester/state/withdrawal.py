"""Finds the documents to withdraw, and those whose withdrawal has to wait.

A document is withdrawn only if the last read of every host that is known to list it was complete and lacked
it. Many documents that are gone from a host at once may be a publisher's mistake, and a document that is gone
from a host with entries that cannot be used may be listed by one of these. Each of them waits until that host
has lacked it for several complete reads. So do the documents of an index that robots.txt no longer names,
however few they are, and those of a host that the register no longer has.

Source: "Gone" in the interface description.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Connection, Exists, Row, bindparam, case, exists, func, select, update

from woo_harvester.state.documents import lock_rows
from woo_harvester.state.listings import (
    CONFIRMED,
    HostListing,
    count_lacking,
    count_listed_before,
    is_published,
    known_by,
    mark_massive,
    missing,
)
from woo_harvester.state.resources import ONE_MORE_READ, ReadCounts
from woo_harvester.state.schema import documents, hosts, listings, resources
from woo_harvester.state.sql import batches
from woo_harvester.utils.urls import host_of


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


class GoneIndex(NamedTuple):
    """An index that listed a missing document, and that robots.txt of its host no longer names."""

    host: str
    url: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A document that the last complete read of a host lacked."""

    id: int
    loc: str
    misses: int
    """Complete reads in a row that lacked it: the smallest number of the hosts that listed it."""
    massive: frozenset[str]
    """The hosts for which its withdrawal waits, because it may be gone from them by a mistake."""
    since: int
    """Start of the run that found it missing from the last of those hosts, in microseconds since 1970."""
    hosts: frozenset[str]
    """The hosts that listed it."""
    indexes: frozenset[GoneIndex] = frozenset()
    """The indexes that listed it and that are no longer named."""
    waits_for_index: bool = False
    """True if its withdrawal waits, because one of these may be gone by a mistake."""
    unread: frozenset[str] = frozenset()
    """The hosts that listed it and whose last read was not complete: they may list it again."""
    unregistered: frozenset[str] = frozenset()
    """The hosts that listed it and that the register does not have: that may be a mistake."""

    @property
    def is_gone(self) -> bool:
        """True if every host that counts was read completely and lacks it. It may still have to wait."""
        return not (self.unread or self.unregistered)


@dataclass(frozen=True, slots=True)
class Registration:
    """Which hosts the register has, and how long it has not had the others."""

    is_registered: Callable[[str], bool]
    reads: ReadCounts

    def is_awaited(self, host: str, others: Sequence[HostListing], runs: int) -> bool:
        """Return whether a document waits for a host that the register does not have.

        It does until each of the *others* was read completely *runs* times since then.
        """
        return any(row.misses < CONFIRMED and self.reads.since(host, row.host) < runs for row in others)


def missing_documents(
    connection: Connection, host_id: int, registration: Registration, limits: WithdrawalLimits
) -> Iterator[Missing]:
    """Yield the documents that a host lacks and that no other registered host is known to list."""
    rows = known_by(connection, missing(connection, host_id))
    for _, group in groupby(rows, key=attrgetter("document_id")):
        if (found := missing_everywhere(list(group), registration, limits)) is not None:
            yield found


def listed_elsewhere(
    connection: Connection, host_id: int, is_registered: Callable[[str], bool], limits: WithdrawalLimits
) -> list[int]:
    """Return the documents that a host has lacked for long enough, and that another registered host lists.

    They are not withdrawn, and this host no longer counts for them. The host of the loc always counts.
    """
    rows = known_by(connection, missing(connection, host_id))
    found: list[int] = []
    for document_id, group in groupby(rows, key=attrgetter("document_id")):
        known = list(group)
        here = [row for row in known if row.host_id == host_id]
        is_long = min(row.misses for row in here) >= limits.runs and here[0].host != host_of(here[0].loc)
        if is_long and any(not row.misses and is_registered(row.host) for row in known):
            found.append(document_id)
    return found


def missing_everywhere(
    rows: Sequence[HostListing], registration: Registration, limits: WithdrawalLimits
) -> Missing | None:
    """Return the document of *rows* if each registered host that listed it lacks it; None if one lists it."""
    counting = [row for row in rows if registration.is_registered(row.host)]
    if not counting or any(not row.misses for row in counting):
        return None
    others = {row.host for row in rows}.difference(row.host for row in counting)
    waiting = [row for row in counting if row.misses < limits.runs]
    since = max(row.missing_since or 0 for row in counting)
    return Missing(
        id=rows[0].document_id,
        loc=rows[0].loc,
        misses=min(row.misses for row in counting),
        massive=frozenset(row.host for row in waiting if row.massive and row.index_gone is None),
        since=since,
        hosts=frozenset(row.host for row in rows),
        indexes=frozenset(GoneIndex(row.host, row.index_gone) for row in counting if row.index_gone),
        waits_for_index=any(row.index_gone for row in waiting),
        unread=frozenset(row.host for row in counting if not row.complete),
        unregistered=frozenset(
            host for host in others if registration.is_awaited(host, counting, limits.runs)
        ),
    )


def exceeds_limits(count: int, published: int, limits: WithdrawalLimits) -> bool:
    """Return whether *count* missing documents out of *published* exceed the limits."""
    many = count > limits.share * published and count > limits.documents
    return many or (count >= limits.all_of and count >= published)


def note_massive(
    connection: Connection, host_id: int, limits: WithdrawalLimits, *, may_be_listed: bool = False
) -> None:
    """Mark what a host lacks if that may be a mistake: it is much at once, or *may_be_listed* all the same.

    All of it counts, whatever else it waits for, and whichever other hosts list it: they may stop doing so in
    a later run. Then it is withdrawn only if this host has lacked it for long enough. The mark stays until as
    many complete reads in a row have listed the document, also if later reads lack less.
    """
    if not may_be_listed:
        count = count_lacking(connection, host_id, limits.runs)
        if not count or count < min(limits.documents + 1, limits.all_of):  # nearly always
            return
        if not exceeds_limits(count, count_listed_before(connection, host_id, limits.runs), limits):
            return
    mark_massive(connection, host_id)


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
    case((resources.c.kind == "index", resources.c.url), else_=resources.c.index_url).label("named_by"),
    resources.c.index_gone.is_(True).label("index_gone"),
    resources.c.read_at.is_not(None).label("was_read"),
    _has_listing().label("lists"),
    _has_listing(listings.c.misses > 0).label("lacks"),
    exists().where(documents.c.sitemap_id == resources.c.id, documents.c.restore).label("restores"),
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
    """Return the hosts of which the state has something to compare with a complete read.

    That is a document that is missing or marked to be restored; a sitemap that was not read, and that has
    documents or the data of an earlier read; or an index that is not named any more, or again. What a sitemap
    that was read no longer lists is not counted here.
    """
    found: set[int] = set()
    for part in batches(reads):
        by_host = {read.host_id: read for read in part}
        rows = connection.execute(_FILES, {"ids": list(by_host)})
        found.update(row.host_id for row in rows if _differs(row, by_host[row.host_id]))
    return found


def _differs(row: Row[Any], read: CompleteRead) -> bool:
    """Return whether the state has something of a file that a complete read of its host did not find."""
    if row.lacks or row.restores or (row.lists and row.id not in read.sitemaps):
        return True
    is_unnamed = row.named_by not in read.indexes
    if row.kind == "index":
        return bool(row.was_read) and is_unnamed
    if row.kind == "sitemap":
        is_marked_wrongly = row.named_by is not None and bool(row.index_gone) != is_unnamed
        return is_marked_wrongly or (bool(row.was_read) and row.id not in read.sitemaps)
    return False


def end_reads(connection: Connection, host_ids: Sequence[int], at: int, begun_at: int) -> None:
    """Note that hosts were read completely, and that none of their documents is gone.

    *at* is in seconds since 1970, *begun_at* is the start of the run in microseconds since 1970.
    """
    values = {"complete_at": at, "begun_at": begun_at, "complete": True, "reads": ONE_MORE_READ}
    for part in batches(host_ids):
        connection.execute(update(hosts).where(hosts.c.id.in_(part)).values(**values))


def hosts_with_published(connection: Connection, host_ids: Sequence[int]) -> set[int]:
    """Return those of these hosts that list a published document, or that did when it was last read."""
    found: set[int] = set()
    for part in batches(host_ids):
        found.update(connection.execute(_PUBLISHING, {"ids": part}).scalars())
    return found


@dataclass(frozen=True, slots=True)
class Gone:
    """A document that is no longer listed."""

    id: int
    loc: str
    published: str | None
    harvested: int
    """The moment of its last record, in seconds since 1970."""
    sitemap: str
    index: str | None


def claim(connection: Connection, ids: Collection[int], host_id: int) -> set[int]:
    """Claim documents for withdrawal by the run on a host; return those that no other run has claimed."""
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


def end_claims(connection: Connection, host_ids: Collection[int]) -> None:
    """End the claims of earlier runs on these hosts, so that another run can deliver the withdrawals."""
    left = documents.c.withdrawing.is_not(None), documents.c.withdrawing.in_(list(host_ids))
    connection.execute(update(documents).where(*left).values(withdrawing=None))


def gone_documents(connection: Connection, ids: Sequence[int], host_id: int) -> Iterator[Gone]:
    """Yield the data for records of withdrawals, with a sitemap of the host that listed each document."""
    last_record = func.coalesce(documents.c.supplied_at, documents.c.harvested)
    columns = (documents.c.id, documents.c.loc, documents.c.published, last_record)
    query = select(*columns, resources.c.url, resources.c.index_url)
    query = query.join_from(documents, listings, listings.c.document_id == documents.c.id)
    query = query.join(resources, resources.c.id == listings.c.sitemap_id)
    for part in batches(ids):
        chosen = documents.c.id.in_(part), resources.c.host_id == host_id
        found: dict[int, Gone] = {}
        for row in connection.execute(query.where(*chosen).order_by(documents.c.id, resources.c.id)):
            found.setdefault(row[0], Gone(*row))
        yield from found.values()


def end_restore(connection: Connection, host_id: int) -> None:
    """Unmark withdrawn documents that were to be restored and that the host did not list."""
    of_host = select(resources.c.id).where(resources.c.host_id == host_id)
    listed = select(listings.c.document_id).where(listings.c.document_id == documents.c.id)
    marked = documents.c.restore, documents.c.sitemap_id.in_(of_host), ~listed.exists()
    connection.execute(update(documents).where(*marked).values(restore=None))
