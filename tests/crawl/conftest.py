"""Fixtures: PostgreSQL, for the withdrawals."""

from __future__ import annotations

from tests.utils.postgresql import postgresql_server, postgresql_url

__all__ = ["postgresql_server", "postgresql_url"]
