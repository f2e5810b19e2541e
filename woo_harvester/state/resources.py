"""Hosts, and what is remembered of their robots.txt, indexes and sitemaps."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from woo_harvester.state.schema import documents, hosts, resources

ResourceKind = Literal["robots", "index", "sitemap"]

#: Content of a robots.txt or index that is kept for a 304, in bytes after compression. What is larger is
#: fetched whole each day.
CONTENT_MAXSIZE = 1024 * 1024


class Host(NamedTuple):
    """What is known of a host."""

    id: int
    complete_at: int | None
    held_runs: int
    confirmed: bool
    held_documents: int = 0


@dataclass(frozen=True, slots=True)
class Resource:
    """What is known of a robots.txt, an index or a sitemap."""

    id: int
    etag: str | None
    last_modified: str | None
    digest: bytes | None
    """SHA-256 of the bytes at the last complete read of which all documents are confirmed."""
    read_at: int | None
    """Seconds since 1970; of that read."""
    content: bytes | None
    """Of a robots.txt or an index: what was read."""


def host_of_state(connection: Connection, host: str) -> Host:
    """The host's row, made where there is none."""
    columns = (hosts.c.id, hosts.c.complete_at, hosts.c.held_runs, hosts.c.confirmed, hosts.c.held_documents)
    row = connection.execute(select(*columns).where(hosts.c.host == host)).first()
    if row is None:
        connection.execute(insert(hosts).values(host=host, held_runs=0, confirmed=False))
        return host_of_state(connection, host)
    return Host._make(row)


def resource_of(
    connection: Connection, host_id: int, url: str, kind: ResourceKind, index_url: str | None = None
) -> Resource:
    """The row of a file of a host, made where there is none; a sitemap's index is kept up to date."""
    query = select(resources).where(resources.c.url == url, resources.c.host_id == host_id)
    row = connection.execute(query).first()
    if row is None:
        values = {"host_id": host_id, "url": url, "kind": kind, "index_url": index_url}
        connection.execute(insert(resources).values(**values))
        return resource_of(connection, host_id, url, kind, index_url)
    if row.index_url != index_url or row.kind != kind:
        statement = update(resources).where(resources.c.id == row.id)
        connection.execute(statement.values(index_url=index_url, kind=kind))
    content = zlib.decompress(row.content) if row.content is not None else None
    return Resource(row.id, row.etag, row.last_modified, row.digest, row.read_at, content)


def keep_read(
    connection: Connection,
    resource_id: int,
    *,
    etag: str | None,
    last_modified: str | None,
    digest: bytes | None,
    at: int,
    content: bytes | None = None,
) -> None:
    """Remember a complete read, by which the next run may ask for changes only."""
    packed = zlib.compress(content) if content is not None else None
    if packed is not None and len(packed) > CONTENT_MAXSIZE:
        return
    connection.execute(
        update(resources)
        .where(resources.c.id == resource_id)
        .values(etag=etag, last_modified=last_modified, digest=digest, read_at=at, content=packed)
    )


def forget_read(connection: Connection, resource_id: int) -> None:
    """The file has changed, or cannot be relied on: the next run reads it whole."""
    connection.execute(
        update(resources)
        .where(resources.c.id == resource_id)
        .values(etag=None, last_modified=None, digest=None, read_at=None, content=None)
    )


def sitemap_ids(connection: Connection, host_id: int) -> list[int]:
    """All sitemaps that were ever read of a host."""
    query = select(resources.c.id).where(resources.c.host_id == host_id, resources.c.kind == "sitemap")
    return list(connection.execute(query).scalars())


def keep_host(
    connection: Connection,
    host_id: int,
    *,
    complete_at: int | None,
    held_runs: int,
    held_documents: int = 0,
    confirmed: bool = False,
) -> None:
    """Remember how a run ended for a host."""
    connection.execute(
        update(hosts)
        .where(hosts.c.id == host_id)
        .values(
            complete_at=complete_at,
            held_runs=held_runs,
            held_documents=held_documents,
            confirmed=confirmed,
        )
    )


def forget_host(connection: Connection, host: str) -> None:
    """Forget a host with all its documents, as if it had never been visited."""
    host_id = connection.scalar(select(hosts.c.id).where(hosts.c.host == host))
    if host_id is None:
        return
    of_host = select(resources.c.id).where(resources.c.host_id == host_id)
    connection.execute(delete(documents).where(documents.c.sitemap_id.in_(of_host)))
    connection.execute(delete(resources).where(resources.c.host_id == host_id))
    connection.execute(delete(hosts).where(hosts.c.id == host_id))
