"""Hosts, and their robots.txt, indexes and sitemaps, as the state knows them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from sqlalchemy import Connection, CursorResult, bindparam, delete, insert, literal, select, update

from woo_harvester.state.schema import about, documents, hosts, listings, resources, visited
from woo_harvester.state.sql import batches, insert_new, insert_or_update

if TYPE_CHECKING:
    from sqlalchemy import Row, Select


ResourceKind = Literal["robots", "index", "sitemap"]

#: Largest content of a robots.txt or index that is kept for a 304, in bytes after compression. A larger one
#: is fetched in full each time.
CONTENT_MAXSIZE = 1024 * 1024


class KnownHost(NamedTuple):
    """A host, as the state knows it."""

    id: int
    complete_at: int | None
    """Seconds since 1970; the end of the last complete read; None if there was none."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A robots.txt, an index or a sitemap, as the state knows it."""

    id: int
    etag: str | None
    last_modified: str | None
    digest: bytes | None
    """SHA-256 of the bytes at the last complete read of which every document was delivered."""
    read_at: int | None
    """Moment of that read, in seconds since 1970."""
    content: bytes | None
    """Bytes of a robots.txt or an index; None for a sitemap."""
    depth: int | None = None
    """How much of its documents the run of that read delivered, a Depth; only of a sitemap."""


#: The name of the row with the beginning of the run that began last.
_LAST_RUN = "last_run"

# Built once: each runs several times for hundreds of hosts, and to build one takes as long as to run it.
_HOSTS = select(hosts.c.host, hosts.c.id, hosts.c.complete_at).where(
    hosts.c.host.in_(bindparam("names", expanding=True))
)
_ADD_HOST = insert(hosts)
_KEEP_HOST = update(hosts).where(hosts.c.id == bindparam("host_id"))
_RESOURCE = select(resources).where(
    resources.c.url == bindparam("url"), resources.c.host_id == bindparam("host_id")
)
_RESOURCES = select(resources).where(
    resources.c.url.in_(bindparam("urls", expanding=True)),
    resources.c.host_id.in_(bindparam("host_ids", expanding=True)),
)
_ADD_RESOURCE = insert(resources)
_KEEP_RESOURCE = update(resources).where(resources.c.id == bindparam("resource_id"))


def host_of_state(connection: Connection, host: str) -> KnownHost:
    """Return the row of a host; add it if there is none."""
    return hosts_of_state(connection, [host])[host]


def hosts_of_state(connection: Connection, names: Iterable[str]) -> dict[str, KnownHost]:
    """Return the rows of hosts, by host; add those that there are not."""
    found: dict[str, KnownHost] = {}
    for part in batches(dict.fromkeys(names)):
        known = _hosts_at(connection, part)
        if new := [name for name in part if name not in known]:
            connection.execute(_ADD_HOST, [{"host": name} for name in new])
            known |= _hosts_at(connection, new)
        found |= known
    return found


def _hosts_at(connection: Connection, names: Sequence[str]) -> dict[str, KnownHost]:
    rows = connection.execute(_HOSTS, {"names": names})
    return {host: KnownHost(key, complete_at) for host, key, complete_at in rows}


def robots_of(connection: Connection, urls: Mapping[int, str]) -> dict[int, Resource]:
    """Return the rows of the robots.txt of hosts, by host; add those that there are not.

    *urls* has their URLs, by the number of the host.
    """
    found: dict[int, Resource] = {}
    for part in batches(urls):
        known = _rows_at(connection, urls, part)
        if new := [host_id for host_id in part if host_id not in known]:
            rows = [{"host_id": host_id, "url": urls[host_id], "kind": "robots"} for host_id in new]
            connection.execute(_ADD_RESOURCE, rows)
            known |= _rows_at(connection, urls, new)
        found.update((key, _known_resource(connection, row, "robots", None)) for key, row in known.items())
    return found


def _rows_at(connection: Connection, urls: Mapping[int, str], ids: Sequence[int]) -> dict[int, Row[Any]]:
    """Return the row of the file at the URL of each of these hosts that has one, by host."""
    rows = connection.execute(_RESOURCES, {"urls": [urls[key] for key in ids], "host_ids": ids})
    return {row.host_id: row for row in rows if row.url == urls[row.host_id]}


