"""The engine when Elasticsearch is not there, is slow, or has no index; its answers are in tests/portal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest
from elasticsearch import Elasticsearch

from tests.portal.suite_records import woo
from tests.utils.ports import free_port
from tests.utils.waiting import wait_until
from woo_harvester.outputs.bulk import BulkWriter
from woo_harvester.outputs.definition import PERMITS, WOO
from woo_harvester.outputs.document import Withdrawn, bulk_action
from woo_harvester.outputs.indices import create_index
from woo_portal.elasticsearch import ElasticsearchEngine
from woo_portal.engine import Contents, EngineError, SlowQuestionError
from woo_portal.question import Question

pytestmark = pytest.mark.integration


def engine_of(client: Elasticsearch, alias: str, seconds: float = 30.0) -> ElasticsearchEngine:
    return ElasticsearchEngine(client, {WOO.name: alias, PERMITS.name: f"{alias}-p"}, seconds)


def test_an_alias_without_an_index_is_empty(elasticsearch: Elasticsearch, alias: str) -> None:
    engine = engine_of(elasticsearch, alias)
    answer = engine.search(Question(WOO))
    assert (answer.total, answer.hits, set(map(len, answer.counts.values()))) == (0, [], {0})
    assert engine.get(WOO, "x") is None
    assert list(engine.all_documents(Question(WOO))) == []
    assert engine.contents(WOO) == Contents(0, 0, 0, None)
    assert engine.version() == engine.version()


def test_the_version_changes_with_what_can_be_seen(elasticsearch: Elasticsearch, alias: str) -> None:
    create_index(elasticsearch, alias, WOO, aliased=True)
    engine, versions = engine_of(elasticsearch, alias), []
    first, later = woo("a", "Een"), woo("a", "Twee")
    later["herkomst"]["opgehaald"] = "2026-11-22T08:00:00+01:00"
    for change in ([], [first], [later], [woo("b", "Drie")]):
        BulkWriter(elasticsearch, alias, 1).write([bulk_action(WOO, one, Withdrawn.MARK) for one in change])
        elasticsearch.indices.refresh(index=alias)
        versions.append(engine.version())
    elasticsearch.delete(index=alias, id="a", refresh=True)
    versions.append(engine.version())
    assert len(set(versions)) == 5
    assert engine.version() == versions[-1]


def test_all_hits_are_read_in_parts(elasticsearch: Elasticsearch, alias: str) -> None:
    create_index(elasticsearch, alias, WOO, aliased=True)
    records = [woo(f"{number:04}", "Brief") for number in range(1201)]
    BulkWriter(elasticsearch, alias, 1).write([bulk_action(WOO, one, Withdrawn.MARK) for one in records])
    elasticsearch.indices.refresh(index=alias)
    engine = engine_of(elasticsearch, alias)
    assert [found["id"] for found in engine.all_documents(Question(WOO))] == [one["id"] for one in records]
    half = engine.all_documents(Question(WOO))
    assert next(half)["id"] == "0000"
    assert open_contexts(elasticsearch, alias) == 1
    half.close()  # type: ignore[attr-defined]  # a generator: who does not read on leaves nothing open
    # only of this index: other tests ask the same server at the same moment
    wait_until(lambda: open_contexts(elasticsearch, alias) == 0, "Elasticsearch keeps nothing for the reader")


def open_contexts(client: Elasticsearch, alias: str) -> int:
    """Return how many readers hold something of the index *alias* open."""
    found = client.indices.stats(index=alias, metric="search")["_all"]["total"]["search"]["open_contexts"]
    assert isinstance(found, int)
    return found


def test_a_server_that_is_away_is_one_line() -> None:
    client = Elasticsearch(f"http://127.0.0.1:{free_port()}")
    with pytest.raises(EngineError, match=r"^Elasticsearch cannot be reached .*WOO_ELASTICSEARCH_URL$"):
        engine_of(client, "woo").search(Question(WOO))


def test_a_question_that_takes_too_long_ends() -> None:
    with hanging() as url, pytest.raises(SlowQuestionError, match="needs too long"):
        engine_of(Elasticsearch(url), "woo", seconds=0.1).search(Question(WOO))


@contextmanager
def hanging() -> Iterator[str]:
    """A server that does not answer until the end of the test."""
    over = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            over.wait(30)

        do_GET = do_HEAD = do_POST  # noqa: N815 -- http.server asks for these names

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            over.set()
            server.shutdown()
            thread.join()
