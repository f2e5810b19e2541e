"""The downloader middlewares: backpressure, redirects, retries and robots.txt."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import closing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self, cast
from urllib.parse import urljoin

from scrapy import Request, signals
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.downloadermiddlewares.retry import RetryMiddleware, get_retry_request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotConfigured,
)
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.misc import build_from_crawler, load_object

from woo_harvester.downloader.bodies import SpoolError
from woo_harvester.downloader.streaming import PrivateHostError, TlsError
from woo_harvester.extensions.findings import Findings
from woo_harvester.extensions.politeness import Politeness
from woo_harvester.items import StreamedResponse, release
from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE, rules_text
from woo_harvester.utils.fetch import TrustError
from woo_harvester.utils.statuses import ASKS_FOR_PAUSE, is_complete
from woo_harvester.utils.urls import host_of, loc_problem, secured

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from woo_harvester.findings.common_cause import Cause


#: Largest number of received documents that are not closed yet. Each takes up to 1 MB of memory or an open
#: file. A longer queue would not make the pipelines faster.
MAX_BODIES = 100


class BodiesMiddleware:
    """The middleware that delays requests while too many documents wait for the pipelines.

    At most :data:`MAX_BODIES` of them wait. Only received responses count, so that slow servers do not stop
    the others.
    """

    def __init__(self) -> None:
        self._open = 0
        self._has_changed = asyncio.Event()

    async def process_request(self, request: Request) -> None:
        """Wait until there is capacity for another document."""
        while request.meta.get("woo_kind") == "document" and self._open >= MAX_BODIES:
            self._has_changed.clear()
            await self._has_changed.wait()

    def process_response(self, request: Request, response: Response) -> Response:
        """Count the response of a document until it is closed."""
        if request.meta.get("woo_kind") == "document" and isinstance(response, StreamedResponse):
            self._open += 1
            response.on_close = self._closed
        return response

    def _closed(self) -> None:
        self._open -= 1
        self._has_changed.set()


#: Values of ``woo_kind`` of the first request to a host.
_FIRST = frozenset({"robots", "ingang"})

#: Statuses of something between the harvester and the host (RFC 9110, 15.5.8; RFC 6585, 6).
_FROM_PROXY = frozenset({407, 511})


class FirstRequestsMiddleware:
    """The middleware that reports first requests to the extension ``Findings``.

    The extension counts the hosts whose connection fails in the same way. This middleware is the nearest to
    the spider, so it sees a failure only if no other middleware retries.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        findings = crawler.get_extension(Findings)
        if findings is None:
            raise NotConfigured
        middleware = cls(findings)
        crawler.signals.connect(middleware.response_downloaded, signals.response_downloaded)
        return middleware

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Note that the host answered, unless the answer is not its own.

        This is a signal handler because a refused redirect does not reach this middleware.
        """
        self._note(request, "proxy" if response.status in _FROM_PROXY else None)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note how the request failed."""
        if not isinstance(exception, SpoolError | TrustError):  # these end the run
            self._note(request, _failure_cause(exception))

    def _note(self, request: Request, cause: Cause | None) -> None:
        if request.meta.get("woo_kind") not in _FIRST:
            return
        if redirected := request.meta.get("redirect_urls"):  # so the host itself has answered
            self._findings.host_tried(host_of(redirected[0]), None)
        else:
            self._findings.host_tried(host_of(request.url), cause)


def _failure_cause(error: Exception) -> Cause | None:
    """Return how a connection failed, or None if only this host can have caused *error*."""
    match error:
        case TlsError():
            return "tls"
        case CannotResolveHostError():
            return "dns"
        case DownloadConnectionRefusedError():
            return "refused"
        case DownloadTimeoutError():
            return "timeout"
        case PrivateHostError():
            return "address"
        case DownloadFailedError():
            return "lost"
        case _:
            return None


class RedirectRefused(IgnoreRequest):
    """A redirect that is not followed; the message is its target."""

    def __init__(self, target: str, code: str | None, *, wants_cookie: bool = False) -> None:
        super().__init__(target)
        self.target = target
        self.code = code
        """``host.niet-geregistreerd`` for an unregistered host, else None."""
        self.wants_cookie = wants_cookie
        """True if it leads in a circle, and the server sets a cookie that it wants to see first."""


#: Number of requests for one address after which redirects that lead back to it are not followed.
_CIRCLES = 3


