"""Writes to the state what a run has done: only after every output has it durably."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from sqlalchemy import BigInteger, Connection, bindparam, func, update

from woo_harvester.state.faults import NO_FAULT
from woo_harvester.state.many import write_rows
from woo_harvester.state.schema import documents
from woo_harvester.state.versions import Harvested, KnownFile

#: The columns of a document that say what is known of its file, in the order of KnownFile.
FILE_COLUMNS = tuple(documents.c[one.name] for one in fields(KnownFile))


def confirm_harvested(connection: Connection, harvested: Iterable[Harvested]) -> None:
    """Note that documents were harvested."""
    rows = [
        {
            "key": one.id,
            "new_lastmod": one.lastmod,
            "day": one.published,
            "moment": one.at,
            "digest": one.entry_digest,
            "source": one.sitemap_id,
            "supplements": one.supplemented,
            "oorzaak": one.cause,
            "contents": one.content,
            "again": one.supplied_at,
            **(_values(one.file) if one.file else _NO_FILE),
        }
        for one in sorted(harvested, key=attrgetter("id"))
    ]
    write_rows(connection, _CONFIRM, rows)


def _values(file: KnownFile) -> dict[str, Any]:
    return {f"new_{column.name}": getattr(file, column.name) for column in FILE_COLUMNS}


_NO_FILE = _values(KnownFile())

_CONFIRM = (
    update(documents)
    .where(documents.c.id == bindparam("key"))
    .values(
        lastmod=bindparam("new_lastmod"),
        published=bindparam("day"),
        harvested=bindparam("moment"),
        withdrawn=None,
        entry_digest=bindparam("digest"),
        sitemap_id=func.coalesce(bindparam("source", type_=BigInteger), documents.c.sitemap_id),
        withdrawing=None,
        restore=None,
        supplemented=bindparam("supplements"),
        cause=bindparam("oorzaak"),
        known_content=bindparam("contents"),
        supplied_at=bindparam("again"),
        **{column.name: bindparam(f"new_{column.name}") for column in FILE_COLUMNS},
        **NO_FAULT,
    )
)


def confirm_same(connection: Connection, received: Harvested, file: KnownFile) -> None:
    """Note that a document was received completely, and has the bytes that were known."""
    values = {
        "entry_digest": received.entry_digest,
        "etag": file.etag,
        "last_modified": file.last_modified,
        "fetched_at": file.fetched_at,
        "unchanged_since": None,
    }
    statement = update(documents).where(documents.c.id == received.id)
    connection.execute(statement.values(**values, **NO_FAULT))


def confirm_content(connection: Connection, document_id: int, content: int) -> None:
    """Note what is known of the content of a document, without a record that says more than the last one."""
    statement = update(documents).where(documents.c.id == document_id)
    connection.execute(statement.values(known_content=content, **NO_FAULT))


def confirm_withdrawn(connection: Connection, moments: Mapping[int, int]) -> None:
    """Note that documents were withdrawn, each at its moment in seconds since 1970."""
    rows = [{"key": key, "moment": at} for key, at in sorted(moments.items())]
    if rows:
        statement = update(documents).where(documents.c.id == bindparam("key"))
        values: dict[str, Any] = {
            "withdrawn": bindparam("moment"),
            "withdrawing": None,
            "restore": None,
            **NO_FAULT,
        }
        connection.execute(statement.values(**values), rows)
