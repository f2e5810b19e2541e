from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO

import pytest
from scrapy.http import Response

from woo_harvester.items import StreamedResponse, announced_size, header_date, size_of

URL = "https://a.nl/"


def test_the_body_is_read_in_pieces_from_its_beginning_each_time() -> None:
    response = StreamedResponse(URL, file=BytesIO(b"besluit"))
    assert b"".join(response.chunks()) == b"".join(response.chunks()) == b"besluit"


def test_a_second_close_does_nothing() -> None:
    closed = []
    response = StreamedResponse(URL)
    response.on_close = lambda: closed.append(response.url)
    response.close()
    response.close()
    assert response.file.closed
    assert closed == [URL]


@pytest.mark.parametrize("given", ["Tue, 02 Apr 2024 08:00:00 GMT", "Tue, 02 Apr 2024 10:00:00 +0200"])
def test_the_date_in_a_header_is_read(given: str) -> None:
    response = Response("https://a.nl/", headers={"Last-Modified": given})
    assert header_date(response, "Last-Modified") == datetime(2024, 4, 2, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "gisteren",
        "Thu, 01 Jan 2009 00:00:00 +999999999999999999",
        "Fri, 31 Dec 9999 23:59:59 -0500",
        "Fri, 31 Dec 99999999999999999999999 23:59:59 GMT",
    ],
)
def test_a_header_without_a_date_gives_none(given: str) -> None:
    assert header_date(Response("https://a.nl/", headers={"Date": given}), "Date") is None


@pytest.mark.parametrize(
    ("given", "size"), [(None, None), ("", None), ("12", 12), ("-1", None), ("1.5", None), ("\u0661", None)]
)
def test_a_body_that_was_not_received_has_the_announced_size(given: str | None, size: int | None) -> None:
    headers = {} if given is None else {"Content-Length": given}
    assert size_of(StreamedResponse(URL, headers=headers)) == size


def test_a_body_that_was_received_has_its_own_size() -> None:
    headers = {"Content-Length": "12"}
    assert size_of(StreamedResponse(URL, headers=headers, size=7, sha256="ab" * 32)) == 7
    assert size_of(StreamedResponse(URL, headers=headers, size=7, flags=["maxsize"])) == 7


def test_the_announced_size_does_not_depend_on_what_was_received() -> None:
    headers = {"Content-Length": "12"}
    assert announced_size(StreamedResponse(URL, headers=headers, size=7, flags=["maxsize"])) == 12
