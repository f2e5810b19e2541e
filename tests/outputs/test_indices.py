"""The index behind its alias, made by whoever comes first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from elasticsearch import Elasticsearch

from woo_harvester.kinds import WOO
from woo_harvester.outputs.indices import prepare_index

pytestmark = pytest.mark.integration


def test_runs_that_begin_together_have_one_index(elasticsearch: Elasticsearch, alias: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        names = list(pool.map(lambda _: prepare_index(elasticsearch, alias, WOO), range(4)))
    assert names == [f"{alias}-v1"] * 4
    assert list(elasticsearch.indices.get(index=f"{alias}-v*").keys()) == [f"{alias}-v1"]
