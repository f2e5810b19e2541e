"""Reads entry pages, and the messages that they list as far as these are new."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from scrapy import Request

from woo_harvester.crawl.conditional import conditions, header, is_not_modified, moment_of, validator
from woo_harvester.crawl.failures import failure_code, failure_seen, is_ours
from woo_harvester.dates import iso_seconds
from woo_harvester.findings import Finding
from woo_harvester.permits.files import Ask, compare_file, how_to_ask
from woo_harvester.permits.listing import Link, read_listing
from woo_harvester.permits.messages import read_message
from woo_harvester.permits.mutations import Mutation
from woo_harvester.running.ending import is_closing
from woo_harvester.state.batches import batches
from woo_harvester.state.permits import KeptFinding, PermitFile, keep_file, look_up_files, wait_again
from woo_harvester.statuses import ANSWERS, is_complete
from woo_harvester.urls import host_of, secured

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http.request import CallbackT
    from twisted.python.failure import Failure

    from woo_harvester.crawl.entry_pages import IngangVisit
    from woo_harvester.extensions.state import StateKeeper
    from woo_harvester.handlers.response import StreamedResponse

#: What the file behind a link without an extension must be, to be a message.
XML_TYPES = frozenset({"application/xml", "text/xml"})

#: What is kept of a finding about an invalid file.
KEPT = ("code", "line", "element", "seen", "action")


class IngangReader:
    """Makes the requests for entry pages and for the files that they list, and keeps the messages.

    A message waits in the state until all entry pages were read; what a file is known by, and its message,
    are kept in one transaction.
    """

    def __init__(self, crawler: Crawler, keeper: StateKeeper) -> None:
        self._crawler = crawler
        self._keeper = keeper
        settings = crawler.settings
        self._maxsize = settings.getint("WOO_MESSAGE_MAXSIZE")
        self._interval = timedelta(days=settings.getfloat("WOO_FULL_READ_DAYS"))

    def page(self, url: str, hosts: frozenset[str]) -> Request:
        """A request for an entry page; who makes it sets its callback and errback."""
        # One more, so that who reads it sees that there is more.
        return _request(url, "ingang", self._maxsize + 1, hosts, headers={"Accept-Encoding": "gzip"})

    def request(self, visit: IngangVisit) -> Request:
        """The request that the reading of an entry page begins with."""
        request = self.page(visit.ingang.url, visit.ingang.hosts)
        return request.replace(
            callback=self.parse_page, errback=self.on_page_failure, cb_kwargs={"visit": visit}
        )

    def on_page_failure(self, failure: Failure) -> None:
        """Tell why no entry page came."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if not is_ours(failure.value):
            self.page_failed(failure.value, request.cb_kwargs["visit"])

    def page_failed(self, error: BaseException | None, visit: IngangVisit) -> None:
        """Tell why no entry page came."""
        visit.report(failure_code(error, "ingang"), url=visit.ingang.url, seen=failure_seen(error))
        self._page_done(visit)

    async def parse_page(self, response: StreamedResponse, visit: IngangVisit) -> AsyncIterator[Request]:
        """Ask for the files that are listed, as far as they may be new and there is room."""
        visit.asked = moment_of(response, "Date") or datetime.now(UTC)
        with closing(response):
            links = self._links(response, visit)
        for part in batches(links):
            for request in self._requests(part, visit):
                while not await visit.has_room():
                    if is_closing(self._crawler):
                        return
                visit.begins()
                yield request
            await asyncio.sleep(0)  # the other hosts' turn
            if is_closing(self._crawler):
                return
        self._page_done(visit)

    def _links(self, response: StreamedResponse, visit: IngangVisit) -> Sequence[Link]:
        """The links to what is or may be XML, on the hosts that the organisation has."""
        url = visit.ingang.url
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
        visit.has_xml = any(link.is_xml for link in listing.links)
        links = [link for link in self._own(listing.links, visit) if link.url != response.url]
        self._count("woo/berichten/listed", len(links))
        return links

    def _own(self, links: Iterable[Link], visit: IngangVisit) -> Iterator[Link]:
        secure = visit.ingang.url.lower().startswith("https:")
        for link in links:
            try:
                host = host_of(link.url)
            except ValueError:
                if link.is_xml:
                    action = "bericht niet opgehaald"
                    visit.report(
                        "ipm.bericht-onbereikbaar", url=link.url, seen="geen geldig adres", action=action
                    )
                continue
            if host not in visit.ingang.hosts:
                if link.is_xml:
                    visit.report("host.niet-geregistreerd", url=link.url, action="bericht niet opgehaald")
            else:  # a page that was moved to https may still have its old links
                url = secured(link.url) if secure else link.url
                yield link if url == link.url else replace(link, url=url)

    def _requests(self, links: Sequence[Link], visit: IngangVisit) -> Iterator[Request]:
        """Those for files that may be new; of the others, what is wrong with them is told again."""
        with self._keeper.begin() as connection:
            known = look_up_files(connection, visit.number, [link.url for link in links])
            wait_again(connection, visit.number, [link.url for link in links if _is_refused(link, known)])
        for link in links:
            file = known.get(link.url)
            visit.has_xml |= file is not None
            ask = how_to_ask(link.date, file.known if file else None)
            if ask is Ask.NOT and file is not None:
                self._unchanged(link, file, visit)
            else:
                yield self._file_request(link, file, ask, visit)

    def _file_request(self, link: Link, file: PermitFile | None, ask: Ask, visit: IngangVisit) -> Request:
        headers = {"Accept-Encoding": "identity"}
        if file is not None and ask is Ask.CONDITIONALLY:
            headers |= conditions(file, self._interval)
        return _request(link.url, "bericht", self._maxsize + 1, visit.ingang.hosts, headers).replace(
            callback=cast("CallbackT", self.parse_file),  # its response is of our own handler
            errback=self.on_file_failure,
            cb_kwargs={"visit": visit, "link": link, "file": file},
        )

    def on_file_failure(self, failure: Failure) -> None:
        """Tell why a message did not come."""
        request: Request = failure.request  # type: ignore[attr-defined]
        link, file = request.cb_kwargs["link"], request.cb_kwargs["file"]
        visit: IngangVisit = request.cb_kwargs["visit"]
        if is_ours(failure.value):
            return
        self._failed(link, file, visit, failure_code(failure.value, "bericht"), failure_seen(failure.value))
        self._file_done(visit)

    def parse_file(
        self, response: StreamedResponse, visit: IngangVisit, link: Link, file: PermitFile | None
    ) -> None:
        """Keep the message of a file, or what is wrong with it."""
        try:
            with closing(response):
                self._judge(response, visit, link, file)
        finally:  # else the page would wait for the place of this file for ever
            self._file_done(visit)

    def _judge(
        self, response: StreamedResponse, visit: IngangVisit, link: Link, file: PermitFile | None
    ) -> None:
        """What the answer to a request for a file was."""
        if file is not None and is_not_modified(response):
            self._same(link, file, visit)
        elif not is_complete(response.status):
            self._failed(link, file, visit, "ipm.bericht-onbereikbaar", f"HTTP {response.status}")
        elif "dataloss" in response.flags:
            self._failed(link, file, visit, "ipm.bericht-onbereikbaar", "afgebroken")
        elif link.is_xml or file is not None or _is_xml(response):
            visit.has_xml = True
            self._read(response, link, file, visit)

    def _failed(self, link: Link, file: PermitFile | None, visit: IngangVisit, code: str, seen: str) -> None:
        """A message could not be fetched; nobody knows what a link without extension would have been."""
        if link.is_xml or file is not None:
            visit.report(code, url=link.url, seen=seen)
            self._count("woo/berichten/failed")
            if file is not None:
                self._wait_again(link, file, visit)
                _tell_again(link, file, visit)

    def _same(self, link: Link, file: PermitFile, visit: IngangVisit) -> None:
        """A file that was asked for has not changed."""
        self._wait_again(link, file, visit)
        self._unchanged(link, file, visit)

    def _wait_again(self, link: Link, file: PermitFile, visit: IngangVisit) -> None:
        """Have the message of a file that is listed checked again, if it was refused."""
        if file.refused:
            with self._keeper.begin() as connection:
                wait_again(connection, visit.number, [link.url])

    def _unchanged(self, link: Link, file: PermitFile, visit: IngangVisit) -> None:
        self._count("woo/berichten/unchanged")
        _tell_again(link, file, visit)

    def _read(
        self, response: StreamedResponse, link: Link, file: PermitFile | None, visit: IngangVisit
    ) -> None:
        """A file that came: what it is known by from now on, and its message where that is new."""
        modified = moment_of(response, "Last-Modified")
        now = datetime.now(UTC)
        # By the server's own clock, since its dates are.
        asked = visit.asked if link.date is not None else moment_of(response, "Date") or now
        digest = response.sha256 or sha256(b"".join(response.chunks())).hexdigest()
        compared = compare_file(file.known if file else None, digest, link.date, asked, modified)
        if compared.always_now:
            seen = str(link.date or header(response, "Last-Modified"))
            visit.report("ipm.datum-nu", url=link.url, seen=seen, action="de inhoud is vergeleken")
        kept = PermitFile(
            compared.known,
            read_at=int(now.timestamp()),
            etag=validator(response, "ETag"),
            last_modified=validator(response, "Last-Modified"),
            faults=file.faults if file else (),
            faults_since=file.faults_since if file else None,
        )
        mutation = None
        if compared.changed:
            message, findings = read_message(response.chunks(), self._maxsize)
            report = visit.report.about(url=link.url)
            for finding in findings:
                report.send(finding)
            self._count("woo/berichten/invalid" if message is None else "woo/berichten/valid")
            faults = [_kept(finding) for finding in findings if message is None]
            since = (kept.faults_since or kept.read_at) if faults else None
            kept = replace(kept, faults=faults, faults_since=since)
            if message is not None:
                mutation = Mutation(
                    message,
                    organisatie=visit.ingang.organisation,
                    ingang=visit.ingang.url,
                    bestand=link.url,
                    datum=link.date.as_utc() if link.date else modified or now.replace(microsecond=0),
                    bevindingen=tuple(dict.fromkeys(finding.code for finding in findings)),
                    digest=digest,
                )
        elif file is not None:
            self._same(link, file, visit)
        with self._keeper.begin() as connection:
            keep_file(connection, visit.number, link.url, kept, mutation)

    def _page_done(self, visit: IngangVisit) -> None:
        visit.page_done = True
        self._finish(visit)

    def _file_done(self, visit: IngangVisit) -> None:
        visit.ends()
        self._finish(visit)

    def _finish(self, visit: IngangVisit) -> None:
        """Count an entry page as done, once nothing of it is under way."""
        if not visit.page_done or visit.under_way:
            return
        if visit.complete and not visit.has_xml:
            visit.report("ipm.ingang-zonder-links", url=visit.ingang.url)
        host = visit.ingang.host
        self._count(f"woo/ingangen/complete/{host}" if visit.complete else f"woo/ingangen/incomplete/{host}")

    def _count(self, key: str, count: int = 1) -> None:
        self._crawler.stats.inc_value(key, count)


