"""What an operator sees and does of a state between runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, case, delete, func, select, update

from woo_harvester.state.resources import forget_read
from woo_harvester.state.schema import documents, hosts, resources


class HostSummary(NamedTuple):
    """A host of the state."""

    host: str
    documents: int
    """Harvested and not withdrawn."""
    withdrawn: int
    held_runs: int
    """Complete runs running in which too much was gone at once, and held back."""
    confirmed: bool
    """The operator has said that it is right."""
    complete_at: int | None
    """Seconds since 1970; of the last complete read."""


def summaries(connection: Connection) -> Iterator[HostSummary]:
    """All hosts, by name."""
    published = documents.c.harvested.is_not(None) & documents.c.withdrawn.is_(None)
    withdrawn = documents.c.withdrawn.is_not(None)
    counts = (
        select(
            resources.c.host_id,
            func.sum(case((published, 1), else_=0)).label("documents"),
            func.sum(case((withdrawn, 1), else_=0)).label("withdrawn"),
        )
        .join_from(documents, resources)
        .group_by(resources.c.host_id)
        .subquery()
    )
    query = (
        select(
            hosts.c.host,
            func.coalesce(counts.c.documents, 0),
            func.coalesce(counts.c.withdrawn, 0),
            hosts.c.held_runs,
            hosts.c.confirmed,
            hosts.c.complete_at,
        )
        .outerjoin(counts, counts.c.host_id == hosts.c.id)
        .order_by(hosts.c.host)
    )
    for row in connection.execute(query):
        yield HostSummary._make(row)


def known_hosts(connection: Connection) -> list[str]:
    """The names of all hosts."""
    return list(connection.execute(select(hosts.c.host).order_by(hosts.c.host)).scalars())


def host_of_document(connection: Connection, loc: str) -> str | None:
    """The host that listed a document last; None for one that is not known."""
    query = select(hosts.c.host).join_from(documents, resources).join(hosts).where(documents.c.loc == loc)
    host: str | None = connection.scalar(query)
    return host


def forget_document(connection: Connection, loc: str) -> None:
    """Forget a document, and have its sitemap read whole: the next run harvests it if it is still listed."""
    query = select(documents.c.sitemap_id).where(documents.c.loc == loc)
    for sitemap_id in connection.execute(query).scalars().all():
        forget_read(connection, sitemap_id)
    connection.execute(delete(documents).where(documents.c.loc == loc))


def confirm_hold(connection: Connection, host: str) -> bool:
    """Have the next complete run withdraw what is held back of a host; False where nothing is."""
    held = hosts.c.host == host, hosts.c.held_runs > 0
    return connection.execute(update(hosts).where(*held).values(confirmed=True)).rowcount > 0
