from __future__ import annotations

import asyncio
import gzip
from io import BytesIO
from typing import Any

import pytest

from tests.samples import SAMPLES
from tests.utils.crawlers import crawler_of, fetched_of, item_of
from woo_harvester.crawl.documents import SampleKind, Samples, find_linked_documents
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.items import Fetched, Sample, StreamedResponse, WooItem

LOC = "https://www.a.nl/documenten/1"
PDF = SAMPLES["PDF"].read_bytes()
PAGE = b"<!DOCTYPE html><p>Kort.</p><a href='/a.pdf'>Download</a>"
BEGINNING, WHOLE_PAGE, PROOF = SampleKind


def samples_of(limit: int = 20, *, audit: bool = False) -> tuple[Samples, dict[str, Any]]:
    crawler = crawler_of(WOO_PAGE_SAMPLE=limit, WOO_AUDIT=audit)
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
        assert samples_of(0)[0].next_kind(item) is None, "none are wanted"


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
    for data, is_complete, kind in ((PAGE, True, None), (PDF[:4096], False, None), (PAGE, False, WHOLE_PAGE)):
        item = headers_of(None)
        fetched_in(item).sample = Sample(answer(), data, is_complete=is_complete, size=None)
        assert samples.next_kind(item, BEGINNING) is kind
    assert samples.next_kind(item, WHOLE_PAGE) is None


def test_of_each_host_and_kind_so_many_samples_are_taken() -> None:
    samples, stats = samples_of(2)
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


@pytest.mark.parametrize(
    ("response", "is_complete", "size"),
    [
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
    ],
)
def test_the_first_bytes_are_a_sample_however_they_come(
    response: StreamedResponse, is_complete: bool, size: int | None
) -> None:
    samples, stats = samples_of()
    assert samples.read(response) == Sample(response, b"abc", is_complete=is_complete, size=size)
    assert stats == {"woo/documents/sampled": 1}


@pytest.mark.parametrize(
    "response",
    [
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
    ],
)
def test_any_other_answer_is_no_sample(response: StreamedResponse) -> None:
    samples, stats = samples_of()
    assert samples.read(response) is None
    assert stats == {"woo/documents/unsampled": 1}


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
    for item in (in_its_place, item_of(loc=LOC, fetched=fetched_of(PDF, media_type="text/html"))):
        assert leads_to(item) == (), "no landing page"


def test_links_are_compared_with_the_host_on_which_the_page_was_found() -> None:
    item = with_sample(PAGE, is_complete=True)
    sample = fetched_in(item).sample
    assert sample is not None
    moved = sample.response.replace(url="https://open.b.nl/x")
    fetched_in(item).sample = Sample(moved, PAGE, is_complete=True, size=None)
    assert leads_to(item) == ("https://open.b.nl/a.pdf",)
