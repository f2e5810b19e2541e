"""A server that is killed, busy, full or away: in the end each document is in the index exactly once."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep

import pytest
from elasticsearch import AuthorizationException, Elasticsearch

from tests.conftest import skip_or_fail
from tests.utils.command import read_lines, run_scrapy, start_forked
from tests.utils.daily import FIRST, NEWER, numbered, publish
from tests.utils.disturbed_runs import harvested
from tests.utils.elasticsearch import START, MissingError, Server
from tests.utils.indexed_runs import Searching, assert_agree
from tests.utils.proxy import Proxy
from tests.utils.waiting import STUCK, wait_until
from woo_harvester.demo.site import Site
from woo_harvester.kinds import Kind
from woo_portal.elasticsearch import ElasticsearchEngine
from woo_portal.engine import Followed
from woo_portal.question import Question

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def secure() -> Iterator[Server]:
    """Start a server for this module, with HTTPS and users."""
    with TemporaryDirectory(prefix="woo-test-es-") as folder:
        Path(folder).chmod(0o755)
        server = Server(Path(folder) / "node", secure=True)
        try:
            server.start()
        except MissingError as error:
            skip_or_fail(str(error))
        yield server
        server.stop()


def all_of(site: Site, count: int) -> set[str]:
    return {site.url(f"/d/{name}.pdf") for name in numbered(count)}


def test_a_server_that_is_killed_in_a_bulk_and_started_again_has_each_document_once(
    secure: Server, tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    publish(site, numbered(100))
    again = Thread(target=secure.start)

    def kill(number: int) -> None:
        if number == 3:
            secure.kill()
            again.start()

    with Proxy(secure.url, authority=secure.authority) as proxy:
        proxy.sent = kill
        installation = Searching(tmp_path, ca_bundle, [site], proxy.url, "killed")
        account = {"WOO_ELASTICSEARCH_USER": "woo", "WOO_ELASTICSEARCH_PASSWORD": "woo-test-password"}
        settings = {**installation.where, **account, "WOO_ELASTICSEARCH_BATCH": 20}
        run = run_scrapy(installation.arguments(), tmp_path, ca_bundle, settings=settings, timeout=2 * START)
    again.join()
    assert run.returncode == 0, run.stderr
    assert run.stats["woo/elasticsearch/retries"]
    with secure.client() as client:
        assert_agree(client, "killed", tmp_path, all_of(site, 100))


def test_a_busy_server_is_tried_again_and_the_order_is_kept(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, numbered(50))
    with Proxy(installation.url, lambda number: 429 if number in (2, 3, 5) else None) as proxy:
        installation.url = proxy.url
        run = installation.run(WOO_ELASTICSEARCH_BATCH=10)
    assert (run.returncode, run.stats["woo/elasticsearch/retries"]) == (0, 3)
    assert_agree(elasticsearch, alias, installation.folder, all_of(site, 50))
    sent = [json.loads(line)["id"] for body in proxy.bodies for line in body.splitlines()[1::2]]
    assert sent == [record["id"] for record in run.records]


@pytest.mark.parametrize("block", ["read_only_allow_delete", "write"])
def test_an_index_that_takes_nothing_ends_the_run_and_the_next_one_brings_what_is_missing(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str, block: str
) -> None:
    publish(site, numbered(3))
    installation.run()
    publish(site, numbered(12, NEWER))
    elasticsearch.indices.put_settings(index=alias, settings={f"index.blocks.{block}": True})
    run = installation.run(WOO_ELASTICSEARCH_PATIENCE=2)
    assert run.returncode == 1
    assert "blocked" in run.stderr
    assert harvested(installation.folder) == all_of(site, 3)
    elasticsearch.indices.put_settings(index=alias, settings={f"index.blocks.{block}": None})
    assert len(installation.run().records) == 12
    assert_agree(elasticsearch, alias, installation.folder, all_of(site, 12))


def test_a_server_that_goes_away_for_good_ends_the_run_after_its_patience(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, numbered(50))
    url = installation.url
    with Proxy(url, lambda number: 503 if number > 2 else None) as proxy:
        installation.url = proxy.url
        run = installation.run(WOO_ELASTICSEARCH_BATCH=10, WOO_ELASTICSEARCH_PATIENCE=1)
    assert run.returncode == 1
    last = run.stderr.splitlines()[-1]
    assert last.startswith("scrapy crawl: error: Elasticsearch answered 503")
    assert last.endswith("comes again in the next run")
    assert len(harvested(installation.folder)) == 20
    installation.url = url
    assert len(installation.run().records) == 30
    assert_agree(elasticsearch, alias, installation.folder, all_of(site, 50))


def test_of_several_servers_one_that_is_away_is_passed_over(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, numbered(5))
    installation.url = "http://127.0.0.1:1," + installation.url
    run = installation.run()
    assert run.returncode == 0, run.stderr
    assert_agree(elasticsearch, alias, installation.folder, all_of(site, 5))


def test_the_crawl_waits_for_a_server_that_is_slow(installation: Searching, site: Site) -> None:
    publish(site, numbered(200))
    harvested_by_then: list[int] = []

    def written() -> list[int]:
        return [len(read_lines(path)) for path in installation.folder.glob("records/*.jsonl")]

    def delay(number: int) -> None:
        if number == 1:
            wait_until(lambda: any(written()), "records are written")
            sleep(3)  # in which a crawl that does not wait would harvest all
            harvested_by_then.extend(written())

    with Proxy(installation.url, delay) as proxy:
        installation.url = proxy.url
        run = installation.run(WOO_ELASTICSEARCH_BATCH=5, WOO_DURABLE_INTERVAL=0.1)
    assert (run.returncode, len(run.records)) == (0, 200)
    assert 0 < harvested_by_then[0] < 50
    assert proxy.bulks >= 20


def test_an_answer_that_makes_no_sense_ends_the_run(installation: Searching, site: Site) -> None:
    publish(site, numbered(5))
    with Proxy(installation.url, lambda number: 200) as proxy:
        installation.url = proxy.url
        run = installation.run()
    assert run.returncode == 1
    last = run.stderr.splitlines()[-1]
    assert last.startswith("scrapy crawl: error: Elasticsearch cannot be used: KeyError(")
    assert harvested(installation.folder) == set()


@pytest.mark.parametrize("documents", [25, 5], ids=["while the crawl waits", "at its end"])
def test_a_run_that_is_stopped_does_not_wait_for_a_server_that_is_away(
    documents: int, installation: Searching, site: Site
) -> None:
    publish(site, numbered(documents))
    settings = {"WOO_ELASTICSEARCH_BATCH": 5, "WOO_ELASTICSEARCH_PATIENCE": 3600}
    with Proxy(installation.url, lambda number: 503) as proxy:
        installation.url = proxy.url
        given = {**installation.where, **settings}
        arguments = installation.arguments()
        started = start_forked(arguments, installation.folder, installation.ca_bundle, settings=given)
        wait_until(lambda: proxy.bulks > 1, "the first batch is tried again", lambda: not started.ended)
        started.send(signal.SIGTERM)
        done = started.done(STUCK)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("scrapy crawl: error: Elasticsearch answered 503")
    assert harvested(installation.folder) == set()


def test_a_sitemap_of_which_the_index_misses_a_document_is_read_again(
    installation: Searching, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, {"a": FIRST, "b": FIRST}, headers={"ETag": '"1"'})
    with Proxy(installation.url, lambda number: 503) as proxy:
        url, installation.url = installation.url, proxy.url
        assert installation.run(WOO_ELASTICSEARCH_PATIENCE=0).returncode == 1
    installation.url = url
    assert len(installation.run().records) == 2
    assert not installation.run().records


def test_a_server_that_is_not_there_stops_the_start(tmp_path: Path, ca_bundle: Path, site: Site) -> None:
    publish(site, numbered(2))
    run = Searching(tmp_path, ca_bundle, [site], "http://127.0.0.1:1", "woo").run()
    assert (run.returncode, run.records, site.requests) == (1, [], [])
    assert re.fullmatch(
        r"scrapy crawl: error: Elasticsearch cannot be reached \(.*refused\): see WOO_ELASTICSEARCH_URL\n",
        run.stderr.splitlines(keepends=True)[-1],
    )


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"API_KEY": "d3Jvbmc6d3Jvbmc="}, "refuses the request (401:"),
        ({"USER": "woo", "PASSWORD": "wrong"}, "refuses the request (401:"),
        ({"USER": "woo", "PASSWORD": "woo-test-password", "CA": None}, "cannot be verified"),
        ({"CA": "nowhere.pem"}, "nowhere.pem"),
    ],
    ids=["API key", "password", "authority", "no such file"],
)
def test_what_the_server_or_the_client_does_not_trust_gives_one_line(
    secure: Server, tmp_path: Path, ca_bundle: Path, site: Site, settings: dict[str, object], line: str
) -> None:
    publish(site, numbered(2))
    installation = Searching(tmp_path, ca_bundle, [site], secure.url, "untrusted")
    given = {"CA": secure.authority, **settings}
    run = installation.run(
        LOG_LEVEL="WARNING",
        **{f"WOO_ELASTICSEARCH_{name}": value for name, value in given.items() if value is not None},
    )
    assert (run.returncode, run.records, site.requests) == (1, [], [])
    assert line in run.stderr
    assert run.stderr.count("\n") == 1


def test_an_api_key_for_this_index_alone_is_enough(
    secure: Server, tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    publish(site, numbered(5))
    privileges = ["auto_configure", "create_index", "manage", "read", "write"]
    role = {"cluster": [], "indices": [{"names": ["keyed", "keyed-v*"], "privileges": privileges}]}
    with secure.client() as client:
        key = client.security.create_api_key(name="woo", role_descriptors={"woo": role})["encoded"]
        installation = Searching(tmp_path, ca_bundle, [site], secure.url, "keyed")
        run = installation.run(WOO_ELASTICSEARCH_API_KEY=key, WOO_ELASTICSEARCH_CA=secure.authority)
        assert run.returncode == 0, run.stderr
        assert_agree(client, "keyed", tmp_path, all_of(site, 5))
        names = ["keyed", "keyed-v*", "keyed-p", "keyed-p-v*"]
        role = {"cluster": [], "indices": [{"names": names, "privileges": ["read", "view_index_metadata"]}]}
        key = client.security.create_api_key(name="portal", role_descriptors={"portal": role})["encoded"]
    with Elasticsearch(secure.url, api_key=key, ca_certs=str(secure.authority)) as reading:
        engine = ElasticsearchEngine(reading, {Kind.woo: "keyed", Kind.vergunningen: "keyed-p"}, 30)
        question = Question(Kind.woo)
        assert engine.search(question).total == len(list(engine.all_documents(question))) == 5
        assert len(engine.changes(Kind.woo, Followed(), 9).documents) == 5
        assert (engine.contents(Kind.woo).published, engine.contents(Kind.vergunningen).published) == (5, 0)
        with pytest.raises(AuthorizationException):
            reading.delete_by_query(index="keyed", query={"match_all": {}})
