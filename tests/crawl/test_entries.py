from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from scrapy.utils.test import get_crawler
from sqlalchemy import select

from tests.register.exports import AMSTERDAM, UTRECHT, organisation, read
from woo_harvester.crawl.entries import Entries, SitemapFilter, SitemapReading
from woo_harvester.crawl.hosts import Visit
from woo_harvester.demo.sitemaps import DiWoo, sitemap
from woo_harvester.demo.sitemaps import Entry as Given
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import WooItem
from woo_harvester.record import Oorzaak
from woo_harvester.register.names import Vocabulary
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.decide import Terms
from woo_harvester.sitemaps.reader import Entry, SitemapReader
from woo_harvester.sitemaps.robots import index_name
from woo_harvester.sitemaps.selection import Index, Sitemap
from woo_harvester.state.deliveries import PendingRead
from woo_harvester.state.resources import host_of_state, resource_of
from woo_harvester.state.schema import listings, resources
from woo_harvester.tooi.lists import bundled
from woo_harvester.utils.document_set import DocumentSet

HOST = "www.a.nl"
LOC = "https://www.a.nl/woo/besluit.pdf"
REGISTER = read(organisation("gemeente Amsterdam", "https://www.a.nl/woo", id="10", uri=AMSTERDAM))


INDEX = "sitemapindex-diwoo.xml"


@contextmanager
def reading_of(
    index: str = INDEX, keeps: SitemapFilter | None = None
) -> Iterator[tuple[Entries, SitemapReading, list[Finding]]]:
    findings: list[Finding] = []
    report = Reporter(findings.append)
    keeper = StateKeeper(get_crawler(settings_dict={"DELTAFETCH_ENABLED": False}))
    keeper.open([], reset=False)
    url = f"https://{HOST}/{index}"
    sitemap = Sitemap("https://www.a.nl/a.xml", Index(url, index_name(url)))
    with keeper.begin() as connection:
        host = host_of_state(connection, HOST)
        resource = resource_of(connection, host.id, sitemap.url, "sitemap", url)
        reader = Entries(REGISTER, Vocabulary(bundled(), REGISTER), report, keeper, keeps=keeps)
        visit = Visit(HOST, None, host, 1, report, REGISTER.is_registered, Account(HOST))
        reading = reader.start_reading(connection, visit, sitemap, PendingRead(resource.id))
    yield reader, reading, findings
    keeper.engine_stopped()


def read_all(*entries: Entry, index: str = INDEX) -> tuple[list[WooItem | None], list[Finding]]:
    found = []
    with reading_of(index) as (reader, reading, findings):
        for entry in entries:
            items, processed = reader.select([entry], reading)
            assert processed == 1
            found.append(next(items, None))
    return found, findings