class WooRedirectMiddleware(RedirectMiddleware):
    """The redirect middleware that checks each hop of the project's own requests; Scrapy handles all others.

    The target must have no user name, and must be https unless the redirecting page is http. Its host must be
    registered, or in the request's meta ``woo_hosts`` if that is given. The new request waits in the queue of
    its own host.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler.settings)  # Scrapy's own way warns in each run that no Referer is sent
        middleware.crawler = crawler
        return middleware

    def handle_referer(self, request: Request, response: Response) -> None:
        """Send none."""
        request.headers.pop("Referer", None)

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return the request for the target, or the response if it is no redirect. Raises RedirectRefused."""
        if not request.meta.get("woo_stream") or not _is_redirect(response):
            return super().process_response(request, response)
        release(response)
        given = response.headers.to_unicode_dict()["Location"]
        try:
            followed = super().process_response(request, response)
        except ValueError as error:  # no URL that Scrapy can request, such as javascript:
            raise RedirectRefused(given, None) from error
        if not isinstance(followed, Request):  # Scrapy itself does not follow file:, data: and the like
            raise RedirectRefused(given, None)
        self._check(followed.url, request)
        if followed.meta["redirect_urls"].count(followed.url) == _CIRCLES:
            raise RedirectRefused(followed.url, None, wants_cookie="Set-Cookie" in response.headers)
        followed.meta["download_slot"] = host_of(followed.url)
        return followed

    def _check(self, target: str, request: Request) -> None:
        if loc_problem(secured(target) if request.url.startswith("http:") else target):
            raise RedirectRefused(target, None)
        hosts = request.meta.get("woo_hosts")  # fewer than those of the run, for this request
        is_registered = hosts.__contains__ if hosts else getattr(self.crawler.spider, "is_registered", None)
        if is_registered is not None and not is_registered(host_of(target)):
            raise RedirectRefused(target, "host.niet-geregistreerd")


def _is_redirect(response: Response) -> bool:
    return 300 <= response.status < 400 and response.status != 304 and "Location" in response.headers


def _is_own_head(request: Request) -> bool:
    return request.method == "HEAD" and bool(request.meta.get("woo_stream"))


#: The longest rest, in seconds, that a run waits for.
_LONGEST_REST = 300


class WooRetryMiddleware(RetryMiddleware):
    """Scrapy's retry middleware, which also retries truncated responses; 429 and 503 pause their host.

    Only a pause lets it retry a HEAD of this project: else a GET takes its place (``crawl/documents``).
    ``Retry-After`` gives the length of the pause. Without it, a pause takes ``WOO_RETRY_BACKOFF`` seconds,
    doubled with each retry. A host that requests more than five minutes gets
    no more requests in this run.
    """

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._backoff = settings.getfloat("WOO_RETRY_BACKOFF")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = super().from_crawler(crawler)
        crawler.signals.connect(middleware.response_downloaded, signals.response_downloaded)
        return middleware

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Pause a host that requests it. The signal comes before its slot starts the next request."""
        seconds = self._pause_of(request, response)
        if seconds is None:
            return
        politeness = self.crawler.get_extension(Politeness)
        if politeness is None:
            return
        host = str(request.meta.get("download_slot", ""))
        if seconds <= _LONGEST_REST:
            politeness.pause(host, seconds)
        else:
            politeness.give_up(host, seconds)

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return the response, or the request for a retry in its place."""
        result = self._retried(request, response)
        if result is not response:
            release(response)
        return result

    def process_exception(
        self, request: Request, exception: Exception, spider: Spider | None = None
    ) -> Request | Response | None:
        """Return the request for a retry, or None."""
        return None if _is_own_head(request) else super().process_exception(request, exception)

    def _retried(self, request: Request, response: Response) -> Request | Response:
        if request.meta.get("dont_retry") or (
            _is_own_head(request) and response.status not in ASKS_FOR_PAUSE
        ):
            return response
        if "dataloss" in response.flags:
            spider = cast("Spider", self.crawler.spider)
            return get_retry_request(request, spider=spider, reason="body cut off") or response
        seconds = self._pause_of(request, response)
        if seconds is not None and seconds > _LONGEST_REST:
            self.crawler.stats.inc_value("woo/retry_after_too_long")
            return response
        return super().process_response(request, response)

    def _pause_of(self, request: Request, response: Response) -> float | None:
        """Return the seconds of the pause that a response requests, or None."""
        if response.status not in ASKS_FOR_PAUSE:
            return None
        asked = retry_after(response.headers.get("Retry-After"), datetime.now(UTC))
        return self._backoff * 2 ** int(request.meta.get("retry_times", 0)) if asked is None else asked


