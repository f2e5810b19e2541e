"""What an operator sees and does of a state between runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, case, func, select, update

from woo_harvester.state.batches import batches
from woo_harvester.state.documents import forget
from woo_harvester.state.listings import CONFIRMED, confirm_missing, is_missing, is_published, sitemaps_of
from woo_harvester.state.resources import forget_read
from woo_harvester.state.schema import documents, hosts, listings, resources


class HostSummary(NamedTuple):
    """A host of the state."""

    host: str
    documents: int
    """Harvested and not withdrawn."""
    withdrawn: int
    pending: int
    """Harvested, missing since the last complete read, and not withdrawn yet."""
    confirmed: bool
    """Whether an operator has confirmed all of these."""
    complete_at: int | None
    """Seconds since 1970; of the last complete read."""


def summaries(connection: Connection) -> Iterator[HostSummary]:
    """All hosts, by name."""
    withdrawn = documents.c.withdrawn.is_not(None)
    counts = (
        select(
            resources.c.host_id,
            func.sum(case((is_published(), 1), else_=0)).label("documents"),
            func.sum(case((withdrawn, 1), else_=0)).label("withdrawn"),
        )
        .join_from(documents, resources)
        .group_by(resources.c.host_id)
        .subquery()
    )
    waiting = (
        select(
            resources.c.host_id,
            func.count(listings.c.document_id.distinct()).label("pending"),
            func.min(listings.c.misses).label("misses"),
        )
        .join_from(listings, resources, resources.c.id == listings.c.sitemap_id)
        .join(documents, documents.c.id == listings.c.document_id)
        .where(is_missing(), is_published())
        .group_by(resources.c.host_id)
        .subquery()
    )
    query = (
        select(
            hosts.c.host,
            func.coalesce(counts.c.documents, 0),
            func.coalesce(counts.c.withdrawn, 0),
            func.coalesce(waiting.c.pending, 0),
            func.coalesce(waiting.c.misses, 0) >= CONFIRMED,
            hosts.c.complete_at,
        )
        .outerjoin(counts, counts.c.host_id == hosts.c.id)
        .outerjoin(waiting, waiting.c.host_id == hosts.c.id)
        .order_by(hosts.c.host)
    )
    for row in connection.execute(query):
        host, documents_, withdrawn_, pending, confirmed, at = row
        yield HostSummary(host, documents_, withdrawn_, pending, bool(confirmed), at)


def known_hosts(connection: Connection) -> list[str]:
    """The names of all hosts."""
    return list(connection.execute(select(hosts.c.host).order_by(hosts.c.host)).scalars())


def host_of_document(connection: Connection, loc: str) -> str | None:
    """The host that listed a document last; None for one that is not known."""
    query = select(hosts.c.host).join_from(documents, resources).join(hosts).where(documents.c.loc == loc)
    host: str | None = connection.scalar(query)
    return host


def forget_document(connection: Connection, loc: str) -> None:
    """Forget a document, and have its sitemaps read whole: the next run harvests it if it is still listed."""
    row = connection.execute(
        select(documents.c.id, documents.c.sitemap_id).where(documents.c.loc == loc)
    ).first()
    if row is not None:
        for sitemap_id in {row.sitemap_id, *sitemaps_of(connection, row.id)}:
            forget_read(connection, sitemap_id)
        forget(connection, [row.id])


def confirm_withdrawals(connection: Connection, host: str) -> int:
    """Have the next complete read withdraw what is pending of a host now; return how many documents."""
    host_id = connection.scalar(select(hosts.c.id).where(hosts.c.host == host))
    return 0 if host_id is None else confirm_missing(connection, host_id)


def restore(connection: Connection, host: str) -> int:
    """Have the next run deliver the withdrawn documents that a host lists, whatever their lastmod.

    Its documents are those that stand on it, and those that it listed last. Returns how many they are.
    """
    of_host = select(resources.c.id).join(hosts).where(hosts.c.host == host)
    on_host = documents.c.loc.startswith(f"https://{host}/", autoescape=True)
    mine = documents.c.withdrawn.is_not(None) & (documents.c.sitemap_id.in_(of_host) | on_host)
    ids = connection.execute(select(documents.c.id).where(mine)).scalars().all()
    listing = set(connection.execute(of_host).scalars())
    for part in batches(ids):
        connection.execute(update(documents).where(documents.c.id.in_(part)).values(restore=True))
        listing.update(
            connection.execute(
                select(listings.c.sitemap_id).distinct().where(listings.c.document_id.in_(part))
            ).scalars()
        )
    for sitemap_id in sorted(listing):
        forget_read(connection, sitemap_id)
    return len(ids)
