"""Fixtures: PostgreSQL, for the withdrawals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from scrapy.utils.test import get_crawler

from tests.utils.postgresql import postgresql_server, postgresql_url
from woo_harvester.extensions.state import StateKeeper

__all__ = ["postgresql_server", "postgresql_url"]


@pytest.fixture
def keeper() -> Iterator[StateKeeper]:
    """Yield the keeper of a state in memory, with one output."""
    made = StateKeeper(get_crawler(settings_dict={"DELTAFETCH_ENABLED": False}))
    made.outputs = 1
    made.open([], reset=False)
    yield made
    made.engine_stopped()
