"""The requests for one document and what is made of their answers, without a network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError
from twisted.python.failure import Failure

from tests.crawl.test_hosts_visit import visit_of
from tests.utils.crawlers import crawler_of, item_of
from woo_harvester.crawl.documents import Documents
from woo_harvester.downloader.streaming import NoSuchHostError
from woo_harvester.extensions.politeness import HostRestsError
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.extensions.stopping import StoppedError
from woo_harvester.items import StreamedResponse, WooItem

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


@pytest.mark.parametrize(
    ("error", "is_harvested"),
    [(DownloadFailedError("weg"), True), (HostRestsError(9999), True), (StoppedError(), False)],
)
def test_a_document_whose_sample_fails_is_harvested_without_it_unless_the_run_gave_it_up(
    error: Exception, is_harvested: bool
) -> None:
    harvest = Harvest()
    assert harvest.fail(sample_of(harvest), error) == [harvest.item] * is_harvested
    assert (harvest.visit.under_way, harvest.unsampled) == (0, is_harvested)
    assert harvest.finished == ([1, 0] if is_harvested else [1])


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
    harvest = Harvest(WOO_PAGE_SAMPLE=0)
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


@pytest.mark.parametrize(
    "outcome",
    [
        *(204, 400, 403, 404, 405, 406, 418, 451, 500, 501, 502, 504, 599, 999),
        *(DownloadFailedError("hang-up"), DownloadTimeoutError("nothing")),
    ],
)
def test_a_head_that_is_refused_in_any_way_is_followed_by_a_get_for_the_headers(
    outcome: int | Exception,
) -> None:
    harvest = Harvest()
    (request,) = after_head(harvest, outcome)
    assert isinstance(request, Request)
    assert (request.method, request.meta["woo_headers_only"], harvest.visit.under_way) == ("GET", True, 1)
    assert harvest.answer(request, PDF) == [harvest.item]
    assert (harvest.item.report.codes, harvest.visit.under_way) == ([], 0)


@pytest.mark.parametrize("outcome", [*(401, 410, 429, 503), NoSuchHostError("naam"), HostRestsError(9999)])
def test_no_get_follows_where_it_would_be_answered_in_the_same_way(outcome: int | Exception) -> None:
    harvest = Harvest()
    assert after_head(harvest, outcome) == []
    assert harvest.visit.under_way == 0


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
