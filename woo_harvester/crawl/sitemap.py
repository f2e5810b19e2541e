"""Reads a sitemap index, and queues the sitemaps that it lists."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from time import time
from typing import TYPE_CHECKING

from woo_harvester.crawl.answers import is_due, is_not_modified, validator
from woo_harvester.crawl.documents import Documents
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.file_requests import Output, StateWrite, report_coding, report_file, state_write
from woo_harvester.crawl.host import Look, SitemapReading, Visit
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.items import StreamedResponse, WooItem
from woo_harvester.pipelines.record import DefaultsPipeline, MetadataPipeline
from woo_harvester.running.ending import is_closing
from woo_harvester.sitemaps.file_findings import Index, Sitemap, other_kind_finding, read_error_finding
from woo_harvester.sitemaps.glance import Glance, glance, likely_sitemap
from woo_harvester.sitemaps.reader import OtherRootError
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.sitemaps.xml_stream import SitemapError
from woo_harvester.state.deliveries import PendingRead
from woo_harvester.state.resources import Resource, forget_read
from woo_harvester.utils.program import is_complete

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


#: Sent with ``account``, when a host has been read and before the documents of its sample are requested.
host_read = object()

#: Largest index that the state keeps for a 304, in bytes.
_KEPT_MAXSIZE = 8 * 1024 * 1024


def read_index(
    response: StreamedResponse, visit: Visit, resource: Resource, index: Index, maxsize: int
) -> StateWrite | None:
    """Add the sitemaps in an index to *visit*; *maxsize* limits its bytes after decompression.

    Report what is wrong with the index. Return the function that writes to the state that it was read; None
    if it was not read completely, or if nothing changes in the state.
    """
    if is_not_modified(response) and (content := resource.content) is not None:
        _add_sitemaps(lambda: [content], visit, index, maxsize)
        return None
    if not is_complete(response.status):
        visit.report("index.onbereikbaar", url=index.url, seen=f"HTTP {response.status}")
        return None
    if not _add_sitemaps(response.chunks, visit, index, maxsize):
        return None
    report_coding(visit, response, index.url)
    if "dataloss" in response.flags:
        visit.report("index.ongeldig", url=index.url, seen="afgebroken")
        return None
    if response.size > _KEPT_MAXSIZE:
        return None
    return state_write(response, resource, b"".join(response.chunks()))


def _add_sitemaps(chunks: Callable[[], Iterable[bytes]], visit: Visit, index: Index, maxsize: int) -> bool:
    """Add the sitemaps in an index to *visit*; return whether the index was read to its end."""
    reading = RepairingReader(chunks, "sitemapindex", maxsize)
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


def count_missed(response: StreamedResponse, visit: Visit, maxsize: int) -> int:
    """Return how many sitemaps only this index, which has a wrong name, lists; 1 if that cannot be read."""
    if not is_complete(response.status):
        return 1
    reading = RepairingReader(response.chunks, "sitemapindex", maxsize)
    try:
        return len(visit.selection.unknown(entry.loc for batch in reading for entry in batch))
    except (OtherRootError, SitemapError):
        return 1


def look_into(response: StreamedResponse, visit: Visit, look: Look) -> None:
    """Report a sitemap in robots.txt that is no index by its name, once it is known what it is.

    If it is an index, one of its sitemaps is to be looked into first. Count in *visit* the sitemaps that are
    missed if it is for the Woo.
    """
    found = glance(response.chunks) if is_complete(response.status) else Glance()
    sitemaps = visit.selection.requestable(found.sitemaps) if look.sitemaps is None else []
    if sitemaps:
        visit.looks.appendleft(Look(look.line, likely_sitemap(sitemaps), len(sitemaps)))
        return
    if found.has_documents:
        visit.account.missed = (visit.account.missed or 0) + (look.sitemaps or 1)
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
                self._entries.pass_over(visit, sitemap, resource.id)
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
        reader = UrlsetReader(response.chunks, self._maxsize)
        try:
            for batch in reader:
                if not batch:
                    await asyncio.sleep(0)
                    continue
                items, processed = self._entries.select(batch, reading)
                reader.processed(processed)
                if visit.sample is None:
                    async for made in self._documents_of(items, visit):
                        yield made
                else:
                    for item in items:
                        self._leave_out(visit.sample.offer(item), visit)
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
        if visit.sample is None or not visit.reading_done:
            return
        chosen = visit.sample.choose()
        self._leave_out(chosen.left_out, visit)
        visit.account.draw(chosen.drawn, requested=len(chosen.requested))
        self._crawler.signals.send_catch_log(host_read, account=visit.account)
        async for made in self._documents_of(chosen.requested, visit):
            yield made
        if not is_closing(self._crawler):
            visit.sample = None

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
