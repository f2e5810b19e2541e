from __future__ import annotations

import pytest
from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.exc import IntegrityError

from tests.state.knowledge import sitemap_of
from woo_harvester.state.schema import documents, hosts
from woo_harvester.state.sql import insert_new, write_rows

_ALL_COMPLETE = (
    update(hosts)
    .where(hosts.c.host == bindparam("name"))
    .values(complete=True, complete_at=bindparam("count"))
)


def test_each_row_is_written(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    insert = insert_new(connection.dialect.name, documents)
    locs = [f"https://a.nl/{number}%s?:x.pdf" for number in range(3)]
    write_rows(connection, insert, [{"loc": loc, "sitemap_id": sitemap, "depth": 7} for loc in locs])
    assert connection.execute(select(documents.c.loc, documents.c.depth)).all() == [(loc, 7) for loc in locs]


def test_a_value_of_the_statement_itself_counts_for_each_row(connection: Connection) -> None:
    names = ("a.nl", "b.nl")
    new = [{"host": name, "complete": False} for name in names]
    write_rows(connection, insert_new(connection.dialect.name, hosts), new)
    write_rows(connection, _ALL_COMPLETE, [{"name": "b.nl", "count": 3}, {"name": "a.nl", "count": 4}])
    found = connection.execute(
        select(hosts.c.host, hosts.c.complete, hosts.c.complete_at).order_by(hosts.c.host)
    )
    assert found.all() == [("a.nl", True, 4), ("b.nl", True, 3)]


def test_values_are_made_those_of_their_columns(connection: Connection) -> None:
    statement = update(documents).where(documents.c.id == bindparam("key"))
    statement = statement.values(file_name=bindparam("name"))
    sitemap = sitemap_of(connection)
    insert = insert_new(connection.dialect.name, documents)
    row = {"loc": "https://a.nl/d", "sitemap_id": sitemap}
    write_rows(connection, insert, [row])
    number = connection.scalar(select(documents.c.id))
    write_rows(connection, statement, [{"key": number, "name": "a\0b"}])
    assert connection.scalar(select(documents.c.file_name)) == "a\ufffdb"
    write_rows(connection, statement, [{"key": number, "name": None}])
    assert connection.scalar(select(documents.c.file_name)) is None


def test_a_default_that_sqlalchemy_makes_for_each_row_is_refused(connection: Connection) -> None:
    with pytest.raises(ValueError, match="complete"):
        write_rows(connection, insert_new(connection.dialect.name, hosts), [{"host": "a.nl"}])


def test_no_rows_are_no_statement(connection: Connection) -> None:
    write_rows(connection, _ALL_COMPLETE, [])


def test_what_the_database_refuses_is_an_error_of_sqlalchemy(connection: Connection) -> None:
    row = {"loc": "https://a.nl/d", "sitemap_id": 12345}
    with pytest.raises(IntegrityError), connection.begin_nested():
        write_rows(connection, insert_new(connection.dialect.name, documents), [row])
