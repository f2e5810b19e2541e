"""The stored files that documents of the state refer to."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from woo_harvester.state.schema import documents

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
