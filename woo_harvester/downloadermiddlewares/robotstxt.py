"""Obeys robots.txt, without requesting again a file that the spider has read."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from scrapy import Request, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.misc import build_from_crawler, load_object

from woo_harvester.responses import StreamedResponse
from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE, with_line_ends
from woo_harvester.statuses import is_complete
from woo_harvester.urls import host_of

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class RobotsForbidden(IgnoreRequest):
    """The robots.txt of the host forbids this request; the message is the URL."""


# A public name, because Scrapy's statistics count exceptions under the names of their classes.
class RobotsUnreachableError(Exception):
    """The robots.txt of the host cannot be fetched. Not an IgnoreRequest, because the next run retries."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status} voor de robots.txt van deze host")


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
        parser = build_from_crawler(self._parser_class, self.crawler, with_line_ends(body))
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
            self._known.setdefault(host, error)
            return
        body = _body(response)
        if is_complete(response.status):
            await self.learn(request, body)
        elif 300 <= response.status < 500:  # RFC 9309, 2.3.1.3: without a robots.txt all is allowed
            await self.learn(request, b"")
        else:
            self._known.setdefault(host, RobotsUnreachableError(response.status))

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raise RobotsForbidden if robots.txt forbids a request, or the error why it cannot be fetched."""
        if request.meta.get("dont_obey_robotstxt") or not request.url.startswith(("https:", "http:")):
            return
        parser = await self.robot_parser(request)
        if not parser.allowed(request.url, self._agent):
            self.crawler.stats.inc_value("robotstxt/forbidden")
            raise RobotsForbidden(request.url)


def _body(response: Response) -> bytes:
    if not isinstance(response, StreamedResponse):  # made by Scrapy itself
        return response.body
    with closing(response):
        return b"".join(response.chunks())
