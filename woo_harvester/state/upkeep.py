"""Queries and changes of a state by an operator, between runs (``scrapy state``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, Subquery, case, func, select, update

from woo_harvester.state.batches import batches
from woo_harvester.state.documents import forget
from woo_harvester.state.listings import CONFIRMED, is_missing, is_of_host, is_published, sitemaps_of
from woo_harvester.state.resources import forget_read
from woo_harvester.state.schema import documents, hosts, listings, resources


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
            func.coalesce(pending.c.misses, 0) >= CONFIRMED,
            hosts.c.complete_at,
        )
        .outerjoin(counts, counts.c.host_id == hosts.c.id)
        .outerjoin(pending, pending.c.host_id == hosts.c.id)
        .order_by(hosts.c.host)
    )
    for *values, confirmed, complete_at in connection.execute(query):
        yield HostSummary._make((*values, bool(confirmed), complete_at))


def document_totals(connection: Connection) -> tuple[int, int, int]:
    """Return the numbers of documents that are published, that are withdrawn, and that were not harvested."""
    withdrawn = documents.c.withdrawn.is_not(None)
    waiting = documents.c.withdrawn.is_(None) & documents.c.harvested.is_(None)
    published, gone, left = (func.count(case((which, 1))) for which in (is_published(), withdrawn, waiting))
    row = connection.execute(select(published, gone, left)).one()
    return row[0], row[1], row[2]


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
    """Return the number of pending withdrawals of each host, and the smallest count of misses among them."""
    return (
        select(
            resources.c.host_id,
            func.count(listings.c.document_id.distinct()).label("documents"),
            func.min(listings.c.misses).label("misses"),
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


def host_of_document(connection: Connection, loc: str) -> str | None:
    """Return the host of a document's sitemap; None if the document is not known."""
    query = select(hosts.c.host).join_from(documents, resources).join(hosts).where(documents.c.loc == loc)
    host: str | None = connection.scalar(query)
    return host


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
    """Confirm the pending withdrawals of a host for the next complete read; return how many there are."""
    host_id = connection.scalar(select(hosts.c.id).where(hosts.c.host == host))
    if host_id is None:
        return 0
    query = (
        select(listings.c.document_id)
        .distinct()
        .join_from(listings, documents, documents.c.id == listings.c.document_id)
        .where(is_of_host(host_id), is_missing(), is_published())
        .order_by(listings.c.document_id)
    )
    ids = connection.execute(query).scalars().all()
    for part in batches(ids):
        rows = is_of_host(host_id), listings.c.document_id.in_(part)
        connection.execute(update(listings).where(*rows).values(misses=CONFIRMED))
    return len(ids)


def restore(connection: Connection, host: str) -> int:
    """Mark the withdrawn documents of a host. The next run delivers those that it lists, at any lastmod.

    The documents of a host are those whose URL is on it, and those that it listed last. Returns their number.
    """
    of_host = select(resources.c.id).join(hosts).where(hosts.c.host == host)
    on_host = documents.c.loc.startswith(f"https://{host}/", autoescape=True)
    of_this_host = documents.c.withdrawn.is_not(None) & (documents.c.sitemap_id.in_(of_host) | on_host)
    ids = connection.execute(select(documents.c.id).where(of_this_host)).scalars().all()
    # Not its indexes: that one was read before is how the next run sees that it is named no longer.
    sitemaps = set(connection.execute(of_host.where(resources.c.kind == "sitemap")).scalars())
    for part in batches(ids):
        connection.execute(update(documents).where(documents.c.id.in_(part)).values(restore=True))
        sitemaps.update(
            connection.execute(
                select(listings.c.sitemap_id).distinct().where(listings.c.document_id.in_(part))
            ).scalars()
        )
    for sitemap_id in sorted(sitemaps):
        forget_read(connection, sitemap_id)
    return len(ids)
