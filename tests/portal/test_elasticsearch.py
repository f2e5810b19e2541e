"""The engine when Elasticsearch is not there, is slow, or has no index; its answers are in tests/portal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest
from elasticsearch import Elasticsearch

from tests.portal.suite_records import woo
from tests.utils.waiting import wait_until
from woo_harvester.kinds import PERMITS, WOO
from woo_harvester.outputs.bulk import BulkWriter
from woo_harvester.outputs.definition import definition
from woo_harvester.outputs.document import Withdrawn, bulk_action, document_of
from woo_harvester.outputs.indices import create_index, move_alias
from woo_portal.elasticsearch import MATCH_BEGIN as BEGIN
from woo_portal.elasticsearch import MATCH_END as END
from woo_portal.elasticsearch import (
    ElasticsearchEngine,
    pieces,
    search_body,
    wants_highlights,
)
from woo_portal.engine import (
    Contents,
    EngineError,
    Piece,
    SlowQuestionError,
)
from woo_portal.question import Question, clauses_of


def engine_of(client: Elasticsearch, alias: str, seconds: float = 30.0) -> ElasticsearchEngine:
    return ElasticsearchEngine(client, {WOO.name: alias, PERMITS.name: f"{alias}-p"}, seconds)


@pytest.mark.integration
def test_an_alias_without_an_index_is_empty(elasticsearch: Elasticsearch, alias: str) -> None:
    engine = engine_of(elasticsearch, alias)
    answer = engine.search(Question(WOO))
    assert (answer.total, answer.hits, set(map(len, answer.counts.values()))) == (0, [], {0})
    assert engine.get(WOO, "x") is None
    assert list(engine.all_documents(Question(WOO))) == []
    assert engine.contents(WOO) == Contents(0, 0, 0, None)
    assert engine.version() == engine.version()


@pytest.mark.integration
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


@pytest.mark.integration
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
    half.close()
    # only of this index: other tests ask the same server at the same moment
    wait_until(lambda: open_contexts(elasticsearch, alias) == 0, "Elasticsearch keeps nothing for the reader")


def open_contexts(client: Elasticsearch, alias: str) -> int:
    """Return how many readers hold something of the index *alias* open."""
    found = client.indices.stats(index=alias, metric="search")["_all"]["total"]["search"]["open_contexts"]
    assert isinstance(found, int)
    return found


def test_a_server_that_is_away_is_one_line() -> None:
    client = Elasticsearch("http://127.0.0.1:1")
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


# The engine over an index of another version, a server that is something else, and a rebuild under it.


def write(client: Elasticsearch, index: str, *records: dict[str, object]) -> None:
    actions = [bulk_action(WOO, record, Withdrawn.MARK) for record in records]
    assert not BulkWriter(client, index, 1).write(actions).refused
    client.indices.refresh(index=index)


@pytest.mark.integration
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


@pytest.mark.integration
def test_an_index_of_the_other_kind_is_refused(elasticsearch: Elasticsearch, alias: str) -> None:
    create_index(elasticsearch, alias, PERMITS, aliased=True)
    with pytest.raises(EngineError, match=r"kind vergunningen, and not woo.*WOO_ELASTICSEARCH_INDEX"):
        engine_of(elasticsearch, alias).contents(WOO)


@pytest.mark.integration
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


@pytest.mark.integration
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


@pytest.mark.integration
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


@pytest.mark.integration
def test_an_index_that_goes_while_it_is_read_is_an_error(elasticsearch: Elasticsearch, alias: str) -> None:
    name = create_index(elasticsearch, alias, WOO, aliased=True)
    write(elasticsearch, alias, *(woo(f"{number:04}", "Brief") for number in range(600)))
    reading = engine_of(elasticsearch, alias).all_documents(Question(WOO))
    next(reading)
    elasticsearch.indices.delete(index=name)
    with pytest.raises(EngineError, match="Elasticsearch answered 404"):
        list(reading)


@pytest.mark.integration
def test_a_text_of_millions_of_characters_is_marked(elasticsearch: Elasticsearch, alias: str) -> None:
    create_index(elasticsearch, alias, WOO, aliased=True)
    write(elasticsearch, alias, woo("a", "Boek", "stikstof " + "veel woorden " * 200_000 + "polder"))
    engine = engine_of(elasticsearch, alias)
    (hit,) = engine.search(Question(WOO, clauses_of("stikstof polder"))).hits
    assert [piece.text for each in hit.fragments for piece in each if piece.is_match] == ["stikstof"]
    assert all(sum(len(piece.text) for piece in each) <= 300 for each in hit.fragments)


def test_a_server_that_answers_otherwise_is_one_line() -> None:
    for status, headers, content, message in [
        (200, {}, b"<html>a router</html>", "^Elasticsearch cannot be used: "),
        (502, {"Content-Type": "text/html"}, b"<html>\n<h1>Bad\ngateway</h1>" + b"x" * 9999, "answered 502"),
        (401, {"X-Elastic-Product": "Elasticsearch"}, b"{}", "WOO_ELASTICSEARCH_API_KEY"),
        (403, {"X-Elastic-Product": "Elasticsearch"}, b"{}", "WOO_ELASTICSEARCH_API_KEY"),
        (503, {"X-Elastic-Product": "Elasticsearch"}, b"{}", "answered 503"),
        (200, {"X-Elastic-Product": "Elasticsearch"}, b'{"half', "Elasticsearch"),
    ]:
        with (
            answering(status, headers, content) as url,
            Elasticsearch(url) as client,
            pytest.raises(EngineError, match=message) as caught,
        ):
            engine_of(client, "woo").search(Question(WOO))
        assert "\n" not in str(caught.value), (status, headers)
        assert len(str(caught.value)) < 300, (status, headers)


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


# Highlighted texts in pieces.


def test_a_text_comes_in_pieces_in_its_order() -> None:
    assert pieces(f"De {BEGIN}brief{END} over {BEGIN}water{END}") == [
        Piece("De "),
        Piece("brief", is_match=True),
        Piece(" over "),
        Piece("water", is_match=True),
    ]


HOSTILE = ["", "a", BEGIN, END, f"{END}a", f"a{END}b", f"{BEGIN}a", f"{BEGIN}{END}"]


def test_no_mark_of_a_publisher_is_shown_and_no_other_character_is_lost() -> None:
    for text in [*HOSTILE, f"{BEGIN}a{BEGIN}b{END}{END}c"]:
        made = pieces(text)
        assert "".join(piece.text for piece in made) == text.replace(BEGIN, "").replace(END, ""), text
        assert all(piece.text for piece in made), text


def test_what_is_not_wanted_is_not_computed() -> None:
    body = search_body(Question(WOO, clauses_of("x"), with_counts=False, with_highlights=False), 5)
    assert {"aggs", "highlight", "post_filter"}.isdisjoint(body)
    assert "highlight" not in search_body(Question(WOO, clauses_of("-x")), 5)


def test_a_text_that_is_only_excluded_marks_nothing() -> None:
    assert not wants_highlights(Question(WOO, clauses_of("-brief")))
    assert not wants_highlights(Question(WOO, clauses_of("brief"), with_highlights=False))
    assert wants_highlights(Question(WOO, clauses_of("brief")))


def test_a_page_of_more_hits_marks_less_of_each_text() -> None:
    for size, characters in [(1, 200_000), (10, 20_000), (100, 5_000), (0, 200_000)]:
        body = search_body(Question(WOO, clauses_of("brief"), size=size), 5)
        assert body["highlight"]["max_analyzed_offset"] == characters, size
