"""Requests the files of entry pages, reads the messages in them, and writes both to the state."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider

from woo_harvester.crawl.answers import (
    check_expected,
    conditions,
    failure_code,
    failure_seen,
    is_not_modified,
    is_ours,
    validator,
)
from woo_harvester.findings import Finding
from woo_harvester.items import header, header_date
from woo_harvester.permits.ledger import REFUSED
from woo_harvester.permits.links import NO_MESSAGE, Ask, Comparison, RememberedFile, compare_file
from woo_harvester.permits.listing import Link
from woo_harvester.permits.messages import Message, read_message
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.parsing import has_message_root
from woo_harvester.permits.state import KeptFinding, PermitFile, ReadFile, keep_files
from woo_harvester.utils.dates import iso_seconds
from woo_harvester.utils.statuses import ANSWERS, is_complete
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http.request import CallbackT
    from twisted.python.failure import Failure

    from woo_harvester.extensions.state import StateKeeper
    from woo_harvester.items import StreamedResponse
    from woo_harvester.permits.entry_pages import EntryPageVisit
    from woo_harvester.tooi.values import ValueList


#: The most files that wait to be written, and their bytes. A killed run requests these files again.
_FILES = 50
_SIZE = 4_000_000

#: Media types of what may have messages in it or was meant to be one, and of files that are never messages.
#: Of a link that may lead to anything, no body of the types in ``_REFUSED_TYPES`` is received.
_PACKED = ("zip", "x-zip-compressed", "x-7z-compressed", "x-rar-compressed", "vnd.rar", "x-tar")
_ARCHIVES = tuple(f"application/{each}" for each in _PACKED)
_XML_TYPES = ("application/xml", "text/xml")
_NO_MESSAGES = ("image/", "audio/", "video/", "font/", "application/pdf", "application/msword")
_REFUSED_TYPES = (*_ARCHIVES, *_NO_MESSAGES, "application/vnd.", "application/json")

#: Statuses that say that there is nothing.
_NOT_THERE = (404, 410)

#: Fields of a finding about an invalid file that the state keeps.
_FINDING_FIELDS = ("code", "line", "element", "seen", "action")
#: Errors that may be gone while the file is the same.
_MAY_PASS = frozenset({REFUSED, "ipm.datum-toekomst"})


class PermitFiles:
    """The requests for the files of entry pages, and the reading of the messages in them.

    A message waits in the state until all entry pages have been read. One transaction writes the message and
    its file, because a later run skips the files in the state.
    """

    def __init__(self, crawler: Crawler, keeper: StateKeeper, organisations: ValueList) -> None:
        self._crawler = crawler
        self._keeper = keeper
        self._organisations = organisations
        self._waiting: list[tuple[EntryPageVisit, ReadFile]] = []
        self._size = 0
        crawler.signals.connect(self._spider_closed, signals.spider_closed)
        settings = crawler.settings
        self._maxsize = settings.getint("WOO_MESSAGE_MAXSIZE")
        self._interval = timedelta(days=settings.getfloat("WOO_FULL_READ_DAYS"))

    def request(self, link: Link, file: PermitFile | None, ask: Ask, visit: EntryPageVisit) -> Request:
        """Return the request for a file that may be new; *file* is the file as the state knows it."""
        headers = {"Accept-Encoding": "identity"}
        if file is not None and ask is Ask.CONDITIONALLY:
            headers |= conditions(file, self._interval)
        request = permit_request(
            link.url,
            "bericht",
            self._maxsize + 1,
            visit.page.hosts,
            headers,
            callback=cast("CallbackT", self.parse_file),  # its response is made by our own handler
            errback=self.on_file_failure,
            cb_kwargs={"visit": visit, "link": link, "file": file},
        )
        if not link.is_xml and file is None:  # it may lead to anything
            request.meta["woo_refused_types"] = _REFUSED_TYPES
        return request

    def parse_file(
        self, response: StreamedResponse, visit: EntryPageVisit, link: Link, file: PermitFile | None
    ) -> None:
        """Store the message in a file, or report what is wrong with it."""
        is_known = link.is_xml or file is not None
        try:
            if file is not None and is_not_modified(response):
                self.count_unchanged(link, file, visit)
            elif response.status in _NOT_THERE and not is_known:
                self._no_message(link, visit)
            elif not is_complete(response.status):
                self._failed(link, file, visit, "ipm.bericht-onbereikbaar", f"HTTP {response.status}")
            elif "dataloss" in response.flags:
                self._failed(link, file, visit, "ipm.bericht-onbereikbaar", "afgebroken")
            elif is_known or has_message_root(response.chunks()):
                visit.has_xml = True
                visit.files += not is_known
                visit.account.count_files(not is_known)
                self._read(response, link, file, visit)
            else:
                media_type = (header(response, "Content-Type") or "").partition(";")[0].strip().lower()
                is_like_one = media_type in _ARCHIVES or media_type in _XML_TYPES
                self._no_message(link, visit, media_type if is_like_one else None)
        finally:  # after any error: otherwise the page would wait for this file for ever
            self._file_done(visit)

    def on_file_failure(self, failure: Failure) -> None:
        """Report why the request for a file failed."""
        request: Request = failure.request  # type: ignore[attr-defined]
        link, file = request.cb_kwargs["link"], request.cb_kwargs["file"]
        visit: EntryPageVisit = request.cb_kwargs["visit"]
        if is_ours(failure.value):
            return
        try:
            check_expected(failure.value)
            code = failure_code(failure.value, "bericht", "ipm.bericht-onbereikbaar")
            self._failed(link, file, visit, code, failure_seen(failure.value))
        finally:
            self._file_done(visit)

    def count_unchanged(self, link: Link, file: PermitFile, visit: EntryPageVisit) -> None:
        """Count a file that has not changed, and report again what is wrong with it."""
        self._count("woo/berichten/unchanged")
        _report_again(link, file, visit)
        if not file.faults:
            visit.account.count_entries(0, 1)

    def write(self) -> None:
        """Write the files that wait to the state. Raises CloseSpider if it cannot be written."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if not waiting:
            return
        with self._keeper.begin() as connection:
            numbers = keep_files(connection, [read for _, read in waiting])
        for (visit, _), number in zip(waiting, numbers, strict=True):
            visit.listed.add(number)

    def _spider_closed(self) -> None:
        with suppress(CloseSpider):  # the run ends already, and says why
            self.write()

    def _add(
        self,
        visit: EntryPageVisit,
        link: Link,
        file: PermitFile,
        message: Mutation | None = None,
        size: int = 0,
    ) -> None:
        """Let a file that was read wait until there are enough of them to write."""
        self._waiting.append((visit, ReadFile(visit.number, link.url, file, message)))
        self._size += size
        if len(self._waiting) >= _FILES or self._size >= _SIZE:
            self.write()

    def _failed(
        self, link: Link, file: PermitFile | None, visit: EntryPageVisit, code: str, seen: str
    ) -> None:
        """Report that a file could not be fetched.

        A failed link without the extension of XML is only counted, because it may not lead to a message.
        """
        if not link.is_xml and file is None:
            self._no_message(link, visit, seen or code, code)
        else:
            visit.report(code, url=link.url, seen=seen)
            self._count("woo/berichten/failed")
            if file is not None:
                _report_again(link, file, visit)

    def _no_message(
        self,
        link: Link,
        visit: EntryPageVisit,
        seen: str | None = None,
        code: str = "ipm.bericht-onbereikbaar",
    ) -> None:
        """Remember that a link led to no message; *seen* if there may be one nevertheless."""
        visit.fruitless += 1
        faults: list[KeptFinding] = []
        if seen is not None:
            visit.pass_over(f"{link.url} ({seen})")
            faults = [{"code": code, "seen": seen}]
        known = RememberedFile(NO_MESSAGE, None if link.date is None else str(link.date))
        self._add(visit, link, PermitFile(known, int(datetime.now(UTC).timestamp()), faults=faults))

    def _read(
        self, response: StreamedResponse, link: Link, file: PermitFile | None, visit: EntryPageVisit
    ) -> None:
        """Store what identifies this content of a file, and the message in it if the content is new."""
        now = datetime.now(UTC)
        read_at = int(now.timestamp())
        compared = _compare(response, link, file, visit, now)
        date = link.date.as_utc() if link.date else header_date(response, "Last-Modified")
        faults: Sequence[KeptFinding] = file.faults if file is not None else ()
        since = file.faults_since if file is not None else None
        mutation = None
        if file is None or compared.changed or any(fault["code"] in _MAY_PASS for fault in faults):
            message, findings = self._read_message(response, link, visit, now)
            faults = [_kept(finding) for finding in findings if message is None]
            since = (since or read_at) if faults else None
            if message is not None:
                mutation = Mutation(
                    message,
                    organisatie=visit.page.organisation,
                    ingang=visit.page.url,
                    bestand=link.url,
                    datum=date or now.replace(microsecond=0),
                    bevindingen=tuple(dict.fromkeys(finding.code for finding in findings)),
                    digest=compared.known.digest,
                )
                visit.account.count_waiting()
        else:
            self.count_unchanged(link, file, visit)
        etag, last_modified = validator(response, "ETag"), validator(response, "Last-Modified")
        visit.undated += link.date is None and etag is None and last_modified is None
        read = PermitFile(compared.known, read_at, etag, last_modified, faults, since)
        self._add(visit, link, read, mutation, response.size)

    def _read_message(
        self, response: StreamedResponse, link: Link, visit: EntryPageVisit, now: datetime
    ) -> tuple[Message | None, Sequence[Finding]]:
        """Return the message in a file, or None if it is invalid, and its findings. Report the findings."""
        message, findings = read_message(
            response.chunks(), self._maxsize, self._organisations, now, response.charset
        )
        report = visit.report.about(url=link.url)
        for finding in findings:
            report.send(finding)
        self._count("woo/berichten/invalid" if message is None else "woo/berichten/valid")
        return message, findings

    def _file_done(self, visit: EntryPageVisit) -> None:
        visit.end_request()
        visit.finish()

    def _count(self, key: str) -> None:
        self._crawler.stats.inc_value(key)


