"""Hosts, and their robots.txt, indexes and sitemaps, as the state knows them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from woo_harvester.state.schema import about, documents, hosts, listings, repeated, resources, visited
from woo_harvester.state.sql import batches, insert_new, insert_or_update

if TYPE_CHECKING:
    from sqlalchemy import Row


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
    wanted: int | None = None
    """Number of what the run of that read wanted to know of the content of documents; only of a sitemap."""


#: The name of the row with the beginning of the run that began last.
_LAST_RUN = "last_run"

# Built once: each runs several times for hundreds of hosts, and to build one takes as long as to run it.
_HOSTS = select(hosts.c.host, hosts.c.id, hosts.c.complete_at).where(
    hosts.c.host.in_(bindparam("names", expanding=True))
)
_ADD_HOST = insert(hosts)
#: The number of complete reads of a host, with one more.
ONE_MORE_READ = func.coalesce(hosts.c.reads, 0) + 1
_KEEP_HOST = update(hosts).where(hosts.c.id == bindparam("host_id"))
_END_READ = _KEEP_HOST.values(
    complete_at=bindparam("complete_at"),
    begun_at=bindparam("begun_at"),
    complete=bindparam("complete"),
    reads=ONE_MORE_READ,
)
_RESOURCE = select(resources).where(
    resources.c.url == bindparam("url"), resources.c.host_id == bindparam("host_id")
)
_RESOURCES = select(resources).where(
    resources.c.url.in_(bindparam("urls", expanding=True)),
    resources.c.host_id.in_(bindparam("host_ids", expanding=True)),
)
_WITH_LISTINGS = select(hosts.c.id).where(
    hosts.c.id.in_(bindparam("ids", expanding=True)),
    exists(1)
    .select_from(resources.join(listings, listings.c.sitemap_id == resources.c.id))
    .where(resources.c.host_id == hosts.c.id),
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
    return Resource(row.id, row.etag, row.last_modified, row.digest, row.read_at, content, row.wanted)


def index_url_of(connection: Connection, host_id: int, url: str) -> str | None:
    """Return the index whose category counted for a sitemap when it was last requested, or None."""
    row = connection.execute(_RESOURCE, {"url": url, "host_id": host_id}).first()
    return None if row is None else row.index_url


def keep_read(
    connection: Connection,
    resource_id: int,
    *,
    etag: str | None,
    last_modified: str | None,
    digest: bytes | None,
    at: int,
    content: bytes | None = None,
    wanted: int | None = None,
) -> None:
    """Keep what a conditional request of the next run needs, after a complete read.

    *at* is in seconds since 1970. *wanted* is the number of what the run wants to know of the content of
    documents. Nothing is kept if *content* is larger than ``CONTENT_MAXSIZE``.
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
        "wanted": wanted,
    }
    connection.execute(_KEEP_RESOURCE, {"resource_id": resource_id, **values})


def forget_read(connection: Connection, resource_id: int) -> None:
    """Remove what a conditional request needs, so that the next run reads the file in full."""
    values = dict.fromkeys(("etag", "last_modified", "digest", "read_at", "content", "wanted"))
    connection.execute(_KEEP_RESOURCE, {"resource_id": resource_id, **values})


def begin_run(connection: Connection, now: int) -> int:
    """Return when a run begins, in microseconds since 1970: *now*, or later than every run before it.

    Runs are compared by their beginning. A clock may be set back, and machines that share a state may differ,
    so a run that begins after another one has a later beginning whatever its clock says.
    """
    connection.execute(insert_new(connection.dialect.name, about), {"name": _LAST_RUN, "value": "0"})
    is_last = about.c.name == _LAST_RUN
    last = int(connection.scalar(select(about.c.value).where(is_last).with_for_update()) or 0)
    # A state that was imported only has the moments of its hosts.
    latest = connection.scalar(select(func.max(hosts.c.begun_at))) or 0
    began = max(now, last + 1, latest + 1)
    connection.execute(update(about).where(is_last).values(value=str(began)))
    return began


def begin_reads(connection: Connection, host_ids: Sequence[int]) -> None:
    """Note that the reading of hosts starts. Until it ends, and after a kill, they count as not complete."""
    for part in batches(host_ids):
        connection.execute(update(hosts).where(hosts.c.id.in_(part), hosts.c.complete).values(complete=False))


def note_unregistered(connection: Connection, is_registered: Callable[[str], bool]) -> list[int]:
    """Note which known hosts the register does not have, and return their numbers. No run visits them.

    A host may be missing from the register by a mistake. So the state keeps how many complete reads the other
    hosts had when it was first missing: see :func:`read_counts`.
    """
    rows = connection.execute(select(hosts.c.id, hosts.c.host, hosts.c.reads, hosts.c.unregistered)).all()
    missing = [row for row in rows if not is_registered(row.host)]
    noted = {row.id for row in rows if row.unregistered is not None}
    if back := sorted(noted - {row.id for row in missing}):
        connection.execute(_KEEP_HOST, [{"host_id": key, "unregistered": None} for key in back])
    if new := [row.id for row in missing if row.id not in noted]:
        reads = json.dumps({row.host: row.reads for row in rows if row.reads})
        listing = {key for part in batches(new) for key in connection.scalars(_WITH_LISTINGS, {"ids": part})}
        values = [{"host_id": key, "unregistered": reads if key in listing else "{}"} for key in new]
        connection.execute(_KEEP_HOST, values)
    return [row.id for row in missing]


