"""Writes many rows with one statement that is compiled once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Dialect, Insert, Update


def write_rows(connection: Connection, statement: Insert | Update, rows: Sequence[Mapping[str, Any]]) -> None:
    """Execute a statement for each of *rows*, which have the same keys; do nothing without rows.

    ``Connection.execute`` does the same, but takes longer to look up each parameter of each row than the
    database takes to write it. The statement must be a constant: its compiled form is kept. Raises ValueError
    if the rows lack a column with a default.
    """
    if not rows:
        return
    prepared = _prepare(statement, connection.dialect, tuple(rows[0]))
    values = [prepared.values(row) for row in rows]
    if prepared.names:
        connection.exec_driver_sql(prepared.sql, list(map(itemgetter(*prepared.names), values)))
    else:
        connection.exec_driver_sql(prepared.sql, values)


class _Prepared(NamedTuple):
    """A statement as the driver of the database takes it."""

    sql: str
    names: tuple[str, ...]
    """The names of its parameters in their order; empty if the driver takes them by name."""
    constants: dict[str, Any]
    """The parameters that the statement has itself."""
    processors: dict[str, Callable[[Any], Any]]
    """The functions that make a value of the column's type into one of the database, by parameter."""

    def values(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters for one row."""
        values = {**self.constants, **row}
        for name, process in self.processors.items():
            if values[name] is not None:
                values[name] = process(values[name])
        return values


@lru_cache(maxsize=32)
def _prepare(statement: Insert | Update, dialect: Dialect, keys: tuple[str, ...]) -> _Prepared:
    compiled = statement.inline().compile(dialect=dialect, column_keys=list(keys))
    if lacking := compiled.insert_prefetch:
        raise ValueError(f"Rows without a value for {', '.join(column.name for column in lacking)}")
    types = {name: bind.type.dialect_impl(dialect) for bind, name in compiled.bind_names.items()}
    processors = {name: kind.bind_processor(dialect) for name, kind in types.items()}
    return _Prepared(
        compiled.string,
        tuple(compiled.positiontup or ()),
        {name: value for name, value in compiled.params.items() if name not in keys},
        {name: process for name, process in processors.items() if process is not None},
    )
