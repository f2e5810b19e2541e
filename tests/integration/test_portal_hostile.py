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
from tests.utils.waiting import STUCK, wait_until

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
    "template that reads": (asked("{{ config.__class__.__init__.__globals__ }}"), 200),
    "SQL": (asked("' OR 1=1; DROP TABLE documents; --"), 200),
    "JSON of Elasticsearch": (asked('{"query": {"match_all": {}}, "size": 100000}'), 200),
    "script of Elasticsearch": (asked('{"script": {"source": "while (true) {}"}}'), 200),
    "operators of Lucene": (asked("*:* AND NOT (tekst:/.*/ OR titel:[* TO *])~5^99 \\"), 200),
    "wildcards": (asked("*" * 200 + " ?" * 10), 200),
    "regular expression": (asked("(a+)+$ (.*)*b [[:alpha:]]{1,99999}"), 200),
    "operators of SQLite": (asked("NEAR(a b, 999999999) AND {titel tekst}: * ^x"), 200),
    "shell": (asked("$(reboot) `reboot` | reboot; reboot && reboot"), 200),
    "log": (asked("${jndi:ldap://127.0.0.1/a}"), 200),
    "format": (asked("%s%n%x {0.__class__} %(key)s"), 200),
    "entities": (asked('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>&a;'), 200),
    "header in a question": (asked("x\r\nSet-Cookie: a=b\r\n\r\n<html>"), 200),
    # Texts that are strange; tests/portal has more of them, and of parameters.
    "quotes": (asked('"' * 400), 200),
    "combining marks": (asked("e" + "\u0301" * 400), 200),
    "invalid UTF-8": (get("/?q=%ff%fe%fd"), 400),
    "many parameters": (get("/?" + "a&" * 3000), 400),
    "too long an address": (get("/?q=" + "a" * 9000), 400),
    # Paths.
    "path to a file": (get("/../../../../etc/passwd"), 404),
    "encoded path to a file": (get("/%2e%2e/%2e%2e/etc/passwd"), 404),
    "path twice encoded": (get("/document/%252e%252e%252fetc%252fpasswd"), 404),
    "path to the style's neighbours": (get("/stijl-../../portal/app.py"), 404),
    "path to another server": (get("//elders.example/%2e%2e"), 404),
    "absolute address": (get("http://elders.example/"), 404),
    "anything as a target": (get("*", method="OPTIONS"), 404),
    "not ASCII": (b"GET /\xe9\xff HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    # Methods and bodies.
    "deletion": (get(_KNOWN, method="DELETE"), 405),
    "writing": (get("/", "Content-Length: 2", method="PUT", body=b"{}"), 405),
    "form": (get("/", "Content-Length: 3", method="POST", body=b"q=a"), 405),
    "trace": (get("/", method="TRACE"), 405),
    "proxy": (get("elders.example:443", method="CONNECT"), 404),
    "other method": (get("/", method="x" * 1000), 405),
    "huge body": (get("/api/v0/zoek", "Content-Length: 70000", method="POST", body=b"x" * 70_000), 400),
    "body with a GET": (get("/gezond", "Content-Length: 5", body=b"hello"), 200),
    # Headers.
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": (get("/", "Host: elders.example"), 400),
    "other host": (b'GET / HTTP/1.1\r\nHost: elders.example"><script>\r\n\r\n', 200),
    "two lengths": (get("/", "Content-Length: 1", "Content-Length: 2"), 400),
    "length and chunks": (
        get("/", "Content-Length: 4", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
        200,
    ),
    "unknown coding": (get("/", "Transfer-Encoding: xchunked"), 400),
    "negative length": (get("/", "Content-Length: -1"), 400),
    "large header": (get("/", "X: " + "x" * 15_000), 200),
    "many headers": (get("/", *("A: b",) * 200), 200),
    "folded header": (get("/", "A: b\r\n c: d"), 200),
    "header without a name": (get("/", ": x"), 400),
    "other client": (get("/", "X-Forwarded-For: <script>, ${x}", "X-Forwarded-Proto: javascript"), 200),
    "other path": (get("/", "X-Forwarded-Prefix: //elders.example", "X-Original-URL: /x"), 200),
    "web socket": (get("/", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"), 200),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 404),
    "many ranges": (get("/", "Range: bytes=" + ",".join(["0-1"] * 1000)), 200),
    "cookie": (get("/", "Cookie: " + "a=b; " * 500), 200),
    # What is no HTTP at all.
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200 + b"\r\n\r\n", 400),
    "noise": (bytes(range(128, 256)) * 20 + b"\r\n\r\n", 400),
    "empty lines": (b"\r\n" * 5000, 400),
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


def received(connection: socket.socket) -> bytes:
    found = b""
    try:
        while part := connection.recv(65536):
            found += part
    except ConnectionResetError:
        pass
    return found


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


def is_refused(connection: socket.socket, data: bytes) -> bool:
    """Whether a byte cannot be sent any more."""
    try:
        connection.sendall(data)
    except OSError:
        return True
    return False


@pytest.mark.parametrize("start", [b"GET /?q=", b"GET / HTTP/1.1\r\nHost: portal.test\r\nX: "])
def test_an_address_or_a_header_without_end_is_broken_off(portal: str, start: bytes) -> None:
    with connected(portal) as connection:
        connection.sendall(start)
        wait_until(lambda: is_refused(connection, b"x" * 65536), "the connection is closed")
    assert is_well(portal)


def test_many_connections_that_say_nothing_keep_nobody_out(portal: str) -> None:
    silent = [connected(portal) for _ in range(300)]
    try:
        for connection in silent:
            connection.sendall(b"GET /?q=a HTTP/1.1\r\n")
        assert is_well(portal)
    finally:
        for connection in silent:
            connection.close()
    assert is_well(portal)


def test_clients_that_leave_before_the_answer_cost_nothing(portal: str) -> None:
    for _ in range(100):
        with connected(portal) as connection:
            connection.sendall(get("/?q=stikstof"))
    assert is_well(portal)


def test_requests_one_after_another_on_one_connection_are_all_answered(portal: str) -> None:
    with connected(portal) as connection:
        connection.sendall(get("/gezond") * 200)
        answer = received(connection)
    assert answer.count(b"HTTP/1.1 200") == 200
