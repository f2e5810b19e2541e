"""A clock that was ahead and is set back does not keep a new version out of the index."""

from __future__ import annotations

from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from tests.utils.clock import put_ahead
from tests.utils.command import run_scrapy
from tests.utils.daily import FIRST, NEWER, publish
from tests.utils.indexed_runs import Searching
from woo_harvester.demo.site import Site

pytestmark = pytest.mark.integration


def test_what_changes_after_it_takes_its_place_in_the_index(
    tmp_path: Path, site: Site, elasticsearch: Elasticsearch, installation: Searching
) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    installation.day()
    put_ahead(tmp_path)
    (file,) = (tmp_path / "records").glob("*.jsonl")
    settings = {"WOO_ELASTICSEARCH_URL": installation.url, "WOO_ELASTICSEARCH_INDEX": installation.alias}
    assert run_scrapy(["index", "--rebuild", str(file)], tmp_path, settings=settings).returncode == 0
    publish(site, {"a": NEWER})
    run = installation.run()
    assert run.stats["woo/elasticsearch/newer"] == 0
    for record in run.records:
        assert (
            elasticsearch.get(index=installation.alias, id=record["id"])["_source"].items() >= record.items()
        )
    assert sorted(one["versies"][0]["oorzaak"] for one in run.records) == ["intrekking", "wijziging"]
