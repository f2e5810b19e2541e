from __future__ import annotations

import pytest

from tests.register.exports import AMSTERDAM, organisation, read
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.host import SitemapReading, Visit
from woo_harvester.demo.sitemaps import Entry, sitemap
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.register.names import Vocabulary
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.facts import SitemapListing
from woo_harvester.sitemaps.file_findings import Index, Sitemap
from woo_harvester.sitemaps.robots import index_name
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.state import documents, listings
from woo_harvester.state.deliveries import PendingRead
from woo_harvester.state.documents import confirm_withdrawn
from woo_harvester.state.resources import host_of_state, resource_of
from woo_harvester.tooi import bundled

OWNER, OTHER = "www.a.nl", "www.b.nl"
REGISTER = read(
    organisation("gemeente Amsterdam", f"https://{OWNER}/woo", id="10", uri=AMSTERDAM),
    organisation("Raad van B", f"https://{OTHER}/woo", id="11"),
)
FIRST, SECOND, THIRD = (f"https://{OWNER}/woo/{name}.pdf" for name in ("first", "second", "third"))


class Run:
    """One run with a filter that keeps the locs in ``kept``."""

    def __init__(self, keeper: StateKeeper, *kept: str) -> None:
        self.keeper = keeper
        self.kept = kept
        self.report = Reporter(lambda finding: None)
        self.entries = Entries(REGISTER, Vocabulary(bundled(), REGISTER), self.report, keeper)

    def read(self, host: str, name: str, *locs: str) -> SitemapReading:
        """Read a sitemap of a host with these entries, and have what it gives delivered."""
        index = Index(f"https://{host}/sitemapindex-diwoo.xml", index_name("/sitemapindex-diwoo.xml"))
        listed = Sitemap(f"https://{host}/{name}.xml", index)
        with self.keeper.begin() as connection:
            known = host_of_state(connection, host)
            visit = Visit(host, None, known, 1, self.report, REGISTER.is_registered, Account(host))
            resource = resource_of(connection, known.id, listed.url, "sitemap", index.url)
            reading = self.entries.start_reading(connection, visit, listed, PendingRead(resource.id))
        body = sitemap(*(Entry(loc=loc, lastmod="2024-01-01") for loc in locs))
        filtered = self.entries.filtered(lambda given: (e for e in given if e["loc"] in self.kept), reading)
        for batch in filtered.kept(UrlsetReader(lambda: [body], 10**6, scans=False)):
            items, _ = self.entries.select(batch, reading)
            deliveries = [self.keeper.delivery_of(item, None) for item in items]
            self.keeper.durable([one for one in deliveries if one is not None], {})
        filtered.end()
        return reading

    def listing(self, reading: SitemapReading, loc: str) -> SitemapListing | None:
        """Return what the state knows of a document in a sitemap; None if the state has no such row."""
        with self.keeper.begin() as connection:
            known = documents.look_up(connection, [loc]).get(loc)
            key = known.id if known is not None else 0
            return listings.find(connection, reading.sitemap_id, [key]).get(key)

    def lacking(self, reading: SitemapReading) -> list[int]:
        with self.keeper.begin() as connection:
            return self.entries.lacking(connection, reading)

    def number(self, loc: str) -> int:
        with self.keeper.begin() as connection:
            return documents.look_up(connection, [loc])[loc].id


def test_what_is_left_out_stays_unknown_and_the_sitemap_is_read_again(keeper: StateKeeper) -> None:
    reading = Run(keeper, FIRST).read(OWNER, "s", FIRST, SECOND)
    assert (reading.left_out, reading.pending.must_reread) == (1, True)
    with keeper.begin() as connection:
        assert documents.look_up(connection, [FIRST, SECOND]).keys() == {FIRST}


def test_a_sitemap_of_which_all_is_kept_need_not_be_read_again(keeper: StateKeeper) -> None:
    reading = Run(keeper, FIRST, SECOND).read(OWNER, "s", FIRST, SECOND)
    assert (reading.left_out, reading.pending.must_reread) == (0, False)


def test_a_known_document_that_is_left_out_is_not_lacking(keeper: StateKeeper) -> None:
    Run(keeper, FIRST, SECOND, THIRD).read(OWNER, "s", FIRST, SECOND, THIRD)
    run = Run(keeper, FIRST)
    reading = run.read(OWNER, "s", FIRST, SECOND)
    assert run.lacking(reading) == [run.number(THIRD)]


def test_a_known_document_that_is_left_out_is_listed_again_after_it_was_missing(keeper: StateKeeper) -> None:
    reading = Run(keeper, FIRST).read(OWNER, "s", FIRST)
    run = Run(keeper)
    lacking = {reading.sitemap_id: [run.number(FIRST)]}
    with keeper.begin() as connection:
        host = host_of_state(connection, OWNER).id
        listings.missed(connection, host, {reading.sitemap_id}, lacking, 1)
    missed = run.listing(reading, FIRST)
    assert missed is not None
    assert missed.misses == 1
    run.read(OWNER, "s", FIRST)
    assert run.listing(reading, FIRST) == SitemapListing(run.number(FIRST))


@pytest.mark.parametrize(("host", "name"), [(OWNER, "t"), (OTHER, "s")])
def test_what_is_left_out_is_listed_by_a_new_sitemap_too(keeper: StateKeeper, host: str, name: str) -> None:
    Run(keeper, FIRST).read(OWNER, "s", FIRST)
    run = Run(keeper)
    listing = run.listing(run.read(host, name, FIRST), FIRST)
    assert listing == SitemapListing(run.number(FIRST))


def test_a_withdrawn_document_that_is_left_out_is_not_listed(keeper: StateKeeper) -> None:
    Run(keeper, FIRST).read(OWNER, "s", FIRST)
    run = Run(keeper)
    withdrawn = {run.number(FIRST): 1}
    with keeper.begin() as connection:
        confirm_withdrawn(connection, withdrawn)
    reading = run.read(OWNER, "t", FIRST)
    assert run.listing(reading, FIRST) is None
