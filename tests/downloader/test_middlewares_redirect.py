from __future__ import annotations

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.spidermiddlewares.referer import RefererMiddleware

from tests.utils.crawlers import crawler_of
from woo_harvester.downloader.middlewares import RedirectRefused, WooRedirectMiddleware
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


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_within_https_and_registered_hosts_is_followed(status: int) -> None:
    request, response = redirected("https://open.a.nl/robots.txt", status)
    followed = middleware().process_response(request, response)
    assert isinstance(followed, Request)
    assert followed.url == "https://open.a.nl/robots.txt"
    assert followed.meta["redirect_urls"] == [URL]
    assert response.file.closed


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("/elders.txt", "www.a.nl"),
        ("https://open.a.nl/robots.txt", "open.a.nl"),
        ("https://OPEN.a.nl:8443/robots.txt", "open.a.nl:8443"),
        ("https://www.eén.nl/", "www.xn--en-bja.nl"),
    ],
)
def test_the_next_hop_waits_in_the_queue_of_its_host(location: str, host: str) -> None:
    followed = middleware().process_response(*redirected(location))
    assert isinstance(followed, Request)
    assert followed.meta["download_slot"] == host


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("https://www.b.nl/robots.txt", "host.niet-geregistreerd"),
        ("https://open.a.nl:9443/robots.txt", "host.niet-geregistreerd"),
        ("http://www.a.nl/robots.txt", None),
        ("https://jan:geheim@www.a.nl/robots.txt", None),
        ("file:///etc/passwd", None),
        ("data:text/plain,x", None),
        ("ftp://www.a.nl/robots.txt", None),
    ],
)
def test_a_redirect_elsewhere_is_refused_with_its_target(location: str, code: str | None) -> None:
    request, response = redirected(location)
    with pytest.raises(RedirectRefused) as caught:
        middleware().process_response(request, response)
    assert (caught.value.target, caught.value.code) == (location, code)
    assert response.file.closed


def test_a_spider_that_knows_no_register_only_needs_https() -> None:
    followed = middleware(Spider("ander")).process_response(*redirected("https://www.b.nl/"))
    assert isinstance(followed, Request)
    with pytest.raises(RedirectRefused):
        middleware(Spider("ander")).process_response(*redirected("http://www.b.nl/"))


def test_a_chain_that_is_too_long_is_broken_off() -> None:
    request, response = redirected("/verder", redirect_times=3)
    with pytest.raises(IgnoreRequest, match="max redirections reached"):
        middleware().process_response(request, response)


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


@pytest.mark.parametrize(
    ("location", "kept"),
    [("/verder", True), ("https://www.b.nl/x", False), ("https://www.a.nl:8443/x", False)],
)
def test_a_password_goes_to_no_other_host(location: str, kept: bool) -> None:
    request, response = redirected(location)
    request.headers["Authorization"] = "Basic bmFhbTpnZWhlaW0="
    followed = middleware(Spider("ander")).process_response(request, response)
    assert isinstance(followed, Request)
    assert ("Authorization" in followed.headers) is kept


def test_a_cookie_goes_to_no_other_host() -> None:
    request, response = redirected("https://www.b.nl/x")
    request.headers["Cookie"] = "sessie=geheim"
    followed = middleware(Spider("ander")).process_response(request, response)
    assert isinstance(followed, Request)
    assert "Cookie" not in followed.headers


@pytest.mark.parametrize("referers", [None, RefererMiddleware(Settings())])
def test_a_redirect_has_a_referer_only_if_the_project_sends_them(
    referers: RefererMiddleware | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = middleware()
    monkeypatch.setattr(made.crawler, "get_spider_middleware", lambda kind: referers)
    made._engine_started()
    request, response = redirected("https://open.a.nl/robots.txt")
    request.headers["Referer"] = "https://elders.nl/"
    followed = made.process_response(request, response)
    assert followed.headers.get("Referer") == (URL.encode() if referers else None)
    assert caplog.records == []
