"""Reads hosts: robots.txt, indexes and sitemaps, one after another, as far as they have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any

from scrapy import Request

from woo_harvester.crawl.conditional import conditions, is_not_modified, validator
from woo_harvester.crawl.documents import Documents
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.failures import failure_code, failure_seen, is_ours
from woo_harvester.crawl.host import Visit
from woo_harvester.crawl.sitemap import Output, SitemapFiles, check_file
from woo_harvester.downloadermiddlewares.robotstxt import WooRobotsTxtMiddleware
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.handlers.response import StreamedResponse
from woo_harvester.running.ending import is_closing
from woo_harvester.sitemaps.file_findings import read_error_code
from woo_harvester.sitemaps.reader import OtherRootError, SitemapError, SitemapReader
from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE
from woo_harvester.sitemaps.url_selection import Index, Sitemap
from woo_harvester.state.faults import first_refused
from woo_harvester.state.resources import Resource, ResourceKind, forget_read, keep_read, resource_of
from woo_harvester.statuses import ANSWERS, is_complete
from woo_harvester.urls import host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection
    from twisted.python.failure import Failure

LEFT = "host.achterstand"

#: Indexes up to this size are kept for when the server answers 304.
KEPT_MAXSIZE = 8 * 1024 * 1024


class HostReader:
    """Makes the requests for the files of a host, and requests or items of the documents that they list."""

    def __init__(self, crawler: Crawler, keeper: StateKeeper, entries: Entries, documents: Documents) -> None:
        self._crawler = crawler
        self._keeper = keeper
        self._documents = documents
        self._interval = timedelta(days=crawler.settings.getfloat("WOO_FULL_READ_DAYS"))
        self._patience = timedelta(days=crawler.settings.getfloat("WOO_REFUSED_DAYS"))
        self._index_maxsize = crawler.settings.getint("WOO_INDEX_MAXSIZE")
        self._sitemaps = SitemapFiles(crawler, keeper, entries, documents)

    def robots(self, visit: Visit, connection: Connection) -> Request:
        """The request that a visit begins with."""
        url = f"https://{visit.host}/robots.txt"
        visit.asked = 1
        visit.account.visited = True
        return self._request(connection, url, "robots", visit, self.parse_robots, ROBOTS_MAXSIZE)

    def _request(
        self,
        connection: Connection,
        url: str,
        kind: ResourceKind,
        visit: Visit,
        callback: Callable[..., Output],
        maxsize: int,
        listed_by: str | None = None,
        **kwargs: Any,
    ) -> Request:
        """A streamed request for a file of *visit*'s host; *kwargs* go to the callback."""
        resource = resource_of(connection, visit.known.id, url, kind, listed_by)
        if resource.read_at is not None and self._is_another_try_due(connection, resource.id):
            forget_read(connection, resource.id)
            resource = replace(resource, etag=None, last_modified=None, digest=None, read_at=None)
        return Request(
            url,
            callback=callback,
            errback=self.on_failure,
            dont_filter=True,
            headers={"Accept-Encoding": "gzip", **conditions(resource, self._interval)},
            meta={
                "download_slot": host_of(url),  # an index may stand on another registered host
                # One more, so that the reader sees that there is more.
                "download_maxsize": maxsize if kind == "robots" else maxsize + 1,
                "dont_obey_robotstxt": kind == "robots",
                "handle_httpstatus_list": ANSWERS,
                "woo_digest": True,
                "woo_kind": kind,
                "woo_stream": True,
            },
            cb_kwargs={"visit": visit, "resource": resource, **kwargs},
        )

    def _is_another_try_due(self, connection: Connection, resource_id: int) -> bool:
        """Whether a document of a sitemap is asked for again: refused, or said to be the same, long ago."""
        first = first_refused(connection, resource_id)
        if first is not None and time() - first >= self._patience.total_seconds():
            return True
        return self._documents.is_recheck_due(connection, resource_id)

    async def on_failure(self, failure: Failure) -> Output:
        """Tell why nothing came of a robots.txt, index or sitemap, and go on with the host."""
        request: Request = failure.request  # type: ignore[attr-defined]
        visit: Visit = request.cb_kwargs["visit"]
        if is_ours(failure.value):
            return
        code = failure_code(failure.value, request.meta["woo_kind"])
        visit.report(code, url=request.url, seen=failure_seen(failure.value))
        for following in self._after(visit):
            yield following

    def _after(self, visit: Visit, keep: Callable[[Connection], None] | None = None) -> list[Request]:
        """What is to be asked for when a file has been read, unless the next one is on its way already.

        *keep* remembers that file, in the same transaction.
        """
        visit.asked -= 1
        following: list[Request] = []
        has_next = not visit.asked and not visit.reading_done
        if keep is not None or has_next:
            with self._keeper.begin() as connection:
                if keep is not None:
                    keep(connection)
                if has_next:
                    following = [self._next(connection, visit)]
        self.finish(visit)
        return following

    def _next(self, connection: Connection, visit: Visit) -> Request:
        """What is to be read next of a host, of which something is left."""
        visit.asked += 1
        if visit.indexes:
            index = visit.indexes.popleft()
            visit.account.count_index(index.url)
            return self._request(
                connection, index.url, "index", visit, self.parse_index, self._index_maxsize, index=index
            )
        sitemap = visit.sitemaps.popleft()
        if not visit.is_second:
            visit.account.count_sitemap(sitemap.url)
        return self._request(
            connection,
            sitemap.url,
            "sitemap",
            visit,
            self.parse_sitemap,
            self._sitemaps.maxsize,
            sitemap.index.url,
            sitemap=sitemap,
        )

    def read_again(self, visit: Visit) -> Iterator[Request]:
        """Give the request for the first of the sitemaps that were postponed; the others follow it."""
        visit.read_again()
        with self._keeper.begin() as connection:
            yield self._next(connection, visit)

    def finish(self, visit: Visit) -> None:
        """Count a host as done, once nothing of it is under way."""
        if visit.finished:
            stats = self._crawler.stats
            if visit.left:
                self._tell_left(visit)
            stats.inc_value("woo/hosts/done")
            visit.account.complete = not visit.incomplete
            stats.inc_value("woo/hosts/incomplete" if visit.incomplete else "woo/hosts/complete")

    def _tell_left(self, visit: Visit) -> None:
        """Tell what was left when the time for the host was used up, and when it will be done."""
        stats = self._crawler.stats
        stats.inc_value("woo/documents/left", visit.left)
        stats.set_value(f"woo/backlog/{visit.host}", visit.left)
        stats.set_value(f"woo/backlog_days/{visit.host}", visit.days_left)
        visit.incomplete.append(LEFT)
        visit.report(
            LEFT,
            url=f"https://{visit.host}/",
            seen=f"{visit.left} documenten over, {visit.asked_for} opgevraagd",
            action=f"in een volgende oogst: bij een oogst per dag {visit.days_left} dagen",
        )

    # robots.txt

    async def parse_robots(self, response: StreamedResponse, visit: Visit, resource: Resource) -> Output:
        """Take the indexes by the convention from a robots.txt, and tell what is not."""
        with closing(response):
            same = is_not_modified(response)
            body = resource.content if same else b"".join(response.chunks())
        keep = None
        readable = (
            (same or is_complete(response.status)) and "dataloss" not in response.flags and body is not None
        )
        if readable and body is not None:
            visit.indexes.extend(visit.selection.indexes(body, response.url))
            if "maxsize" in response.flags:
                visit.report("robots.te-groot", url=response.url, action="gelezen tot 500 KiB")
                visit.incomplete.append("robots.te-groot")
            elif is_complete(response.status):
                keep = _keep(response, resource, body)
            if not visit.selection.names_index:
                visit.report("robots.geen-diwoo-index", url=response.url)
        elif response.status in (404, 410):
            visit.report("robots.ontbreekt", url=response.url, seen=f"HTTP {response.status}")
        else:
            seen = "afgebroken" if is_complete(response.status) else f"HTTP {response.status}"
            visit.report("robots.onbereikbaar", url=response.url, seen=seen)
        if readable or response.status in range(400, 500):
            await self._obey(response, body or b"" if readable else b"")
        for request in self._after(visit, keep):
            yield request

    async def _obey(self, response: StreamedResponse, rules: bytes) -> None:
        """RFC 9309: the rules hold for the host that was asked, and none hold where it has no robots.txt."""
        middleware = self._crawler.get_downloader_middleware(WooRobotsTxtMiddleware)
        if middleware is not None and response.request is not None:
            redirected = response.request.meta.get("redirect_urls")
            asked = response.request.replace(url=redirected[0]) if redirected else response.request
            await middleware.learn(asked, rules)

    # Indexes

    async def parse_index(
        self, response: StreamedResponse, visit: Visit, resource: Resource, index: Index
    ) -> Output:
        """Take the sitemaps that an index lists."""
        keep = None
        with closing(response):
            if is_not_modified(response) and resource.content is not None:
                self._read_index([resource.content], visit, index)
            elif is_complete(response.status):
                complete = self._read_index(response.chunks(), visit, index)
                if "dataloss" in response.flags and complete:
                    visit.report("index.ongeldig", url=index.url, seen="afgebroken")
                elif complete and response.size <= KEPT_MAXSIZE:
                    keep = _keep(response, resource, b"".join(response.chunks()))
            else:
                visit.report("index.onbereikbaar", url=index.url, seen=f"HTTP {response.status}")
        for request in self._after(visit, keep):
            yield request

    def _read_index(self, chunks: Iterable[bytes], visit: Visit, index: Index) -> bool:
        """Whether the index could be read to its end."""
        reader = SitemapReader(chunks, "sitemapindex", self._index_maxsize)
        try:
            for batch in reader:
                found = (visit.selection.sitemap(entry, index) for entry in batch)
                visit.sitemaps.extend(filter(None, found))
        except OtherRootError as error:
            code = "index.is-urlset" if error.root == "urlset" else "index.ongeldig"
            visit.report(code, url=index.url, line=error.line, seen=f"<{error.root}>")
        except SitemapError as error:
            code = read_error_code("index", error.reason)
            visit.report(code, url=index.url, line=error.line, seen=error.seen)
        check_file(visit, index.url, "index", reader)
        if reader.complete and not reader.entries:
            visit.report("sitemap.leeg", url=index.url)
        return reader.complete

    # Sitemaps

    async def parse_sitemap(
        self, response: StreamedResponse, visit: Visit, resource: Resource, sitemap: Sitemap
    ) -> Output:
        """Make items of the entries of a sitemap, and requests for their documents where there is room.

        The next sitemap is asked for at once: the server sends it while this one is read.
        """
        with closing(response):
            async with visit.turn:
                if visit.indexes or visit.sitemaps:
                    with self._keeper.begin() as connection:
                        ahead = self._next(connection, visit)
                    yield ahead
                async for made in self._sitemaps.parse(response, visit, resource, sitemap):
                    yield made
                if not is_closing(self._crawler):
                    for request in self._after(visit):
                        yield request


def _keep(response: StreamedResponse, resource: Resource, content: bytes) -> Callable[[Connection], None]:
    """What remembers a robots.txt or index as it was read now."""
    return partial(
        keep_read,
        resource_id=resource.id,
        etag=validator(response, "ETag"),
        last_modified=validator(response, "Last-Modified"),
        digest=None,
        at=int(time()),
        content=content,
    )