def test_the_filter_gets_what_is_about_to_be_delivered_and_another_entry_may_count_instead() -> None:
    text = sitemap(Given(loc=LOC, lastmod="2024-01-02", diwoo=DiWoo(titel="Besluit")))
    link = b'<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" href="https://a.nl/y.pdf"/>'
    text = text.replace(b"</loc>", b"</loc><priority> 0.8 </priority>" + link)
    (batch,) = SitemapReader([text], "urlset", 10**6)
    seen: list[dict[str, Any]] = []

    def only_plain(entries: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for entry in entries:
            seen.append(entry)
            if "priority" not in entry:
                yield entry

    with reading_of(keeps=only_plain) as (reader, reading, _):
        entries = [*batch, Entry("http://b.nl/", None, 8, None), Entry(LOC, None, 9, None)]
        items, processed = reader.select(entries, reading)
        (item,) = items
        assert item.report.bound["line"] == 9
        assert (processed, reading.left_out, reading.pending.must_reread) == (3, 1, True)
        again = Entry(LOC, None, 9, None)
        assert list(reader.select([again], reading)[0]) == []
    assert seen == [
        {
            "loc": LOC,
            "lastmod": "2024-01-02",
            "priority": "0.8",
            "Document": "",
            "alternate": ["https://a.nl/y.pdf"],
        },
        {"loc": LOC},
    ]


def test_an_item_says_where_it_came_from() -> None:
    (item,), findings = read_all(Entry(LOC, "2024-04-02T10:00:00+02:00", 7, None))
    assert item is not None
    assert findings == []
    assert item.record.document.weblocatie == LOC
    assert item.record.herkomst.index == f"https://{HOST}/{INDEX}"
    assert item.record.herkomst.sitemap == "https://www.a.nl/a.xml"
    assert item.record.herkomst.lastmod == "2024-04-02T10:00:00+02:00"
    assert item.record.herkomst.organisatie == AMSTERDAM


def test_a_loc_that_may_not_be_harvested_gives_no_item_but_a_finding() -> None:
    for loc, code in (("", "loc.ontbreekt"), ("https://www.b.nl/a.pdf", "loc.niet-geregistreerd")):
        items, (finding,) = read_all(Entry(loc, "2024-04-02", 7, None))
        assert items == [None]
        assert (finding.code, finding.line, finding.action) == (code, 7, "overgeslagen")
        assert finding.sitemap == "https://www.a.nl/a.xml"


def test_an_item_is_made_when_it_is_asked_for_and_the_entries_before_it_are_let_go() -> None:
    batch = [
        Entry(f"https://www.a.nl/woo/{name}.pdf", None, line, None) for name, line in (("a", 7), ("b", 9))
    ]
    first = batch[0]
    with reading_of() as (reader, reading, findings):
        items, processed = reader.select(batch, reading)
        batch.clear()
        assert processed == 2
        for line in (7, 9):
            assert next(items).record.document.weblocatie.startswith("https://www.a.nl/woo/")
            assert findings[-1].line == line
        assert sys.getrefcount(first) == 2  # the name here, and the argument
        assert next(items, None) is None


def test_the_name_of_the_index_gives_the_category_if_it_has_a_number() -> None:
    labels = {
        "sitemapindex-diwoo-infocat014.xml": "Woo-verzoeken en -besluiten",
        "sitemapindex-diwoo.xml": None,
    }
    for index, label in labels.items():
        (item,), _ = read_all(Entry(LOC, "2024-04-02", 7, None), index=index)
        assert item is not None
        assert item.source is not None
        assert (item.source.category and item.source.category.label) == label


# Whose entry counts where several hosts list one document: that of its owner.


OWNER, SECOND, OTHER, THIRD = "www.a.nl", "open.a.nl", "www.b.nl", "www.c.nl"
SHARED_LOC = f"https://{OWNER}/besluit.pdf"
REGISTER_OF_OTHERS = read(
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
        self.entries = Entries(
            REGISTER_OF_OTHERS, Vocabulary(bundled(), REGISTER_OF_OTHERS), self.report, keeper, Terms()
        )
        self.visits: dict[str, Visit] = {}

    def read(self, host: str, *lastmods: str | None) -> tuple[WooItem | None, SitemapReading]:
        """Read a sitemap of a host with an entry for each lastmod; return the first item."""
        index = f"https://{host}/sitemapindex-diwoo.xml"
        sitemap = Sitemap(f"https://{host}/s.xml", Index(index, index_name(index)))
        with self.keeper.begin() as connection:
            known = host_of_state(connection, host)
            made = Visit(host, None, known, 1, self.report, REGISTER_OF_OTHERS.is_registered, Account(host))
            visit = self.visits.setdefault(host, made)
            resource = resource_of(connection, known.id, sitemap.url, "sitemap", index)
            reading = self.entries.start_reading(connection, visit, sitemap, PendingRead(resource.id))
        entries = [Entry(SHARED_LOC, lastmod, 7, None) for lastmod in lastmods]
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
        self.keeper.durable([delivery])
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


def test_a_document_that_its_owner_drops_stays_until_anothers_is_newer(keeper: StateKeeper) -> None:
    run = Run(keeper)
    run.harvest(OWNER, BEFORE)
    run.harvest(OTHER, LONG_AGO)
    with keeper.begin() as connection:
        owners = select(resources.c.id).where(resources.c.url == f"https://{OWNER}/s.xml")
        connection.execute(listings.update().where(listings.c.sitemap_id.in_(owners)).values(misses=1))
    for lastmods in ((LONG_AGO,), (LONG_AGO, BEFORE), (BEFORE, LONG_AGO)):
        for day in range(4):
            item, _ = Run(keeper).read(OTHER, *lastmods)
            assert item is None, (lastmods, day)
    assert Run(keeper).harvest(OTHER, LATER) is CHANGED


@pytest.mark.parametrize(("host", "again"), [(SECOND, True), (OTHER, False)])
def test_a_sitemap_is_read_again_for_an_entry_that_should_have_counted(
    keeper: StateKeeper, host: str, again: bool
) -> None:
    run = Run(keeper)
    run.harvest(OWNER, BEFORE)
    assert run.read(host, LATER)[1].pending.must_reread is again
