"""Reads the robots.txt of a host: the indexes that it names, and the rules for the harvester."""

from __future__ import annotations

from typing import TYPE_CHECKING

from woo_harvester.crawl.conditional import is_not_modified
from woo_harvester.crawl.files import StateWrite, state_write
from woo_harvester.crawl.host import Visit
from woo_harvester.downloadermiddlewares.robotstxt import WooRobotsTxtMiddleware
from woo_harvester.responses import StreamedResponse
from woo_harvester.state.resources import Resource
from woo_harvester.statuses import is_complete

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from woo_harvester.crawl.entry_pages import EntryPageVisit

#: The answers that mean that a host has no robots.txt.
_MISSING = (404, 410)


async def read_robots(
    crawler: Crawler, response: StreamedResponse, visit: Visit, resource: Resource
) -> StateWrite | None:
    """Add the indexes in a robots.txt to *visit*, and obey its rules.

    Report what is wrong with the file. Return the function that writes to the state that it was read; None if
    it was not read completely, or if nothing changes in the state.
    """
    content = _content(response, resource)
    write = None
    if response.request is not None:
        report_private_address(response.request, visit)
    if content is not None:
        write = _add_indexes(response, visit, resource, content)
    elif response.status in _MISSING:
        visit.report("robots.ontbreekt", url=response.url, seen=f"HTTP {response.status}")
    else:
        seen = "afgebroken" if is_complete(response.status) else f"HTTP {response.status}"
        visit.report("robots.onbereikbaar", url=response.url, seen=seen)
    if content is not None or response.status in range(400, 500):
        await _obey(crawler, response, content or b"")
    return write


def report_private_address(request: Request, visit: Visit | EntryPageVisit) -> None:
    """Report that a host has a private address, which a harvest over the internet would not reach."""
    if request.meta["woo_kind"] in ("robots", "ingang") and request.meta.get("woo_private"):
        visit.report("host.intern-adres", url=request.url)


def _content(response: StreamedResponse, resource: Resource) -> bytes | None:
    """Return the content of a robots.txt, or None if it was not received completely."""
    if "dataloss" in response.flags:
        return None
    if is_not_modified(response):
        return resource.content
    return b"".join(response.chunks()) if is_complete(response.status) else None


def _add_indexes(
    response: StreamedResponse, visit: Visit, resource: Resource, content: bytes
) -> StateWrite | None:
    visit.indexes.extend(visit.selection.indexes(content, response.url))
    write = None
    if "maxsize" in response.flags:
        visit.report("robots.te-groot", url=response.url, action="gelezen tot 500 KiB")
        visit.incomplete.append("robots.te-groot")
    elif is_complete(response.status):
        write = state_write(response, resource, content)
    if not visit.selection.names_index:
        visit.report("robots.geen-diwoo-index", url=response.url)
    return write


async def _obey(crawler: Crawler, response: StreamedResponse, rules: bytes) -> None:
    """Pass the content of a robots.txt to the middleware that applies it.

    RFC 9309: after a redirect, it applies to the host that was asked first. It is empty if the host has no
    robots.txt.
    """
    middleware = crawler.get_downloader_middleware(WooRobotsTxtMiddleware)
    if middleware is not None and response.request is not None:
        redirected = response.request.meta.get("redirect_urls")
        asked = response.request.replace(url=redirected[0]) if redirected else response.request
        await middleware.learn(asked, rules)