def resource_of(
    connection: Connection, host_id: int, url: str, kind: ResourceKind, index_url: str | None = None
) -> Resource:
    """Return the row of a file of a host; add it if there is none. Update its kind and index."""
    row = connection.execute(_RESOURCE, {"url": url, "host_id": host_id}).first()
    if row is None:
        values = {"host_id": host_id, "url": url, "kind": kind, "index_url": index_url}
        return Resource(_id_of(connection.execute(_ADD_RESOURCE, values)), None, None, None, None, None)
    return _known_resource(connection, row, kind, index_url)


def _known_resource(
    connection: Connection, row: Row[Any], kind: ResourceKind, index_url: str | None
) -> Resource:
    """Return the file of a row, after an update of its kind and index."""
    if row.index_url != index_url or row.kind != kind:
        values = {"resource_id": row.id, "index_url": index_url, "kind": kind}
        connection.execute(_KEEP_RESOURCE, values)
    if row.kind != kind:
        # What was read as an index says nothing of the documents in it, and the other way round.
        forget_read(connection, row.id)
        return Resource(row.id, None, None, None, None, None)
    content = zlib.decompress(row.content) if row.content is not None else None
    return Resource(row.id, row.etag, row.last_modified, row.digest, row.read_at, content, row.depth)


def keep_read(
    connection: Connection,
    resource_id: int,
    *,
    etag: str | None,
    last_modified: str | None,
    digest: bytes | None,
    at: int,
    content: bytes | None = None,
    depth: int | None = None,
) -> None:
    """Keep what a conditional request of the next run needs, after a complete read.

    *at* is in seconds since 1970. *depth* is how much of its documents the run delivers. Nothing is kept if
    *content* is larger than ``CONTENT_MAXSIZE``.
    """
    packed = zlib.compress(content) if content is not None else None
    if packed is not None and len(packed) > CONTENT_MAXSIZE:
        return
    values = {
        "etag": etag,
        "last_modified": last_modified,
        "digest": digest,
        "read_at": at,
        "content": packed,
        "depth": depth,
    }
    connection.execute(_KEEP_RESOURCE, {"resource_id": resource_id, **values})


def forget_read(connection: Connection, resource_id: int) -> None:
    """Remove what a conditional request needs, so that the next run reads the file in full."""
    values = dict.fromkeys(("etag", "last_modified", "digest", "read_at", "content", "depth"))
    connection.execute(_KEEP_RESOURCE, {"resource_id": resource_id, **values})


def begin_run(connection: Connection, now: int) -> int:
    """Return when a run begins, in microseconds since 1970: *now*, or later than every run before it.

    Runs are compared by their beginning. A clock may be set back, and machines that share a state may differ,
    so a run that begins after another one has a later beginning whatever its clock says.
    """
    connection.execute(insert_new(connection.dialect.name, about), {"name": _LAST_RUN, "value": "0"})
    is_last = about.c.name == _LAST_RUN
    last = int(connection.scalar(select(about.c.value).where(is_last).with_for_update()) or 0)
    began = max(now, last + 1)
    connection.execute(update(about).where(is_last).values(value=str(began)))
    return began


def begin_reads(connection: Connection, host_ids: Sequence[int]) -> None:
    """Note that the reading of hosts starts. Until it ends, and after a kill, they count as not complete."""
    for part in batches(host_ids):
        connection.execute(update(hosts).where(hosts.c.id.in_(part), hosts.c.complete).values(complete=False))


def note_unregistered(connection: Connection, is_registered: Callable[[str], bool]) -> None:
    """Note which known hosts the register does not have. No run visits them."""
    rows = connection.execute(select(hosts.c.id, hosts.c.host, hosts.c.unregistered)).all()
    changed = [
        {"host_id": row.id, "unregistered": row.unregistered is None or not row.unregistered}
        for row in rows
        if bool(row.unregistered) == is_registered(row.host)
    ]
    if changed:
        connection.execute(_KEEP_HOST, changed)


def forget_unread(connection: Connection, host_id: int, read: Collection[int]) -> None:
    """Forget the reads of sitemaps that no index names any more: if they return, they are read in full."""
    was_read = resources.c.kind == "sitemap", resources.c.read_at.is_not(None)
    query = select(resources.c.id).where(resources.c.host_id == host_id, *was_read)
    for sitemap_id in connection.execute(query).scalars().all():
        if sitemap_id not in read:
            forget_read(connection, sitemap_id)