def _request(url: str, kind: str, maxsize: int, hosts: frozenset[str], headers: dict[str, str]) -> Request:
    return Request(
        url,
        dont_filter=True,
        headers=headers,
        meta={
            "download_slot": host_of(url),
            "download_maxsize": maxsize,
            "handle_httpstatus_list": ANSWERS,
            "woo_digest": kind == "bericht",
            "woo_hosts": hosts,
            "woo_kind": kind,
            "woo_stream": True,
        },
    )


def _is_refused(link: Link, known: Mapping[str, PermitFile]) -> bool:
    """Return whether the message of a file that is not asked for was refused."""
    file = known.get(link.url)
    return file is not None and file.refused and how_to_ask(link.date, file.known) is Ask.NOT


def _is_xml(response: StreamedResponse) -> bool:
    return (header(response, "Content-Type") or "").partition(";")[0].strip().lower() in XML_TYPES


def _kept(finding: Finding) -> KeptFinding:
    return {name: getattr(finding, name) for name in KEPT if getattr(finding, name) is not None}


def _tell_again(link: Link, file: PermitFile, visit: IngangVisit) -> None:
    """What is wrong with an invalid file is told in each run, until it is mended."""
    since = None if file.faults_since is None else iso_seconds(file.faults_since)
    for fault in file.faults:
        visit.report(**fault, url=link.url, since=since)
