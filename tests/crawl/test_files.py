"""The requests for the files of a host, and what its robots.txt does to the visit."""

from __future__ import annotations

import asyncio
from io import BytesIO
from time import time
from types import SimpleNamespace
from typing import Any, cast

from scrapy import Request

from tests.crawl.test_hosts import visit_of as finished_visit_of
from tests.utils.crawlers import crawler_of
from woo_harvester.crawl.documents import Documents
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.files import FileRequests, HostReader, StateWrite, read_index, read_robots
from woo_harvester.crawl.hosts import Visit
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import StreamedResponse
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.decide import Depth, Terms
from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE, index_name
from woo_harvester.sitemaps.selection import Index
from woo_harvester.state.resources import (
    KnownHost,
    Resource,
    ResourceKind,
    host_of_state,
    keep_read,
    resource_of,
)

HOST = "www.a.nl"
URL = f"https://{HOST}/robots.txt"
INDEX = f"https://{HOST}/sitemapindex-diwoo.xml"
RULES = f"Sitemap: {INDEX}\n".encode()
CONDITIONS = {"If-None-Match": '"e"'}


def visit_of(findings: list[Finding], known: KnownHost) -> Visit:
    account = Account(HOST, organisations=[{"id": "1", "name": "gemeente A"}])
    return Visit(HOST, None, known, 2, Reporter(findings.append), lambda _: True, account)


class Read:
    """What a visit and the middleware have of an answer to the request for a robots.txt."""

    def __init__(self, status: int, body: bytes = b"", *flags: str, request: Request | None = None) -> None:
        self.rules: list[tuple[str, bytes]] = []
        findings: list[Finding] = []
        request = request or Request(URL, meta={"woo_kind": "robots"})
        answer = StreamedResponse(URL, status, file=BytesIO(body), request=request, flags=list(flags))
        crawler = cast("Any", SimpleNamespace(get_downloader_middleware=lambda _: self))
        visit = visit_of(findings, KnownHost(1, None))
        stored = Resource(7, '"e"', None, None, 5, RULES)
        self.write: StateWrite | None = asyncio.run(read_robots(crawler, answer, visit, stored))
        self.indexes = [index.url for index in visit.indexes]
        self.incomplete = visit.incomplete
        self.found = [(finding.code, finding.seen) for finding in findings]

    async def learn(self, request: Request, rules: bytes) -> None:
        """Learn the rules of a host, as the middleware does."""
        self.rules.append((request.url, rules))


def test_the_indexes_and_rules_of_a_robots_txt_are_used_and_kept() -> None:
    read = Read(200, RULES)
    assert (read.indexes, read.rules, read.found) == ([INDEX], [(URL, RULES)], [])
    assert read.write is not None


def test_what_the_state_has_is_used_if_nothing_changed_since() -> None:
    asked = Request(URL, headers=CONDITIONS, meta={"woo_kind": "robots"})
    read = Read(304, request=asked)
    assert (read.indexes, read.rules, read.write) == ([INDEX], [(URL, RULES)], None)


#: Status, flags, what is reported, and the rules that count: None if nothing is known.
NOT_RECEIVED: list[tuple[int, tuple[str, ...], tuple[str, str], bytes | None]] = [
    (404, (), ("robots.ontbreekt", "HTTP 404"), b""),
    (410, (), ("robots.ontbreekt", "HTTP 410"), b""),
    (403, (), ("robots.onbereikbaar", "HTTP 403"), b""),
    (500, (), ("robots.onbereikbaar", "HTTP 500"), None),
    (304, (), ("robots.onbereikbaar", "HTTP 304"), None),  # nobody asked whether it changed
    (200, ("dataloss",), ("robots.onbereikbaar", "afgebroken"), None),
    (200, ("coding",), ("robots.onbereikbaar", "afgebroken"), None),
]


def test_a_robots_txt_that_was_not_received_is_reported() -> None:
    for status, flags, found, rules in NOT_RECEIVED:
        read = Read(status, RULES, *flags)
        assert (read.indexes, read.found, read.write) == ([], [found], None), status
        assert read.rules == ([] if rules is None else [(URL, rules)]), status


