"""Fixtures of a real Elasticsearch, and of the search engines over the same records."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.portal import suite_records
from tests.utils.elasticsearch_fixtures import alias, elasticsearch, elasticsearch_url
from tests.utils.sites import ca, ca_bundle, make_site, site
from woo_portal.engine import Engine

__all__ = ["alias", "ca", "ca_bundle", "elasticsearch", "elasticsearch_url", "make_site", "site"]


@pytest.fixture(scope="session", params=suite_records.ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Each search engine in turn, with the same records of both kinds."""
    records = [*suite_records.documents(), *suite_records.permits()]
    with suite_records.engine_of(request, tmp_path_factory, records) as made:
        yield made
