"""Thousands of days of publishers' mistakes, machines that are killed and hosts that share documents.

Runs the spider's own parts without a network. ``make simulate`` runs it for an hour; each failure prints the
steps that lead to it, and the seed.
"""

from __future__ import annotations

from tests.simulation.documents import STEPS, Documents
from tests.simulation.play import EXAMPLES, simulate
from tests.utils.postgresql import new_database, postgresql_server

__all__ = ["postgresql_server"]


def test_documents() -> None:
    simulate(Documents, EXAMPLES // 2, STEPS)


def test_documents_in_postgresql(postgresql_server: str) -> None:
    with new_database(postgresql_server) as url:

        class InPostgresql(Documents):
            """The same days, with the state in PostgreSQL."""

            state_url = url

        simulate(InPostgresql, max(EXAMPLES // 20, 1), STEPS)
