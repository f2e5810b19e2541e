"""An installation that writes to an index, and the documents that both of them have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.utils.command import Run
from tests.utils.daily import Harvester
from tests.utils.disturbed_runs import harvested
from woo_harvester.demo.site import Site

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch


@dataclass
class Searching(Harvester):
    """Harvests into the index behind *alias* of the server at *url*."""

    url: str
    alias: str

    @property
    def where(self) -> dict[str, object]:
        """Return the settings that say where the index is."""
        return {"WOO_ELASTICSEARCH_URL": self.url, "WOO_ELASTICSEARCH_INDEX": self.alias}

    def run(self, *args: str, **settings: object) -> Run:
        """Run once; besides the caller's settings, only the place of the index is set."""
        return self.day(*args, **{**self.where, **settings})


@pytest.fixture
def installation(
    tmp_path: Path, ca_bundle: Path, site: Site, elasticsearch_url: str, alias: str
) -> Searching:
    """Return an installation whose records go to an index of the test's own."""
    return Searching(tmp_path, ca_bundle, [site], elasticsearch_url, alias)


def published(client: Elasticsearch, alias: str) -> Counter[str]:
    """Return how many documents of each loc the index has that are not withdrawn."""
    client.indices.refresh(index=alias)
    query = {"bool": {"must_not": {"term": {"status": "ingetrokken"}}}}
    found = client.search(index=alias, query=query, size=10_000, source_includes=["document.weblocatie"])
    return Counter(hit["_source"]["document"]["weblocatie"] for hit in found["hits"]["hits"])


def assert_agree(client: Elasticsearch, alias: str, folder: Path, expected: set[str]) -> None:
    """Assert that index and state have each document exactly once."""
    assert published(client, alias) == Counter(expected)
    assert harvested(folder) == expected
