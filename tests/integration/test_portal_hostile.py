"""Hostile requests to a real portal: each gets its status, and the next one is answered."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.integration.hostile_questions import QUESTIONS, get
from tests.portal.records import bare, full
from tests.utils.portals import portal_over
from tests.utils.waiting import STUCK, wait_until

pytestmark = pytest.mark.integration

#: More than any page of these records.
LARGEST = 100_000


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with portal_over([full(), bare()], tmp_path_factory.mktemp("portal"), patience=1) as address:
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
    for leak in (b"Traceback", b"root:", b"woo_harvester.", b'File "', b"<script", b">49<"):
        assert leak not in answer
    assert is_well(portal)


def test_there_are_at_least_sixty() -> None:
    assert len(QUESTIONS) >= 60


def test_a_request_that_comes_byte_by_byte_for_ever_is_ended(portal: str) -> None:
    with connected(portal) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: portal.test\r\nX: ")
        wait_until(lambda: is_refused(connection, b"x"), "the connection is closed")
    assert is_well(portal)


def is_refused(connection: socket.socket, data: bytes) -> bool:
    """Whether a byte cannot be sent any more."""
    try:
        connection.sendall(data)
    except OSError:
        return True
    return False


def test_a_second_request_on_a_connection_must_come_in_time_too(portal: str) -> None:
    with connected(portal) as connection:
        connection.sendall(get("/gezond") + b"GET /")
        assert b"gezond" in received(connection)
    assert is_well(portal)


@pytest.mark.parametrize("start", [b"GET /?q=", b"GET / HTTP/1.1\r\nHost: portal.test\r\nX: "])
def test_an_address_or_a_header_without_end_is_broken_off(portal: str, start: bytes) -> None:
    with connected(portal) as connection:
        connection.sendall(start)
        wait_until(lambda: is_refused(connection, b"x" * 65536), "the connection is closed")
    assert is_well(portal)


def test_a_body_that_never_comes_is_given_up(portal: str) -> None:
    with connected(portal) as connection:
        connection.sendall(get("/api/v0/zoek", "Content-Length: 10", method="POST", body=b"{"))
        assert received(connection).startswith(b"HTTP/1.1 408")
    assert is_well(portal)


def test_many_connections_that_say_nothing_keep_nobody_out(portal: str) -> None:
    silent = [connected(portal) for _ in range(300)]
    try:
        for connection in silent:
            connection.sendall(b"GET /?q=a HTTP/1.1\r\n")
        assert is_well(portal)
        assert [received(connection) for connection in silent] == [b""] * len(silent)
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


def test_the_headers_of_every_answer_are_safe(portal: str, tmp_path: Path) -> None:
    for path in ("/", "/?q=a", "/niets", "/gezond", "/?x", "/robots.txt"):
        headers = httpx.get(portal + path, trust_env=False).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
