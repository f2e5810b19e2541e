"""What the state keeps of documents that a host lists more than once, and what records get from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

import pytest
from lxml import etree
from sqlalchemy import select

from tests.register.exports import AMSTERDAM, UTRECHT, organisation, read
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.host import Visit
from woo_harvester.crawl.repeated_entries import add_others, end_sitemap, end_visit
from woo_harvester.demo.sitemaps import Coded, DiWoo
from woo_harvester.demo.sitemaps import Entry as Given
from woo_harvester.demo.sitemaps import sitemap as write_sitemap
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import WooItem
from woo_harvester.register.names import Vocabulary
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.facts import EntryFacts
from woo_harvester.sitemaps.file_findings import Index, Sitemap
from woo_harvester.sitemaps.reader import Entry, entry_of
from woo_harvester.sitemaps.robots import index_name
from woo_harvester.state import listings, schema
from woo_harvester.state.contents import PendingRead
from woo_harvester.state.documents import look_up
from woo_harvester.state.repeated import ENTRIES_MAX, Key
from woo_harvester.state.resources import host_of_state, keep_read, resource_of
from woo_harvester.tooi import bundled
from woo_harvester.utils.document_set import DocumentSet

HOST = "www.a.nl"
LOC = f"https://{HOST}/besluit.pdf"
OTHERS_LOC = "https://www.b.nl/besluit.pdf"
REGISTER = read(
    organisation("gemeente Amsterdam", f"https://{HOST}/", id="10", uri=AMSTERDAM),
    organisation("gemeente Utrecht", "https://www.b.nl/", id="11", uri=UTRECHT),
)
GENERAL, BY_CATEGORY = "sitemapindex-diwoo.xml", "sitemapindex-diwoo-infocat014.xml"
BEFORE, LATER = "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"


def entry(lastmod: str | None, diwoo: DiWoo | None = None, loc: str = LOC) -> Entry:
    """Return an entry as the full reader gives it."""
    return entry_of(etree.fromstring(write_sitemap(Given(loc=loc, lastmod=lastmod, diwoo=diwoo)))[0])


@dataclass(frozen=True)
class Scanned:
    """An entry as the scanner gives it: with the digest of its bytes."""

    given: Entry
    digest: bytes = b"as it is"

    @property
    def loc(self) -> str:
        return self.given.loc

    def parse(self) -> Entry:
        return self.given


@dataclass
class Run:
    """One run on one host, whose sitemaps are read one after the other and to their end."""

    keeper: StateKeeper
    findings: list[Finding] = field(default_factory=list)
    items: list[WooItem] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.keeper.expected = DocumentSet()
        report = Reporter(self.findings.append)
        with self.keeper.begin() as connection:
            known = host_of_state(connection, HOST)
        self.visit = Visit(HOST, None, known, 1, report, REGISTER.is_registered, Account(HOST))
        self.entries = Entries(REGISTER, Vocabulary(bundled(), REGISTER), report, self.keeper)

    def read(self, path: str, *batches: Sequence[Entry], index: str = GENERAL) -> int:
        """Read a sitemap in these batches; deliver what it gives, and return its number in the state."""
        url = f"https://{HOST}/{index}"
        sitemap = Sitemap(f"https://{HOST}/{path}", Index(url, index_name(url)))
        with self.keeper.begin() as connection:
            resource = resource_of(connection, self.visit.known.id, sitemap.url, "sitemap", url)
            self.pending = PendingRead(resource.id)
            reading = self.entries.start_reading(connection, self.visit, sitemap, self.pending)
        for batch in batches:
            made, processed = self.entries.select(batch, reading)
            assert processed == len(batch)
            items = list(made)
            self.items += items
            deliveries = [self.keeper.delivery_of(item, None) for item in items]
            self.keeper.durable([one for one in deliveries if one is not None], {})
        with self.keeper.begin() as connection:
            lacking = self.entries.lacking(connection, reading)
            end_sitemap(connection, reading, lacking)
        self.visit.read.add(resource.id)
        self.visit.lacking[resource.id] = lacking
        return resource.id

    def end(self) -> list[WooItem]:
        """End the complete read of the host, and return all that it gave."""
        with self.keeper.begin() as connection:
            listings.missed(connection, self.visit.known.id, self.visit.read, self.visit.lacking, 5, 3)
            end_visit(connection, self.visit)
        return self.items


def kept(keeper: StateKeeper) -> set[Key]:
    """Return the keys of the entries that the state keeps."""
    columns = (schema.repeated.c.sitemap_id, schema.repeated.c.document_id, schema.repeated.c.place)
    with keeper.begin() as connection:
        return {Key(*row) for row in connection.execute(select(*columns))}


def keep(keeper: StateKeeper, sitemap: int) -> None:
    """Note that a sitemap need not be read again while it is the same."""
    with keeper.begin() as connection:
        keep_read(connection, sitemap, etag=None, last_modified=None, digest=b"d", at=1)


def is_kept(keeper: StateKeeper, path: str) -> bool:
    """Return whether a sitemap need not be read again."""
    with keeper.begin() as connection:
        host = host_of_state(connection, HOST)
        return resource_of(connection, host.id, f"https://{HOST}/{path}", "sitemap").digest is not None


def day(keeper: StateKeeper, sitemaps: Mapping[str, Entry]) -> tuple[list[WooItem], list[Finding]]:
    """Have a run read these sitemaps, each with one entry."""
    run = Run(keeper)
    for path, one in sitemaps.items():
        run.read(path, [one])
    return run.end(), run.findings


def test_a_document_that_is_listed_once_costs_nothing(keeper: StateKeeper) -> None:
    run = Run(keeper)
    run.read("s.xml", [entry(BEFORE), entry(BEFORE, loc=f"https://{HOST}/ander.pdf")])
    assert len(run.end()) == 2
    assert not run.visit.repeated
    assert kept(keeper) == set()


def test_a_document_of_many_sitemaps_keeps_a_few_entries_and_stays_the_same(keeper: StateKeeper) -> None:
    paths = [f"s{number}.xml" for number in range(ENTRIES_MAX + 4)]
    sitemaps = {path: entry(BEFORE, DiWoo(trefwoorden=[path])) for path in paths}
    assert len(day(keeper, sitemaps)[0]) == 1
    for _ in range(3):
        items, findings = day(keeper, sitemaps)
        assert items == []
        assert [finding.code for finding in findings] == ["loc.dubbel"] * (len(paths) - 1)
    assert len(kept(keeper)) == ENTRIES_MAX


@pytest.mark.parametrize("newest", [0, 150, 299])
def test_of_many_entries_in_a_batch_the_newest_counts(keeper: StateKeeper, newest: int) -> None:
    entries = [entry(LATER if number == newest else BEFORE) for number in range(300)]
    for day in range(3):
        run = Run(keeper)
        run.read("s.xml", entries)
        items = run.end()
        assert [item.record.herkomst.lastmod for item in items] == ([] if day else [LATER])
        assert [finding.code for finding in run.findings] == ["loc.dubbel"] * 299
    assert len(kept(keeper)) == 2
    assert max(len(facts.beside) for facts in compared(run, entries)) == ENTRIES_MAX


def compared(run: Run, entries: Sequence[Entry]) -> list[EntryFacts]:
    """Return the facts of a batch, with the other entries for each document."""
    url = f"https://{HOST}/{GENERAL}"
    sitemap = Sitemap(f"https://{HOST}/s.xml", Index(url, index_name(url)))
    with run.keeper.begin() as connection:
        known = look_up(connection, [LOC])[LOC]
        reading = run.entries.start_reading(connection, run.visit, sitemap, PendingRead(known.sitemap_id))
        facts = [EntryFacts(one, known=known, sitemap_id=known.sitemap_id) for one in entries]
        add_others(connection, facts, reading, datetime.now(UTC))
    return facts


def test_what_is_no_longer_listed_twice_is_forgotten_and_harvested_as_before(keeper: StateKeeper) -> None:
    both = {"s0.xml": entry(BEFORE), "s1.xml": entry(BEFORE, DiWoo(titel="Besluit"))}
    day(keeper, both)
    items, _ = day(keeper, both)
    assert [(item.record.versies[0].oorzaak, item.record.versies[0].nummer) for item in items] == [
        ("aanlevering", 1)
    ]
    assert [item.record.herkomst.aangevuld for item in items] == [["metadata"]]
    assert len(kept(keeper)) == 2
    run = Run(keeper)
    run.read("s0.xml", [entry(BEFORE)])
    run.read("s1.xml", [])
    run.end()
    assert kept(keeper) == set()
    assert day(keeper, {"s0.xml": entry(BEFORE)}) == ([], [])


def test_a_sitemap_is_read_again_if_another_lists_a_newer_version(keeper: StateKeeper) -> None:
    first = Run(keeper)
    before = first.read("s0.xml", [entry(BEFORE)])
    keep(keeper, before)
    first.end()
    second = Run(keeper)
    assert second.read("s1.xml", [entry(LATER)]) != before
    assert [item.record.versies[0].oorzaak for item in second.items] == ["wijziging"]
    assert not is_kept(keeper, "s0.xml")


def test_where_an_entry_is_copied_to_another_sitemap_both_are_read_again(keeper: StateKeeper) -> None:
    one = cast("Entry", Scanned(entry(BEFORE)))
    first = Run(keeper)
    keep(keeper, first.read("s0.xml", [one]))
    first.end()
    second = Run(keeper)
    second.read("s1.xml", [one])
    assert (second.items, second.findings) == ([], [])
    assert second.pending.must_reread
    assert not is_kept(keeper, "s0.xml")
    third = Run(keeper)
    third.read("s0.xml", [one])
    third.read("s1.xml", [one])
    assert [finding.code for finding in third.findings] == ["loc.dubbel"]


def test_a_second_entry_that_is_newer_is_reported_from_the_next_run_on(keeper: StateKeeper) -> None:
    first = Run(keeper)
    first.read("s.xml", [entry(BEFORE)])
    first.end()
    second = Run(keeper)
    second.read("s.xml", [entry(BEFORE), entry(LATER)])
    assert [item.record.versies[0].oorzaak for item in second.items] == ["wijziging"]
    assert second.pending.must_reread
    second.end()
    third = Run(keeper)
    third.read("s.xml", [entry(BEFORE), entry(LATER)])
    assert [finding.code for finding in third.findings] == ["loc.dubbel"]


def test_the_later_entry_of_a_sitemap_is_forgotten_when_it_is_gone(keeper: StateKeeper) -> None:
    for _ in range(2):
        run = Run(keeper)
        sitemap = run.read("s.xml", [entry(BEFORE)], [entry(LATER)])
        run.end()
    assert {key.place for key in kept(keeper)} == {0, 1}
    run = Run(keeper)
    run.read("s.xml", [entry(LATER)])
    assert run.end() == []
    assert {(key.sitemap_id, key.place) for key in kept(keeper)} <= {(sitemap, 0)}
    run = Run(keeper)
    run.read("s.xml", [entry(LATER)])
    assert (run.end(), run.findings) == ([], [])
    assert kept(keeper) == set()


def test_the_own_index_comes_before_metadata_and_those_before_another_index(keeper: StateKeeper) -> None:
    given = DiWoo(informatiecategorieen=[Coded("Convenanten")])
    for _ in range(2):
        run = Run(keeper)
        run.read("s0.xml", [entry(LATER)])
        run.read("s1.xml", [entry(BEFORE, given)])
        run.read("s2.xml", [entry(None)], index=BY_CATEGORY)
        items = run.end()
    (item,) = items
    assert item.source is not None
    assert item.source.category is None
    assert [value.label for value in item.source.given.informatiecategorieen] == ["Convenanten"]
    run = Run(keeper)
    run.read("s2.xml", [entry("2025-06-01")], index=BY_CATEGORY)
    (item,) = run.items
    assert item.source is not None
    assert item.source.category is not None
    assert item.source.given.informatiecategorieen == []


def test_documents_of_others_that_no_owner_lists_follow_the_same_rule(keeper: StateKeeper) -> None:
    sitemaps = {
        "s0.xml": entry(BEFORE, DiWoo(titel="Besluit"), OTHERS_LOC),
        "s1.xml": entry(LATER, loc=OTHERS_LOC),
    }
    day(keeper, sitemaps)
    (item,), _ = day(keeper, sitemaps)
    assert item.source is not None
    assert (item.record.herkomst.lastmod, item.source.given.officiele_titel) == (LATER, "Besluit")
    for _ in range(2):
        items, findings = day(keeper, sitemaps)
        assert (items, [finding.code for finding in findings]) == ([], ["loc.dubbel"])
