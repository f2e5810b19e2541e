"""Requests of other projects' spiders that gave an item, by the keys of scrapy-deltafetch."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from woo_harvester.state.dialects import insert_or_update
from woo_harvester.state.schema import visited


def is_visited(connection: Connection, spider: str, key: bytes) -> bool:
    """Return whether a request with this key gave an item."""
    query = select(visited.c.at).where(visited.c.spider == spider, visited.c.key == key)
    return connection.execute(query).first() is not None


def add_visited(connection: Connection, spider: str, key: bytes, at: int) -> None:
    """Note that a request with this key gave an item, at *at* seconds since 1970."""
    place = (visited.c.spider, visited.c.key)
    statement = insert_or_update(connection.dialect.name, visited, place, "at")
    connection.execute(statement.values(spider=spider, key=key, at=at))


def forget_visited(connection: Connection, spider: str) -> None:
    """Forget all keys of a spider."""
    connection.execute(delete(visited).where(visited.c.spider == spider))
