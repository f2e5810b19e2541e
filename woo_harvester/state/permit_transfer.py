"""Exports what a state knows of the entry pages of permits, and imports it into another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Select, Table, insert, select

from woo_harvester.permits.mutations import PermitRow
from woo_harvester.state.batches import BATCH, batches
from woo_harvester.state.permit_rows import CaseRow, EntryRow, MessageRow, PermitFileRow, PermitHostRow
from woo_harvester.state.permits import add_case_rows, add_message, forget_entries
from woo_harvester.state.schema import permit_cases, permit_entries, permit_files, permit_messages

#: Columns that the table and the export have under the same name.
_ENTRY_COLUMNS = [name for name in EntryRow.model_fields if name in permit_entries.c]
_FILE_COLUMNS = [name for name in PermitFileRow.model_fields if name in permit_files.c]


def export_permits(connection: Connection, hosts: Sequence[str] | None = None) -> Iterator[PermitHostRow]:
    """Yield what is known of the entry pages of hosts, by default of all.

    After each page come its files, the messages that wait, and its cases. A message of a batch whose records
    are not durable yet waits; the rows that it made are left out.
    """
    query = select(permit_entries.c.id, *(permit_entries.c[name] for name in _ENTRY_COLUMNS))
    if hosts is not None:
        query = query.where(permit_entries.c.host.in_(hosts))
    for key, *values in connection.execute(query.order_by(permit_entries.c.host, permit_entries.c.id)).all():
        entry = EntryRow.model_construct(**dict(zip(_ENTRY_COLUMNS, values, strict=True)))
        of_page: dict[str, Any] = {"host": entry.host, "entry": entry.url}
        yield entry
        columns = [permit_files.c[name] for name in _FILE_COLUMNS]
        for row in _rows(connection, select(*columns), permit_files, key):
            yield PermitFileRow.model_construct(**of_page, **dict(zip(_FILE_COLUMNS, row, strict=True)))
        for (data,) in _rows(connection, select(permit_messages.c.data), permit_messages, key):
            yield MessageRow.model_construct(**of_page, data=data)
        confirmed = select(permit_cases.c.data).where(permit_cases.c.package.is_(None))
        for (data,) in _rows(connection, confirmed, permit_cases, key):
            yield CaseRow.model_construct(**of_page, data=data)


def _rows(connection: Connection, query: Select[Any], table: Table, entry_id: int) -> Iterator[Sequence[Any]]:
    query = query.where(table.c.entry_id == entry_id).order_by(table.c.id)
    yield from connection.execute(query.execution_options(yield_per=BATCH))


def replace_permits(connection: Connection, host: str, rows: Iterable[PermitHostRow]) -> None:
    """Replace what the state knows of the entry pages of a host by *rows*: each page before what it has."""
    forget_entries(connection, host)
    entry_id = 0
    for kind, group in groupby(rows, key=type):
        if kind is EntryRow:
            for row in group:
                values = {name: getattr(row, name) for name in _ENTRY_COLUMNS}
                (entry_id,) = connection.execute(
                    insert(permit_entries).values(values)
                ).inserted_primary_key or (0,)
        else:
            for part in batches(group):
                _add(connection, entry_id, part)


def _add(connection: Connection, entry_id: int, rows: Sequence[PermitHostRow]) -> None:
    """Add rows of one kind to an entry page."""
    files = [row for row in rows if isinstance(row, PermitFileRow)]
    if files:
        columns = [name for name in _FILE_COLUMNS if name not in ("host", "entry")]
        values = [{name: getattr(row, name) for name in columns} | {"entry_id": entry_id} for row in files]
        connection.execute(insert(permit_files), values)
    for row in rows:
        if isinstance(row, MessageRow):
            add_message(connection, entry_id, PermitRow.load(row.data), row.data)
    cases = [PermitRow.load(row.data) for row in rows if isinstance(row, CaseRow)]
    add_case_rows(connection, [(case, None) for case in cases])
