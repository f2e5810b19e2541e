from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request, Spider, signals
from scrapy.exceptions import (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    IgnoreRequest,
)
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.signals import engine_started

from tests.utils.crawlers import LOC, crawler_of
from woo_harvester.crawl.answers import failure_seen
from woo_harvester.downloader.middlewares import (
    MAX_BODIES,
    BodiesMiddleware,
    RedirectRefused,
    RobotsForbidden,
    RobotsUnreachableError,
    WooRedirectMiddleware,
    WooRetryMiddleware,
    WooRobotsTxtMiddleware,
    retry_after,
)
from woo_harvester.items import StreamedResponse

URL = "https://www.a.nl/robots.txt"


class Registered(Spider):
    name = "proef"

    def is_registered(self, host: str) -> bool:
        return host in {"www.a.nl", "open.a.nl", "open.a.nl:8443", "www.xn--en-bja.nl"}


def middleware(spider: Spider | None = None) -> WooRedirectMiddleware:
    made = WooRedirectMiddleware.from_crawler(crawler_of(REDIRECT_MAX_TIMES=3))
    made.crawler.spider = spider or Registered()
    return made


def redirected(location: str, status: int = 302, **meta: object) -> tuple[Request, StreamedResponse]:
    request = Request(URL, meta={"woo_stream": True, "download_slot": "www.a.nl", **meta})
    return request, StreamedResponse(URL, status, {"Location": location}, request=request)


def test_a_redirect_within_https_and_registered_hosts_is_followed() -> None:
    for status in [301, 302, 303, 307, 308]:
        request, response = redirected("https://open.a.nl/robots.txt", status)
        followed = middleware().process_response(request, response)
        assert isinstance(followed, Request), status
        assert followed.url == "https://open.a.nl/robots.txt", status
        assert followed.meta["redirect_urls"] == [URL], status
        assert response.file.closed, status


def test_the_next_hop_waits_in_the_queue_of_its_host() -> None:
    for location, host in [
        ("/elders.txt", "www.a.nl"),
        ("https://open.a.nl/robots.txt", "open.a.nl"),
        ("https://OPEN.a.nl:8443/robots.txt", "open.a.nl:8443"),
        ("https://www.eén.nl/", "www.xn--en-bja.nl"),
    ]:
        followed = middleware().process_response(*redirected(location))
        assert isinstance(followed, Request), location
        assert followed.meta["download_slot"] == host, location


def test_a_redirect_elsewhere_is_refused_with_its_target() -> None:
    for location, code in [
        ("https://www.b.nl/robots.txt", "host.niet-geregistreerd"),
        ("https://open.a.nl:9443/robots.txt", "host.niet-geregistreerd"),
        ("http://www.a.nl/robots.txt", None),
        ("https://jan:geheim@www.a.nl/robots.txt", None),
        ("file:///etc/passwd", None),
        ("data:text/plain,x", None),
        ("ftp://www.a.nl/robots.txt", None),
    ]:
        request, response = redirected(location)
        with pytest.raises(RedirectRefused) as caught:
            middleware().process_response(request, response)
        assert (caught.value.target, caught.value.code) == (location, code), location
        assert response.file.closed, location


def test_a_spider_that_knows_no_register_only_needs_https() -> None:
    followed = middleware(Spider("ander")).process_response(*redirected("https://www.b.nl/"))
    assert isinstance(followed, Request)
    with pytest.raises(RedirectRefused):
        middleware(Spider("ander")).process_response(*redirected("http://www.b.nl/"))


def test_a_chain_that_is_too_long_is_broken_off() -> None:
    request, response = redirected("/verder", redirect_times=3)
    with pytest.raises(IgnoreRequest, match="max redirections reached"):
        middleware().process_response(request, response)


def test_a_redirect_in_a_circle_ends_after_three_requests_and_names_the_cookie() -> None:
    for headers, seen in (
        ({"Set-Cookie": "gezien=1"}, f"doorverwijzing naar {URL}; de server wil eerst een cookie zetten"),
        ({}, f"doorverwijzing naar {URL}"),
    ):
        made = WooRedirectMiddleware.from_crawler(crawler_of(REDIRECT_MAX_TIMES=20))
        made.crawler.spider = Registered()
        request = Request(URL, meta={"woo_stream": True})
        for _ in range(2):
            response = StreamedResponse(URL, 302, {"Location": URL, **headers}, request=request)
            followed = made.process_response(request, response)
            assert isinstance(followed, Request)
            request = followed
        response = StreamedResponse(URL, 302, {"Location": URL, **headers}, request=request)
        with pytest.raises(RedirectRefused) as caught:
            made.process_response(request, response)
        assert failure_seen(caught.value) == seen


