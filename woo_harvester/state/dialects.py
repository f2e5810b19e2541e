"""SQL that SQLite and PostgreSQL write differently."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, Connection, Insert, Table, Text, any_, bindparam
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
