"""Which files the documents of the state name."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from woo_harvester.state.schema import documents

#: Rows that are in memory at a time.
BATCH = 10_000


NAMED = documents.c.sha256.is_not(None) & documents.c.withdrawn.is_(None)


def has_named_files(connection: Connection) -> bool:
    """Whether any published document has a file of which the state knows the SHA-256."""
    return connection.execute(select(documents.c.id).where(NAMED).limit(1)).first() is not None


def named_files(connection: Connection) -> Iterator[bytes]:
    """SHA-256 of the file of each published document, in order, each once."""
    query = select(documents.c.sha256).where(NAMED).distinct().order_by(documents.c.sha256)
    for (sha256,) in connection.execute(query.execution_options(yield_per=BATCH)):
        yield sha256
