"""The requests for one document and what is made of their answers, without a network."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from io import BytesIO
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from twisted.python.failure import Failure

from tests.crawl.test_hosts import visit_of
from tests.samples import SAMPLES
from tests.utils.crawlers import crawler_of, fetched_of, item_of
from woo_harvester.crawl.documents import Documents, SampleKind, Samples, find_linked_documents
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.downloader.streaming import TlsError
from woo_harvester.extensions.politeness import HostRestsError
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.extensions.stopping import StoppedError
from woo_harvester.items import Fetched, Sample, StreamedResponse, WooItem

LOC = "https://www.a.nl/documenten/1"
HTML = "text/html"


class Harvest:
    """One document of a host that is harvested with ``documents=head``."""

    def __init__(self, **settings: Any) -> None:
        self.crawler = crawler_of(**settings)
        self.visit = visit_of()
        keeper = SimpleNamespace(note_not_harvested=lambda item, *, refused: None)
        self.documents = Documents("head", cast("StateKeeper", keeper), self.crawler)
        self.finished: list[int] = []
        self.documents.finish = lambda visit: self.finished.append(visit.under_way)
        self.item = item_of(loc=LOC)

    def answer(
        self, request: Request, media_type: str | None, body: bytes = b"", status: int = 200
    ) -> list[Request | WooItem]:
        """Give the callback an answer; return what it yields."""
        headers = {"Content-Type": media_type} if media_type else {}
        response = StreamedResponse(LOC, status, headers, file=BytesIO(body), size=len(body), request=request)
        callback: Any = request.callback
        return drained(callback(response, **request.cb_kwargs))

    def fail(self, request: Request, error: Exception) -> list[Request | WooItem]:
        failure = Failure(error)  # type: ignore[no-untyped-call]  # Twisted has no types
        failure.request = request  # type: ignore[attr-defined]  # as Scrapy does
        errback: Any = request.errback
        return drained(errback(failure))

    @property
    def unsampled(self) -> int:
        return int(self.crawler.stats.get_value("woo/documents/unsampled", 0))


def drained(made: AsyncIterator[Request | WooItem]) -> list[Request | WooItem]:
    async def drain() -> list[Request | WooItem]:
        return [each async for each in made]

    return asyncio.run(drain())


def sample_of(harvest: Harvest, media_type: str | None = HTML) -> Request:
    """Return the request for a sample that follows on the headers."""
    (request,) = harvest.answer(harvest.documents.request(harvest.item, harvest.visit), media_type)
    assert isinstance(request, Request)
    return request


def test_the_request_for_a_sample_is_bounded_and_not_tried_again() -> None:
    request = sample_of(Harvest(), None)
    assert (request.url, request.method, request.headers["Range"]) == (LOC, "GET", b"bytes=0-4095")
    assert request.headers["Accept-Encoding"] == b"identity"
    meta = {"download_maxsize": 4096, "download_timeout": 60, "dont_retry": True}
    assert request.meta.items() >= {**meta, "download_slot": "www.a.nl"}.items()
    assert sample_of(Harvest()).meta["download_maxsize"] == 256 * 1024
    assert sample_of(Harvest(WOO_DOCUMENT_TIMEOUT=5)).meta["download_timeout"] == 5


def test_the_document_stays_under_way_until_its_last_request() -> None:
    harvest = Harvest()
    first = sample_of(harvest, None)
    assert harvest.visit.under_way == 1
    (page,) = harvest.answer(first, None, b"<!DOCTYPE html>" + b" " * 4096)
    assert isinstance(page, WooItem), "all of it was received"
    assert harvest.visit.under_way == 0
    assert harvest.finished == [1, 0]


def test_a_document_whose_sample_fails_is_harvested_without_it_unless_the_run_gave_it_up() -> None:
    for error, is_harvested in [
        (DownloadFailedError("weg"), True),
        (HostRestsError(9999), True),
        (StoppedError(), False),
    ]:
        harvest = Harvest()
        assert harvest.fail(sample_of(harvest), error) == [harvest.item] * is_harvested, error
        assert (harvest.visit.under_way, harvest.unsampled) == (0, is_harvested), error
        assert harvest.finished == ([1, 0] if is_harvested else [1]), error


def test_no_sample_is_asked_for_when_the_time_for_the_host_is_used_up() -> None:
    harvest = Harvest()
    request = harvest.documents.request(harvest.item, harvest.visit)
    harvest.visit.budget.give_up()
    assert harvest.answer(request, HTML) == [harvest.item]
    assert (harvest.visit.under_way, harvest.unsampled) == (0, 1)


def test_a_page_that_cannot_be_read_does_not_block_its_host(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(item: WooItem) -> None:
        raise OSError("disk")

    monkeypatch.setattr("woo_harvester.crawl.documents.find_linked_documents", broken)
    monkeypatch.setattr("woo_harvester.crawl.documents.SAMPLES", 0)
    harvest = Harvest()
    request = harvest.documents.request(harvest.item, harvest.visit)
    with pytest.raises(OSError, match="disk"):
        harvest.answer(request, HTML)
    assert harvest.visit.under_way == 0


PDF = "application/pdf"


def after_head(harvest: Harvest, outcome: int | Exception) -> list[Request | WooItem]:
    """Return what follows on the HEAD of the document if the host answers it with a status or not at all."""
    request = harvest.documents.request(harvest.item, harvest.visit)
    assert request.method == "HEAD"
    if isinstance(outcome, Exception):
        return harvest.fail(request, outcome)
    assert outcome in (204, *request.meta["handle_httpstatus_list"])
    return harvest.answer(request, None, status=outcome)


def test_a_head_that_is_refused_in_any_way_is_followed_by_a_get_for_the_headers() -> None:
    cases: list[int | Exception] = [
        *(204, 400, 403, 404, 405, 406, 418, 451, 500, 501, 502, 504, 599, 999),
        *(DownloadFailedError("hang-up"), DownloadTimeoutError("nothing")),
        *(DownloadConnectionRefusedError("closed"), CannotResolveHostError("later")),
    ]
    for outcome in cases:
        harvest = Harvest()
        (request,) = after_head(harvest, outcome)
        assert isinstance(request, Request), outcome
        assert (request.method, request.meta["woo_headers_only"], harvest.visit.under_way) == (
            "GET",
            True,
            1,
        ), outcome
        assert harvest.answer(request, PDF) == [harvest.item], outcome
        assert (harvest.item.report.codes, harvest.visit.under_way) == ([], 0), outcome


def test_no_get_follows_where_it_would_be_answered_in_the_same_way() -> None:
    cases: list[int | Exception] = [*(401, 410, 429, 503), TlsError("expired"), HostRestsError(9999)]
    for outcome in cases:
        harvest = Harvest()
        assert after_head(harvest, outcome) == [], outcome
        assert harvest.visit.under_way == 0, outcome


@pytest.mark.parametrize("outcome", [405, DownloadFailedError("hang-up")])
def test_a_host_that_refuses_head_three_times_is_asked_by_get_from_then_on(outcome: int | Exception) -> None:
    harvest = Harvest()
    for status in (200, 404, 404, 200, 200):  # a GET that gives nothing either says nothing of HEAD
        (again,) = after_head(harvest, outcome)
        assert isinstance(again, Request)
        harvest.answer(again, PDF, status=status)
    request = harvest.documents.request(harvest.item, harvest.visit)
    assert (request.method, request.meta["woo_headers_only"]) == ("GET", True)
    other = harvest.documents.request(item_of(loc="https://www.b.nl/documenten/1"), harvest.visit)
    assert other.method == "HEAD", "another host was not asked yet"


def test_only_head_takes_samples() -> None:
    harvest = Harvest()
    harvest.documents.mode = "download"
    request = harvest.documents.request(harvest.item, harvest.visit)
    assert harvest.answer(request, HTML, b"<p>tekst</p>") == [harvest.item]


PDF_TYPE = SAMPLES["PDF"].read_bytes()
PAGE = b"<!DOCTYPE html><p>Kort.</p><a href='/a.pdf'>Download</a>"
BEGINNING, WHOLE_PAGE, PROOF = SampleKind


def samples_of(*, audit: bool = False) -> tuple[Samples, dict[str, Any]]:
    crawler = crawler_of(WOO_AUDIT=audit)
    return Samples(crawler), crawler.stats.get_stats()


def headers_of(
    media_type: str | None, loc: str = LOC, *, given: str | None = None, disposition: str | None = None
) -> WooItem:
    """An item whose headers were received."""
    metadata = GivenMetadata(format=Value(given, None) if given else None)
    return item_of(metadata, loc=loc, fetched=fetched_of(media_type=media_type, disposition=disposition))


def fetched_in(item: WooItem) -> Fetched:
    assert item.source is not None
    assert item.source.fetched is not None
    return item.source.fetched


def answer(
    body: bytes = b"", status: int = 200, *, flags: list[str] | None = None, coding: str = "", **headers: str
) -> StreamedResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = StreamedResponse(LOC, status, named, file=BytesIO(body), flags=flags or [])
    response.coding = coding
    return response


#: An item, and the sample that is taken of it.
TAKEN: list[tuple[WooItem, SampleKind | None]] = [
    (headers_of("application/pdf"), None),
    (headers_of("text/html", f"{LOC}.html"), WHOLE_PAGE),
    (headers_of("text/html"), WHOLE_PAGE),
    (headers_of(None, given="HTML"), WHOLE_PAGE),
    (headers_of("application/octet-stream"), BEGINNING),
    (headers_of("text/html", f"{LOC}.pdf"), BEGINNING),
    (headers_of("application/octet-stream", disposition="attachment; filename=a.pdf"), None),
    (headers_of("application/octet-stream", f"{LOC}.pdf", given="PDF"), BEGINNING),
    (headers_of(None, f"{LOC}.pdf"), BEGINNING),
    (headers_of(None, f"{LOC}.pdf", given="JPEG"), None),
    (headers_of("application/pdf", given="JPEG"), None),
    (item_of(), None),
]


def test_a_sample_is_taken_where_headers_say_too_little() -> None:
    for number, (item, kind) in enumerate(TAKEN):
        assert samples_of()[0].next_kind(item) is kind, number


def test_an_audit_takes_a_sample_of_each_document_and_a_small_one_where_headers_say_enough() -> None:
    samples, _ = samples_of(audit=True)
    item = headers_of("application/pdf", f"{LOC}.pdf")
    assert samples.next_kind(item) is PROOF
    fetched_in(item).sample = Sample(answer(), PAGE, is_complete=False, size=None)
    assert samples.next_kind(item, PROOF) is None, "it is no document, whatever more there is"
    assert samples.next_kind(headers_of("application/octet-stream")) is BEGINNING
    assert samples.next_kind(headers_of("text/html")) is WHOLE_PAGE


def test_the_beginning_may_show_a_page_and_the_page_is_the_last_sample() -> None:
    samples, _ = samples_of()
    item = headers_of(None)
    assert samples.next_kind(item) is BEGINNING
    assert samples.next_kind(item, BEGINNING) is None, "it was not sent"
    for data, is_complete, kind in (
        (PAGE, True, None),
        (PDF_TYPE[:4096], False, None),
        (PAGE, False, WHOLE_PAGE),
    ):
        item = headers_of(None)
        fetched_in(item).sample = Sample(answer(), data, is_complete=is_complete, size=None)
        assert samples.next_kind(item, BEGINNING) is kind
    assert samples.next_kind(item, WHOLE_PAGE) is None


def test_of_each_host_and_kind_so_many_samples_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woo_harvester.crawl.documents.SAMPLES", 2)
    samples, stats = samples_of()
    pages = [samples.next_kind(headers_of("text/html")) for _ in range(4)]
    assert pages == [WHOLE_PAGE, WHOLE_PAGE, None, None]
    assert samples.next_kind(headers_of(None)) is BEGINNING
    assert samples.next_kind(headers_of("text/html", "https://www.b.nl/x")) is WHOLE_PAGE
    assert samples.next_kind(headers_of("text/html", "https://www.a.nl:8443/x")) is WHOLE_PAGE
    assert samples.next_kind(headers_of("application/pdf")) is None
    assert stats == {"woo/documents/unsampled": 2}


def test_only_the_beginning_is_asked_for_as_a_range() -> None:
    ranges = [kind.headers for kind in (BEGINNING, PROOF, WHOLE_PAGE)]
    assert ranges == [{"Range": "bytes=0-4095"}, {"Range": "bytes=0-1023"}, {}]


def test_the_first_bytes_are_a_sample_however_they_come() -> None:
    for response, is_complete, size in [
        (answer(b"abc", 206, Content_Range="bytes 0-2/9"), False, 9),
        (answer(b"abc", 206, Content_Range="Bytes  0-2/3"), True, 3),
        (answer(b"abc", 206, Content_Range="bytes 0-2/*"), False, None),
        (answer(b"abc", 206, Content_Range="bytes 0-2/9", coding="gzip", flags=["dataloss"]), False, None),
        (answer(b"abc", 206, Content_Range="bytes 0-2/3", coding="gzip"), False, None),
        (answer(b"abc", Content_Length="3"), True, 3),
        (answer(b"abc"), True, 3),
        (answer(b"abc", Content_Length="9", flags=["maxsize"]), False, 9),
        (answer(b"abc", flags=["maxsize"]), False, None),
        (answer(b"abc", Content_Length="9", flags=["dataloss"]), False, 9),
        (answer(b"abc", Content_Length="3", flags=["dataloss"]), False, 3),
    ]:
        samples, stats = samples_of()
        assert samples.read(response) == Sample(response, b"abc", is_complete=is_complete, size=size)
        assert stats == {"woo/documents/sampled": 1}, response


def test_any_other_answer_is_no_sample() -> None:
    for response in [
        answer(b"abc", 206),
        answer(b"abc", 206, Content_Range="bytes 3-5/9"),
        answer(b"abc", 206, Content_Range="regels 0-2/9"),
        answer(b"abc", 206, Content_Range="bytes 0-2"),
        answer(b"abc", 206, Content_Type="multipart/byteranges; boundary=x"),
        answer(b"", 416, Content_Range="bytes */9"),
        answer(b"niet hier", 404),
        answer(b"", 204),
        answer(b"", 401),
        answer(b"", 405),
        answer(b"", 500),
        answer(gzip.compress(b"abc")[:4], flags=["coding"], coding="gzip"),
        answer(b"", flags=["coding"], coding="br"),
        answer(b"abc", flags=["expansion"], coding="gzip"),
    ]:
        samples, stats = samples_of()
        assert samples.read(response) is None, response
        assert stats == {"woo/documents/unsampled": 1}, response


def leads_to(item: WooItem) -> tuple[str, ...]:
    asyncio.run(find_linked_documents(item))
    return fetched_in(item).leads_to if item.source and item.source.fetched else ()


def with_sample(data: bytes, *, is_complete: bool) -> WooItem:
    item = headers_of("text/html")
    response = answer(Content_Type="text/html")
    fetched_in(item).sample = Sample(response, data, is_complete=is_complete, size=None)
    return item


def test_a_page_is_looked_at_where_it_was_received() -> None:
    found = ("https://www.a.nl/a.pdf",)
    assert leads_to(item_of(loc=LOC, fetched=fetched_of(PAGE, media_type="text/html"))) != ()
    assert leads_to(with_sample(PAGE, is_complete=True)) == found
    assert leads_to(with_sample(PAGE + b" " * WHOLE_PAGE.value, is_complete=False)) == found
    for item in (with_sample(PAGE, is_complete=False), headers_of("text/html"), item_of()):
        assert leads_to(item) == (), "too little was received"
    in_its_place = item_of(loc=f"{LOC}.pdf", fetched=fetched_of(PAGE, media_type="text/html"))
    for item in (in_its_place, item_of(loc=LOC, fetched=fetched_of(PDF_TYPE, media_type="text/html"))):
        assert leads_to(item) == (), "no landing page"


def test_links_are_compared_with_the_host_on_which_the_page_was_found() -> None:
    item = with_sample(PAGE, is_complete=True)
    sample = fetched_in(item).sample
    assert sample is not None
    moved = sample.response.replace(url="https://open.b.nl/x")
    fetched_in(item).sample = Sample(moved, PAGE, is_complete=True, size=None)
    assert leads_to(item) == ("https://open.b.nl/a.pdf",)
