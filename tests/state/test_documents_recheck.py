"""Whether a document must be requested although its server said that it is the same."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, update

from tests.state.knowledge import HARVESTED, harvest, locs, sitemap_of
from woo_harvester.state.documents import is_recheck_due
from woo_harvester.state.schema import documents

NOW = 2 * HARVESTED
INTERVAL = 1000


def is_due(connection: Connection, **values: Any) -> bool:
    """Whether one is due in a sitemap of two documents, of which the second has these values."""
    sitemap = sitemap_of(connection)
    _, key = harvest(connection, sitemap, locs(2))
    connection.execute(update(documents).values(unchanged_since=None))
    connection.execute(update(documents).where(documents.c.id == key).values(**values))
    assert not is_recheck_due(connection, sitemap + 1, NOW, INTERVAL)
    return is_recheck_due(connection, sitemap, NOW, INTERVAL)


@pytest.mark.parametrize(
    ("fetched_at", "due"),
    [(None, True), (NOW - 1001, True), (NOW - 1000, True), (NOW - 999, False), (NOW, False), (NOW + 1, True)],
)
def test_it_is_due_when_its_bytes_came_long_ago_or_nobody_knows_when(
    connection: Connection, fetched_at: int | None, due: bool
) -> None:
    assert is_due(connection, unchanged_since=1, fetched_at=fetched_at) is due


@pytest.mark.parametrize("values", [{"unchanged_since": None}, {"withdrawn": 1}, {"refused_at": 1}])
def test_it_is_not_due_for_a_document_that_is_new_withdrawn_or_refused(
    connection: Connection, values: dict[str, int | None]
) -> None:
    assert not is_due(connection, **({"unchanged_since": 1, "fetched_at": None} | values))
