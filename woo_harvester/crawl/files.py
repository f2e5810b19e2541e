"""The files of a host, each requested and read after the one before: robots.txt, indexes, sitemaps."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import CloseSpider

from woo_harvester.crawl.answers import (
    check_expected,
    conditions,
    failure_code,
    failure_seen,
    is_due,
    is_not_modified,
    is_ours,
    validator,
)
from woo_harvester.crawl.documents import Documents
from woo_harvester.crawl.entries import Entries, SitemapReading
from woo_harvester.crawl.hosts import Look, Visit
from woo_harvester.downloader.given_files import NotGivenError
from woo_harvester.downloader.middlewares import WooRobotsTxtMiddleware
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter, Severity
from woo_harvester.items import StreamedResponse, WooItem
from woo_harvester.pipelines.record import DefaultsPipeline, MetadataPipeline
from woo_harvester.running.ending import is_closing
from woo_harvester.sitemaps.decide import Terms
from woo_harvester.sitemaps.file_findings import (
    ROOTS,
    Area,
    file_findings,
    other_kind_finding,
    read_error_finding,
)
from woo_harvester.sitemaps.glance import GLANCE_MAXSIZE, GLANCES, Glance, glance, likely_sitemap
from woo_harvester.sitemaps.reader import FileContents, OtherRootError
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.sitemaps.selection import Index, Sitemap
from woo_harvester.sitemaps.xml_stream import GZIP_MAGIC, SitemapError
from woo_harvester.state.deliveries import PendingRead
from woo_harvester.state.documents import first_refused
from woo_harvester.state.resources import (
    Resource,
    ResourceKind,
    forget_read,
    keep_read,
    resource_of,
    robots_of,
)
from woo_harvester.utils.statuses import ANSWERS, is_complete
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection
    from twisted.python.failure import Failure


Output = AsyncIterator[Request | WooItem]

StateWrite = Callable[["Connection"], None]
"""A function that writes to the state that a file was read."""


_BACKLOG = "host.achterstand"

#: The reason why a host was not read completely, if an exception ended the reading of a file.
_ERROR = "fout in de oogst"


class HostReader:
    """The callbacks for the files of hosts. Each reads one file and requests the next one of its host."""

    def __init__(
        self,
        crawler: Crawler,
        keeper: StateKeeper,
        entries: Entries,
        documents: Documents,
    ) -> None:
        self._crawler = crawler
        self._keeper = keeper
        self._index_maxsize = crawler.settings.getint("WOO_INDEX_MAXSIZE")
        self._requests = FileRequests(crawler.settings, self.on_failure, entries.terms)
        self._sitemaps = SitemapFiles(crawler, keeper, entries, documents)

    def first_requests(self, visits: Sequence[Visit], connection: Connection) -> list[Request]:
        """Return the first request of each visit, which is for robots.txt."""
        for visit in visits:
            visit.files_requested = 1
            visit.account.visited = True
        return self._requests.robots_requests(connection, visits, self.parse_robots)

    def parse_robots(self, response: StreamedResponse, visit: Visit, resource: Resource) -> Output:
        """Read a robots.txt, and yield the request for the first index."""
        return self._go_on(visit, self._read_robots, response, resource)

    async def _read_robots(
        self, visit: Visit, response: StreamedResponse, resource: Resource
    ) -> StateWrite | None:
        return await read_robots(self._crawler, response, visit, resource)

    def parse_index(
        self, response: StreamedResponse, visit: Visit, resource: Resource, index: Index
    ) -> Output:
        """Read an index, and yield the request for the next index or the first sitemap."""
        return self._go_on(visit, read_index, response, resource, index, self._index_maxsize)

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

    def parse_look(self, response: StreamedResponse, visit: Visit, resource: Resource, look: Look) -> Output:
        """Look into a sitemap that is no index by its name, and go on."""
        return self._go_on(visit, look_into, response, look)

    def on_failure(self, failure: Failure) -> Output | None:
        """Report why the request for a file failed, and yield the request for the next file."""
        if is_ours(failure.value):
            return None
        request: Request = failure.request  # type: ignore[attr-defined]
        return self._go_on(request.cb_kwargs["visit"], self._report_failure, request, failure.value)

    async def _report_failure(self, visit: Visit, request: Request, error: BaseException | None) -> None:
        check_expected(error)
        if request.callback == self.parse_look:
            visit.selection.report_other(request.cb_kwargs["look"].line)
        elif isinstance(error, NotGivenError):
            visit.leave_unjudged(request)
        else:
            report_place(request, visit)
            code = failure_code(error, request.meta["woo_kind"])
            visit.report(code, url=request.url, seen=failure_seen(error))

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

    async def _go_on(
        self, visit: Visit, read: Callable[..., Awaitable[StateWrite | None]], *of_file: Any
    ) -> Output:
        """Read a file, and yield the request for the next one, also if the reading raises an exception."""
        try:
            write = await read(visit, *of_file)
        except Exception as error:
            async for made in self._after_error(visit, error):
                yield made
            raise
        async for made in self._after(visit, write):
            yield made

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
            visit.account.indexes += 1
            return self._requests.request(
                connection, index.url, "index", visit, self.parse_index, index=index
            )
        if not visit.sitemaps:
            look = visit.looks.popleft()
            request = self._requests.request(connection, look.url, "index", visit, self.parse_look, look=look)
            request.meta["download_maxsize"] = GLANCE_MAXSIZE
            return request
        sitemap = visit.sitemaps.popleft()
        visit.account.sitemaps += 1
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


class FileRequests:
    """The requests for the files of hosts: robots.txt, indexes and sitemaps."""

    def __init__(
        self,
        settings: BaseSettings,
        errback: Callable[[Failure], Output | None],
        terms: Terms,
    ) -> None:
        self._terms = terms
        self._errback = errback
        self._interval = timedelta(days=settings.getfloat("WOO_FULL_READ_DAYS"))
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
                "woo_decompress": kind == "robots",
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
        if first is not None and time() - first >= self._interval.total_seconds():
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
    """Report a file with a coding that nobody asked for, or without the one that its server names."""
    coding = response.coding.strip().lower()
    is_gzip = coding in ("gzip", "x-gzip")
    if coding in ("", "identity") or (is_gzip and (response.is_decoded or _is_packed(response))):
        return
    action = "uitgepakt" if response.is_decoded else "gelezen zoals het kwam"
    visit.report("sitemap.codering", url=url, seen=f"Content-Encoding: {response.coding}", action=action)


def _is_packed(response: StreamedResponse) -> bool:
    return next(response.chunks(), b"").startswith(GZIP_MAGIC)


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
        report_coding(visit, response, response.url)
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
    report_private_address(request, visit.report)
    if not visit.account.organisations and "register" not in visit.account.not_judged:
        is_test = visit.is_test or request.meta.get("woo_private")
        lowered_to = Severity.INFO if is_test else None
        visit.report("register.domein-ontbreekt", url=f"https://{visit.host}/", lowered_to=lowered_to)


def report_private_address(request: Request, report: Reporter) -> None:
    """Report that a host has a private address, which a harvest over the internet would not reach."""
    if request.meta["woo_kind"] in ("robots", "ingang") and request.meta.get("woo_private"):
        report("host.intern-adres", url=request.url)


def _content(response: StreamedResponse, resource: Resource) -> bytes | None:
    """Return the content of a robots.txt, or None if it was not received completely."""
    if not {"dataloss", "coding"}.isdisjoint(response.flags):
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


#: Largest index that the state keeps for a 304, in bytes.
_KEPT_MAXSIZE = 8 * 1024 * 1024


async def read_index(
    visit: Visit, response: StreamedResponse, resource: Resource, index: Index, maxsize: int
) -> StateWrite | None:
    """Add the sitemaps in an index to *visit*; *maxsize* limits its bytes after decompression.

    Report what is wrong with the index. Return the function that writes to the state that it was read; None
    if it was not read completely, or if nothing changes in the state.
    """
    reading = ROOTS["index"], maxsize, response.charset
    if is_not_modified(response) and (content := resource.content) is not None:
        _add_sitemaps(RepairingReader(lambda: [content], *reading), visit, index)
        return None
    if not is_complete(response.status):
        visit.report("index.onbereikbaar", url=index.url, seen=f"HTTP {response.status}")
        return None
    report_coding(visit, response, index.url)
    if not _add_sitemaps(RepairingReader(response.chunks, *reading), visit, index):
        return None
    if "dataloss" in response.flags:
        visit.report("index.ongeldig", url=index.url, seen="afgebroken")
        return None
    if response.size > _KEPT_MAXSIZE:
        return None
    return state_write(response, resource, b"".join(response.chunks()))


def _add_sitemaps(reading: RepairingReader, visit: Visit, index: Index) -> bool:
    """Add the sitemaps in an index to *visit*; return whether the index was read to its end."""
    try:
        for batch in reading:
            found = (visit.selection.sitemap(entry, index) for entry in batch)
            visit.sitemaps.extend(filter(None, found))
    except OtherRootError as error:
        other_kind_finding("index", error).send(visit.report, index.url)
    except SitemapError as error:
        read_error_finding("index", error).send(visit.report, index.url)
    reader = reading.current
    if reader.others:
        visit.selection.with_documents.add(index.url)
    visit.selection.report_shared(index)
    report_file(visit, index.url, "index", reader)
    if reader.complete and not reader.entries:
        visit.selection.note_empty(index.url)
    return reader.complete


async def look_into(visit: Visit, response: StreamedResponse, look: Look) -> None:
    """Report a sitemap in robots.txt that is no index by its name, once it is known what it is.

    If it is an index, one of its sitemaps is to be looked into first.
    """
    found = glance(response.chunks, response.charset) if is_complete(response.status) else Glance()
    sitemaps = [] if look.is_inside else visit.selection.requestable(found.sitemaps)
    if sitemaps:
        visit.looks.appendleft(Look(look.line, likely_sitemap(sitemaps), is_inside=True))
        return
    visit.selection.report_other(look.line, has_documents=found.has_documents)


class SitemapFiles:
    """The reader of sitemaps: it makes items and requests of the entries that are new or changed."""

    def __init__(
        self,
        crawler: Crawler,
        keeper: StateKeeper,
        entries: Entries,
        documents: Documents,
    ) -> None:
        self._crawler = crawler
        self._keeper = keeper
        self._entries = entries
        self._documents = documents
        self._interval = timedelta(days=crawler.settings.getfloat("WOO_FULL_READ_DAYS"))
        self._maxsize = crawler.settings.getint("WOO_SITEMAP_MAXSIZE")

    async def parse(
        self, response: StreamedResponse, visit: Visit, resource: Resource, sitemap: Sitemap
    ) -> Output:
        """Yield the items and requests that a sitemap leads to; report what is wrong with it."""
        if not is_closing(self._crawler):
            if is_not_modified(response) or self._is_same(response, resource):
                visit.read.add(resource.id)
                visit.unchanged.add(resource.id)
                self._crawler.stats.inc_value("woo/sitemaps/unchanged")
                self._entries.skip_unchanged(visit, sitemap, resource.id)
            elif is_complete(response.status):
                async for made in self._read(response, visit, resource, sitemap):
                    yield made
            else:
                visit.report("sitemap.onbereikbaar", url=sitemap.url, seen=f"HTTP {response.status}")

    def _is_same(self, response: StreamedResponse, resource: Resource) -> bool:
        """Return whether the bytes are those of the last complete read, unless a full read is due."""
        same = resource.digest is not None and response.sha256 == resource.digest.hex()
        return is_complete(response.status) and same and not is_due(resource, self._interval)

    async def _read(
        self, response: StreamedResponse, visit: Visit, resource: Resource, sitemap: Sitemap
    ) -> Output:
        """Yield the items and requests of a sitemap, batch by batch."""
        reading = self._begin(response, visit, resource, sitemap)
        reader = UrlsetReader(response.chunks, self._maxsize, response.charset)
        try:
            for batch in reader:
                if not batch:
                    await asyncio.sleep(0)
                    continue
                items, processed = self._entries.select(batch, reading)
                reader.processed(processed)
                if visit.audit_sample is None:
                    async for made in self._documents_of(items, visit):
                        yield made
                else:
                    for item in items:
                        self._leave_out(visit.audit_sample.offer(item), visit)
                    await asyncio.sleep(0)
                if is_closing(self._crawler):
                    visit.incomplete.append("closed")
                    return
        except OtherRootError as error:
            other_kind_finding("sitemap", error).send(visit.report, sitemap.url)
        except SitemapError as error:
            read_error_finding("sitemap", error).send(visit.report, sitemap.url)
        self._end(response, visit, reading, reader)

    def _begin(
        self, response: StreamedResponse, visit: Visit, resource: Resource, sitemap: Sitemap
    ) -> SitemapReading:
        """Begin the reading of a sitemap, with the documents that it listed before."""
        pending = _pending_read(response, resource)
        self._keeper.begin_reading(pending)
        with self._keeper.begin() as connection:
            if resource.read_at is not None:
                # Until this reading is complete and all its documents are confirmed, the next run must read
                # the sitemap in full.
                forget_read(connection, resource.id)
            return self._entries.start_reading(connection, visit, sitemap, pending)

    def _end(
        self, response: StreamedResponse, visit: Visit, reading: SitemapReading, reader: UrlsetReader
    ) -> None:
        """End the reading of a sitemap, complete or not, and report what is wrong with it as a whole."""
        url, contents = reading.sitemap.url, reader.contents
        is_complete_read = reader.complete and "dataloss" not in response.flags
        if reader.complete and not is_complete_read:
            visit.report("sitemap.afgebroken", url=url)
        self._crawler.stats.inc_value("woo/entries", reader.entries)
        if reading.left_out:
            self._crawler.stats.inc_value("woo/entries/left_out", reading.left_out)
            visit.account.left_out += reading.left_out
        report_file(visit, url, "sitemap", contents)
        report_coding(visit, response, url)
        if is_complete_read and not reader.entries:
            visit.selection.note_empty(url)
        if contents.others:
            reading.pending.must_reread = True  # so that each run reports them
        if is_complete_read:
            self._keep(visit, reading)
        self._entries.report_foreign(visit, reading.sitemap, reading.left_to)

    def _keep(self, visit: Visit, reading: SitemapReading) -> None:
        """Write to the state which documents a completely read sitemap no longer lists."""
        with self._keeper.begin() as connection:
            lacking = self._entries.lacking(connection, reading)
            self._keeper.read_completely(connection, reading.pending, lacking)
        visit.read.add(reading.sitemap_id)
        visit.lacking[reading.sitemap_id] = array("q", lacking)

    async def request_sample(self, visit: Visit) -> Output:
        """Yield the requests for the documents of the sample of a host that has been read."""
        if visit.audit_sample is None or not visit.reading_done:
            return
        chosen = visit.audit_sample.choose()
        self._leave_out(chosen.left_out, visit)
        visit.account.requested = len(chosen.requested)
        async for made in self._documents_of(chosen.requested, visit):
            yield made
        if not is_closing(self._crawler):
            visit.audit_sample = None

    def _leave_out(self, items: Sequence[WooItem], visit: Visit) -> None:
        """Report what is wrong with the metadata of documents that are not requested, and count these.

        They do not go through Scrapy: that takes twice as long, and no other pipeline has a use for them.
        """
        metadata = self._crawler.get_item_pipeline(MetadataPipeline)
        defaults = self._crawler.get_item_pipeline(DefaultsPipeline)
        if metadata is not None and defaults is not None:
            for item in items:
                defaults.process_item(metadata.process_item(item))
        visit.account.not_requested += len(items)

    async def _documents_of(self, items: Iterable[WooItem], visit: Visit) -> Output:
        """Yield the requests for the documents of *items*, or the items if no documents are requested."""
        mode = self._documents.mode
        for item in items:
            if mode == "none" or (mode == "head" and _is_fetched(item)):
                yield item
                continue
            while not visit.budget.is_over() and not await visit.has_capacity():
                if is_closing(self._crawler):
                    return
            if visit.budget.is_over():
                visit.budget.left += 1  # the item stays outstanding, so the sitemap is read again
                continue
            visit.budget.requested += 1
            yield self._documents.request(item, visit)
        await asyncio.sleep(0)  # let other hosts have their turn


def _is_fetched(item: WooItem) -> bool:
    """Return whether all is known that a request for the headers of an item's document would give."""
    return item.source is not None and item.source.fetched is not None


def _pending_read(response: StreamedResponse, resource: Resource) -> PendingRead:
    return PendingRead(
        resource.id,
        etag=validator(response, "ETag"),
        last_modified=validator(response, "Last-Modified"),
        digest=bytes.fromhex(response.sha256) if response.sha256 else None,
        at=int(time()),
    )