def test_a_robots_txt_that_is_not_as_it_should_be_is_reported() -> None:
    read = Read(200, RULES, "maxsize")
    assert (read.indexes, read.incomplete, read.write) == ([INDEX], ["robots.te-groot"], None)
    assert Read(200, b"User-agent: *\n").found == [("robots.geen-diwoo-index", None)]
    request = Request(URL, meta={"woo_kind": "robots", "woo_private": True})
    assert [code for code, _ in Read(200, RULES, request=request).found] == ["host.intern-adres"]


def test_an_index_with_a_coding_that_nobody_asked_for_is_reported_with_it() -> None:
    findings: list[Finding] = []
    answer = StreamedResponse(INDEX, 200, file=BytesIO(b"\x1b\xff\x80\x00\xe4\x9f" * 20))
    answer.coding = "br"
    visit = visit_of(findings, KnownHost(1, None))
    stored = Resource(7, None, None, None, None, None)
    assert asyncio.run(read_index(visit, answer, stored, Index(INDEX, index_name(INDEX)), 1000)) is None
    assert [finding.code for finding in findings] == ["sitemap.codering", "index.ongeldig"]


def test_rules_count_for_the_host_that_was_asked_first() -> None:
    first = "https://a.nl/robots.txt"
    read = Read(200, RULES, request=Request(URL, meta={"woo_kind": "robots", "redirect_urls": [first, "x"]}))
    assert read.rules == [(first, RULES)]


def request_of(
    keeper: StateKeeper,
    kind: ResourceKind,
    terms: Terms = Terms(depth=Depth.HEADERS),  # noqa: B008
) -> Request:
    """Return the request for a file that was read an hour ago."""
    settings = crawler_of(WOO_INDEX_MAXSIZE=10, WOO_SITEMAP_MAXSIZE=20).settings
    requests = FileRequests(settings, cast("Any", None), terms)
    url = f"https://b.nl/{kind}"
    with keeper.begin() as connection:
        host = host_of_state(connection, HOST)
        known = resource_of(connection, host.id, url, kind)
        at = int(time()) - 3600
        read = {"etag": '"e"', "last_modified": None, "digest": b"d", "at": at, "depth": Depth.HEADERS}
        keep_read(connection, known.id, **cast("Any", read))
        return requests.request(connection, url, kind, visit_of([], host), cast("Any", None))


def test_a_file_is_asked_for_if_it_changed(keeper: StateKeeper) -> None:
    most: dict[ResourceKind, int] = {"robots": ROBOTS_MAXSIZE, "index": 11, "sitemap": 21}
    for kind, size in most.items():
        request = request_of(keeper, kind)
        assert request.headers.to_unicode_dict() == {"Accept-Encoding": "gzip", **CONDITIONS}, kind
        assert request.meta["download_maxsize"] == size, kind
        assert request.meta["dont_obey_robotstxt"] == (kind == "robots")
        assert (request.meta["download_slot"], request.meta["woo_host"]) == ("b.nl", HOST), kind
        assert request.dont_filter, kind


def test_a_sitemap_with_something_to_request_again_is_read_in_full(keeper: StateKeeper) -> None:
    """The run wants more of its documents than the run that read it, or all of them."""
    for terms in (Terms(depth=Depth.FILE), Terms(depth=Depth.HEADERS, delivers_all=True)):
        request = request_of(keeper, "sitemap", terms)
        assert "If-None-Match" not in request.headers, terms
        known = request.cb_kwargs["resource"]
        assert (known.etag, known.digest, known.read_at) == (None, None, None), terms
        assert "If-None-Match" in request_of(keeper, "index", terms).headers, terms


def test_a_host_whose_last_documents_end_together_is_counted_once() -> None:
    crawler = crawler_of()
    keeper = cast("StateKeeper", None)  # nothing is read or written here
    entries = cast("Entries", SimpleNamespace(terms=Terms()))
    reader = HostReader(crawler, keeper, entries, Documents("head", keeper, crawler))
    visit = finished_visit_of()
    visit.begin_request()
    reader.finish(visit)
    assert crawler.stats.get_value("woo/hosts/done") is None
    visit.end_request()
    for _ in range(2):
        reader.finish(visit)
    assert crawler.stats.get_value("woo/hosts/done") == 1
    assert crawler.stats.get_value("woo/hosts/complete") == 1
