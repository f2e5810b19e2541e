"""What SQLite and PostgreSQL say in different words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, Connection, Insert, Table, Text, any_, bindparam
from sqlalchemy.dialects import postgresql, sqlite


def is_one_writer(connection: Connection) -> bool:
    """Whether only one transaction writes at a time, so that none waits for what another has locked."""
    return connection.dialect.name == "sqlite"


def insert_new(dialect: str, table: Table) -> Insert:
    """An INSERT that passes over rows whose key is there."""
    if dialect == "sqlite":
        return sqlite.insert(table).on_conflict_do_nothing()
    return postgresql.insert(table).on_conflict_do_nothing()


def insert_or_update(dialect: str, table: Table, key: Sequence[Column[Any]], name: str) -> Insert:
    """An INSERT that gives the column *name* its new value in a row whose *key* is there."""
    if dialect == "sqlite":
        lite = sqlite.insert(table)
        return lite.on_conflict_do_update(index_elements=key, set_={name: lite.excluded[name]})
    statement = postgresql.insert(table)
    return statement.on_conflict_do_update(index_elements=key, set_={name: statement.excluded[name]})


def is_one_of(dialect: str, column: Column[Any], name: str) -> ColumnElement[bool]:
    """That a column has one of the values of the parameter *name*: one array, where there are arrays.

    With a thousand parameters the time goes into taking them apart.
    """
    if dialect == "sqlite":
        return column.in_(bindparam(name, expanding=True))
    kind = Text() if isinstance(column.type, Text) else BigInteger()
    return column == any_(bindparam(name, type_=postgresql.ARRAY(kind)))
