from __future__ import annotations

from sqlalchemy import Connection, func, select

from woo_harvester.state.resources import add_visited, forget_visited, is_visited
from woo_harvester.state.schema import visited


def test_a_key_is_visited_after_it_was_added_and_for_its_spider_only(connection: Connection) -> None:
    assert not is_visited(connection, "een", b"k")
    add_visited(connection, "een", b"k", 5)
    assert is_visited(connection, "een", b"k")
    assert not is_visited(connection, "twee", b"k")
    assert not is_visited(connection, "een", b"K")


def test_a_key_may_be_added_again(connection: Connection) -> None:
    add_visited(connection, "een", b"k", 5)
    add_visited(connection, "een", b"k", 6)
    assert connection.scalar(select(visited.c.at)) == 6
    assert connection.scalar(select(func.count()).select_from(visited)) == 1


def test_the_keys_of_one_spider_are_forgotten(connection: Connection) -> None:
    add_visited(connection, "een", b"k", 5)
    add_visited(connection, "twee", b"k", 5)
    forget_visited(connection, "een")
    assert not is_visited(connection, "een", b"k")
    assert is_visited(connection, "twee", b"k")
