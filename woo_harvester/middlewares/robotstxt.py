"""Obeys robots.txt, without fetching twice what the spider has read already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.robotstxt import RobotParser
from scrapy.utils.misc import build_from_crawler, load_object

from woo_harvester.urls import host_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler


class RobotsForbidden(IgnoreRequest):
    """robots.txt does not allow this request; the message is the URL."""


class WooRobotsTxtMiddleware(RobotsTxtMiddleware):
    """Takes the rules of a host from the robots.txt that the spider has read (RFC 9309).

    Scrapy's middleware fetches robots.txt itself; it still does so for a host that no robots.txt has been
    read of in this run, such as that of a document that another host's sitemap lists. Requests for a
    robots.txt itself are never forbidden.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._parser_class: type[RobotParser] = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self._agent = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self._known: dict[str, RobotParser] = {}

    async def learn(self, request: Request, body: bytes) -> None:
        """Take *body* as the robots.txt of the host of *request*; empty where the host has none."""
        parser = build_from_crawler(self._parser_class, self.crawler, body)
        self._known[host_of(request.url)] = parser
        await self.crawler.signals.send_catch_log_async(
            signal=signals.robots_parsed, robotparser=parser, request=request
        )

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """The rules for a request's host."""
        return self._known.get(host_of(request.url)) or await super().robot_parser(request)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raise :class:`RobotsForbidden` for what the rules do not allow."""
        if request.meta.get("dont_obey_robotstxt") or not request.url.startswith("http"):
            return
        parser = await self.robot_parser(request)
        if parser is not None and not parser.allowed(request.url, self._agent):
            self.crawler.stats.inc_value("robotstxt/forbidden")
            raise RobotsForbidden(request.url)
