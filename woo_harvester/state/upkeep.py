"""Queries and changes of a state by an operator, between runs (``scrapy state``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Subquery, case, func, select, update

from woo_harvester.state.documents import forget
from woo_harvester.state.listings import is_missing, is_of_host, is_published, sitemaps_of
from woo_harvester.state.resources import forget_read
from woo_harvester.state.schema import CONFIRMED, documents, hosts, listings, resources
from woo_harvester.state.sql import batches


class HostSummary(NamedTuple):
    """A host in the overview of the state."""

    host: str
    documents: int
    """Number of published documents: harvested and not withdrawn."""
    withdrawn: int
    """Number of withdrawn documents."""
    pending: int
    """Number of pending withdrawals: published documents that are missing."""
    confirmed: bool
    """True if an operator has confirmed all pending withdrawals."""
    complete_at: int | None
    """End of the last complete read, in seconds since 1970; None if there was none."""


def summaries(connection: Connection) -> Iterator[HostSummary]:
    """Yield a summary of each host, sorted by name."""
    counts, pending = _document_counts(), _pending_counts()
    query = (
        select(
            hosts.c.host,
            func.coalesce(counts.c.documents, 0),
            func.coalesce(counts.c.withdrawn, 0),
            func.coalesce(pending.c.documents, 0),
            func.coalesce(pending.c.needed, 1) == CONFIRMED,
            hosts.c.complete_at,
        )
        .outerjoin(counts, counts.c.host_id == hosts.c.id)
        .outerjoin(pending, pending.c.host_id == hosts.c.id)
        .order_by(hosts.c.host)
    )
    for *values, confirmed, complete_at in connection.execute(query):
        yield HostSummary._make((*values, bool(confirmed), complete_at))


def _document_counts() -> Subquery:
    """Return the numbers of published and of withdrawn documents of each host."""
    withdrawn = documents.c.withdrawn.is_not(None)
    return (
        select(
            resources.c.host_id,
            func.sum(case((is_published(), 1), else_=0)).label("documents"),
            func.sum(case((withdrawn, 1), else_=0)).label("withdrawn"),
        )
        .join_from(documents, resources)
        .group_by(resources.c.host_id)
        .subquery()
    )


def _pending_counts() -> Subquery:
    """Return the number of pending withdrawals of each host, and the most reads that one of them needs.

    How many one needs is not known until its host has been read: then it is not confirmed either.
    """
    return (
        select(
            resources.c.host_id,
            func.count(listings.c.document_id.distinct()).label("documents"),
            func.max(func.coalesce(listings.c.needed, 1)).label("needed"),
        )
        .join_from(listings, resources, resources.c.id == listings.c.sitemap_id)
        .join(documents, documents.c.id == listings.c.document_id)
        .where(is_missing(), is_published())
        .group_by(resources.c.host_id)
        .subquery()
    )


def known_hosts(connection: Connection) -> list[str]:
    """Return the names of all hosts, sorted."""
    return list(connection.execute(select(hosts.c.host).order_by(hosts.c.host)).scalars())


def hosts_of_document(connection: Connection, loc: str) -> list[str]:
    """Return the host of a document's sitemap; none if the document is not known."""
    query = select(hosts.c.host).join_from(documents, resources).join(hosts).where(documents.c.loc == loc)
    return list(connection.execute(query).scalars())


def forget_document(connection: Connection, loc: str) -> None:
    """Forget a document, and let the next run read its sitemaps in full, to harvest it if it is listed."""
    row = connection.execute(
        select(documents.c.id, documents.c.sitemap_id).where(documents.c.loc == loc)
    ).first()
    if row is not None:
        for sitemap_id in {row.sitemap_id, *sitemaps_of(connection, row.id)}:
            forget_read(connection, sitemap_id)
        forget(connection, [row.id])


