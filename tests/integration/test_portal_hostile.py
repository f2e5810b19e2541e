"""Hostile requests to a real portal: each gets its status, and the next one is answered."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPResponse
from urllib.parse import quote, urlsplit

import httpx
import pytest

from tests.portal.records import bare, full
from tests.utils.portals import portal_over
from tests.utils.waiting import STUCK

HOST = b"Host: portal.test\r\n"
_KNOWN = "/document/00000000-0000-5000-8000-000000000000"


def get(target: str, *headers: str, method: str = "GET", body: bytes = b"") -> bytes:
    """Return a request as it is on the wire."""
    head = "".join(f"{each}\r\n" for each in headers).encode("latin-1")
    return f"{method} {target} HTTP/1.1\r\n".encode("latin-1") + HOST + head + b"\r\n" + body


def asked(text: str) -> bytes:
    """Return a search for a text."""
    return get(f"/?q={quote(text, safe='')}")


#: By name: the request, and its status.
QUESTIONS: dict[str, tuple[bytes, int]] = {
    # Injection into whatever reads the text of a question.
    "markup": (asked("<script>alert(1)</script>"), 200),
    "end of an attribute": (asked("\"'><svg onload=alert(1)>"), 200),
    "template": (asked("{{ 7 * 7 }}{% for x in () %}${7*7}#{7*7}"), 200),
    "header in a question": (asked("x\r\nSet-Cookie: a=b\r\n\r\n<html>"), 200),
    # Texts that are strange; tests/portal has more of them, and of parameters.
    "invalid UTF-8": (get("/?q=%ff%fe%fd"), 400),
    "too long an address": (get("/?q=" + "a" * 9000), 400),
    # Paths.
    "path to a file": (get("/../../../../etc/passwd"), 404),
    "encoded path to a file": (get("/%2e%2e/%2e%2e/etc/passwd"), 404),
    "path to another server": (get("//elders.example/%2e%2e"), 404),
    "absolute address": (get("http://elders.example/"), 404),
    "not ASCII": (b"GET /\xe9\xff HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    # Methods and bodies.
    "huge body": (get("/api/v0/zoek", "Content-Length: 70000", method="POST", body=b"x" * 70_000), 400),
    # Headers. A web server before the portal bounds their number and size.
    "other host": (b'GET / HTTP/1.1\r\nHost: elders.example"><script>\r\n\r\n', 200),
    "other client": (get("/", "X-Forwarded-For: <script>, ${x}", "X-Forwarded-Proto: javascript"), 200),
    "other path": (get("/", "X-Forwarded-Prefix: //elders.example", "X-Original-URL: /x"), 200),
}


pytestmark = pytest.mark.integration

#: More than any page of these records.
LARGEST = 100_000


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with portal_over([full(), bare()], tmp_path_factory.mktemp("portal")) as address:
        yield address


def connected(portal: str) -> socket.socket:
    parts = urlsplit(portal)
    assert parts.hostname
    assert parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=STUCK)


def answer_to(portal: str, request: bytes) -> tuple[int, bytes]:
    """The status of the answer, and the answer with its headers."""
    with connected(portal) as connection:
        with suppress(OSError):  # it has answered already, and closed
            connection.sendall(request)
        response = HTTPResponse(connection)
        response.begin()
        body = response.read(LARGEST)
        assert "Set-Cookie" not in response.headers
        return response.status, str(response.headers).encode() + body


def is_well(portal: str) -> bool:
    return httpx.get(f"{portal}/gezond", trust_env=False).text == "gezond\n"


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_hostile_question_gets_its_status_and_the_portal_goes_on(portal: str, name: str) -> None:
    request, status = QUESTIONS[name]
    found, answer = answer_to(portal, request)
    assert found == status, answer[:3000]
    assert len(answer) < LARGEST
    assert b"\nserver:" not in b"\n" + answer.lower()
    for leak in (b"Traceback", b"root:", b"woo_harvester.", b'File "', b"<script", b">49<"):
        assert leak not in answer
    assert is_well(portal)


def test_clients_that_leave_before_the_answer_cost_nothing(portal: str) -> None:
    for _ in range(100):
        with connected(portal) as connection:
            connection.sendall(get("/?q=stikstof"))
    assert is_well(portal)
