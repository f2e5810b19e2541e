"""Reads the files of hosts in their order: robots.txt, then the indexes, then the sitemaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import CloseSpider

from woo_harvester.crawl.answers import check_expected, failure_code, failure_seen, is_ours
from woo_harvester.crawl.documents import Documents
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.file_requests import (
    FileRequests,
    Output,
    StateWrite,
    read_robots,
    report_place,
)
from woo_harvester.crawl.host import Look, Visit
from woo_harvester.crawl.sitemap import SitemapFiles, count_missed, look_into, read_index
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.items import StreamedResponse
from woo_harvester.running.causes import UnexpectedError
from woo_harvester.running.ending import is_closing
from woo_harvester.sitemaps.file_findings import Index, Sitemap
from woo_harvester.sitemaps.glance import GLANCE_MAXSIZE, GLANCES
from woo_harvester.state.resources import Resource

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection
    from twisted.python.failure import Failure

_BACKLOG = "host.achterstand"

#: The reason why a host was not read completely, if an exception ended the reading of a file.
_ERROR = "fout in de oogst"


class HostReader:
    """The callbacks for the files of hosts. Each reads one file and requests the next one of its host.

    The reading itself is in :mod:`~woo_harvester.crawl.file_requests`
    and :mod:`~woo_harvester.crawl.sitemap`.
    """

    def __init__(
        self,
        crawler: Crawler,
        keeper: StateKeeper,
        entries: Entries,
        documents: Documents,
    ) -> None:
        self._crawler = crawler
        self._keeper = keeper
        self._is_audit = crawler.settings.getbool("WOO_AUDIT")
        self._index_maxsize = crawler.settings.getint("WOO_INDEX_MAXSIZE")
        self._requests = FileRequests(crawler.settings, self.on_failure, entries.terms)
        self._sitemaps = SitemapFiles(crawler, keeper, entries, documents)

    def first_requests(self, visits: Sequence[Visit], connection: Connection) -> list[Request]:
        """Return the first request of each visit, which is for robots.txt."""
        for visit in visits:
            visit.files_requested = 1
            visit.account.visited = True
        return self._requests.robots_requests(connection, visits, self.parse_robots)

    async def parse_robots(self, response: StreamedResponse, visit: Visit, resource: Resource) -> Output:
        """Read a robots.txt, and yield the request for the first index."""
        try:
            write = await read_robots(self._crawler, response, visit, resource)
        except Exception as error:
            async for made in self._after_error(visit, error):
                yield made
            raise
        if self._is_audit:
            visit.misnamed.extend(visit.selection.misnamed)
        async for made in self._after(visit, write):
            yield made

    async def parse_index(
        self, response: StreamedResponse, visit: Visit, resource: Resource, index: Index
    ) -> Output:
        """Read an index, and yield the request for the next index or the first sitemap."""
        try:
            write = read_index(response, visit, resource, index, self._index_maxsize)
        except Exception as error:
            async for made in self._after_error(visit, error):
                yield made
            raise
        async for made in self._after(visit, write):
            yield made

    async def parse_sitemap(
        self, response: StreamedResponse, visit: Visit, resource: Resource, sitemap: Sitemap
    ) -> Output:
        """Yield the items and the requests that a sitemap leads to, as there is capacity.

        The next sitemap is requested at once: the server sends it while this one is being read.
        """
        async with visit.turn:
            if visit.indexes or visit.sitemaps:
                with self._keeper.begin() as connection:
                    ahead = self._next(connection, visit)
                yield ahead
            try:
                async for made in self._sitemaps.parse(response, visit, resource, sitemap):
                    yield made
            except Exception as error:
                async for made in self._after_error(visit, error):
                    yield made
                raise
            if not is_closing(self._crawler):
                async for made in self._after(visit):
                    yield made

    async def parse_misnamed(self, response: StreamedResponse, visit: Visit, resource: Resource) -> Output:
        """Count the sitemaps that only an index with a wrong name lists, and go on."""
        try:
            missed = count_missed(response, visit, self._index_maxsize)
        except Exception as error:
            async for made in self._after_error(visit, error):
                yield made
            raise
        visit.account.missed = (visit.account.missed or 0) + missed
        async for made in self._after(visit):
            yield made

    async def parse_look(
        self, response: StreamedResponse, visit: Visit, resource: Resource, look: Look
    ) -> Output:
        """Look into a sitemap that is no index by its name, and go on."""
        look_into(response, visit, look)
        async for made in self._after(visit):
            yield made

    async def on_failure(self, failure: Failure) -> Output:
        """Report why the request for a file failed, and yield the request for the next file."""
        request: Request = failure.request  # type: ignore[attr-defined]
        visit: Visit = request.cb_kwargs["visit"]
        if is_ours(failure.value):
            return
        try:
            check_expected(failure.value)
        except UnexpectedError as error:
            async for made in self._after_error(visit, error):
                yield made
            raise
        if request.callback == self.parse_misnamed:
            visit.account.missed = (visit.account.missed or 0) + 1
        elif request.callback == self.parse_look:
            visit.selection.report_other(request.cb_kwargs["look"].line)
        else:
            report_place(request, visit)
            code = failure_code(failure.value, request.meta["woo_kind"])
            visit.report(code, url=request.url, seen=failure_seen(failure.value))
        async for made in self._after(visit):
            yield made

    def finish(self, visit: Visit) -> None:
        """Count a host as done, once, if nothing is left to read or to download."""
        if visit.finished and visit.account.complete is None:
            stats = self._crawler.stats
            visit.selection.report_empty()
            if visit.budget.left:
                self._report_backlog(visit)
            stats.inc_value("woo/hosts/done")
            visit.account.complete = visit.is_complete
            stats.inc_value("woo/hosts/complete" if visit.is_complete else "woo/hosts/incomplete")

    async def _after_error(self, visit: Visit, error: Exception) -> Output:
        """Yield what follows on a file whose reading raised *error*, which Scrapy logs.

        It may be an error in the spider's own filter. The host does not count as read completely.
        """
        visit.incomplete.append(_ERROR)
        if not isinstance(error, CloseSpider):
            async for made in self._after(visit):
                yield made

    async def _after(self, visit: Visit, write: StateWrite | None = None) -> Output:
        """Yield the request for the next file after one has been read, unless it was made already.

        After the last file, yield the requests for the documents of the sample. *write* writes to the state
        that the file was read.
        """
        for request in self._next_file(visit, write):
            yield request
        async for made in self._sitemaps.request_sample(visit):
            yield made
        self.finish(visit)

    def _next_file(self, visit: Visit, write: StateWrite | None) -> list[Request]:
        """Return the request for the next file, and call *write*, in one transaction."""
        visit.files_requested -= 1
        if not visit.indexes and not visit.files_requested:
            visit.sitemaps.extend(visit.selection.nested())
            visit.looks.extend(Look(line, line.url) for line in visit.selection.others(GLANCES))
        following: list[Request] = []
        has_next = not visit.files_requested and not visit.reading_done
        if write is not None or has_next:
            with self._keeper.begin() as connection:
                if write is not None:
                    write(connection)
                if has_next:
                    following = [self._next(connection, visit)]
        return following

    def _next(self, connection: Connection, visit: Visit) -> Request:
        """Return the request for the next file of a host; there must be one."""
        visit.files_requested += 1
        if visit.indexes:
            index = visit.indexes.popleft()
            visit.account.count_index(index.url)
            return self._requests.request(
                connection, index.url, "index", visit, self.parse_index, index=index
            )
        if not visit.sitemaps and visit.misnamed:
            url = visit.misnamed.popleft()
            return self._requests.request(connection, url, "index", visit, self.parse_misnamed)
        if not visit.sitemaps:
            look = visit.looks.popleft()
            request = self._requests.request(connection, look.url, "index", visit, self.parse_look, look=look)
            request.meta["download_maxsize"] = GLANCE_MAXSIZE
            return request
        sitemap = visit.sitemaps.popleft()
        visit.account.count_sitemap(sitemap.url)
        return self._requests.request(
            connection,
            sitemap.url,
            "sitemap",
            visit,
            self.parse_sitemap,
            sitemap.index.url,
            sitemap=sitemap,
        )

    def _report_backlog(self, visit: Visit) -> None:
        """Report how many documents are left after the host's time was used up, and how long they take."""
        budget = visit.budget
        self._crawler.stats.inc_value("woo/documents/left", budget.left)
        visit.account.backlog, visit.account.backlog_days = budget.left, budget.days_left
        visit.incomplete.append(_BACKLOG)
        visit.report(
            _BACKLOG,
            url=f"https://{visit.host}/",
            seen=f"{budget.left} documenten over, {budget.requested} opgevraagd",
            action=f"in een volgende oogst: bij een oogst per dag {budget.days_left} dagen",
        )
