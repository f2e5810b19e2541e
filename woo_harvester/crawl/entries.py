"""Reads the entries of sitemaps in three stages: look up, decide, apply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from sqlalchemy import Connection

from woo_harvester.crawl.entry_apply import EntryApply
from woo_harvester.crawl.entry_filter import FilteredSitemap, SitemapFilter
from woo_harvester.crawl.entry_lookup import EntryLookUp
from woo_harvester.crawl.host import SitemapReading, Visit
from woo_harvester.crawl.repeated_entries import add_others, begin_visit
from woo_harvester.diwoo.defaults import Choice
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.register import Register
from woo_harvester.register.names import Vocabulary
from woo_harvester.sitemaps.decide import NOT_FETCHED, decide
from woo_harvester.sitemaps.facts import (
    KNOWN_VERSION,
    NOT_LISTED,
    Decision,
    EntryFacts,
    EntryOutcome,
    Terms,
)
from woo_harvester.sitemaps.file_findings import Sitemap
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.scanner import ScannedEntry
from woo_harvester.state import documents, listings
from woo_harvester.state.contents import PendingRead
from woo_harvester.tooi.lists import category_by_number
from woo_harvester.utils.dates import iso_seconds
from woo_harvester.utils.program import counted

_FOREIGN = "loc.andere-host"
_LEFT_TO_OWN = "niet gebruikt: de vermelding op de eigen host telt"


class Entries:
    """The entries of all sitemaps of a run, which become items if their documents must be harvested.

    *is_waited_for* returns whether a host is still being read in this run. *choice* is what the run chooses
    of the entries; None for all. *is_visited* returns whether a host is one of this run.
    """

    def __init__(
        self,
        register: Register,
        vocabulary: Vocabulary,
        report: Reporter,
        keeper: StateKeeper,
        terms: Terms = Terms(),  # noqa: B008 -- it does not change
        is_waited_for: Callable[[str], bool] = lambda host: False,
        choice: Choice | None = None,
        is_visited: Callable[[str], bool] = lambda host: False,
    ) -> None:
        self._register = register
        self._report = report
        self._keeper = keeper
        self._terms = terms
        self._is_visited = is_visited
        self._vocabulary = vocabulary
        self._lookup = EntryLookUp(register, terms, is_waited_for, choice)
        self._apply = EntryApply(report, keeper)
        self.is_choosing = choice is not None
        """Whether the run chooses some of the entries only."""
        self.counts = {outcome: 0 for outcome in EntryOutcome if outcome.is_counted}
        """Number of entries by outcome, with those of sitemaps that have not changed."""

    @property
    def skipped(self) -> int:
        """Number of entries that were skipped: their documents are known, and not harvested again.

        Those of sitemaps that have not changed are part of it.
        """
        return sum(count for outcome, count in self.counts.items() if outcome.cause is None)

    def start_reading(
        self, connection: Connection, visit: Visit, sitemap: Sitemap, pending: PendingRead
    ) -> SitemapReading:
        """Return the reading of a sitemap that begins now, with the documents that it listed before."""
        if not visit.own_sitemaps:
            begin_visit(connection, visit)
        visit.own_sitemaps.add(pending.resource_id)
        wanted = self._terms.sufficient
        before = documents.before(connection, pending.resource_id, visit.own_sitemaps, wanted)
        same, others = before.same, before.others
        if self._terms.delivers_all:
            others += same.values()
            same = {}
        if visit.repeated:  # of these each entry is decided on
            others += [key for key in same.values() if key in visit.repeated]
            same = {digest: key for digest, key in same.items() if key not in visit.repeated}
        known = cast("dict[bytes | None, int]", same)
        lists = self._vocabulary.of_host(visit.host)
        category = category_by_number(sitemap.index.name.number, lists.informatiecategorieen)
        return SitemapReading(
            visit, sitemap, pending, lists, category, known, others if before.is_all else None
        )

    def filtered(self, keeps: SitemapFilter, reading: SitemapReading) -> FilteredSitemap:
        """Return the entries of a sitemap that the spider *keeps*."""
        return FilteredSitemap(keeps, self._register, self._keeper, reading)

    def lacking(self, connection: Connection, reading: SitemapReading) -> list[int]:
        """Return the documents that a completely read sitemap no longer lists."""
        if reading.others is None:
            before = listings.ids_of(connection, reading.sitemap_id)
        else:
            before = [*reading.same.values(), *reading.others]
        return reading.seen.lacks(before)

    def select(
        self, entries: Sequence[Entry | ScannedEntry], reading: SitemapReading
    ) -> tuple[Iterator[WooItem], int]:
        """Return the items of a batch, and how many of its entries were processed.

        Each item is made when it is asked for, so that few are in memory at once. An entry that is not plain
        ends the batch early: the full reader must go on from there.
        """
        now = datetime.now(UTC).replace(microsecond=0)
        visit = reading.visit
        with self._keeper.begin() as connection:
            batch = self._lookup.look_up(connection, entries, reading)
            add_others(connection, batch.rest, reading, now)
            decided = self._decide(batch.rest, visit, now)
            stored = self._apply.write(connection, decided, batch.moved, reading, now)
        outcomes = Counter(decision.outcome for _, decision in decided)
        outcomes[EntryOutcome.UNCHANGED] += batch.unchanged
        for outcome in self.counts.keys() & outcomes.keys():
            self.counts[outcome] += outcomes[outcome]
        unchanged = batch.unchanged + sum(decision.is_unchanged for _, decision in decided)
        number = batch.processed - batch.counted - batch.left_out - outcomes[EntryOutcome.POSTPONED]
        visit.account.count_entries(number, unchanged)
        visit.account.count_as_repeated(outcomes[EntryOutcome.FOREIGN])
        reading.leave_out(batch.left_out)
        return self._apply.items(decided, stored, reading), batch.processed

    def pass_over(self, visit: Visit, sitemap: Sitemap, resource_id: int) -> None:
        """Count the documents of a sitemap that has not changed, and report again what is wrong with them."""
        with self._keeper.begin() as connection:
            listings.all_listed_again(connection, resource_id)
            found = documents.faults_of(connection, resource_id)
            listed = listings.count(connection, resource_id)
            left_to = Counter[str]()
            for ids in listings.foreign_documents(connection, resource_id):
                left_to.update(self._lookup.owners(connection, ids, visit.host).values())
        for fault in found:
            organisation = self._register.organisation_of(fault.loc, visit.host).organisation
            self._report(
                fault.code,
                seen=fault.seen,
                action=NOT_FETCHED,
                url=fault.loc,
                host=visit.host,
                organisation=organisation.identifier if organisation else None,
                sitemap=sitemap.url,
                since=iso_seconds(fault.since),
            )
        self.counts[EntryOutcome.UNCHANGED] += listed - len(found) - left_to.total()
        self.counts[EntryOutcome.REFUSED] += len(found)
        self.counts[EntryOutcome.FOREIGN] += left_to.total()
        visit.account.count_unchanged_sitemap(listed, len(found))
        visit.account.count_as_repeated(left_to.total(), unchanged=True)
        self.report_foreign(visit, sitemap, left_to)

    def report_foreign(self, visit: Visit, sitemap: Sitemap, left_to: Mapping[str, int]) -> None:
        """Report, to both sides, how many documents a sitemap lists that their own hosts list too."""
        if not left_to:
            return
        total = counted(sum(left_to.values()), "document", "documenten")
        visit.report(_FOREIGN, url=sitemap.url, seen=total, action=_LEFT_TO_OWN)
        for host, count in sorted(left_to.items()):
            owners = self._register.organisations_of_host(host)
            self._report(
                _FOREIGN,
                url=sitemap.url,
                host=host,
                organisation=owners[0].identifier if len(owners) == 1 else None,
                seen=f"{counted(count, 'document', 'documenten')} in een sitemap van {visit.host}",
                action=_LEFT_TO_OWN,
            )

    def _decide(
        self, entries: Sequence[EntryFacts], visit: Visit, now: datetime
    ) -> list[tuple[EntryFacts, Decision]]:
        """Decide on entries in their order: a decision may depend on the entries before it."""
        listed, left = visit.listed, visit.left
        expected, supplied = self._keeper.expected, self._keeper.supplied
        decided = []
        for facts in entries:
            if (known := facts.known) is not None:
                facts.is_listed = known.id in listed and known.id not in left
                facts.is_expected = known.id in expected
                facts.is_supplied = facts.is_expected and known.id in supplied
                there = facts.version.host if self._terms.delivers_all and facts.version.is_listed else None
                facts.is_delivered_there = there is not None and self._is_visited(there)
            decision = decide(facts, self._terms, now)
            if known is not None and decision.outcome.cause is not None and not expected.add(known.id):
                # Another process of the run has taken the document since, from another host.
                facts.is_expected = True
                facts.is_supplied = known.id in supplied
                decision = decide(facts, self._terms, now)
            if known is not None and decision.outcome not in NOT_LISTED:
                listed.add(known.id)
                if decision.outcome is not EntryOutcome.DUPLICATE:
                    left.discard(known.id)
                elif not facts.is_listed:
                    left.add(known.id)
                if decision.outcome in KNOWN_VERSION:
                    supplied.add(known.id)
            decided.append((facts, decision))
        return decided
