from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.exceptions import DownloadConnectionRefusedError, DownloadFailedError, DownloadTimeoutError
from scrapy.http import Response

from tests.utils.crawlers import crawler_of
from woo_harvester.downloader.middlewares import WooRetryMiddleware, retry_after
from woo_harvester.items import StreamedResponse

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"0", 0),
        (b"120", 120),
        (b" 120 ", 120),
        (b"Sat, 21 Nov 2026 12:01:30 GMT", 90),
        (b"Saturday, 21-Nov-26 12:01:30 GMT", 90),
        (b"Sat Nov 21 12:01:30 2026", 90),
        (b"Sat, 21 Nov 2026 13:01:30 +0100", 90),
        (b"Sat, 21 Nov 2026 11:00:00 GMT", 0),
        (b"9" * 400, 9_999_999_999),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(value: bytes, seconds: float) -> None:
    assert retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    "value", [None, b"", b"soon", b"-5", b"1.5", b"1e9", "²".encode("latin-1"), b"\xff\xfe"]
)
def test_retry_after_that_cannot_be_read_is_none(value: bytes | None) -> None:
    assert retry_after(value, NOW) is None


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_retry_after_crashes_it(value: bytes) -> None:
    seconds = retry_after(value, NOW)
    assert seconds is None or seconds >= 0


@given(st.integers(0, 10**6))
def test_a_date_means_the_time_until_then(seconds: int) -> None:
    moment = NOW + timedelta(seconds=seconds)
    assert retry_after(f"{moment:%a, %d %b %Y %H:%M:%S} GMT".encode(), NOW) == seconds


def middleware(**settings: object) -> WooRetryMiddleware:
    made = WooRetryMiddleware.from_crawler(crawler_of(**settings))
    made.crawler.spider = made.crawler.spidercls.from_crawler(made.crawler, "proef")
    return made


def request(**meta: object) -> Request:
    return Request("https://www.a.nl/a.xml", meta={"woo_stream": True, "download_slot": "www.a.nl", **meta})


def answer(status: int, *flags: str, **headers: str) -> StreamedResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return StreamedResponse("https://www.a.nl/a.xml", status, named, flags=list(flags))


@pytest.mark.parametrize("status", [200, 304, 400, 403, 404, 410, 501])
def test_lasting_answers_are_handed_on(status: int) -> None:
    response = answer(status)
    assert middleware().process_response(request(), response) is response
    assert not response.file.closed


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_temporary_faults_are_tried_again_and_their_body_is_given_back(status: int) -> None:
    response = answer(status)
    again = middleware().process_response(request(), response)
    assert isinstance(again, Request)
    assert again.meta["retry_times"] == 1
    assert response.file.closed


@pytest.mark.parametrize("status", [408, 500, 502, 504])
def test_a_head_is_not_tried_again_if_a_get_follows_on_it(status: int) -> None:
    response, head = answer(status), request().replace(method="HEAD")
    assert middleware().process_response(head, response) is response
    for error in (DownloadFailedError("weg"), DownloadTimeoutError("niets")):
        assert middleware().process_exception(head, error) is None
        assert isinstance(middleware().process_exception(request(), error), Request)


def test_a_head_is_tried_again_where_a_get_would_be_too() -> None:
    head = request().replace(method="HEAD")
    assert isinstance(middleware().process_response(head, answer(503)), Request)
    assert isinstance(middleware().process_exception(head, DownloadConnectionRefusedError("dicht")), Request)


def test_a_head_of_another_spider_is_tried_again() -> None:
    head = Request("https://www.a.nl/", method="HEAD")
    assert isinstance(middleware().process_response(head, Response(head.url, status=502)), Request)


def test_a_body_that_was_cut_off_is_tried_again() -> None:
    made = middleware()
    assert isinstance(made.process_response(request(), answer(200, "dataloss")), Request)
    assert made.crawler.stats.get_value("retry/reason_count/body cut off") == 1


def test_a_body_that_is_cut_off_each_time_is_handed_on_in_the_end() -> None:
    response = answer(200, "dataloss")
    assert middleware(RETRY_TIMES=2).process_response(request(retry_times=2), response) is response
    assert not response.file.closed


def test_requests_that_may_not_be_tried_again_are_not() -> None:
    response = answer(503)
    assert middleware().process_response(request(dont_retry=True), response) is response


def test_a_host_that_asks_for_too_long_a_rest_is_not_tried_again() -> None:
    made = middleware(WOO_RETRY_AFTER_MAX=60)
    response = answer(503, Retry_After="61")
    assert made.process_response(request(), response) is response
    assert made.crawler.stats.get_value("woo/retry_after_too_long") == 1
    assert isinstance(made.process_response(request(), answer(503, Retry_After="60")), Request)


def test_a_plain_response_is_judged_like_any_other() -> None:
    response = Response("https://www.a.nl/", status=502)
    assert isinstance(middleware().process_response(Request("https://www.a.nl/"), response), Request)
