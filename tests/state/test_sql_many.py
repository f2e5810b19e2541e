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


def test_each_row_is_written_with_the_values_of_its_columns(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    insert = insert_new(connection.dialect.name, documents)
    locs = [f"https://a.nl/{number}%s?:x.pdf" for number in range(3)]
    write_rows(connection, insert, [{"loc": loc, "sitemap_id": sitemap, "depth": 7} for loc in locs])
    assert connection.execute(select(documents.c.loc, documents.c.depth)).all() == [(loc, 7) for loc in locs]
    statement = update(documents).where(documents.c.loc == bindparam("key"))
    statement = statement.values(file_name=bindparam("name"))
    names = select(documents.c.file_name).order_by(documents.c.loc)
    for given, kept in (("a\0b", "a\ufffdb"), (None, None)):
        write_rows(connection, statement, [{"key": locs[0], "name": given}])
        assert connection.execute(names).scalars().all() == [kept, None, None]
    with pytest.raises(IntegrityError), connection.begin_nested():
        write_rows(connection, insert, [{"loc": "https://a.nl/d", "sitemap_id": 12345}])


def test_a_value_of_the_statement_itself_counts_for_each_row(connection: Connection) -> None:
    new = [{"host": name, "complete": False} for name in ("a.nl", "b.nl")]
    write_rows(connection, insert_new(connection.dialect.name, hosts), new)
    write_rows(connection, _ALL_COMPLETE, [{"name": "b.nl", "count": 3}, {"name": "a.nl", "count": 4}])
    write_rows(connection, _ALL_COMPLETE, [])
    found = select(hosts.c.host, hosts.c.complete, hosts.c.complete_at).order_by(hosts.c.host)
    assert connection.execute(found).all() == [("a.nl", True, 4), ("b.nl", True, 3)]


def test_a_default_that_sqlalchemy_makes_for_each_row_is_refused(connection: Connection) -> None:
    with pytest.raises(ValueError, match="complete"):
        write_rows(connection, insert_new(connection.dialect.name, hosts), [{"host": "a.nl"}])
