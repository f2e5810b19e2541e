"""Indexes that robots.txt no longer names.

Such an index may be gone by a mistake: a typo in robots.txt, or a name that does not follow the convention
any more. So the withdrawal of its documents waits. Its sitemaps are marked, because runs on other hosts may
decide on these documents too.

Source: "Gone" in the interface description.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, bindparam, select, update

from woo_harvester.state.resources import forget_read
from woo_harvester.state.schema import resources

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
