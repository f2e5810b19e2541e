"""Requests robots.txt files, indexes and sitemaps, and writes to the state that they were read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any

from scrapy import Request

from woo_harvester.crawl.answers import conditions, is_not_modified, validator
from woo_harvester.crawl.host import Visit
from woo_harvester.downloader.middlewares import WooRobotsTxtMiddleware
from woo_harvester.findings import Severity
from woo_harvester.items import StreamedResponse, WooItem
from woo_harvester.sitemaps.facts import Terms
from woo_harvester.sitemaps.file_findings import Area, file_findings
from woo_harvester.sitemaps.reader import FileContents
from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE
from woo_harvester.sitemaps.xml_stream import GZIP_MAGIC
from woo_harvester.state.documents import first_refused
from woo_harvester.state.resources import (
    Resource,
    ResourceKind,
    forget_read,
    keep_read,
    resource_of,
    robots_of,
)
from woo_harvester.utils.program import ANSWERS, is_complete
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection
    from twisted.python.failure import Failure

    from woo_harvester.crawl.entry_pages import EntryPageVisit


Output = AsyncIterator[Request | WooItem]

StateWrite = Callable[["Connection"], None]
"""A function that writes to the state that a file was read."""


class FileRequests:
    """The requests for the files of hosts: robots.txt, indexes and sitemaps."""

    def __init__(
        self,
        settings: BaseSettings,
        errback: Callable[[Failure], Output],
        terms: Terms,
    ) -> None:
        self._terms = terms
        self._errback = errback
        self._interval = timedelta(days=settings.getfloat("WOO_FULL_READ_DAYS"))
        self._refused_interval = timedelta(days=settings.getfloat("WOO_REFUSED_DAYS"))
        # One byte more than is read, so that a reader sees that there is more.
        self._maxsizes: dict[ResourceKind, int] = {
            "robots": ROBOTS_MAXSIZE,
            "index": settings.getint("WOO_INDEX_MAXSIZE") + 1,
            "sitemap": settings.getint("WOO_SITEMAP_MAXSIZE") + 1,
        }

    def request(
        self,
        connection: Connection,
        url: str,
        kind: ResourceKind,
        visit: Visit,
        callback: Callable[..., Output],
        listed_by: str | None = None,
        **kwargs: Any,
    ) -> Request:
        """Return a request for a file of the host of *visit*; *callback* gets *kwargs*.

        The server may answer 304, unless the file must be read in full.
        """
        resource = resource_of(connection, visit.known.id, url, kind, listed_by)
        was_read = kind == "sitemap" and resource.read_at is not None
        if was_read and self._has_due_documents(connection, resource):
            forget_read(connection, resource.id)
            resource = replace(resource, etag=None, last_modified=None, digest=None, read_at=None)
        return self._request(resource, url, kind, visit, callback, **kwargs)

    def robots_requests(
        self, connection: Connection, visits: Sequence[Visit], callback: Callable[..., Output]
    ) -> list[Request]:
        """Return a request for the robots.txt of each visit, in their order."""
        urls = {visit.known.id: f"https://{visit.host}/robots.txt" for visit in visits}
        known = robots_of(connection, urls)
        return [
            self._request(known[visit.known.id], urls[visit.known.id], "robots", visit, callback)
            for visit in visits
        ]

    def _request(
        self,
        resource: Resource,
        url: str,
        kind: ResourceKind,
        visit: Visit,
        callback: Callable[..., Output],
        **kwargs: Any,
    ) -> Request:
        return Request(
            url,
            callback=callback,
            errback=self._errback,
            dont_filter=True,
            headers={"Accept-Encoding": "gzip", **conditions(resource, self._interval)},
            meta={
                "download_slot": host_of(url),  # an index may be on another registered host
                "download_maxsize": self._maxsizes[kind],
                "dont_obey_robotstxt": kind == "robots",
                "handle_httpstatus_list": ANSWERS,
                "woo_digest": True,
                "woo_host": visit.host,
                "woo_kind": kind,
                "woo_stream": True,
            },
            cb_kwargs={"visit": visit, "resource": resource, **kwargs},
        )

    def _has_due_documents(self, connection: Connection, resource: Resource) -> bool:
        """Return whether a sitemap lists a document that must be requested again.

        That is a document that was refused long ago, or one that may have been delivered with less than this
        run wants; and any document, in a run that delivers all.
        """
        first = first_refused(connection, resource.id)
        if first is not None and time() - first >= self._refused_interval.total_seconds():
            return True
        return self._terms.delivers_all or self._terms.want_more(resource.depth)


def state_write(response: StreamedResponse, resource: Resource, content: bytes) -> StateWrite:
    """Return the function that writes to the state that a robots.txt or index was read just now."""
    return partial(
        keep_read,
        resource_id=resource.id,
        etag=validator(response, "ETag"),
        last_modified=validator(response, "Last-Modified"),
        digest=None,
        at=int(time()),
        content=content,
    )


def report_file(visit: Visit, url: str, area: Area, contents: FileContents) -> None:
    """Report what is wrong with a file as a whole, such as its size."""
    for found in file_findings(area, contents):
        found.send(visit.report, url)


def report_coding(visit: Visit, response: StreamedResponse, url: str) -> None:
    """Report a file that its server says is packed, and that is not."""
    if response.coding.strip().lower() not in ("gzip", "x-gzip"):
        return
    if not next(response.chunks(), b"").startswith(GZIP_MAGIC):
        seen = f"Content-Encoding: {response.coding}"
        visit.report("sitemap.codering", url=url, seen=seen, action="gelezen zoals het kwam")


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
        report_place(response.request, visit)
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


def report_place(request: Request, visit: Visit) -> None:
    """Report that a host is not in the register, or has a private address; *request* was its first one.

    A test environment is not in the register, and need not be: there, the first is no more than a notice.
    """
    if request.meta["woo_kind"] != "robots":
        return
    report_private_address(request, visit)
    if not visit.account.organisations:
        is_test = visit.is_test or request.meta.get("woo_private")
        lowered_to = Severity.INFO if is_test else None
        visit.report("register.domein-ontbreekt", url=f"https://{visit.host}/", lowered_to=lowered_to)


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
