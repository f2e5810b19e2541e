"""Fixtures: the keeper of a state, and a state in PostgreSQL for the withdrawals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from scrapy.utils.test import get_crawler

from tests.state.conftest import EMPTY
from tests.utils.postgresql import command, new_database, postgresql_server
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.state.store import State

__all__ = ["postgresql_server"]


@pytest.fixture
def keeper() -> Iterator[StateKeeper]:
    """Yield the keeper of a state in memory, with one output."""
    made = StateKeeper(get_crawler(settings_dict={"DELTAFETCH_ENABLED": False}))
    made.outputs = 1
    made.open([], reset=False)
    yield made
    made.engine_stopped()


@pytest.fixture(scope="session")
def postgresql_with_tables(postgresql_server: str) -> Iterator[str]:
    """Yield the URL of a database with the tables of a state, which take long to create."""
    with new_database(postgresql_server) as url:
        State.open(url).close()
        yield url


@pytest.fixture
def emptied_postgresql(postgresql_with_tables: str) -> str:
    """Return the URL of a state in which nothing is known."""
    command(postgresql_with_tables, EMPTY)
    return postgresql_with_tables
