"""Thousands of days of publishers' mistakes, machines that are killed and hosts that share documents.

Runs the spider's own parts without a network. ``make simulate`` runs it for an hour; each failure prints what
happened, day by day.
"""

from __future__ import annotations

import pytest

from tests.simulation.documents import documents
from tests.simulation.play import EXAMPLES, simulate
from tests.utils.postgresql import new_database, postgresql_server

__all__ = ["postgresql_server"]
pytestmark = pytest.mark.simulation


def test_documents() -> None:
    simulate(documents(), EXAMPLES)


def test_documents_in_postgresql(postgresql_server: str) -> None:
    with new_database(postgresql_server) as url:
        simulate(documents(url), max(EXAMPLES // 10, 1))
