"""Fixtures: a state in each of the databases, the keeper of one, and an index in Elasticsearch."""

from __future__ import annotations

from tests.crawl.conftest import keeper
from tests.outputs.conftest import (
    alias,
    ca,
    ca_bundle,
    elasticsearch,
    elasticsearch_url,
    installation,
    make_site,
    site,
)
from tests.state.conftest import connection, database, postgresql_state, state, state_url
from tests.utils.postgresql import postgresql_server, postgresql_url

__all__ = [
    "alias",
    "ca",
    "ca_bundle",
    "connection",
    "database",
    "elasticsearch",
    "elasticsearch_url",
    "installation",
    "keeper",
    "make_site",
    "postgresql_server",
    "postgresql_state",
    "postgresql_url",
    "site",
    "state",
    "state_url",
]
