"""SQL that SQLite and PostgreSQL write differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Insert,
    Table,
    Text,
    Update,
    any_,
    bindparam,
)
from sqlalchemy.dialects import postgresql, sqlite


def is_one_writer(connection: Connection) -> bool:
    """Return whether the database lets one transaction write at a time, so that row locks are not needed."""
    return connection.dialect.name == "sqlite"


def insert_new(dialect: str, table: Table) -> Insert:
    """Return an INSERT that skips rows whose key exists."""
    if dialect == "sqlite":
        return sqlite.insert(table).on_conflict_do_nothing()
    return postgresql.insert(table).on_conflict_do_nothing()


def insert_or_update(dialect: str, table: Table, key: Sequence[Column[Any]], *names: str) -> Insert:
    """Return an INSERT that updates the columns *names* if a row with the same *key* exists."""
    if dialect == "sqlite":
        lite = sqlite.insert(table)
        changes = {name: lite.excluded[name] for name in names}
        return lite.on_conflict_do_update(index_elements=key, set_=changes)
    statement = postgresql.insert(table)
    changes = {name: statement.excluded[name] for name in names}
    return statement.on_conflict_do_update(index_elements=key, set_=changes)


def is_one_of(dialect: str, column: Column[Any], name: str) -> ColumnElement[bool]:
    """Return the condition that *column* has one of the values of the parameter *name*.

    PostgreSQL gets them as one array: to parse a thousand parameters takes longer than the query.
    """
    if dialect == "sqlite":
        return column.in_(bindparam(name, expanding=True))
    sql_type = Text() if isinstance(column.type, Text) else BigInteger()
    return column == any_(bindparam(name, type_=postgresql.ARRAY(sql_type)))


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


_Item = TypeVar("_Item")

#: Rows in one query: databases limit the number of parameters, and larger batches are no faster.
BATCH = 1000


def batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Yield *items* in lists of at most ``BATCH``."""
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch
