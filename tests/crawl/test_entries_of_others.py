"""Whose entry counts where several hosts list one document: that of its owner."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.register.exports import AMSTERDAM, UTRECHT, organisation, read
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.hosts import SitemapReading, Visit
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import WooItem
from woo_harvester.record import Oorzaak
from woo_harvester.register.names import Vocabulary
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.facts import Terms
from woo_harvester.sitemaps.file_findings import Index, Sitemap
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.robots import index_name
from woo_harvester.state.deliveries import PendingRead
from woo_harvester.state.resources import host_of_state, resource_of
from woo_harvester.state.schema import listings, resources
from woo_harvester.tooi import bundled
from woo_harvester.utils.document_set import DocumentSet

OWNER, SECOND, OTHER, THIRD = "www.a.nl", "open.a.nl", "www.b.nl", "www.c.nl"
LOC = f"https://{OWNER}/besluit.pdf"
REGISTER = read(
    organisation("gemeente Amsterdam", f"https://{OWNER}/", f"https://{SECOND}/", id="10", uri=AMSTERDAM),
    organisation("gemeente Utrecht", f"https://{OTHER}/", id="11", uri=UTRECHT),
    organisation("gemeente C", f"https://{THIRD}/", id="12"),
)
LONG_AGO, BEFORE, LATER = "2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"


Step = tuple[str, str | None, Oorzaak | None]
NEW, CHANGED, NOTHING = Oorzaak.AANLEVERING, Oorzaak.WIJZIGING, None
#: Runs, each with the hosts that it reads, the lastmod there, and why a version is delivered.
STORIES: dict[str, list[list[Step]]] = {
    "the owner's entry counts": [
        [(OWNER, BEFORE, NEW), (OTHER, "2099-01-01", NOTHING)],
        [(OWNER, LATER, CHANGED)],
    ],
    "another's counts until the owner's appears": [
        [(OTHER, BEFORE, NEW)],
        [(OTHER, BEFORE, NOTHING)],
        [(OTHER, LATER, CHANGED)],
        [(OWNER, LONG_AGO, CHANGED)],
    ],
    "a host of the same organisation is no other": [
        [(SECOND, BEFORE, NEW)],
        [(OWNER, LATER, CHANGED)],
        [(OTHER, "2099-01-01", NOTHING)],
    ],
    "others are compared among themselves": [
        [(OTHER, BEFORE, NEW)],
        [(THIRD, LONG_AGO, NOTHING), (OTHER, BEFORE, NOTHING)],
        [(THIRD, LATER, CHANGED)],
    ],
    "in one run a document is delivered once": [
        [(OWNER, BEFORE, NEW), (SECOND, LATER, NOTHING)],
        [(SECOND, LATER, CHANGED)],
    ],
}


class Run:
    """One run on several hosts, whose sitemaps are read one after the other."""

    def __init__(self, keeper: StateKeeper) -> None:
        keeper.delivered = DocumentSet()
        self.keeper = keeper
        self.findings: list[Finding] = []
        self.report = Reporter(self.findings.append)
        self.entries = Entries(REGISTER, Vocabulary(bundled(), REGISTER), self.report, keeper, Terms())
        self.visits: dict[str, Visit] = {}

    def read(self, host: str, *lastmods: str | None) -> tuple[WooItem | None, SitemapReading]:
        """Read a sitemap of a host with an entry for each lastmod; return the first item."""
        index = f"https://{host}/sitemapindex-diwoo.xml"
        sitemap = Sitemap(f"https://{host}/s.xml", Index(index, index_name(index)))
        with self.keeper.begin() as connection:
            known = host_of_state(connection, host)
            made = Visit(host, None, known, 1, self.report, REGISTER.is_registered, Account(host))
            visit = self.visits.setdefault(host, made)
            resource = resource_of(connection, known.id, sitemap.url, "sitemap", index)
            reading = self.entries.start_reading(connection, visit, sitemap, PendingRead(resource.id))
        entries = [Entry(LOC, lastmod, 7, None) for lastmod in lastmods]
        items, processed = self.entries.select(entries, reading)
        assert processed == len(lastmods)
        return next(items, None), reading

    def harvest(self, host: str, lastmod: str | None) -> Oorzaak | None:
        """Read such a sitemap, and have what it gives delivered; return why there is a version."""
        item, _ = self.read(host, lastmod)
        if item is None:
            return None
        delivery = self.keeper.delivery_of(item, None)
        assert delivery is not None
        self.keeper.durable([delivery], {})
        assert item.record.herkomst.sitemap == f"https://{host}/s.xml"
        return item.record.versies[0].oorzaak

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]


@pytest.mark.parametrize("runs", STORIES.values(), ids=STORIES)
def test_whose_entry_counts(keeper: StateKeeper, runs: list[list[Step]]) -> None:
    for day, steps in enumerate(runs):
        run = Run(keeper)
        for host, lastmod, cause in steps:
            assert run.harvest(host, lastmod) is cause, (day, host)


def test_both_sides_are_named_once_a_sitemap_with_the_number(keeper: StateKeeper) -> None:
    run = Run(keeper)
    run.harvest(OWNER, BEFORE)
    item, reading = run.read(OTHER, LATER)
    assert (item, reading.left_to, run.codes) == (None, {OWNER: 1}, [])
    account = run.visits[OTHER].account
    assert (account.listed, account.repeated, account.unchanged) == (0, 1, 0)
    run.entries.report_foreign(run.visits[OTHER], reading.sitemap, reading.left_to)
    assert [(one.code, one.host, one.organisation, one.seen) for one in run.findings] == [
        ("loc.andere-host", OTHER, None, "1 document"),
        ("loc.andere-host", OWNER, AMSTERDAM, f"1 document in een sitemap van {OTHER}"),
    ]
    assert {one.url for one in run.findings} == {f"https://{OTHER}/s.xml"}


@pytest.mark.parametrize("lastmods", [(LONG_AGO,), (LONG_AGO, BEFORE), (BEFORE, LONG_AGO)])
def test_a_document_that_its_owner_drops_stays_until_anothers_is_newer(
    lastmods: tuple[str, ...], keeper: StateKeeper
) -> None:
    run = Run(keeper)
    run.harvest(OWNER, BEFORE)
    run.harvest(OTHER, LONG_AGO)
    with keeper.begin() as connection:
        owners = select(resources.c.id).where(resources.c.url == f"https://{OWNER}/s.xml")
        connection.execute(listings.update().where(listings.c.sitemap_id.in_(owners)).values(misses=1))
    for day in range(4):
        item, _ = Run(keeper).read(OTHER, *lastmods)
        assert item is None, f"day {day}"
    assert Run(keeper).harvest(OTHER, LATER) is CHANGED


@pytest.mark.parametrize(("host", "again"), [(SECOND, True), (OTHER, False)])
def test_a_sitemap_is_read_again_for_an_entry_that_should_have_counted(
    keeper: StateKeeper, host: str, again: bool
) -> None:
    run = Run(keeper)
    run.harvest(OWNER, BEFORE)
    assert run.read(host, LATER)[1].pending.must_reread is again
