"""The stored files that documents of the state refer to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from woo_harvester.state.batches import batches
from woo_harvester.state.contents import Content, add_content, describe, descriptions, parse
from woo_harvester.state.schema import documents, hosts, listings, resources

#: Rows in memory at a time.
_ROWS_AT_ONCE = 10_000

_HAS_FILE = documents.c.sha256.is_not(None) & documents.c.withdrawn.is_(None)


def has_named_files(connection: Connection) -> bool:
    """Return whether the state knows the SHA-256 of the file of any published document."""
    return connection.execute(select(documents.c.id).where(_HAS_FILE).limit(1)).first() is not None


def named_files(connection: Connection) -> Iterator[bytes]:
    """Yield the SHA-256 of the files of published documents, sorted, each once."""
    query = select(documents.c.sha256).where(_HAS_FILE).distinct().order_by(documents.c.sha256)
    for (sha256,) in connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)):
        yield sha256


class KeptFile(NamedTuple):
    """A published document whose file a store has, as far as the state knows."""

    id: int
    loc: str
    host: str
    """The host whose entry counts for the document."""
    sha256: bytes
    size: int | None
    """Bytes."""


def kept_files(connection: Connection, store: str) -> Iterator[KeptFile]:
    """Yield the documents whose file the store with this name has, in the order of their files."""
    numbers = list(_kept_in(connection, store))
    columns = (documents.c.id, documents.c.loc, hosts.c.host, documents.c.sha256, documents.c.size)
    query = (
        select(*columns)
        .join_from(documents, resources, resources.c.id == documents.c.sitemap_id)
        .join(hosts, hosts.c.id == resources.c.host_id)
        .where(_HAS_FILE, documents.c.known_content.in_(numbers))
        .order_by(documents.c.sha256, documents.c.id)
    )
    for row in connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)):
        yield KeptFile._make(row)


def count_as_lost(connection: Connection, ids: Sequence[int], store: str) -> None:
    """Note that a store no longer has the files of documents, so that the next run fetches them again."""
    kept = _kept_in(connection, store)
    lost = {key: add_content(connection, describe(replace(one, store=None))) for key, one in kept.items()}
    for part in batches(sorted(ids)):
        of_these = documents.c.id.in_(part)
        for before, after in lost.items():
            which = of_these, documents.c.known_content == before
            connection.execute(update(documents).where(*which).values(known_content=after))
        sitemaps = select(listings.c.sitemap_id).where(listings.c.document_id.in_(part))
        connection.execute(update(resources).where(resources.c.id.in_(sitemaps)).values(wanted=None))


def _kept_in(connection: Connection, store: str) -> dict[int, Content]:
    """Return the contents of documents that a store has, by number."""
    known = {key: parse(text) for key, text in descriptions(connection).items()}
    return {key: content for key, content in known.items() if content.store == store}