def last_reads(connection: Connection) -> dict[str, int]:
    """Return for each known host the start of the run that read it last, in microseconds since 1970.

    The value is 0 for a host whose last read was not complete.
    """
    rows = connection.execute(select(hosts.c.host, hosts.c.complete, hosts.c.begun_at))
    return {row.host: (row.begun_at or 0) if row.complete else 0 for row in rows}


def sitemaps_of_host(connection: Connection, host_id: int) -> set[int]:
    """Return the numbers of all sitemaps of a host."""
    query = select(resources.c.id).where(resources.c.host_id == host_id, resources.c.kind == "sitemap")
    return set(connection.execute(query).scalars())


def forget_host(connection: Connection, host: str) -> None:
    """Forget a host with all its documents, as if it had never been visited."""
    host_id = connection.scalar(select(hosts.c.id).where(hosts.c.host == host))
    if host_id is None:
        return
    of_host = select(resources.c.id).where(resources.c.host_id == host_id)
    documents_of_host = select(documents.c.id).where(documents.c.sitemap_id.in_(of_host))
    listed = select(listings.c.document_id).where(listings.c.sitemap_id.in_(of_host))
    # Sitemaps of other hosts that list these documents. A full read of them adds the documents again, and
    # their entries may count where the forgotten host's own came first.
    others = select(listings.c.sitemap_id).distinct()
    others = others.where(
        listings.c.document_id.in_(documents_of_host.union(listed)), listings.c.sitemap_id.not_in(of_host)
    )
    for sitemap_id in connection.execute(others).scalars().all():
        forget_read(connection, sitemap_id)
    _list_as_missing(connection, listed, of_host)
    connection.execute(delete(listings).where(listings.c.document_id.in_(documents_of_host)))
    connection.execute(delete(listings).where(listings.c.sitemap_id.in_(of_host)))
    connection.execute(delete(documents).where(documents.c.sitemap_id.in_(of_host)))
    connection.execute(delete(resources).where(resources.c.host_id == host_id))
    connection.execute(delete(hosts).where(hosts.c.id == host_id))


def _list_as_missing(connection: Connection, listed: Select[int], of_host: Select[int]) -> None:
    """Have documents that only a host lists any more be missing from the sitemap that delivered them.

    The next complete read of that sitemap's host withdraws them; without a row they would stay for ever.
    """
    elsewhere = select(listings.c.document_id).where(listings.c.sitemap_id.not_in(of_host))
    missing = select(documents.c.sitemap_id, documents.c.id, literal(1), literal(1), literal(0)).where(
        documents.c.id.in_(listed),
        documents.c.id.not_in(elsewhere),
        documents.c.sitemap_id.not_in(of_host),
        documents.c.withdrawn.is_(None),
    )
    columns = "sitemap_id", "document_id", "misses", "needed", "missing_since"
    connection.execute(insert(listings).from_select(columns, missing))


def _id_of(added: CursorResult[Any]) -> int:
    """Return the id of the row that an INSERT added."""
    return int(cast("Row[Any]", added.inserted_primary_key)[0])  # an insert of one row has one


def is_visited(connection: Connection, spider: str, key: bytes) -> bool:
    """Return whether a request with this key gave an item."""
    query = select(visited.c.at).where(visited.c.spider == spider, visited.c.key == key)
    return connection.execute(query).first() is not None


def add_visited(connection: Connection, spider: str, key: bytes, at: int) -> None:
    """Note that a request with this key gave an item, at *at* seconds since 1970."""
    place = (visited.c.spider, visited.c.key)
    statement = insert_or_update(connection.dialect.name, visited, place, "at")
    connection.execute(statement.values(spider=spider, key=key, at=at))


def forget_visited(connection: Connection, spider: str) -> None:
    """Forget all keys of a spider."""
    connection.execute(delete(visited).where(visited.c.spider == spider))


_READ_INDEXES = select(resources.c.id, resources.c.url).where(
    resources.c.host_id == bindparam("of_host"), resources.c.kind == "index", resources.c.read_at.is_not(None)
)


def gone_indexes(connection: Connection, host_id: int, named: Collection[str]) -> list[str]:
    """Return the indexes that were read before, and that are not among those that robots.txt has *named*.

    Each is returned once: what is known of its read is forgotten.
    """
    gone = []
    for key, url in connection.execute(_READ_INDEXES, {"of_host": host_id}).all():
        if url not in named:
            gone.append(url)
            forget_read(connection, key)
    return sorted(gone)
