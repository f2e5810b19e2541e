"""Feeds, files and the API of a real server: many rows, slow readers, and readers that go away."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx
import pytest

from tests.portal.short_records import document
from tests.utils.portals import portal_over
from tests.utils.waiting import wait_until
from woo_portal.asking import MAX_DOWNLOADS

pytestmark = pytest.mark.integration

MOST = MAX_DOWNLOADS
#: Enough that no buffer of a connection has all of a download.
NUMBER, SIZE = 3000, 6000


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    records = (document(f"nummer {n:04}", omschrijvingen=["x" * SIZE]) for n in range(NUMBER))
    with portal_over(records, tmp_path_factory.mktemp("portal")) as address:
        yield address


def begun(portal: str, path: str) -> socket.socket:
    """Ask for a download and read nothing of it."""
    where = urlsplit(portal)
    connection = socket.create_connection((where.hostname, where.port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: portal\r\n\r\n".encode())
    return connection


def has_begun(connection: socket.socket) -> bool:
    return connection.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"


def is_answered(portal: str) -> bool:
    return httpx.get(f"{portal}/zoek.csv?zoektekst=0007", timeout=60).status_code == 200


def test_a_download_has_each_of_thousands_of_rows_once(portal: str) -> None:
    with httpx.stream("GET", f"{portal}/zoek.jsonl?sorteer=titel", timeout=60) as answer:
        documents = [json.loads(line)["document"] for line in answer.iter_lines()]
    titles = [each["titelcollectie"]["officieleTitel"] for each in documents]
    assert titles == [f"Besluit nummer {n:04}" for n in range(NUMBER)]


def test_a_download_comes_compressed_to_who_can_read_that(portal: str) -> None:
    answer = httpx.get(f"{portal}/zoek.csv", headers={"accept-encoding": "gzip"}, timeout=60)
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.text.count("\n") == NUMBER + 1
    assert answer.num_bytes_downloaded < len(answer.content) / 4


def test_readers_that_read_nothing_fill_the_downloads_and_delay_no_question(portal: str) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(begun(portal, "/zoek.jsonl")) for _ in range(MOST)]
        assert all(map(has_begun, slow))
        refused = httpx.get(f"{portal}/zoek.jsonl", timeout=60)
        assert refused.status_code == 503
        assert refused.headers["retry-after"]
        found = httpx.get(f"{portal}/api/v0/zoek?zoektekst=0007", timeout=60)
        assert found.json()["totaal"] == 1
    wait_until(lambda: is_answered(portal), "a download begins again")


def test_readers_that_go_away_leave_their_place(portal: str) -> None:
    for _ in range(3 * MOST):
        wait_until(lambda: is_answered(portal), "a place is free")
        with begun(portal, "/zoek.jsonl") as connection:
            connection.recv(4096)


def test_head_of_a_download_is_answered_at_once(portal: str) -> None:
    answer = httpx.head(f"{portal}/zoek.jsonl", timeout=60)
    assert answer.status_code == 200
    again = httpx.get(f"{portal}/zoek.jsonl", headers={"if-none-match": answer.headers["etag"]}, timeout=60)
    assert (again.status_code, again.content) == (304, b"")