def permit_request(
    url: str, kind: str, maxsize: int, hosts: frozenset[str], headers: dict[str, str], **options: Any
) -> Request:
    """Return a streamed request for an entry page or a file of it; redirects may go to *hosts* only.

    *options* are other arguments of Request.
    """
    host = host_of(url)
    return Request(
        url,
        dont_filter=True,
        headers=headers,
        **options,
        meta={
            "download_slot": host,
            "download_maxsize": maxsize,
            "handle_httpstatus_list": ANSWERS,
            "woo_digest": kind == "bericht",
            "woo_host": host,
            "woo_hosts": hosts,
            "woo_kind": kind,
            "woo_stream": True,
        },
    )


def _compare(
    response: StreamedResponse, link: Link, file: PermitFile | None, visit: EntryPageVisit, now: datetime
) -> Comparison:
    """Compare a received file with the stored *file*; report a date that is always that of the request."""
    # The server's own clock, because its dates are by that clock too.
    asked = visit.requested_at if link.date is not None else header_date(response, "Date") or now
    digest = response.sha256 or sha256(b"".join(response.chunks())).hexdigest()
    known, modified = file.known if file else None, header_date(response, "Last-Modified")
    compared = compare_file(known, digest, link.date, asked, modified)
    if compared.always_now:
        seen = str(link.date or header(response, "Last-Modified"))
        visit.report("ipm.datum-nu", url=link.url, seen=seen, action="de inhoud is vergeleken")
    return compared


def _kept(finding: Finding) -> KeptFinding:
    return {name: getattr(finding, name) for name in _FINDING_FIELDS if getattr(finding, name) is not None}


def _report_again(link: Link, file: PermitFile, visit: EntryPageVisit) -> None:
    """Report what is wrong with an invalid file; it is reported in each run until it is fixed."""
    since = None if file.faults_since is None else iso_seconds(file.faults_since)
    for fault in file.faults:
        visit.report(**fault, url=link.url, since=since)
