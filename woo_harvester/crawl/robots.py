"""Reads the robots.txt of a host: its indexes, and the rules that the harvester obeys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from woo_harvester.crawl.conditional import is_not_modified
from woo_harvester.crawl.files import Keep, kept
from woo_harvester.crawl.host import Visit
from woo_harvester.downloadermiddlewares.robotstxt import WooRobotsTxtMiddleware
from woo_harvester.responses import StreamedResponse
from woo_harvester.state.resources import Resource
from woo_harvester.statuses import is_complete

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: The answers that mean that a host has no robots.txt.
_MISSING = (404, 410)


async def read_robots(
    crawler: Crawler, response: StreamedResponse, visit: Visit, resource: Resource
) -> Keep | None:
    """Add the indexes in a robots.txt to *visit*, and obey its rules.

    Reports what is wrong with it. Returns what the state keeps of it, or None.
    """
    content = _content(response, resource)
    keep = None
    if content is not None:
        keep = _add_indexes(response, visit, resource, content)
    elif response.status in _MISSING:
        visit.report("robots.ontbreekt", url=response.url, seen=f"HTTP {response.status}")
    else:
        seen = "afgebroken" if is_complete(response.status) else f"HTTP {response.status}"
        visit.report("robots.onbereikbaar", url=response.url, seen=seen)
    if content is not None or response.status in range(400, 500):
        await _obey(crawler, response, content or b"")
    return keep


def _content(response: StreamedResponse, resource: Resource) -> bytes | None:
    """Return the content of a robots.txt, or None if it did not come completely."""
    if "dataloss" in response.flags:
        return None
    if is_not_modified(response):
        return resource.content
    return b"".join(response.chunks()) if is_complete(response.status) else None


def _add_indexes(response: StreamedResponse, visit: Visit, resource: Resource, content: bytes) -> Keep | None:
    visit.indexes.extend(visit.selection.indexes(content, response.url))
    keep = None
    if "maxsize" in response.flags:
        visit.report("robots.te-groot", url=response.url, action="gelezen tot 500 KiB")
        visit.incomplete.append("robots.te-groot")
    elif is_complete(response.status):
        keep = kept(response, resource, content)
    if not visit.selection.names_index:
        visit.report("robots.geen-diwoo-index", url=response.url)
    return keep


async def _obey(crawler: Crawler, response: StreamedResponse, rules: bytes) -> None:
    """Give *rules* to the middleware that obeys them.

    RFC 9309: they are the rules of the host that was asked, also after a redirect. A host without a
    robots.txt has no rules.
    """
    middleware = crawler.get_downloader_middleware(WooRobotsTxtMiddleware)
    if middleware is not None and response.request is not None:
        redirected = response.request.meta.get("redirect_urls")
        asked = response.request.replace(url=redirected[0]) if redirected else response.request
        await middleware.learn(asked, rules)
