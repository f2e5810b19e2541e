"""Fixtures of a real Elasticsearch, and of an installation that writes to it."""

from __future__ import annotations

from tests.utils.elasticsearch_fixtures import alias, elasticsearch, elasticsearch_url
from tests.utils.indexed_runs import installation
from tests.utils.sites import ca, ca_bundle, make_site, site

__all__ = [
    "alias",
    "ca",
    "ca_bundle",
    "elasticsearch",
    "elasticsearch_url",
    "installation",
    "make_site",
    "site",
]
