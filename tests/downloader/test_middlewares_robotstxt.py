from __future__ import annotations

import asyncio

import pytest
from scrapy import Request, signals
from scrapy.robotstxt import RobotParser

from tests.utils.crawlers import crawler_of
from woo_harvester.downloader.middlewares import RobotsForbidden, WooRobotsTxtMiddleware

ROBOTS = (
    b"User-agent: *\nDisallow: /prive/\nCrawl-delay: 2\n\nUser-agent: woo-harvester\nDisallow: /intern/\n"
)


def judge(
    url: str, *, body: bytes = ROBOTS, agent: str = "woo-harvester/0.1 (+https://a.nl)", **meta: object
) -> None:
    """Asks for a URL after the robots.txt of its host was read."""

    async def run() -> None:
        middleware = WooRobotsTxtMiddleware(crawler_of(ROBOTSTXT_OBEY=True, USER_AGENT=agent))
        await middleware.learn(Request("https://www.a.nl/robots.txt"), body)
        await middleware.process_request(Request(url, meta=meta))

    asyncio.run(run())


@pytest.mark.parametrize("url", ["https://www.a.nl/", "https://www.a.nl/prive/a.pdf"])
def test_what_the_rules_for_this_harvester_allow_may_be_fetched(url: str) -> None:
    judge(url)


def test_what_they_forbid_may_not() -> None:
    with pytest.raises(RobotsForbidden, match=r"^https://www\.a\.nl/intern/a\.pdf$"):
        judge("https://www.a.nl/intern/a.pdf")


def test_the_rules_behind_a_written_line_end_are_obeyed() -> None:
    body = rb"User-agent: *\nDisallow: /intern/\nSitemap: https://www.a.nl/sitemapindex-diwoo.xml\n"
    judge("https://www.a.nl/sitemapindex-diwoo.xml", body=body)
    with pytest.raises(RobotsForbidden):
        judge("https://www.a.nl/intern/a.pdf", body=body)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_rules_in_utf_16_are_obeyed(encoding: str) -> None:
    with pytest.raises(RobotsForbidden):
        judge("https://www.a.nl/intern/a.pdf", body=ROBOTS.decode().encode(encoding))


def test_the_rules_for_all_hold_for_an_agent_that_is_not_named() -> None:
    with pytest.raises(RobotsForbidden):
        judge("https://www.a.nl/prive/a.pdf", agent="ander/1")


def test_a_host_without_robots_txt_forbids_nothing() -> None:
    judge("https://www.a.nl/intern/a.pdf", body=b"")


def test_a_robots_txt_that_is_no_text_forbids_nothing() -> None:
    judge("https://www.a.nl/intern/a.pdf", body=bytes(range(256)))


def test_a_robots_txt_itself_is_never_forbidden() -> None:
    judge("https://www.a.nl/robots.txt", body=b"User-agent: *\nDisallow: /\n", dont_obey_robotstxt=True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
def test_what_was_learnt_is_reported_once_for_the_host(encoding: str) -> None:
    requested: list[tuple[str, float | None]] = []

    def robots_parsed(robotparser: RobotParser, request: Request) -> None:
        requested.append((request.url, robotparser.crawl_delay("ander")))

    async def run() -> None:
        crawler = crawler_of(ROBOTSTXT_OBEY=True)
        crawler.signals.connect(robots_parsed, signals.robots_parsed)
        body = ROBOTS.decode().encode(encoding)
        await WooRobotsTxtMiddleware(crawler).learn(Request("https://www.a.nl/robots.txt"), body)

    asyncio.run(run())
    assert requested == [("https://www.a.nl/robots.txt", 2.0)]
