"""Fixtures of a real Elasticsearch, and of an installation that writes to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.elasticsearch_fixtures import alias, elasticsearch, elasticsearch_url
from tests.utils.indexed_runs import Searching
from tests.utils.sites import ca, ca_bundle, make_site, site
from woo_harvester.demo.site import Site

__all__ = ["alias", "ca", "ca_bundle", "elasticsearch", "elasticsearch_url", "make_site", "site"]


@pytest.fixture
def installation(
    tmp_path: Path, ca_bundle: Path, site: Site, elasticsearch_url: str, alias: str
) -> Searching:
    """One whose records go to an index of the test's own."""
    return Searching(tmp_path, ca_bundle, [site], elasticsearch_url, alias)
