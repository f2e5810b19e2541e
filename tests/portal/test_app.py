from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest
from lxml import html

from tests.portal.client import Client, client_of
from tests.portal.records import full
from woo_portal.app import Options
from woo_portal.asking import BusyError
from woo_portal.engine import EngineError, SlowQuestionError


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of([])


def test_pages_can_only_be_read(client: Client) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        answer = client.request(method, "/")
        assert (answer.status_code, set(answer.headers["allow"].split(", "))) == (405, {"GET", "HEAD"}), (
            method
        )
    assert client.request("HEAD", "/").status_code == 200


def test_below_the_path_of_a_proxy_the_api_is_still_one(client: Client) -> None:
    answer = client.request("POST", "/woo/api/v0/niets", root_path="/woo", content=b"{}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


SECRET = "http://elastic:geheim@10.0.0.1:9200"


def client_that(fail: Callable[[], Any], seconds: float = 60) -> Client:
    """Return a client of a portal whose engine fails in one way."""
    client = client_of([full()], Options(seconds=seconds))
    client.app.state.engine.search = lambda question: fail()
    return client


def raising(error: Exception) -> Callable[[], Any]:
    def fail() -> None:
        raise error

    return fail


def heading(page: str) -> str:
    return str(html.fromstring(page).cssselect("h1")[0].text_content())


def test_a_portal_that_is_busy_with_others_is_healthy() -> None:
    portal = client_that(raising(BusyError()))
    assert portal.get("/?q=a").status_code == 503
    assert portal.get("/gezond").text == "gezond\n"


def test_a_fault_is_a_page_that_shows_nothing_of_the_inside_and_the_portal_is_not_healthy() -> None:
    cases: list[tuple[Exception, int, str]] = [
        (EngineError(SECRET), 503, "Zoeken lukt nu even niet"),
        (SlowQuestionError(SECRET), 503, "Zoeken lukt nu even niet"),
        (ValueError(SECRET), 500, "Er ging iets mis"),
    ]
    for error, status, title in cases:
        client = client_that(raising(error))
        answer = client.get("/?q=a")
        assert (answer.status_code, heading(answer.text)) == (status, title)
        assert "geheim" not in answer.text, error
        assert "Error" not in answer.text, error
        assert ("retry-after" in answer.headers) is (status == 503), error
        assert "default-src 'none'" in answer.headers["content-security-policy"], error
        health = client.get("/gezond")
        assert (health.status_code, "gezond\n" in health.text) == (status, False), error
        program = client.get("/api/v0/zoek")
        assert (program.status_code, "geheim" in program.text) == (status, False), error


def test_the_operator_sees_why_the_engine_cannot_answer(caplog: pytest.LogCaptureFixture) -> None:
    client_that(raising(EngineError("disk full"))).get("/?q=a")
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.ERROR, "the search engine cannot answer: disk full")
    ]


def test_a_question_without_end_is_given_up_with_advice() -> None:
    free = threading.Event()
    try:
        answer = client_that(lambda: free.wait(60), seconds=0.05).get("/?q=a")
    finally:
        free.set()
    assert answer.status_code == 503
    assert "Gebruik minder of andere woorden" in answer.text


def test_a_program_gets_json_and_a_person_a_page() -> None:
    for path, kind in (("/niets", "text/html"), ("/api/niets", "application/problem+json")):
        answer = client_that(lambda: None).get(path)
        assert answer.status_code == 404, path
        assert answer.headers["content-type"].startswith(kind), path
        assert "Misschien is het adres verkeerd overgenomen." in answer.text, path


def test_an_address_with_a_slash_too_many_leads_to_no_other_host() -> None:
    answer = client_that(lambda: None).get("/organisaties/", headers={"host": "elders.example"})
    assert answer.status_code == 404
    assert "elders.example" not in answer.text + str(answer.headers)


def test_an_error_of_a_file_is_json_for_a_program_and_a_page_in_a_browser() -> None:
    portal = client_of([full()])
    for path in ["/wijzigingen.jsonl", "/wijzigingen.atom", "/zoek.jsonl", "/zoek.csv", "/zoek.atom"]:
        asked = f"{path}?aantal=x"
        assert portal.get(asked).json()["detail"].startswith("aantal is een getal"), path
        assert (
            heading(portal.get(asked, headers={"accept": "text/html,*/*"}).text) == "Deze vraag kan niet"
        ), path


def test_what_others_add_to_an_address_is_no_part_of_the_question() -> None:
    portal = client_of([full()])
    for path, query in (
        ("/", ""),
        ("/", "q=stikstof"),
        ("/zoek", "q=x"),
        ("/wijzigingen", ""),
        ("/zoek.atom", ""),
    ):
        expected = portal.get(f"{path}?{query}".rstrip("?")).text
        for added in ("fbclid=1", "utm_source=x&utm_campaign=y", "ref=nu.nl", "gclid"):
            for both in (f"{query}&{added}".lstrip("&"), f"{added}&{query}".rstrip("&")):
                assert portal.get(f"{path}?{both}").text == expected, (path, both)
    assert portal.get("/?q=x&refs=1").status_code == 400
