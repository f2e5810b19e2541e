"""Whose entry counts where several hosts list one document: that of its owner."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.register.exports import AMSTERDAM, UTRECHT, organisation, read
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.hosts import SitemapReading, Visit
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import WooItem
from woo_harvester.record import Oorzaak
from woo_harvester.register.names import Vocabulary
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.decide import EntryOutcome
from woo_harvester.sitemaps.facts import Terms
from woo_harvester.sitemaps.file_findings import Index, Sitemap
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.robots import index_name
from woo_harvester.state.deliveries import PendingRead
from woo_harvester.state.resources import host_of_state, resource_of
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


@dataclass
class Run:
    """One run on several hosts, whose sitemaps are read one after the other."""

    keeper: StateKeeper
    findings: list[Finding] = field(default_factory=list)
    visits: dict[str, Visit] = field(default_factory=dict)
    entries: Entries = field(init=False)

    def __post_init__(self) -> None:
        self.entries = Entries(
            REGISTER,
            Vocabulary(bundled(), REGISTER),
            Reporter(self.findings.append),
            self.keeper,
            Terms(),
        )

    def visit(self, host: str) -> Visit:
        if host not in self.visits:
            with self.keeper.begin() as connection:
                known = host_of_state(connection, host)
            self.visits[host] = Visit(
                host, None, known, 1, Reporter(self.findings.append), REGISTER.is_registered, Account(host)
            )
        return self.visits[host]

    def read(self, host: str, *lastmods: str | None, loc: str = LOC) -> tuple[WooItem | None, SitemapReading]:
        """Read a sitemap of a host with an entry for each lastmod; return the first item."""
        index = f"https://{host}/sitemapindex-diwoo.xml"
        sitemap = Sitemap(f"https://{host}/s.xml", Index(index, index_name(index)))
        visit = self.visit(host)
        with self.keeper.begin() as connection:
            resource = resource_of(connection, visit.known.id, sitemap.url, "sitemap", index)
            reading = self.entries.start_reading(connection, visit, sitemap, PendingRead(resource.id))
        entries = [Entry(loc, lastmod, 7, None) for lastmod in lastmods]
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
        return item.record.versies[0].oorzaak

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]


def next_run(keeper: StateKeeper) -> Run:
    """A new run with what the state knows by now."""
    keeper.delivered = DocumentSet()
    return Run(keeper)


def test_an_entry_of_a_document_that_its_owner_lists_is_left_to_the_owner(keeper: StateKeeper) -> None:
    run = next_run(keeper)
    assert run.harvest(OWNER, BEFORE) is Oorzaak.AANLEVERING
    item, reading = run.read(OTHER, "2099-01-01T00:00:00Z")
    assert item is None
    assert reading.left_to == {OWNER: 1}
    assert run.entries.counts[EntryOutcome.PASSED_OVER] == 1
    account = run.visit(OTHER).account
    assert (account.listed, account.repeated, account.unchanged) == (0, 1, 0)
    assert run.codes == []  # the lastmod of an entry that does not count is not compared
    run = next_run(keeper)
    assert run.harvest(OWNER, LATER) is Oorzaak.WIJZIGING


def test_both_sides_are_named_once_a_sitemap_with_the_number(keeper: StateKeeper) -> None:
    run = next_run(keeper)
    run.harvest(OWNER, BEFORE)
    _, reading = run.read(OTHER, BEFORE)
    run.entries.report_foreign(run.visit(OTHER), reading.sitemap, reading.left_to)
    assert [(one.code, one.host, one.organisation, one.seen) for one in run.findings] == [
        ("loc.andere-host", OTHER, None, "1 document"),
        ("loc.andere-host", OWNER, AMSTERDAM, f"1 document in een sitemap van {OTHER}"),
    ]
    assert {one.url for one in run.findings} == {f"https://{OTHER}/s.xml"}


def test_a_host_of_the_same_organisation_is_no_other(keeper: StateKeeper) -> None:
    run = next_run(keeper)
    assert run.harvest(SECOND, BEFORE) is Oorzaak.AANLEVERING
    run = next_run(keeper)
    assert run.harvest(OWNER, LATER) is Oorzaak.WIJZIGING
    item, reading = run.read(OTHER, LATER)
    assert item is None
    assert reading.left_to.keys() == {OWNER}


def test_an_entry_counts_as_long_as_no_host_of_the_owner_lists_the_document(keeper: StateKeeper) -> None:
    assert next_run(keeper).harvest(OTHER, BEFORE) is Oorzaak.AANLEVERING
    assert next_run(keeper).harvest(OTHER, BEFORE) is None
    assert next_run(keeper).harvest(OTHER, LATER) is Oorzaak.WIJZIGING


def test_the_owners_entry_is_harvested_when_it_appears_whatever_its_lastmod(keeper: StateKeeper) -> None:
    next_run(keeper).harvest(OTHER, LATER)
    run = next_run(keeper)
    item, _ = run.read(OWNER, LONG_AGO)
    assert item is not None
    assert item.record.versies[0].oorzaak is Oorzaak.WIJZIGING
    assert str(item.record.versies[0].openbaarmakingsdatum) == "2023-01-01"
    assert item.record.herkomst.sitemap == f"https://{OWNER}/s.xml"
    assert run.codes == []


def test_a_document_that_its_owner_drops_stays_until_anothers_is_newer(keeper: StateKeeper) -> None:
    run = next_run(keeper)
    run.harvest(OWNER, BEFORE)
    run.harvest(OTHER, LONG_AGO)
    with keeper.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE listings SET misses = 1 WHERE sitemap_id IN"
            f" (SELECT id FROM resources WHERE url = 'https://{OWNER}/s.xml')"
        )
    run = next_run(keeper)
    assert run.harvest(OTHER, LONG_AGO) is None
    assert run.codes == ["lastmod.ouder"]
    assert next_run(keeper).harvest(OTHER, LATER) is Oorzaak.WIJZIGING


@pytest.mark.parametrize("lastmods", [(LONG_AGO, BEFORE), (BEFORE, LONG_AGO)])
def test_of_two_entries_in_a_sitemap_of_another_the_older_says_nothing(
    lastmods: tuple[str, str], keeper: StateKeeper
) -> None:
    next_run(keeper).harvest(OWNER, BEFORE)
    with keeper.begin() as connection:
        connection.exec_driver_sql("UPDATE listings SET misses = 1")
    for day in range(4):
        item, _ = next_run(keeper).read(OTHER, *lastmods)
        assert item is None, f"day {day}"


def test_others_are_compared_among_themselves(keeper: StateKeeper) -> None:
    next_run(keeper).harvest(OTHER, BEFORE)
    run = next_run(keeper)
    assert run.harvest(THIRD, LONG_AGO) is None
    assert run.harvest(OTHER, BEFORE) is None
    assert next_run(keeper).harvest(THIRD, LATER) is Oorzaak.WIJZIGING


@pytest.mark.parametrize(("host", "again"), [(SECOND, True), (OTHER, False)])
def test_in_one_run_a_document_is_delivered_once(keeper: StateKeeper, host: str, again: bool) -> None:
    """If another entry should have counted, its sitemap is read again, and the next run delivers it."""
    run = next_run(keeper)
    assert run.harvest(OWNER, BEFORE) is Oorzaak.AANLEVERING
    item, reading = run.read(host, LATER)
    assert item is None
    assert reading.pending.must_reread is again
    assert next_run(keeper).harvest(host, LATER) is (Oorzaak.WIJZIGING if again else None)