def confirm_withdrawals(connection: Connection, host: str) -> int:
    """Confirm what a host may lack by a mistake; return how many documents that are, confirmed ones included.

    What waits only for another host needs no confirmation. Of a host that the register does not have, all
    that it lists counts as missing: no run reads it.
    """
    row = connection.execute(select(hosts.c.id, hosts.c.unregistered).where(hosts.c.host == host)).first()
    if row is None:
        return 0
    of_host = is_of_host(row.id)
    if row.unregistered:
        listed = of_host, listings.c.misses == 0
        connection.execute(update(listings).where(*listed).values(misses=1, missing_since=0))
        files = select(resources.c.id).where(resources.c.host_id == row.id)
        for sitemap_id in connection.execute(files).scalars().all():
            forget_read(connection, sitemap_id)
    is_unsure = func.coalesce(listings.c.needed, CONFIRMED) == CONFIRMED
    is_unsure |= listings.c.misses < listings.c.needed
    query = (
        select(listings.c.document_id)
        .distinct()
        .join_from(listings, documents, documents.c.id == listings.c.document_id)
        .where(of_host, is_missing(), is_published(), is_unsure)
        .order_by(listings.c.document_id)
    )
    ids = connection.execute(query).scalars().all()
    for part in batches(ids):
        rows = of_host, listings.c.document_id.in_(part)
        connection.execute(update(listings).where(*rows).values(needed=CONFIRMED))
    return len(ids)


def mark_withdrawn(connection: Connection, host: str) -> int:
    """Mark the withdrawn documents of a host: the next run delivers those that it lists, at any lastmod."""
    return _mark(connection, host, documents.c.withdrawn.is_not(None))


def mark_published(connection: Connection, host: str) -> int:
    """Mark the published documents of a host: the next run delivers them once more."""
    return _mark(connection, host, is_published())


def mark_document(connection: Connection, loc: str) -> int:
    """Mark a published document: the next run delivers it once more. Return 0 if it is not published."""
    which = documents.c.loc == loc, is_published()
    ids = connection.execute(select(documents.c.id).where(*which)).scalars().all()
    return _mark_all(connection, ids, set())


def _mark(connection: Connection, host: str, which: ColumnElement[bool]) -> int:
    """Mark those documents of a host that meet a condition, and return their number.

    The documents of a host are those whose URL is on it, and those whose entry on it counted last.
    """
    of_host = select(resources.c.id).join(hosts).where(hosts.c.host == host)
    on_host = documents.c.loc.startswith(f"https://{host}/", autoescape=True)
    of_this_host = which & (documents.c.sitemap_id.in_(of_host) | on_host)
    ids = connection.execute(select(documents.c.id).where(of_this_host)).scalars().all()
    # Not its indexes: that one was read before is how the next run sees that it is named no longer.
    sitemaps = connection.execute(of_host.where(resources.c.kind == "sitemap")).scalars()
    return _mark_all(connection, ids, set(sitemaps))


def _mark_all(connection: Connection, ids: Sequence[int], sitemaps: set[int]) -> int:
    """Mark documents, and have the next run read these sitemaps and those that list them."""
    for part in batches(ids):
        connection.execute(update(documents).where(documents.c.id.in_(part)).values(again=True))
        listing = select(listings.c.sitemap_id).distinct().where(listings.c.document_id.in_(part))
        sitemaps.update(connection.execute(listing).scalars())
    for sitemap_id in sorted(sitemaps):
        forget_read(connection, sitemap_id)
    return len(ids)


#: Rows in memory at a time.
_ROWS_AT_ONCE = 10_000


def has_published_file(connection: Connection) -> bool:
    """Return whether the state knows the file of any published document."""
    has_file = documents.c.sha256.is_not(None), is_published()
    return connection.execute(select(documents.c.id).where(*has_file).limit(1)).first() is not None


def known_files(connection: Connection, before: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the SHA-256 of each known file, sorted, and whether a document still needs it.

    A document needs its file unless it was withdrawn at a moment or *before*, in seconds since 1970.
    """
    is_needed = documents.c.withdrawn.is_(None) | (documents.c.withdrawn > before)
    query = select(documents.c.sha256, func.max(case((is_needed, 1), else_=0)))
    query = query.where(documents.c.sha256.is_not(None)).group_by(documents.c.sha256)
    query = query.order_by(documents.c.sha256).execution_options(yield_per=_ROWS_AT_ONCE)
    for sha256, needed in connection.execute(query):
        yield sha256, bool(needed)