def retry_after(value: bytes | None, now: datetime) -> float | None:
    """Return the seconds in a ``Retry-After``, a number or a date (RFC 9110, 10.2.3); None if unreadable."""
    text = (value or b"").decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


class RobotsForbidden(IgnoreRequest):
    """The robots.txt of the host forbids this request; the message is the URL."""


# A public name, because Scrapy's statistics count exceptions under the names of their classes.
class RobotsUnreachableError(Exception):
    """The robots.txt of the host cannot be fetched. Not an IgnoreRequest, because the next run retries."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why} voor de robots.txt van deze host")


class WooRobotsTxtMiddleware(RobotsTxtMiddleware):
    """The robots.txt middleware that uses the files which the spider has read (RFC 9309).

    It fetches the robots.txt of a host itself only if the spider has not read it in this run. An example is
    the host of a document that another host's sitemap lists. If that robots.txt cannot be fetched, nothing
    may be fetched from the host (2.3.1.4). Requests for a robots.txt itself are never forbidden.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._parser_class: type[RobotParser] = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self._agent = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self._known: dict[str, RobotParser | Exception] = {}
        self._fetching: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def learn(self, request: Request, body: bytes) -> None:
        """Use *body* as the robots.txt of the host of *request*; it is empty if the host has none."""
        parser = build_from_crawler(self._parser_class, self.crawler, rules_text(body).encode())
        self._known[host_of(request.url)] = parser
        await self.crawler.signals.send_catch_log_async(
            signal=signals.robots_parsed, robotparser=parser, request=request
        )

    async def robot_parser(self, request: Request) -> RobotParser:
        """Return the rules for the host of a request. Raise the error if its robots.txt cannot be fetched."""
        host = host_of(request.url)
        if host not in self._known:
            async with self._fetching[host]:
                if host not in self._known:
                    await self._fetch(host, request)
        known = self._known[host]
        if isinstance(known, Exception):
            raise known.with_traceback(None)  # a traceback would grow each time
        return known

    async def allows(self, request: Request) -> bool:
        """Return whether robots.txt allows a request. Raise the error if it cannot be fetched."""
        parser = await self.robot_parser(request)
        return parser.allowed(request.url, self._agent)

    async def _fetch(self, host: str, request: Request) -> None:
        robots = Request(
            urljoin(request.url, "/robots.txt"),
            callback=NO_CALLBACK,
            priority=self.DOWNLOAD_PRIORITY,
            headers={"Accept-Encoding": "gzip"},
            meta={
                "dont_obey_robotstxt": True,
                "download_maxsize": ROBOTS_MAXSIZE,
                "download_slot": host,
                "woo_decompress": True,
                "woo_host": request.meta.get("woo_host"),
                "woo_stream": True,
            },
        )
        try:
            response = await self.crawler.engine.download_async(robots)
        except Exception as error:  # each request to the host fails with this error
            if isinstance(error, IgnoreRequest):  # else it would seem to be a redirect of the document
                error = RobotsUnreachableError(f"doorverwijzing naar {error}")
            self._known.setdefault(host, error)
            return
        body = _body(response)
        if is_complete(response.status):
            await self.learn(request, body)
        elif 300 <= response.status < 500:  # RFC 9309, 2.3.1.3: without a robots.txt all is allowed
            await self.learn(request, b"")
        else:
            self._known.setdefault(host, RobotsUnreachableError(f"HTTP {response.status}"))

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raise RobotsForbidden if robots.txt forbids a request, or the error why it cannot be fetched."""
        if request.meta.get("dont_obey_robotstxt") or not request.url.startswith(("https:", "http:")):
            return
        if not await self.allows(request):
            self.crawler.stats.inc_value("robotstxt/forbidden")
            raise RobotsForbidden(request.url)


def _body(response: Response) -> bytes:
    if not isinstance(response, StreamedResponse):  # made by Scrapy itself
        return response.body
    with closing(response):
        return b"".join(response.chunks())
