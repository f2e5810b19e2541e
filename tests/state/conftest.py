"""Fixtures: a state for each test, in each of the databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection

from tests.utils.postgresql import new_database, postgresql_server, postgresql_url
from woo_harvester.state import NOWHERE
from woo_harvester.state.store import State

__all__ = ["postgresql_server", "postgresql_url"]

EMPTY = "TRUNCATE listings, documents, resources, hosts, outputs, visited, locks RESTART IDENTITY"


class UndoneError(Exception):
    """Raised to roll back the transaction of a test."""


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """Return the name of the database."""
    return str(request.param)


@pytest.fixture(scope="session")
def postgresql_state(postgresql_server: str) -> Iterator[State]:
    """Yield a state that is shared, because a new database takes long; tests roll back their changes."""
    with new_database(postgresql_server) as url:
        opened = State.open(url)
        yield opened
        opened.close()


@pytest.fixture
def state_url(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a new state."""
    if database == "sqlite":
        return f"sqlite:///{tmp_path / 'state.sqlite'}"
    return str(request.getfixturevalue("postgresql_url"))


@pytest.fixture
def state(state_url: str) -> Iterator[State]:
    """Yield a new state."""
    opened = State.open(state_url)
    yield opened
    opened.close()


@pytest.fixture
def connection(database: str, request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Yield a transaction of a new state: of SQLite in memory, of PostgreSQL rolled back at the end."""
    if database == "sqlite":
        opened = State.open(NOWHERE)
        with opened.begin() as connection:
            yield connection
        opened.close()
        return
    shared: State = request.getfixturevalue("postgresql_state")
    with suppress(UndoneError), shared.begin() as connection:
        connection.exec_driver_sql(EMPTY)
        yield connection
        raise UndoneError
