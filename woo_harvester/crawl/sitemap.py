"""Reads one sitemap: passed over where it has not changed, else entry by entry."""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from datetime import timedelta
from time import time
from typing import TYPE_CHECKING

from scrapy import Request

from woo_harvester.crawl.conditional import is_due, is_not_modified, validator
from woo_harvester.crawl.documents import Documents
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.entry_lookup import SitemapReading
from woo_harvester.crawl.host import Visit
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.handlers.response import StreamedResponse
from woo_harvester.items import WooItem
from woo_harvester.running.ending import is_closing
from woo_harvester.sitemaps.fast_reader import UrlsetReader
from woo_harvester.sitemaps.file_findings import Area, describe_root, file_findings, read_error_code
from woo_harvester.sitemaps.reader import OtherRootError, SitemapError, SitemapReader
from woo_harvester.sitemaps.url_selection import NOT_READ, Sitemap
from woo_harvester.state.delivery import PendingRead
from woo_harvester.state.resources import Resource, forget_read
from woo_harvester.statuses import is_complete

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

Output = AsyncIterator[Request | WooItem]


class SitemapFiles:
    """Reads the sitemaps of hosts as a stream, and makes items or requests of what is new in them."""

    def __init__(self, crawler: Crawler, keeper: StateKeeper, entries: Entries, documents: Documents) -> None:
        self._crawler = crawler
        self._keeper = keeper
        self._entries = entries
        self._documents = documents
        self._interval = timedelta(days=crawler.settings.getfloat("WOO_FULL_READ_DAYS"))
        self.maxsize = crawler.settings.getint("WOO_SITEMAP_MAXSIZE")
        """Bytes after decompression."""

    async def parse(
        self, response: StreamedResponse, visit: Visit, resource: Resource, sitemap: Sitemap
    ) -> Output:
        """Give what is made of the answer to the request for a sitemap; reports why where it is nothing."""
        if not is_closing(self._crawler):
            if is_not_modified(response) or self._is_same(response, resource):
                visit.read.add(resource.id)
                self._crawler.stats.inc_value("woo/sitemaps/unchanged")
                self._entries.pass_over(visit, sitemap, resource.id)
            elif is_complete(response.status):
                async for made in self._read_sitemap(response, visit, resource, sitemap):
                    yield made
            else:
                visit.report("sitemap.onbereikbaar", url=sitemap.url, seen=f"HTTP {response.status}")

    def _is_same(self, response: StreamedResponse, resource: Resource) -> bool:
        """Whether the bytes are those of the last complete read, which is not too long ago."""
        same = resource.digest is not None and response.sha256 == resource.digest.hex()
        return is_complete(response.status) and same and not is_due(resource, self._interval)

    async def _read_sitemap(
        self, response: StreamedResponse, visit: Visit, resource: Resource, sitemap: Sitemap
    ) -> Output:
        reading = _reading(response, resource)
        if (first := visit.first_readings.pop(resource.id, None)) is not None:
            reading = first.again(reading)
        self._keeper.begin_reading(reading)
        with self._keeper.begin() as connection:
            if resource.read_at is not None:
                # Until it has been read again, and all its documents are confirmed, nothing is relied on.
                forget_read(connection, resource.id)
            place = self._entries.start_reading(connection, visit, sitemap, reading)
        reader = UrlsetReader(response.chunks, self.maxsize)
        try:
            for batch in reader:
                items, taken = self._entries.select(batch, place)
                reader.processed(taken)
                async for made in self._documents_of(items, visit):
                    yield made
                if is_closing(self._crawler):
                    visit.incomplete.append("closed")
                    return
        except OtherRootError as error:
            self._note_other_kind(error, response, visit, sitemap)
        except SitemapError as error:
            code = read_error_code("sitemap", error.reason)
            visit.report(code, url=sitemap.url, line=error.line, seen=error.seen)
        self._end_sitemap(response, visit, place, reader)

    def _end_sitemap(
        self, response: StreamedResponse, visit: Visit, place: SitemapReading, reader: UrlsetReader
    ) -> None:
        """Note what was read of a sitemap, to its end or not, and report on it as a whole."""
        url = place.sitemap.url
        is_whole = reader.complete and "dataloss" not in response.flags
        if reader.complete and not is_whole:
            visit.report("sitemap.afgebroken", url=url)
        if not visit.is_second:
            self._crawler.stats.inc_value("woo/entries", reader.entries)
            check_file(visit, url, "sitemap", reader)
            if is_whole and not reader.entries:
                visit.report("sitemap.leeg", url=url)
        if is_whole:
            with self._keeper.begin() as connection:
                lacking = self._entries.lacking(connection, place)
                if place.is_postponed:
                    visit.first_readings[place.sitemap_id] = place.pending
                else:
                    self._keeper.read_completely(connection, place.pending, lacking)
            visit.read.add(place.sitemap_id)
            visit.lacking[place.sitemap_id] = array("q", lacking)
        left_to = visit.left_to.pop(url, Counter()) + place.left_to
        if place.is_postponed:
            visit.postponed.append(place.sitemap)
            visit.left_to[url] = left_to
        else:
            self._entries.report_foreign(visit, place.sitemap, left_to)

    async def _documents_of(self, items: Iterable[WooItem], visit: Visit) -> Output:
        for item in items:
            if self._documents.mode == "none":
                yield item
                continue
            while not visit.is_over and not await visit.has_room():
                if is_closing(self._crawler):
                    return
            if visit.is_over:
                visit.left += 1  # its sitemap is not relied on, since the item is waited for
                continue
            visit.asked_for += 1
            yield self._documents.request(item, visit)
        await asyncio.sleep(0)  # the other hosts' turn

    def _note_other_kind(
        self, error: OtherRootError, response: StreamedResponse, visit: Visit, sitemap: Sitemap
    ) -> None:
        """Tell what is served as a sitemap; of ``diwoo:Documents``, how many documents are lost by it."""
        if error.root == "sitemapindex":
            visit.report(
                "index.genest", url=sitemap.url, line=error.line, seen="<sitemapindex>", action=NOT_READ
            )
            return
        seen = describe_root(error.root, response.chunks(), self.maxsize)
        visit.report("sitemap.wortelelement", url=sitemap.url, line=error.line, seen=seen, action=NOT_READ)


def _reading(response: StreamedResponse, resource: Resource) -> PendingRead:
    return PendingRead(
        resource.id,
        etag=validator(response, "ETag"),
        last_modified=validator(response, "Last-Modified"),
        digest=bytes.fromhex(response.sha256) if response.sha256 else None,
        at=int(time()),
    )


def check_file(visit: Visit, url: str, area: Area, reader: SitemapReader | UrlsetReader) -> None:
    """Report on a file as a whole."""
    for code, seen in file_findings(area, reader.entries, reader.size, reader.namespace):
        visit.report(code, url=url, seen=seen)
