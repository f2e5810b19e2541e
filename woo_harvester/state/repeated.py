"""Entries of documents that their host lists more than once: what each of them gives.

A run reads the sitemaps of a host one after another, so it never has all entries of a document together. The
state keeps what each of them gives. The entry that counts is then the same in whatever order they are read,
and a field that only another entry has is not lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, delete, insert, select

from woo_harvester.sitemaps.facts import OtherEntry
from woo_harvester.state.schema import documents, listings, repeated, resources
from woo_harvester.state.sql import batches, is_one_of

#: Most entries of a document that are kept of a host. More of them are read, but do not supplement it.
ENTRIES_MAX = 8


class Key(NamedTuple):
    """The key of an entry."""

    sitemap_id: int
    document_id: int
    place: int


class StoredEntry(NamedTuple):
    """An entry to keep; the fields are the columns of the table."""

    sitemap_id: int
    document_id: int
    place: int
    lastmod: int | None
    first_read: int
    digest: bytes | None
    fields: int
    metadata: bytes | None


_IS_LISTED = and_(
    listings.c.sitemap_id == repeated.c.sitemap_id,
    listings.c.document_id == repeated.c.document_id,
    listings.c.misses == 0,
)
_OF_HOST = select(resources.c.id).where(resources.c.host_id == bindparam("of_host"))
# Built once: they run for each host or each batch.
_FILES = (
    select(resources.c.id, resources.c.kind, repeated.c.document_id)
    .join_from(resources, repeated, repeated.c.sitemap_id == resources.c.id, isouter=True)
    .where(resources.c.host_id == bindparam("of_host"))
)
_ENTRIES = (
    select(
        repeated.c.document_id,
        repeated.c.sitemap_id,
        repeated.c.place,
        resources.c.url,
        resources.c.index_url,
        repeated.c.lastmod,
        repeated.c.first_read,
        repeated.c.fields,
        repeated.c.digest,
    )
    .join_from(repeated, resources, resources.c.id == repeated.c.sitemap_id)
    .join(listings, _IS_LISTED)
    .where(resources.c.host_id == bindparam("of_host"))
    .order_by(repeated.c.document_id, resources.c.url, repeated.c.place)
)
_SITEMAPS = select(repeated.c.sitemap_id).where(repeated.c.sitemap_id.in_(_OF_HOST)).distinct()
_SOURCES = (
    select(documents.c.id, resources.c.url)
    .join_from(documents, resources, resources.c.id == documents.c.sitemap_id)
    .join(
        listings,
        (listings.c.sitemap_id == documents.c.sitemap_id)
        & (listings.c.document_id == documents.c.id)
        & (listings.c.misses == 0),
    )
)
_THIS = and_(
    repeated.c.sitemap_id == bindparam("in_sitemap"),
    repeated.c.document_id == bindparam("of_document"),
    repeated.c.place == bindparam("at_place"),
)
_METADATA = select(repeated.c.metadata).where(_THIS)
_FORGET = delete(repeated).where(_THIS)


def sitemaps_and_documents(connection: Connection, host_id: int) -> tuple[set[int], set[int]]:
    """Return all sitemaps of a host, and the documents that it listed more than once, by their numbers."""
    sitemaps, repeatedly = set[int](), set[int]()
    for key, kind, document_id in connection.execute(_FILES, {"of_host": host_id}):
        if kind == "sitemap":
            sitemaps.add(key)
        if document_id is not None:
            repeatedly.add(document_id)
    return sitemaps, repeatedly


def find(connection: Connection, host_id: int, ids: Sequence[int]) -> dict[int, list[OtherEntry]]:
    """Return the entries on a host of these documents that are still listed, by document number."""
    found = defaultdict[int, list[OtherEntry]](list)
    query = _ENTRIES.where(is_one_of(connection.dialect.name, repeated.c.document_id, "ids"))
    for part in batches(ids):
        for document_id, *values in connection.execute(query, {"of_host": host_id, "ids": part}):
            found[document_id].append(OtherEntry._make((*values, None)))
    return found


def sources(connection: Connection, ids: Sequence[int]) -> dict[int, str]:
    """Return for each document the sitemap that its known version came from, if that still lists it."""
    found: dict[int, str] = {}
    query = _SOURCES.where(is_one_of(connection.dialect.name, documents.c.id, "ids"))
    for part in batches(ids):
        found.update((row.id, row.url) for row in connection.execute(query, {"ids": part}))
    return found


def listed_twice(connection: Connection, sitemap_id: int) -> Sequence[int]:
    """Return the documents of which the state has a later entry in the same sitemap."""
    query = select(repeated.c.document_id).where(repeated.c.sitemap_id == sitemap_id, repeated.c.place == 1)
    return connection.execute(query).scalars().all()


def metadata_of(connection: Connection, key: Key) -> bytes | None:
    """Return the packed metadata of an entry."""
    packed: bytes | None = connection.scalar(_METADATA, _parameters(key))
    return packed


def keep(connection: Connection, entries: Iterable[StoredEntry]) -> None:
    """Keep entries, in place of those with the same keys."""
    rows = {Key(*entry[:3]): entry for entry in entries}
    forget(connection, rows)
    if rows:
        connection.execute(insert(repeated), [rows[key]._asdict() for key in sorted(rows)])


def forget(connection: Connection, keys: Iterable[Key]) -> None:
    """Forget entries."""
    rows = [_parameters(key) for key in sorted(keys)]
    if rows:
        connection.execute(_FORGET, rows)


def forget_unlisted(connection: Connection, host_id: int, read: Collection[int]) -> None:
    """Forget what a complete read of a host no longer found: *read* are the sitemaps that it read.

    That are the entries of other sitemaps, and those of documents with one entry left.
    """
    of_host = select(resources.c.id).where(resources.c.host_id == host_id)
    for sitemap_id in connection.execute(_SITEMAPS, {"of_host": host_id}).scalars().all():
        if sitemap_id not in read:
            connection.execute(delete(repeated).where(repeated.c.sitemap_id == sitemap_id))
    listed_here = listings.c.document_id == repeated.c.document_id, listings.c.misses == 0
    elsewhere = select(listings.c.document_id).where(
        *listed_here, listings.c.sitemap_id.in_(of_host), listings.c.sitemap_id != repeated.c.sitemap_id
    )
    later = repeated.alias()
    twice = select(later.c.document_id).where(
        later.c.document_id == repeated.c.document_id,
        later.c.sitemap_id == repeated.c.sitemap_id,
        later.c.place != repeated.c.place,
    )
    only = repeated.c.place == 0, ~elsewhere.exists(), ~twice.exists()
    connection.execute(delete(repeated).where(repeated.c.sitemap_id.in_(of_host), *only))


def _parameters(key: Key) -> dict[str, int]:
    return {"in_sitemap": key.sitemap_id, "of_document": key.document_id, "at_place": key.place}