def test_answers_that_are_no_redirect_are_handed_on() -> None:
    request, response = redirected("/", 200)
    assert middleware().process_response(request, response) is response
    without = StreamedResponse(URL, 302, request=request)
    assert middleware().process_response(request, without) is without
    assert not without.file.closed


def test_plain_requests_are_redirected_as_scrapy_does() -> None:
    request = Request("http://www.c.nl/")
    response = Response("http://www.c.nl/", status=302, headers={"Location": "http://www.d.nl/"})
    followed = middleware().process_response(request, response)
    assert isinstance(followed, Request)
    assert followed.url == "http://www.d.nl/"


def test_a_password_and_a_cookie_go_to_no_other_host() -> None:
    for location, kept in (
        ("/verder", {"Authorization", "Cookie"}),
        ("https://www.b.nl/x", set()),
        ("https://www.a.nl:8443/x", {"Cookie"}),
    ):
        request, response = redirected(location)
        request.headers.update({"Authorization": "Basic bmFhbTpnZWhlaW0=", "Cookie": "sessie=geheim"})
        followed = middleware(Spider("ander")).process_response(request, response)
        assert isinstance(followed, Request), location
        assert {name for name in ("Authorization", "Cookie") if name in followed.headers} == kept, location


def test_a_redirect_has_no_referer_and_warns_of_none(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    made = middleware()
    asyncio.run(made.crawler.signals.send_catch_log_async(engine_started))
    request, response = redirected("https://open.a.nl/robots.txt")
    request.headers["Referer"] = "https://elders.nl/"
    assert "Referer" not in made.process_response(request, response).headers
    assert caplog.records == []


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_retry_after_is_a_number_of_seconds_or_a_date() -> None:
    for value, seconds in [
        (b"0", 0),
        (b"120", 120),
        (b" 120 ", 120),
        (b"Sat, 21 Nov 2026 12:01:30 GMT", 90),
        (b"Saturday, 21-Nov-26 12:01:30 GMT", 90),
        (b"Sat Nov 21 12:01:30 2026", 90),
        (b"Sat, 21 Nov 2026 13:01:30 +0100", 90),
        (b"Sat, 21 Nov 2026 11:00:00 GMT", 0),
        (b"9" * 400, 9_999_999_999),
    ]:
        assert retry_after(value, NOW) == seconds, value


def test_retry_after_that_cannot_be_read_is_none() -> None:
    for value in [None, b"", b"soon", b"-5", b"1.5", b"1e9", "²".encode("latin-1"), b"\xff\xfe"]:
        assert retry_after(value, NOW) is None, value


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_retry_after_crashes_it(value: bytes) -> None:
    seconds = retry_after(value, NOW)
    assert seconds is None or seconds >= 0


@given(st.integers(0, 10**6))
def test_a_date_means_the_time_until_then(seconds: int) -> None:
    moment = NOW + timedelta(seconds=seconds)
    assert retry_after(f"{moment:%a, %d %b %Y %H:%M:%S} GMT".encode(), NOW) == seconds


def retry_middleware(**settings: object) -> WooRetryMiddleware:
    made = WooRetryMiddleware.from_crawler(crawler_of(**settings))
    made.crawler.spider = made.crawler.spidercls.from_crawler(made.crawler, "proef")
    return made


def request(**meta: object) -> Request:
    return Request("https://www.a.nl/a.xml", meta={"woo_stream": True, "download_slot": "www.a.nl", **meta})


def answer(status: int, *flags: str, **headers: str) -> StreamedResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return StreamedResponse("https://www.a.nl/a.xml", status, named, flags=list(flags))


def test_lasting_answers_are_handed_on_and_temporary_faults_tried_again() -> None:
    for status in (200, 304, 400, 403, 404, 410, 501):
        response = answer(status)
        assert retry_middleware().process_response(request(), response) is response, status
        assert not response.file.closed, status
    for status in (408, 429, 500, 502, 503, 504):
        response = answer(status)
        again = retry_middleware().process_response(request(), response)
        assert isinstance(again, Request), status
        assert again.meta["retry_times"] == 1, status
        assert response.file.closed, "its body is given back"
    plain, response = Request("https://www.a.nl/"), answer(503)
    for method in ("GET", "HEAD"):  # of another spider
        asked = plain.replace(method=method)
        assert isinstance(retry_middleware().process_response(asked, Response(plain.url, 502)), Request)
    assert retry_middleware().process_response(request(dont_retry=True), response) is response


def test_a_head_is_tried_again_only_after_a_pause_since_a_get_takes_its_place_else() -> None:
    head = request().replace(method="HEAD")
    for status in (408, 500, 502, 504):
        response = answer(status)
        assert retry_middleware().process_response(head, response) is response, status
    for status in (429, 503):
        assert isinstance(retry_middleware().process_response(head, answer(status)), Request), status
    for error in (DownloadFailedError("weg"), DownloadConnectionRefusedError("dicht")):
        assert retry_middleware().process_exception(head, error) is None
        assert isinstance(retry_middleware().process_exception(request(), error), Request)


def test_a_body_that_was_cut_off_is_tried_again() -> None:
    made = retry_middleware()
    assert isinstance(made.process_response(request(), answer(200, "dataloss")), Request)
    assert made.crawler.stats.get_value("retry/reason_count/body cut off") == 1


def test_a_body_that_is_cut_off_each_time_is_handed_on_in_the_end() -> None:
    response = answer(200, "dataloss")
    assert retry_middleware(RETRY_TIMES=2).process_response(request(retry_times=2), response) is response
    assert not response.file.closed


def test_a_host_that_asks_for_too_long_a_rest_is_not_tried_again() -> None:
    made = retry_middleware()
    response = answer(503, Retry_After="301")
    assert made.process_response(request(), response) is response
    assert made.crawler.stats.get_value("woo/retry_after_too_long") == 1
    assert isinstance(made.process_response(request(), answer(503, Retry_After="300")), Request)


ROBOTS = (
    b"User-agent: *\nDisallow: /prive/\nCrawl-delay: 2\n\nUser-agent: woo-harvester\nDisallow: /intern/\n"
)


def is_allowed(
    url: str, body: bytes = ROBOTS, agent: str = "woo-harvester/0.1 (+https://a.nl)", **meta: object
) -> bool:
    """Return whether a URL may be fetched after the robots.txt of its host was read."""

    async def run() -> None:
        middleware = WooRobotsTxtMiddleware(crawler_of(ROBOTSTXT_OBEY=True, USER_AGENT=agent))
        await middleware.learn(Request("https://www.a.nl/robots.txt"), body)
        await middleware.process_request(Request(url, meta=meta))

    try:
        asyncio.run(run())
    except RobotsForbidden as error:
        return str(error) != url
    return True


def test_what_the_rules_for_this_harvester_forbid_may_not_be_fetched() -> None:
    sitemap = "https://www.a.nl/sitemapindex-diwoo.xml"
    written = rf"User-agent: *\nDisallow: /intern/\nSitemap: {sitemap}\n".encode()
    private, internal = "https://www.a.nl/prive/a.pdf", "https://www.a.nl/intern/a.pdf"
    cases: list[tuple[str, bytes, bool]] = [
        ("https://www.a.nl/", ROBOTS, True),
        (private, ROBOTS, True),
        (internal, ROBOTS, False),
        # Rules behind a written line end.
        (sitemap, written, True),
        (internal, written, False),
        *((internal, ROBOTS.decode().encode(name), False) for name in ("utf-16", "utf-16-le", "utf-16-be")),
        # No robots.txt, and one that is no text.
        (internal, b"", True),
        (internal, bytes(range(256)), True),
    ]
    for url, body, expected in cases:
        assert is_allowed(url, body) is expected, (url, body)
    assert not is_allowed(private, agent="ander/1"), "the rules for all hold for others"
    itself = "https://www.a.nl/robots.txt"
    assert is_allowed(itself, b"User-agent: *\nDisallow: /\n", dont_obey_robotstxt=True), "never forbidden"


def test_what_was_learnt_is_reported_once_for_the_host() -> None:
    for encoding in ("utf-8", "utf-16", "utf-16-le"):
        requested: list[tuple[str, float | None]] = []

        def robots_parsed(
            robotparser: RobotParser, request: Request, found: list[tuple[str, float | None]] = requested
        ) -> None:
            found.append((request.url, robotparser.crawl_delay("ander")))

        async def run(encoding: str = encoding, parsed: Callable[..., None] = robots_parsed) -> None:
            crawler = crawler_of(ROBOTSTXT_OBEY=True)
            crawler.signals.connect(parsed, signals.robots_parsed)
            body = ROBOTS.decode().encode(encoding)
            await WooRobotsTxtMiddleware(crawler).learn(Request("https://www.a.nl/robots.txt"), body)

        asyncio.run(run())
        assert requested == [("https://www.a.nl/robots.txt", 2.0)], encoding


def test_the_robots_txt_of_a_host_that_the_spider_has_not_read_counts_by_its_status() -> None:
    forbidden, secret = b"User-agent: *\nDisallow: /", "https://docs.a.nl/a.pdf"
    away = "https://elders.nl/robots.txt"
    for status, expected in ((200, False), (404, True), (301, True), (204, None), (503, None), (away, None)):

        async def answer(request: Request, status: int | str = status) -> Response:
            if isinstance(status, str):
                raise RedirectRefused(status, None)
            return Response(request.url, status=status, body=forbidden)

        crawler = crawler_of(ROBOTSTXT_OBEY=True)
        crawler.engine = SimpleNamespace(download_async=answer)  # type: ignore[assignment]
        middleware = WooRobotsTxtMiddleware(crawler)
        for _ in range(2):  # the second time without a request
            if expected is None:
                with pytest.raises(RobotsUnreachableError, match=str(status)):
                    asyncio.run(middleware.allows(Request(secret)))
            else:
                assert asyncio.run(middleware.allows(Request(secret))) is expected, status


DOCUMENT = Request(LOC, meta={"woo_kind": "document"})
SITEMAP = Request(LOC, meta={"woo_kind": "sitemap"})


@pytest.fixture
def bodies_middleware() -> BodiesMiddleware:
    return BodiesMiddleware()


def receive(
    bodies_middleware: BodiesMiddleware, count: int, request: Request = DOCUMENT
) -> list[StreamedResponse]:
    """So many answers, whose bodies are held."""
    received = [StreamedResponse(LOC) for _ in range(count)]
    assert [bodies_middleware.process_response(request, response) for response in received] == received
    return received


async def waits(bodies_middleware: BodiesMiddleware, request: Request = DOCUMENT) -> bool:
    """Whether a request does not go on by itself."""
    asked = asyncio.ensure_future(bodies_middleware.process_request(request))
    await asyncio.sleep(0)
    if asked.done():
        await asked
        return False
    asked.cancel()
    return True


def test_no_document_is_asked_for_while_many_bodies_are_held(bodies_middleware: BodiesMiddleware) -> None:
    async def check() -> None:
        receive(bodies_middleware, MAX_BODIES - 1)
        assert not await waits(bodies_middleware)
        (last,) = receive(bodies_middleware, 1)
        assert await waits(bodies_middleware)
        last.close()
        last.close()
        assert not await waits(bodies_middleware)
        receive(bodies_middleware, 1)
        assert await waits(bodies_middleware), "a body is given back once"

    asyncio.run(check())


def test_what_waits_goes_on_when_a_response_is_closed(bodies_middleware: BodiesMiddleware) -> None:
    async def check() -> None:
        first, *_ = receive(bodies_middleware, MAX_BODIES)
        asked = asyncio.ensure_future(bodies_middleware.process_request(DOCUMENT))
        await asyncio.sleep(0)
        assert not asked.done()
        first.close()
        await asyncio.wait_for(asked, 10)

    asyncio.run(check())


def test_what_is_no_document_neither_waits_nor_counts(bodies_middleware: BodiesMiddleware) -> None:
    async def check() -> None:
        receive(bodies_middleware, MAX_BODIES, SITEMAP)
        assert not await waits(bodies_middleware)
        receive(bodies_middleware, MAX_BODIES)
        assert not await waits(bodies_middleware, SITEMAP)

    asyncio.run(check())
