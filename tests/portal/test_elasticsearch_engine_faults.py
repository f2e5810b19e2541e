"""The engine over an index of another version, a server that is something else, and a rebuild under it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from elasticsearch import Elasticsearch

from tests.portal.suite_records import woo
from woo_harvester.outputs.bulk import BulkWriter
from woo_harvester.outputs.definition import PERMITS, WOO, definition
from woo_harvester.outputs.document import Withdrawn, bulk_action, document_of
from woo_harvester.outputs.indices import create_index, move_alias
from woo_portal.elasticsearch import ElasticsearchEngine
from woo_portal.engine import EngineError
from woo_portal.question import Question, clauses_of

pytestmark = pytest.mark.integration


def engine_of(client: Elasticsearch, alias: str) -> ElasticsearchEngine:
    return ElasticsearchEngine(client, {WOO.name: alias, PERMITS.name: f"{alias}-p"}, 30.0)


def write(client: Elasticsearch, index: str, *records: dict[str, object]) -> None:
    actions = [bulk_action(WOO, record, Withdrawn.MARK) for record in records]
    assert not BulkWriter(client, index, 1).write(actions).refused
    client.indices.refresh(index=index)


def test_an_index_of_an_older_mapping_is_refused(elasticsearch: Elasticsearch, alias: str) -> None:
    mappings = {**definition(WOO)["mappings"], "_meta": {"woo_harvester": {"mapping": 1, "version": "0.1.0"}}}
    settings = definition(WOO)["settings"]
    elasticsearch.indices.create(
        index=f"{alias}-v1", settings=settings, mappings=mappings, aliases={alias: {}}
    )
    engine = engine_of(elasticsearch, alias)
    for ask in (engine.version, lambda: engine.search(Question(WOO)), lambda: engine.get(WOO, "a")):
        with pytest.raises(EngineError, match=r"has mapping 1 of .*scrapy index --rebuild") as caught:
            ask()
        assert "\n" not in str(caught.value)
    with pytest.raises(EngineError, match="mapping 1"):
        list(engine.all_documents(Question(WOO)))


def test_an_index_of_the_other_kind_is_refused(elasticsearch: Elasticsearch, alias: str) -> None:
    create_index(elasticsearch, alias, PERMITS, aliased=True)
    with pytest.raises(EngineError, match=r"kind vergunningen, and not woo.*WOO_ELASTICSEARCH_INDEX"):
        engine_of(elasticsearch, alias).contents(WOO)


def test_an_index_that_comes_later_is_found_and_was_missed_in_one_line(
    elasticsearch: Elasticsearch, alias: str, caplog: pytest.LogCaptureFixture
) -> None:
    engine = engine_of(elasticsearch, alias)
    before = engine.version()
    assert [engine.search(Question(WOO)).total for _ in range(3)] == [0, 0, 0]
    lines = [record.getMessage() for record in caplog.records if alias in record.getMessage()]
    assert lines == [
        f"Elasticsearch has no index {name} yet ({setting}): it counts as empty"
        for name, setting in (
            (alias, "WOO_ELASTICSEARCH_INDEX"),
            (f"{alias}-p", "WOO_ELASTICSEARCH_PERMITS_INDEX"),
        )
    ]
    create_index(elasticsearch, alias, WOO, aliased=True)
    write(elasticsearch, alias, woo("a", "Brief"))
    assert engine.search(Question(WOO)).total == 1
    assert engine.version() != before


def test_a_rebuilt_index_has_another_version(elasticsearch: Elasticsearch, alias: str) -> None:
    create_index(elasticsearch, alias, WOO, aliased=True)
    write(elasticsearch, alias, woo("a", "Brief"))
    engine = engine_of(elasticsearch, alias)
    before = engine.version()
    new = create_index(elasticsearch, alias, WOO, aliased=False)
    elasticsearch.index(index=new, id="b", document=document_of(WOO, woo("b", "Besluit")), refresh=True)
    assert engine.version() == before
    move_alias(elasticsearch, alias, new)
    assert engine.version() != before
    assert [hit.document["id"] for hit in engine.search(Question(WOO)).hits] == ["b"]


def test_all_documents_are_those_of_the_first_moment(elasticsearch: Elasticsearch, alias: str) -> None:
    create_index(elasticsearch, alias, WOO, aliased=True)
    write(elasticsearch, alias, *(woo(f"{number:04}", "Brief") for number in range(1000)))
    engine = engine_of(elasticsearch, alias)
    reading = engine.all_documents(Question(WOO))
    seen = [next(reading)["id"]]
    write(elasticsearch, alias, woo("0000x", "Later"))
    elasticsearch.delete(index=alias, id="0999", refresh=True)
    seen += [document["id"] for document in reading]
    assert seen == [f"{number:04}" for number in range(1000)]


def test_an_index_that_goes_while_it_is_read_is_an_error(elasticsearch: Elasticsearch, alias: str) -> None:
    name = create_index(elasticsearch, alias, WOO, aliased=True)
    write(elasticsearch, alias, *(woo(f"{number:04}", "Brief") for number in range(600)))
    reading = engine_of(elasticsearch, alias).all_documents(Question(WOO))
    next(reading)
    elasticsearch.indices.delete(index=name)
    with pytest.raises(EngineError, match="Elasticsearch answered 404"):
        list(reading)


def test_a_text_of_millions_of_characters_is_marked(elasticsearch: Elasticsearch, alias: str) -> None:
    create_index(elasticsearch, alias, WOO, aliased=True)
    write(elasticsearch, alias, woo("a", "Boek", "stikstof " + "veel woorden " * 200_000 + "polder"))
    engine = engine_of(elasticsearch, alias)
    (hit,) = engine.search(Question(WOO, clauses_of("stikstof polder"))).hits
    assert [piece.text for each in hit.fragments for piece in each if piece.is_match] == ["stikstof"]
    assert all(sum(len(piece.text) for piece in each) <= 300 for each in hit.fragments)


def test_a_very_long_word_makes_no_long_fragment(elasticsearch: Elasticsearch, alias: str) -> None:
    create_index(elasticsearch, alias, WOO, aliased=True)
    write(elasticsearch, alias, woo("a", "Boek", "polder " + "a" * 100_000 + " polder"))
    (hit,) = engine_of(elasticsearch, alias).search(Question(WOO, clauses_of("polder"))).hits
    shown = ["".join(piece.text for piece in each) for each in hit.fragments]
    assert max(map(len, shown)) <= 300
    assert all("polder" in each for each in shown)
    assert all(any(piece.is_match for piece in each) for each in hit.fragments)


@pytest.mark.parametrize(
    ("status", "headers", "content", "message"),
    [
        (200, {}, b"<html>a router</html>", "^Elasticsearch cannot be used: "),
        (502, {"Content-Type": "text/html"}, b"<html>\n<h1>Bad\ngateway</h1>" + b"x" * 9999, "answered 502"),
        (401, {"X-Elastic-Product": "Elasticsearch"}, b"{}", "WOO_ELASTICSEARCH_API_KEY"),
        (403, {"X-Elastic-Product": "Elasticsearch"}, b"{}", "WOO_ELASTICSEARCH_API_KEY"),
        (503, {"X-Elastic-Product": "Elasticsearch"}, b"{}", "answered 503"),
        (200, {"X-Elastic-Product": "Elasticsearch"}, b'{"half', "Elasticsearch"),
    ],
    ids=["something else", "a proxy", "no key", "no right", "too busy", "broken"],
)
def test_a_server_that_answers_otherwise_is_one_line(
    status: int, headers: dict[str, str], content: bytes, message: str
) -> None:
    with (
        answering(status, headers, content) as url,
        Elasticsearch(url) as client,
        pytest.raises(EngineError, match=message) as caught,
    ):
        engine_of(client, "woo").search(Question(WOO))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@contextmanager
def answering(status: int, headers: dict[str, str], content: bytes) -> Iterator[str]:
    """Give the address of a server with one answer to everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815  -- a name of the standard library

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
