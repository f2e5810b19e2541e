"""Reads entry pages, and requests the listed files that may be new."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import CloseSpider

from woo_harvester.crawl.answers import check_expected, failure_code, failure_seen, is_ours
from woo_harvester.crawl.files import report_private_address
from woo_harvester.items import header, header_date
from woo_harvester.permits.entry_pages import note_files, report_undated
from woo_harvester.permits.files import PermitFiles, permit_request
from woo_harvester.permits.history import forget_links, note_back
from woo_harvester.permits.links import Ask, first_and_last, how_to_ask, is_due_again
from woo_harvester.permits.listing import Link, read_listing
from woo_harvester.permits.state import PermitFile, look_up_files
from woo_harvester.running.ending import is_closing
from woo_harvester.state.sql import batches
from woo_harvester.utils.statuses import is_complete
from woo_harvester.utils.urls import host_of, secured

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure

    from woo_harvester.extensions.state import StateKeeper
    from woo_harvester.items import StreamedResponse
    from woo_harvester.permits.entry_pages import EntryPageVisit
    from woo_harvester.tooi.values import ValueList

_NOT_FETCHED = "bericht niet opgehaald"

#: In one run so many links of a page may lead to no message, before the others wait for the next run, and
#: half as many before those wait that led to none in an earlier run. A page may have a million links.
_FRUITLESS_MAX = 1000

#: Archives, which may have messages in them, are not requested.
_ARCHIVE = re.compile(r"\.(?:zip|7z|rar|tar|tgz|gz)(?:\?|$)", re.IGNORECASE)

#: A file is forgotten when its page has not listed it for so long.
_GONE_FOR = timedelta(days=30)


class EntryPageReader:
    """The reader of entry pages: it requests the pages and the files that they list.

    *organisations* are those that messages may name.
    """

    def __init__(self, crawler: Crawler, keeper: StateKeeper, organisations: ValueList) -> None:
        self._crawler = crawler
        self._keeper = keeper
        self._files = PermitFiles(crawler, keeper, organisations)
        self._maxsize = crawler.settings.getint("WOO_MESSAGE_MAXSIZE")
        self._sample = crawler.settings.getint("WOO_MESSAGE_SAMPLE")
        self._interval = timedelta(days=crawler.settings.getfloat("WOO_FULL_READ_DAYS"))

    def page_request(self, url: str, hosts: frozenset[str]) -> Request:
        """Return a request for an entry page; the caller sets its callback and errback."""
        # One byte more than is read, so that the reader sees that there is more.
        return permit_request(url, "ingang", self._maxsize + 1, hosts, headers={"Accept-Encoding": "gzip"})

    def first_request(self, visit: EntryPageVisit) -> Request:
        """Return the request for the entry page of a visit."""
        request = self.page_request(visit.page.url, visit.page.hosts)
        return request.replace(
            callback=self.parse_page, errback=self.on_page_failure, cb_kwargs={"visit": visit}
        )

    async def parse_page(self, response: StreamedResponse, visit: EntryPageVisit) -> AsyncIterator[Request]:
        """Yield requests for the listed files that may be new, as there is capacity."""
        try:
            async for request in self._read_page(response, visit):
                yield request
        except Exception as error:
            visit.complete = False
            if not isinstance(error, CloseSpider):
                self._page_done(visit)
            raise
        if not is_closing(self._crawler):
            self._page_done(visit)

    async def _read_page(self, response: StreamedResponse, visit: EntryPageVisit) -> AsyncIterator[Request]:
        """Yield the requests, and stop early if the run is being closed."""
        visit.account.visited = True
        if response.request is not None:
            report_private_address(response.request, visit.report)
        visit.requested_at = header_date(response, "Date") or datetime.now(UTC)
        links = self._links(response, visit)
        for part in batches(links):
            for request in self._file_requests(part, visit):
                while not await visit.has_capacity():
                    if is_closing(self._crawler):
                        return
                visit.begin_request()
                yield request
            await asyncio.sleep(0)  # let other hosts have their turn
            if is_closing(self._crawler):
                return

    def on_page_failure(self, failure: Failure) -> None:
        """Report why the request for an entry page failed."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if not is_ours(failure.value):
            self.page_failed(failure.value, request, request.cb_kwargs["visit"])

    def page_failed(self, error: BaseException | None, request: Request, visit: EntryPageVisit) -> None:
        """Report that an entry page could not be fetched, and count it as done."""
        visit.account.visited = True
        report_private_address(request, visit.report)
        try:
            check_expected(error)
            code = failure_code(error, "ingang", "ipm.ingang-onbereikbaar")
            visit.report(code, url=visit.page.url, seen=failure_seen(error))
        finally:
            self._page_done(visit)

    def note_done(self, visit: EntryPageVisit) -> None:
        """Note what became of the files of a page, once all of them have been read.

        A page without any link to XML may be an error page: its files count as listed.
        """
        self._files.write()
        report_undated(visit)
        if visit.complete and visit.has_xml and not visit.is_sample:
            now = datetime.now(UTC)
            with self._keeper.begin() as connection:
                forget_links(connection, visit.number, visit.listed, int((now - _GONE_FOR).timestamp()))
                note_files(connection, visit, now)

    def _is_due(self, link: PermitFile, now: datetime) -> bool:
        """Return whether a link that led to no valid message is requested again, although it has not changed.

        The server may have sent an error page as if all was well.
        """
        last = datetime.fromtimestamp(link.read_at, UTC)
        since = link.faults_since or link.first_seen
        first = last if since is None else datetime.fromtimestamp(since, UTC)
        return is_due_again(first, last, now, self._interval)

    def _page_done(self, visit: EntryPageVisit) -> None:
        visit.page_done = True
        visit.finish()

    def _links(self, response: StreamedResponse, visit: EntryPageVisit) -> Sequence[Link]:
        """Return the links to files that are or may be XML, on the hosts of the organisation."""
        url = visit.page.url
        if not is_complete(response.status):
            visit.report("ipm.ingang-onbereikbaar", url=url, seen=f"HTTP {response.status}")
            return ()
        content_type = header(response, "Content-Type")
        listing = read_listing(response.chunks(), response.url, self._maxsize, content_type)
        if "dataloss" in response.flags and listing.fault is None:
            listing.fault, listing.seen = "ipm.ingang-onbereikbaar", "afgebroken"
        if listing.fault is not None:
            action = f"{len(listing.links)} links gelezen"
            visit.report(listing.fault, url=url, seen=listing.seen, action=action)
        visit.complete = listing.fault is None
        listed = [link for link in listing.links if link.url != response.url]
        visit.has_xml = any(link.is_xml for link in listing.links)
        # Before what is wrong with some of them is counted. Other links count when they turn out to be files.
        visit.account.count_files(sum(link.is_xml for link in listed))
        links = list(self._own(listed, visit))
        self._crawler.stats.inc_value("woo/berichten/listed", len(links))
        sample = first_and_last(links, self._sample)
        visit.is_sample = len(sample) < len(links)
        visit.account.leave_out(sum(link.is_xml for link in links) - sum(link.is_xml for link in sample))
        visit.not_asked = _unknown(links) - _unknown(sample)
        return sample

    def _own(self, links: Iterable[Link], visit: EntryPageVisit) -> Iterator[Link]:
        """Yield the links on the hosts of the organisation; report the other links to XML."""
        is_secure = visit.page.url.lower().startswith("https:")
        for link in links:
            try:
                host = host_of(link.url)
            except ValueError:
                if link.is_xml:
                    seen = "geen geldig adres"
                    visit.report("ipm.bericht-onbereikbaar", url=link.url, seen=seen, action=_NOT_FETCHED)
                continue
            if host not in visit.page.hosts:
                if link.is_xml:
                    visit.report("host.niet-geregistreerd", url=link.url, action=_NOT_FETCHED)
            else:  # a page that was moved to https may still have its old links
                url = secured(link.url) if is_secure else link.url
                yield link if url == link.url else replace(link, url=url)

    def _file_requests(self, links: Sequence[Link], visit: EntryPageVisit) -> Iterator[Request]:
        """Yield the requests for files that may be new; report again what is wrong with the others."""
        now = datetime.now(UTC)
        with self._keeper.begin() as connection:
            found = look_up_files(connection, visit.number, [link.url for link in links])
            note_back(connection, [file.number for file in found.values() if file.is_gone])
        for link in links:
            before = found.get(link.url)
            file = before if before is not None and before.is_message else None
            if before is not None:
                visit.listed.add(before.number)
            if file is None and not link.is_xml and not self._is_tried(link, before, visit, now):
                continue
            visit.has_xml |= file is not None
            visit.account.count_files(file is not None and not link.is_xml)
            visit.files += link.is_xml or file is not None
            ask = how_to_ask(link.date, file.known if file else None)
            if file is not None and file.faults and self._is_due(file, now):
                ask = Ask.FETCH
            if ask is Ask.NOT and file is not None:
                self._files.count_unchanged(link, file, visit)
            else:
                yield self._files.request(link, file, ask, visit)

    def _is_tried(self, link: Link, before: PermitFile | None, visit: EntryPageVisit, now: datetime) -> bool:
        """Return whether a link of which no message is known is requested; count it if it is to wait.

        *before* is what the state knows of it: it led to something else, or could not be fetched.
        """
        if _ARCHIVE.search(link.url):
            visit.pass_over(f"{link.url} (archief)")
            return False
        if before is not None and not before.faults:
            is_same = before.known.date == (None if link.date is None else str(link.date))
            if is_same and not self._is_due(before, now):
                return False
        if visit.fruitless < (_FRUITLESS_MAX if before is None else _FRUITLESS_MAX // 2):
            return True
        visit.not_asked += 1
        visit.example = visit.example or f"{link.url} (nog niet opgevraagd)"
        return False


def _unknown(links: Iterable[Link]) -> int:
    """Return the number of links that only their answers show to be messages or not."""
    return sum(not link.is_xml for link in links)
