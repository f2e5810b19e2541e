"""Real runs: what a host sees of the pauses between requests."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from aiohttp import web
from scrapy import Request as ScrapyRequest
from scrapy.core.downloader import Slot
from twisted.internet.defer import Deferred

from tests.utils import hostile, schedule
from tests.utils.crawl import Crawl
from tests.utils.schedule import paused, pauses
from tests.utils.sites import MakeSite, write_register
from tests.utils.waiting import STUCK, wait_until
from woo_harvester.demo.server import Authority, Handler, Page, Request
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, robots_txt, sitemap, sitemapindex
from woo_harvester.extensions.politeness import SHORTEST_DELAY, CountingQueue
from woo_harvester.settings import CONCURRENT_REQUESTS_PER_DOMAIN


def publish(site: Site, documents: int, rules: str = "") -> None:
    """A site with so many documents, and these rules at the end of its robots.txt."""
    index = site.url("/sitemapindex-diwoo.xml")
    site.pages["/robots.txt"] = Page(robots_txt(index).replace("User-agent: *\n", f"User-agent: *\n{rules}"))
    site.pages["/sitemapindex-diwoo.xml"] = Page(sitemapindex([site.url("/a.xml")]))
    locs = [site.url(f"/{number}.pdf") for number in range(documents)]
    site.pages["/a.xml"] = Page(sitemap(*(Entry(loc=loc, lastmod="2024-01-01") for loc in locs)))
    site.pages.update({f"/{number}.pdf": Page(b"%PDF-1.7") for number in range(documents)})


def register_of(folder: Path, *sites: Site) -> str:
    return str(write_register(folder / "roo.xml", {site.host: [site.url("/woo")] for site in sites}))


def test_a_crawl_delay_is_kept_between_all_requests_of_its_host_only(
    crawl: Crawl, make_site: MakeSite, tmp_path: Path
) -> None:
    slow, quick = make_site(), make_site()
    publish(slow, 3, "Crawl-delay: 0.5\n")
    publish(quick, 30)
    done = crawl("-a", f"register={register_of(tmp_path, slow, quick)}", settings=schedule.SETTINGS)
    assert len(done.records) == 33
    assert min(pauses(done, slow)[1:]) >= 0.5
    assert {sent.delay for sent in schedule.sent(done, quick)} == {SHORTEST_DELAY}
    assert done.stats["woo/crawl_delay/hosts"] == 1


def test_a_crawl_delay_beyond_reason_counts_as_the_longest(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    publish(site, 2, "Crawl-delay: 3600\n")
    settings = {**schedule.SETTINGS, "WOO_CRAWL_DELAY_MAX": 0.3}
    done = crawl("-a", f"register={register_of(tmp_path, site)}", settings=settings)
    assert len(done.records) == 2
    assert min(pauses(done, site)[1:]) >= 0.3


def test_the_pause_that_a_host_asks_for_applies_to_all_its_requests(
    crawl: Crawl, make_site: MakeSite, tmp_path: Path
) -> None:
    busy, other = make_site(), make_site()
    publish(busy, 4)
    publish(other, 20)
    page = busy.pages["/a.xml"]
    assert isinstance(page, Page)
    busy.pages["/a.xml"] = hostile.busy(page, times=1, status=429, retry_after=2)
    done = crawl("-a", f"register={register_of(tmp_path, busy, other)}", settings=schedule.SETTINGS)
    assert len(done.records) == 24
    refused, again = busy.requested("/a.xml")
    assert again.at - refused.at >= 2
    assert list(paused(done)) == [busy.host]
    assert done.stats["woo/pauses"] == 1


def test_without_retry_after_the_rest_doubles_with_each_try(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    publish(site, 1)
    site.pages["/a.xml"] = Page(status=503)
    done = crawl("-a", f"register={register_of(tmp_path, site)}", settings={"WOO_RETRY_BACKOFF": 0.4})
    first, second, third = site.requested("/a.xml")
    assert second.at - first.at >= 0.4
    assert third.at - second.at >= 0.8
    assert "sitemap.onbereikbaar" in done.codes


def test_a_host_that_wants_a_day_of_rest_is_left_alone(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    publish(site, 1)
    site.pages["/a.xml"] = Page(status=503, headers={"Retry-After": "86400"})
    done = crawl("-a", f"register={register_of(tmp_path, site)}")
    assert len(site.requested("/a.xml")) == 1
    assert done.stats["woo/retry_after_too_long"] == 1
    assert done.codes == {"sitemap.onbereikbaar"}


def test_of_a_host_that_asks_for_a_day_of_rest_all_is_left_for_another_run(
    crawl: Crawl, make_site: MakeSite, tmp_path: Path
) -> None:
    busy, other = make_site(), make_site()
    publish(busy, 40)
    publish(other, 20)
    busy.pages["/3.pdf"] = Page(status=429, headers={"Retry-After": "86400"})
    done = crawl("-a", f"register={register_of(tmp_path, busy, other)}", "-a", "documents=download")
    asked = [request.path for request in busy.requests if request.path.endswith(".pdf")]
    assert len(asked) < 12
    assert len([record for record in done.records if other.host in record["document"]["weblocatie"]]) == 20
    assert [finding["seen"] for finding in done.about("document.onbereikbaar")] == ["HTTP 429"]
    (left,) = done.about("host.achterstand")
    assert left["seen"] == f"{40 - len(asked)} documenten over, {len(asked)} opgevraagd"


def test_the_crawl_delay_of_a_host_applies_to_indexes_of_others_on_it(
    crawl: Crawl, make_site: MakeSite, tmp_path: Path
) -> None:
    vendor, towns = make_site(), [make_site() for _ in range(3)]
    publish(vendor, 1, "Crawl-delay: 0.5\n")
    for number, town in enumerate(towns):
        index = f"/{number}/sitemapindex-diwoo.xml"
        town.pages["/robots.txt"] = when_known(vendor, Page(robots_txt(vendor.url(index))))
        vendor.pages[index] = Page(sitemapindex([vendor.url(f"/{number}.xml")]))
        vendor.pages[f"/{number}.xml"] = Page(sitemap(Entry(loc=town.url("/1.pdf"), lastmod="2024-01-01")))
        town.pages["/1.pdf"] = Page(b"%PDF-1.7")
    done = crawl("-a", f"register={register_of(tmp_path, vendor, *towns)}", settings=schedule.SETTINGS)
    assert len(done.records) == 4
    assert len(vendor.requests) == 10
    assert min(pauses(done, vendor)[1:]) >= 0.5


def when_known(other: Site, page: Page) -> Handler:
    """Answer with a page once the run knows the rules of another host, since it asks that for its index."""

    def handle(_: Request) -> Page:
        wait_until(lambda: bool(other.requested("/sitemapindex-diwoo.xml")), "the rules are known")
        return page

    return handle


def test_a_crawl_delay_is_kept_where_autothrottle_would_lower_it(
    crawl: Crawl, site: Site, tmp_path: Path
) -> None:
    publish(site, 5, "Crawl-delay: 0.4\n")
    settings = {**schedule.SETTINGS, "AUTOTHROTTLE_ENABLED": 1, "AUTOTHROTTLE_START_DELAY": 0.1}
    done = crawl("-a", f"register={register_of(tmp_path, site)}", settings=settings)
    assert len(done.records) == 5
    assert min(pauses(done, site)[1:]) >= 0.4


@pytest.mark.parametrize("throttle", [0, 1])
def test_an_operator_chooses_delay_and_concurrency_of_a_host(
    throttle: int, crawl: Crawl, make_site: MakeSite, tmp_path: Path
) -> None:
    slow, single, other = make_site(), make_site(), make_site()
    publish(slow, 4)
    publish(single, 12)
    publish(other, 12)
    for site in (single, other):
        for number in range(12):
            site.pages[f"/{number}.pdf"] = Page(b"%PDF-1.7", delay=0.2)
    slots = {slow.host: {"delay": 0.5, "jitter": 0}, single.host: {"concurrency": 1, "delay": 0}}
    settings = {
        **schedule.SETTINGS,
        "AUTOTHROTTLE_ENABLED": throttle,
        "AUTOTHROTTLE_START_DELAY": 0.05,
        "DOWNLOAD_SLOTS": json.dumps(slots),
    }
    done = crawl("-a", f"register={register_of(tmp_path, slow, single, other)}", settings=settings)
    assert len(done.records) == 28
    assert min(pauses(done, slow)) >= 0.5
    assert single.most_at_once == 1
    assert {sent.concurrency for sent in schedule.sent(done, other)} == {CONCURRENT_REQUESTS_PER_DOMAIN}


def test_a_request_counts_from_when_it_is_taken_from_the_queue() -> None:
    slot = Slot(1, delay=0)
    slot.queue = CountingQueue(slot)
    slot.queue.extend((ScrapyRequest(f"https://a.nl/{number}"), Deferred()) for number in range(2))
    assert slot.free_transfer_slots() == 1
    assert slot.queue.popleft()[0].url == "https://a.nl/0"
    assert slot.free_transfer_slots() == 0


def test_an_operator_cannot_go_below_a_crawl_delay(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    publish(site, 3, "Crawl-delay: 0.4\n")
    slots = json.dumps({site.host: {"delay": 0.01, "concurrency": 8}})
    settings = {**schedule.SETTINGS, "DOWNLOAD_SLOTS": slots}
    done = crawl("-a", f"register={register_of(tmp_path, site)}", settings=settings)
    assert len(done.records) == 3
    assert min(pauses(done, site)[1:]) >= 0.4


def test_there_are_no_more_connections_than_the_bound(crawl: Crawl, ca: Authority, tmp_path: Path) -> None:
    busy = Busy()
    with ExitStack() as stack:
        sites = [stack.enter_context(CountedSite(ca, busy)) for _ in range(4)]
        for site in sites:
            publish(site, 6)
        given = ("-a", f"register={register_of(tmp_path, *sites)}", "-a", "documents=download")
        done = crawl(*given, settings={"WOO_CONNECTIONS": 3})
    assert len(done.records) == 24
    assert 1 < busy.most <= 3


def test_a_refusal_of_one_document_pauses_its_host(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    publish(site, 12)
    page = site.pages["/3.pdf"]
    assert isinstance(page, Page)
    site.pages["/3.pdf"] = hostile.busy(page, times=1, status=503, retry_after=2)
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    done = crawl("-a", f"register={register_of(tmp_path, site)}", settings=settings)
    assert len(done.records) == 12
    refused, again = site.requested("/3.pdf")
    after = [request.at - refused.at for request in site.requests if request.at > refused.at]
    assert min(after) >= 2
    assert again.at - refused.at >= 2


class Busy:
    """Counts the documents that are being answered at once, over all sites together."""

    def __init__(self) -> None:
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()

    def change(self, by: int) -> None:
        """Add to those that are being answered now."""
        with self._lock:
            self._now += by
            self.most = max(self.most, self._now)


class CountedSite(Site):
    """A site whose documents take a moment; the first one of all sites waits for a second one.

    A document no longer counts when its answer begins, so that the run cannot ask for another one before.
    Meanwhile the site goes on: a connection that waits for it would be one that the second cannot have.
    """

    def __init__(self, authority: Authority, busy: Busy) -> None:
        super().__init__(authority)
        self._busy = busy

    async def _answer(self, raw: web.BaseRequest) -> web.StreamResponse:
        if raw.path.endswith(".pdf"):
            self._busy.change(1)
            end = time.monotonic() + STUCK
            while self._busy.most == 1 and time.monotonic() < end:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
            self._busy.change(-1)
        return await super()._answer(raw)
