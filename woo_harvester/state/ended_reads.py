"""The end of complete reads, for many hosts at once.

On most days the state has nothing to compare with what a host listed: every sitemap was read, and no document
is missing. One query finds the hosts for which that is not so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Connection, Exists, Row, bindparam, case, exists, select, update

from woo_harvester.state.batches import batches
from woo_harvester.state.listings import is_published
from woo_harvester.state.resources import ONE_MORE_READ
from woo_harvester.state.schema import documents, hosts, listings, resources


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
