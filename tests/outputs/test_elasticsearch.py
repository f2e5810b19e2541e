"""A run writes to a real index, beside its feeds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from tests.utils.command import ROOT, run_scrapy
from tests.utils.daily import FIRST, NEWER, numbered, publish
from tests.utils.indexed_runs import Searching, assert_agree, published
from tests.utils.sites import MakeSite
from woo_harvester.demo.site import Site
from woo_harvester.kinds import WOO
from woo_harvester.outputs.document import Withdrawn, bulk_action
from woo_harvester.outputs.elasticsearch import MISSING

pytestmark = pytest.mark.integration


def locs(site: Site, *names: str) -> set[str]:
    return {site.url(f"/d/{name}.pdf") for name in names}


def test_each_record_is_in_the_index_as_it_is_in_the_feed(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, numbered(25))
    run = installation.run(WOO_ELASTICSEARCH_BATCH=10)
    assert (run.returncode, len(run.records)) == (0, 25)
    assert_agree(elasticsearch, alias, installation.folder, locs(site, *numbered(25)))
    record = run.records[0]
    found = elasticsearch.get(index=alias, id=record["id"])
    assert found["_source"] == {**record, "status": "gepubliceerd"}
    assert run.stats["woo/elasticsearch/acknowledged"] == 25
    assert list(elasticsearch.indices.get_alias(name=alias)) == [f"{alias}-v1"]


def test_a_withdrawn_document_is_marked_and_one_that_returns_is_published_again(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    installation.run()
    publish(site, {"a": FIRST})
    (gone,) = installation.run().records
    document = elasticsearch.get(index=alias, id=gone["id"])["_source"]
    assert document == {**gone, "status": "ingetrokken"}
    assert published(elasticsearch, alias).keys() == locs(site, "a")
    publish(site, {"a": FIRST, "b": NEWER})  # newer than it was, and older than its withdrawal
    assert installation.run().records[0]["versies"][0]["oorzaak"] == "herpublicatie"
    assert_agree(elasticsearch, alias, installation.folder, locs(site, "a", "b"))


def test_a_withdrawn_document_is_deleted_where_that_is_asked_for(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    installation.run()
    publish(site, {"a": FIRST})
    assert installation.run(WOO_ELASTICSEARCH_WITHDRAWN="delete").returncode == 0
    elasticsearch.indices.refresh(index=alias)
    assert elasticsearch.count(index=alias)["count"] == 1


@pytest.mark.parametrize("uri", ["nonsense://x", "%(nonsense)s.jsonl"])
def test_a_feed_that_cannot_be_used_stops_the_start(installation: Searching, site: Site, uri: str) -> None:
    publish(site, numbered(2))
    run = installation.run(FEEDS=json.dumps({uri: {"format": "jsonlines"}}))
    assert (run.returncode, run.records, site.requests) == (2, [], [])
    assert run.stderr.splitlines()[-1].startswith(
        "scrapy crawl: error: FEEDS names outputs of which none can be used"
    )


def test_without_the_client_the_line_says_what_to_install(
    installation: Searching, site: Site, tmp_path: Path
) -> None:
    publish(site, numbered(2))
    (tmp_path / "elastic_transport.py").write_text("raise ImportError('no elastic_transport')")
    path = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    arguments, given = installation.arguments(), installation.where
    run = run_scrapy(arguments, tmp_path, installation.ca_bundle, settings=given, env=path, fresh=True)
    assert (run.returncode, run.records, site.requests) == (1, [], [])
    assert run.stderr.endswith(f"scrapy crawl: error: {MISSING} (no elastic_transport)\n")


def test_without_a_url_nothing_is_written_and_nothing_is_needed(installation: Searching, site: Site) -> None:
    publish(site, numbered(2))
    run = installation.day()
    assert len(run.records) == 2
    assert not [key for key in run.stats if "elasticsearch" in key]


def test_a_document_that_the_index_refuses_is_named_and_comes_again(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    meta = {"woo_harvester": {"mapping": WOO.mapping, "version": "0"}}
    elasticsearch.indices.create(
        index=f"{alias}-v1",
        aliases={alias: {}},
        mappings={"_meta": meta, "properties": {"herkomst": {"properties": {"lastmod": {"type": "long"}}}}},
    )
    run = installation.run()
    assert (run.returncode, len(run.records)) == (1, 2)
    assert run.stats["woo/elasticsearch/refused"] == 2
    assert run.stats["finish_reason"] == "finished"
    *log, last = run.stderr.splitlines()
    assert last == "scrapy crawl: error: Elasticsearch refused 2 documents: see the log"
    for record in run.records:
        (line,) = (line for line in log if f"refuses the document {record['id']}: " in line)
        assert "lastmod" in line
    elasticsearch.indices.delete(index=f"{alias}-v1")
    assert len(installation.run().records) == 2
    assert_agree(elasticsearch, alias, installation.folder, locs(site, "a", "b"))


def test_a_record_of_another_project_that_is_none_ends_the_run(
    installation: Searching, site: Site, tmp_path: Path
) -> None:
    publish(site, {"a": FIRST})
    pipelines = json.dumps({"tests.utils.feeds.OddVersions": 999})
    run = installation.run(ITEM_PIPELINES=pipelines)
    assert run.returncode == 1
    assert "AttributeError" in run.stderr.splitlines()[-1]
    assert "what is not in the index comes again in the next run" in run.stderr
    assert len(installation.run().records) == 1


@pytest.mark.parametrize(
    ("mappings", "line"),
    [
        ({}, "was not made by woo-harvester"),
        (
            {"_meta": {"woo_harvester": {"mapping": 99, "version": "9.0"}}},
            "has mapping 99 of woo-harvester 9.0",
        ),
    ],
)
def test_a_mapping_that_this_version_cannot_use_stops_the_start(
    installation: Searching,
    site: Site,
    elasticsearch: Elasticsearch,
    alias: str,
    mappings: dict[str, object],
    line: str,
) -> None:
    publish(site, numbered(2))
    elasticsearch.indices.create(index=f"{alias}-v7", aliases={alias: {}}, mappings=mappings)
    run = installation.run()
    assert (run.returncode, run.records) == (1, [])
    assert run.stderr.splitlines()[-1].startswith(f"scrapy crawl: error: the index {alias}-v7 {line}")
    assert "scrapy index --rebuild" in run.stderr
    assert not site.requests


def test_an_index_that_is_no_alias_stops_the_start(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    elasticsearch.indices.create(index=f"{alias}-v1")
    run = installation.run(WOO_ELASTICSEARCH_INDEX=f"{alias}-v1")
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].startswith(f"scrapy crawl: error: {alias}-v1 is an index")


def test_two_hosts_and_an_older_record(
    installation: Searching, site: Site, make_site: MakeSite, elasticsearch: Elasticsearch, alias: str
) -> None:
    other = make_site()
    installation.sites.append(other)
    publish(site, {"a": FIRST})
    publish(other, {"a": FIRST})
    run = installation.run()
    newer = json.loads(json.dumps(run.records[0]))
    newer["herkomst"]["opgehaald"] = "2999-01-01T00:00:00+01:00"
    lines = bulk_action(WOO, newer, Withdrawn.MARK).lines.splitlines()
    operations = [json.loads(line) for line in lines]
    elasticsearch.bulk(index=alias, operations=operations)
    publish(site, {"a": NEWER})
    publish(other, {"a": NEWER})
    run = installation.run()
    assert run.stats["woo/elasticsearch/newer"] == 1
    assert run.stats["deltafetch/stored"] == 2
    found = elasticsearch.get(index=alias, id=newer["id"])["_source"]
    assert found["herkomst"]["opgehaald"] == newer["herkomst"]["opgehaald"]
