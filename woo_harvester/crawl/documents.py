"""The documents of a run: requested whole, by their headers or by their beginning, or left out."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import Enum
from io import BytesIO
from time import time
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from scrapy import Request

from woo_harvester.crawl.answers import (
    CONNECTION_ERRORS,
    check_expected,
    failure_code,
    failure_seen,
    is_not_modified,
    is_ours,
    unless_changed,
    validator,
)
from woo_harvester.crawl.hosts import Visit
from woo_harvester.diwoo.filetype import TypeClaims, expected_filetype
from woo_harvester.documents.filename import file_name
from woo_harvester.documents.formats import from_extension
from woo_harvester.documents.pages import documents_of_landing_page
from woo_harvester.extensions.politeness import HostRestsError
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.items import Fetched, Sample, StreamedResponse, WooItem, announced_size, header, size_of
from woo_harvester.pipelines.store import StorePipeline
from woo_harvester.running.arguments import DocumentsMode
from woo_harvester.sitemaps.decide import Depth, is_long_ago
from woo_harvester.state.deliveries import Delivery, KnownFile
from woo_harvester.utils.statuses import ASKS_FOR_PAUSE, PARTIAL_CONTENT, is_complete
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http.request import CallbackT
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure


#: The part of a document that begins with its first byte, and the size of the whole (RFC 9110, 14.4).
_FROM_FIRST_BYTE = re.compile(r"bytes\s+0-[0-9]+/([0-9]+|\*)", re.IGNORECASE)


class SampleKind(Enum):
    """What a sample is for; the value is its largest size in bytes."""

    BEGINNING = 4 * 1024
    """Only the content shows the file type."""
    PAGE = 256 * 1024
    """The document is a web page, and may lead to documents instead of being one."""
    PROOF = 1024
    """An audit checks that the document is what its headers say, and no login page."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers that ask for so many bytes. Pages are often made for each request, without ranges."""
        return {} if self is SampleKind.PAGE else {"Range": f"bytes=0-{self.value - 1}"}


#: The most samples of a kind that a harvest takes of a host. A publisher wants to know of each page.
SAMPLES = 20


