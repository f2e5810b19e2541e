"""A state for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from woo_harvester.state.store import NOWHERE, State


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """A new state on disk."""
    opened = State.open(f"sqlite:///{tmp_path / 'state.sqlite'}")
    yield opened
    opened.close()


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A transaction of a new state in memory."""
    opened = State.open(NOWHERE)
    with opened.begin() as connection:
        yield connection
    opened.close()