class ReadCounts(NamedTuple):
    """How many complete reads hosts have had, and how many when others left the register."""

    now: Mapping[str, int]
    """By host."""
    before: Mapping[str, Mapping[str, int]]
    """For each host that the register does not have, by host: the reads when that was first found."""

    def since(self, missing: str, host: str) -> int:
        """Return the complete reads of *host* since the register does not have the host *missing*.

        An operator may have had the state forget *host* meanwhile: then its count began again at 0.
        """
        if missing not in self.before:
            return 0
        now, before = self.now.get(host, 0), self.before[missing].get(host, 0)
        return now - before if before <= now else now


def read_counts(connection: Connection) -> ReadCounts:
    """Return how many complete reads hosts have had."""
    rows = connection.execute(select(hosts.c.host, hosts.c.reads, hosts.c.unregistered)).all()
    return ReadCounts(
        {row.host: row.reads or 0 for row in rows},
        {row.host: json.loads(row.unregistered) for row in rows if row.unregistered is not None},
    )


def end_read(connection: Connection, host_id: int, at: int, begun_at: int) -> None:
    """Note that a host was read completely.

    *at* is in seconds since 1970, *begun_at* is the start of the run in microseconds since 1970.
    """
    values = {"complete_at": at, "begun_at": begun_at, "complete": True}
    connection.execute(_END_READ, {"host_id": host_id, **values})


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


def hosts_of_sitemaps(connection: Connection, sitemaps: Collection[int]) -> dict[int, str]:
    """Return the host of each of these sitemaps, by sitemap number."""
    query = select(resources.c.id, hosts.c.host).join_from(resources, hosts)
    return {row.id: row.host for row in connection.execute(query.where(resources.c.id.in_(list(sitemaps))))}


def forget_host(connection: Connection, host: str) -> None:
    """Forget a host with all its documents, as if it had never been visited."""
    host_id = connection.scalar(select(hosts.c.id).where(hosts.c.host == host))
    if host_id is None:
        return
    of_host = select(resources.c.id).where(resources.c.host_id == host_id)
    documents_of_host = select(documents.c.id).where(documents.c.sitemap_id.in_(of_host))
    listed = select(listings.c.document_id).where(listings.c.sitemap_id.in_(of_host), ~listings.c.foreign)
    # Sitemaps of other hosts that list these documents. A full read of them adds the documents again, and
    # their entries may count where the forgotten host's own came first.
    others = select(listings.c.sitemap_id).distinct()
    others = others.where(
        listings.c.document_id.in_(documents_of_host.union(listed)), listings.c.sitemap_id.not_in(of_host)
    )
    for sitemap_id in connection.execute(others).scalars().all():
        forget_read(connection, sitemap_id)
    for table in (listings, repeated):
        connection.execute(delete(table).where(table.c.document_id.in_(documents_of_host)))
        connection.execute(delete(table).where(table.c.sitemap_id.in_(of_host)))
    connection.execute(delete(documents).where(documents.c.sitemap_id.in_(of_host)))
    connection.execute(update(documents).where(documents.c.withdrawing == host_id).values(withdrawing=None))
    connection.execute(delete(resources).where(resources.c.host_id == host_id))
    connection.execute(delete(hosts).where(hosts.c.id == host_id))


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


_OF_HOST = resources.c.host_id == bindparam("of_host")
_SITEMAPS = _OF_HOST & (resources.c.kind == "sitemap") & resources.c.index_url.is_not(None)
# Built once: they run for each host.
_INDEXES_OF_SITEMAPS = select(resources.c.index_url, resources.c.index_gone).where(_SITEMAPS).distinct()
_READ_INDEXES = select(resources.c.id, resources.c.url).where(
    _OF_HOST, resources.c.kind == "index", resources.c.read_at.is_not(None)
)
_MARK = (
    update(resources)
    .where(_SITEMAPS, resources.c.index_url == bindparam("index"))
    .values(index_gone=bindparam("is_gone"))
)


def note_named_indexes(connection: Connection, host_id: int, named: Collection[str]) -> list[str]:
    """Mark the sitemaps whose index is not one of those that robots.txt has *named* in a complete read.

    Returns the indexes that were read before and are not named since this read.
    """
    marks = [
        {"of_host": host_id, "index": index, "is_gone": index not in named}
        for index, is_gone in connection.execute(_INDEXES_OF_SITEMAPS, {"of_host": host_id}).all()
        if bool(is_gone) != (index not in named)
    ]
    if marks:
        connection.execute(_MARK, marks)
    gone = []
    for key, url in connection.execute(_READ_INDEXES, {"of_host": host_id}).all():
        if url not in named:
            gone.append(url)
            forget_read(connection, key)
    return sorted(gone)


def is_named() -> ColumnElement[bool]:
    """Return the condition that the index of a sitemap is still named."""
    return resources.c.index_gone.is_not(True)