class Samples:
    """Decides which documents of ``documents=head`` need a sample: at most 20 a host and kind.

    An audit takes one of each document: a server may send a login page under the headers of a document.
    The statistics are ``woo/documents/sampled`` and ``woo/documents/unsampled``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._is_audit = crawler.settings.getbool("WOO_AUDIT")
        self._stats = crawler.stats
        self._taken = Counter[tuple[str, SampleKind]]()

    def next_kind(self, item: WooItem, before: SampleKind | None = None) -> SampleKind | None:
        """Return the sample that an item needs after the one *before*, and count it; None for no sample."""
        kind = _needed(item, before)
        if kind is None and before is None and self._is_audit:
            kind = SampleKind.PROOF
        if kind is None:
            return None
        place = host_of(item.record.document.weblocatie), kind
        if self._taken[place] >= SAMPLES and not self._is_audit:
            self.count_unsampled()
            return None
        self._taken[place] += 1
        return kind

    def read(self, response: StreamedResponse) -> Sample | None:
        """Return the sample in an answer; None if the answer has another part of the document, or none."""
        sample = _sample_in(response)
        if sample is None:
            self.count_unsampled()
        else:
            self._stats.inc_value("woo/documents/sampled")
        return sample

    def count_unsampled(self) -> None:
        """Count a document whose type or links remain unknown for lack of a sample."""
        self._stats.inc_value("woo/documents/unsampled")


async def find_linked_documents(item: WooItem) -> None:
    """Note the documents to which an item leads, if it is a landing page and enough of it was received.

    A thread reads the page, since a hostile one takes a second.
    """
    fetched = item.source.fetched if item.source else None
    file = _page_of(fetched) if fetched else None
    if fetched is None or file is None or not _is_html(item):
        return
    url, media_type = fetched.answer.url, fetched.media_type
    fetched.leads_to = await asyncio.to_thread(documents_of_landing_page, file, url, media_type)


def _page_of(fetched: Fetched) -> BinaryIO | None:
    """Return what was received of a document, if it is all or as much as is asked for of a page."""
    sample = fetched.sample
    if sample is not None and (sample.is_complete or len(sample.data) >= SampleKind.PAGE.value):
        return BytesIO(sample.data)
    return fetched.file


def _needed(item: WooItem, before: SampleKind | None) -> SampleKind | None:
    """Return the sample that shows what a document is; None if its headers do, as of nearly every PDF."""
    source = item.source
    if source is None or source.fetched is None or before is SampleKind.PAGE:
        return None
    claims, _ = source.claims_and_name(item.record.document.weblocatie)
    if before is None and (claims.is_type_open or _is_nameless(source.fetched, claims)):
        return SampleKind.BEGINNING
    return SampleKind.PAGE if _page_of(source.fetched) is None and _is_html(item) else None


def _is_nameless(fetched: Fetched, claims: TypeClaims) -> bool:
    """Return whether no header names a type of document, so that the answer may be a login page."""
    named = from_extension(file_name(fetched.disposition, "") or "")
    is_named = claims.response.filetype or claims.response.unlisted or named.filetype
    # A publisher that gives a type outside the list is believed. Of what may be a page, more is requested.
    return not (is_named or claims.metadata.unlisted or claims.is_html_possible)


def _is_html(item: WooItem) -> bool:
    """Return whether a document will be harvested as HTML."""
    if item.source is None or item.source.fetched is None:
        return False
    claims, _ = item.source.claims_and_name(item.record.document.weblocatie)
    content = item.source.fetched.content
    by_content = content is not None and any(filetype.code == "HTML" for filetype in content.may_be)
    if not (by_content or claims.is_html_possible):
        return False
    filetype = expected_filetype(claims, content)
    return filetype is not None and filetype.code == "HTML"


def _sample_in(response: StreamedResponse) -> Sample | None:
    is_part = response.status == PARTIAL_CONTENT
    part = _FROM_FIRST_BYTE.fullmatch((header(response, "Content-Range") or "").strip()) if is_part else None
    is_beginning = is_complete(response.status) or part is not None
    if not is_beginning or not {"coding", "expansion"}.isdisjoint(response.flags):
        return None
    data = b"".join(response.chunks())
    size = announced_size(response)
    if part is not None:
        size = int(part[1]) if part[1] != "*" and not response.coding else None
    elif not response.flags:
        size = len(data)
    return Sample(response, data, is_complete=not response.flags and size == len(data), size=size)


_DEPTHS: dict[DocumentsMode, Depth] = {"none": Depth.NONE, "head": Depth.HEADERS, "download": Depth.FILE}


def wanted_depth(mode: DocumentsMode, settings: BaseSettings) -> Depth:
    """Return how much of each document a run wants, by its settings."""
    is_text = mode == "download" and settings.getbool("WOO_TEXT")
    return Depth.TEXT if is_text else _DEPTHS[mode]


_SKIPPED = "overgeslagen"

#: Seconds in which a sample must be received: it is small.
_SAMPLE_TIMEOUT = 60

#: Number of documents that a HEAD did not give and a GET did, after which their host is asked by GET.
_HEADS_REFUSED = 3

#: Statuses of errors. Some servers make up their own.
_ERRORS = range(400, 1000)

#: Statuses from 400 on that a GET would get too: without a password, for what is gone, from a busy host.
_MEANT = frozenset({401, 410, *ASKS_FOR_PAUSE})

#: Findings about a document that was received but is not accepted. All others: it was not received.
_REFUSALS = frozenset({"document.te-groot", "document.leeg", "document.doorverwijzing"})


class Documents:
    """The requests for documents, and the items made of their answers.

    With *mode* ``download``, a document is received, measured and hashed. With ``head``, its headers are
    requested; if a server refuses HEAD, it gets a GET that is broken off after the headers. A host that did
    so three times gets no HEAD any more. If the headers do not show what the document is, a sample of it is
    requested too. With ``none``, nothing is requested.
    """

    def __init__(self, mode: DocumentsMode, keeper: StateKeeper, crawler: Crawler) -> None:
        settings = crawler.settings
        self.mode = mode
        self.finish: Callable[[Visit], None] = lambda visit: None
        """The function to call with the visit after each of its documents."""
        self._keeper = keeper
        self._crawler = crawler
        self._text = settings.getbool("WOO_TEXT")
        self._maxsize = settings.getint("WOO_DOCUMENT_MAXSIZE")
        self._timeout = settings.getfloat("WOO_DOCUMENT_TIMEOUT")
        self._interval = timedelta(days=settings.getfloat("WOO_FULL_READ_DAYS")).total_seconds()
        self._refused = Counter[str]()
        """Number of documents by host that a HEAD did not give and a GET did."""
        self._samples = Samples(crawler)
        # Without a store, the text is not stored either: it can be read only from the document itself.
        self._conditional = mode == "download" and (bool(settings["FILES_STORE"]) or not self._text)

    def request(
        self, item: WooItem, visit: Visit, *, headers_only: bool = False, conditional: bool = True
    ) -> Request:
        """Return the request for an item's document; it counts in the visit's backlog until it is done."""
        known = self._condition(item) if conditional else None
        by_get = self._refused[host_of(item.record.document.weblocatie)] >= _HEADS_REFUSED
        headers_only = headers_only or (self.mode == "head" and by_get)
        return self._request(
            item,
            visit,
            method="HEAD" if self.mode == "head" and not headers_only else "GET",
            callback=cast("CallbackT", self.parse),  # its response is made by our own handler
            errback=self.on_failure,
            headers=unless_changed(known),
            meta={
                "handle_httpstatus_list": (304, *_ERRORS) if known else _ERRORS,
                "woo_headers_only": headers_only,
                "woo_digest": self.mode == "download",
            },
        )

    def _sample_request(self, item: WooItem, visit: Visit, kind: SampleKind) -> Request:
        """Return the request for a sample. It is not tried again, since it can be done without."""
        return self._request(
            item,
            visit,
            callback=cast("CallbackT", self.parse_sample),
            errback=self.on_sample_failure,
            headers=kind.headers,
            meta={
                "dont_retry": True,
                "download_maxsize": kind.value,
                "download_timeout": min(_SAMPLE_TIMEOUT, self._timeout),
                "handle_httpstatus_list": _ERRORS,
            },
            kind=kind,
        )

    def _request(
        self,
        item: WooItem,
        visit: Visit,
        *,
        callback: CallbackT,
        errback: Callable[[Failure], Any],
        headers: dict[str, str],
        meta: dict[str, Any],
        method: str = "GET",
        **cb_kwargs: SampleKind,
    ) -> Request:
        """Return a request whose answer comes to *callback* as the server gave it, its body as a stream."""
        visit.begin_request()
        loc = item.record.document.weblocatie
        return Request(
            loc,
            method=method,
            callback=callback,
            errback=errback,
            dont_filter=True,
            headers={"Accept": "*/*", "Accept-Encoding": "identity", **headers},
            meta={
                "download_slot": host_of(loc),
                "download_maxsize": self._maxsize,
                "download_timeout": self._timeout,
                "woo_host": visit.host,
                "woo_kind": "document",
                "woo_decompress": True,
                "woo_stream": True,
                **meta,
            },
            cb_kwargs={"item": item, "visit": visit, **cb_kwargs},
        )

    def _condition(self, item: WooItem) -> KnownFile | None:
        """Return the known file for a conditional request, or None if the server must send the document."""
        source = item.source
        if not self._conditional or source is None or source.known is None:
            return None
        return None if is_long_ago(source.known.fetched_at, int(time()), self._interval) else source.known

    async def parse(
        self, response: StreamedResponse, item: WooItem, visit: Visit
    ) -> AsyncIterator[Request | WooItem]:
        """Yield the item with its response, or report why the document is not harvested.

        The pipelines read the response, so it stays open until the item has left them.
        """
        if response.meta["woo_headers_only"] and is_complete(response.status):
            self._refused[host_of(item.record.document.weblocatie)] += 1
        with self._ending(visit):
            retry = await self._retry_with(response, item)
            made = self.request(item, visit, **retry) if retry else await self._read(response, item, visit)
        if made is not None:
            yield made

    async def parse_sample(
        self, response: StreamedResponse, item: WooItem, visit: Visit, kind: SampleKind
    ) -> AsyncIterator[Request | WooItem]:
        """Yield the item with the sample in the response, or without one if the server did not send it."""
        with self._ending(visit):
            made = await self._read_sample(response, item, visit, kind)
        if made is not None:
            yield made

    async def _read(
        self, response: StreamedResponse, item: WooItem, visit: Visit
    ) -> Request | WooItem | None:
        """Return what follows on a response; None if the document is not harvested, or has not changed."""
        if item.source is None or not self._is_usable(response, item):
            self._note_not_harvested(item)
            return None
        item.source.fetched = _fetched_of(response, item.source.known)
        _keep_file(item, response)
        return await self._next(item, visit)

    async def _read_sample(
        self, response: StreamedResponse, item: WooItem, visit: Visit, kind: SampleKind
    ) -> Request | WooItem | None:
        """Return what follows on a sample; None if it shows that the document is not harvested."""
        sample = self._samples.read(response)
        if sample is None or item.source is None or item.source.fetched is None:
            return item
        if not self._has_good_size(sample.size, item):
            self._note_not_harvested(item)
            return None
        item.source.fetched = Fetched(item.source.fetched.response, sample=sample)
        return await self._next(item, visit, kind)

    async def on_sample_failure(self, failure: Failure) -> AsyncIterator[WooItem]:
        """Yield the item without a sample: its headers were received."""
        request: Request = failure.request  # type: ignore[attr-defined]
        visit: Visit = request.cb_kwargs["visit"]
        if is_ours(failure.value):
            visit.end_request()
            return
        with self._ending(visit):
            self._samples.count_unsampled()
        yield request.cb_kwargs["item"]
        check_expected(failure.value)

    async def _next(self, item: WooItem, visit: Visit, before: SampleKind | None = None) -> Request | WooItem:
        """Return the request for the next sample that an item needs, or the item itself."""
        kind = self._samples.next_kind(item, before) if self.mode == "head" else None
        if kind is not None and not visit.budget.is_over():
            return self._sample_request(item, visit, kind)
        if kind is not None:
            self._samples.count_unsampled()
        await find_linked_documents(item)
        return item

    async def _retry_with(self, response: StreamedResponse, item: WooItem) -> dict[str, bool]:
        """Return the arguments for requesting the document once more; empty if this answer can be used."""
        if response.request is not None and _needs_get(response.request, response):
            return {"headers_only": True}
        if response.status == 304 and not await self._is_kept(item):
            return {"conditional": False}
        return {}

    async def _is_kept(self, item: WooItem) -> bool:
        """Return whether the store has the document, here if its text is needed, so that a 304 is enough."""
        store = self._crawler.get_item_pipeline(StorePipeline)
        known = item.source.known if item.source else None
        if store is None or known is None or known.sha256 is None:
            return True
        sha256 = known.sha256.hex()
        is_stored = await store.has(sha256, known.size)
        return is_stored and (not self._text or store.has_local(sha256))

    async def on_failure(self, failure: Failure) -> AsyncIterator[Request]:
        """Yield a GET if a HEAD failed that it must replace; else report why a document was not received."""
        request: Request = failure.request  # type: ignore[attr-defined]
        item: WooItem = request.cb_kwargs["item"]
        visit: Visit = request.cb_kwargs["visit"]
        if _needs_get(request, failure.value):
            with self._ending(visit):
                again = self.request(item, visit, headers_only=True)
            yield again
            return
        if is_ours(failure.value):
            visit.end_request()
            return
        with self._ending(visit):
            check_expected(failure.value)
            if isinstance(failure.value, HostRestsError) and host_of(request.url) == visit.host:
                # One finding reports this for the host: it may have thousands of documents left.
                visit.budget.give_up()
                visit.budget.requested -= 1
                visit.budget.left += 1
                return
            code = failure_code(failure.value, "document")
            item.report(code, seen=failure_seen(failure.value), action=_SKIPPED)
            self._note_not_harvested(item)

    @contextmanager
    def _ending(self, visit: Visit) -> Iterator[None]:
        """Count a request as done after the block, in which another one may begin for the same document."""
        try:
            yield
        finally:
            visit.end_request()
            self.finish(visit)

    def _note_not_harvested(self, item: WooItem) -> None:
        error = item.report.error
        self._keeper.note_not_harvested(item, refused=error is not None and error.code in _REFUSALS)

    def _is_usable(self, response: StreamedResponse, item: WooItem) -> bool:
        size = size_of(response)
        if is_not_modified(response) and item.source is not None and item.source.known is not None:
            return True
        if response.status == PARTIAL_CONTENT:  # although no request of ours has a Range
            item.report("document.afgebroken", seen=f"HTTP {response.status}", action=_SKIPPED)
        elif not is_complete(response.status):
            item.report("document.onbereikbaar", seen=f"HTTP {response.status}", action=_SKIPPED)
        elif "coding" in response.flags:
            item.report("document.onbereikbaar", seen=f"Content-Encoding: {response.coding}", action=_SKIPPED)
        elif "expansion" in response.flags:
            item.report("document.te-groot", seen=f"{response.size} bytes en meer", action=_SKIPPED)
        elif "maxsize" in response.flags:
            item.report("document.te-groot", seen=f"{size} bytes", action=_SKIPPED)
        elif "dataloss" in response.flags and (size or 0) <= self._maxsize:
            item.report("document.afgebroken", seen=f"{response.size} bytes", action=_SKIPPED)
        else:
            return self._has_good_size(size, item)
        return False

    def _has_good_size(self, size: int | None, item: WooItem) -> bool:
        if size is not None and size > self._maxsize:
            item.report("document.te-groot", seen=f"{size} bytes", action=_SKIPPED)
        elif size == 0:
            item.report("document.leeg", seen="0 bytes", action=_SKIPPED)
        else:
            return True
        return False


def _needs_get(request: Request, outcome: StreamedResponse | BaseException | None) -> bool:
    """Return whether a GET must take the place of a request, a HEAD whose *outcome* says nothing of a GET.

    Some servers refuse HEAD in one way or another, let the connection die, or answer any HEAD with 204.
    """
    if request.method != "HEAD":
        return False
    if outcome is None or isinstance(outcome, BaseException):
        return isinstance(outcome, CONNECTION_ERRORS)
    if outcome.status >= 400:
        return outcome.status not in _MEANT
    return outcome.status in range(200, 300) and not is_complete(outcome.status)


def _fetched_of(response: StreamedResponse, known: KnownFile | None) -> Fetched:
    """Return the answer as the pipelines need it; *known* is the file of the version before."""
    is_same = response.status == 304 and known is not None and known.sha256 is not None
    return Fetched(response, known if is_same else None)


def _keep_file(item: WooItem, response: StreamedResponse) -> None:
    """Add to the item's delivery what the next run needs to know of the file."""
    delivery, known = item.delivery, item.source.known if item.source else None
    if not isinstance(delivery, Delivery) or delivery.harvested is None:
        return
    is_again = item.source is not None and item.source.is_again
    if response.sha256:
        names = "ETag", "Last-Modified"
        validators = (f"{name}: {value}" for name in names if (value := validator(response, name)))
        digest = bytes.fromhex(response.sha256)
        delivery.harvested.file = KnownFile(digest, next(validators, None), fetched_at=int(time()))
    elif response.status == 304 or is_again:
        delivery.harvested.file = known
