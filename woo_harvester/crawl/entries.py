"""Reads the entries of sitemaps in three stages: look up, decide, apply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import Connection

from woo_harvester.crawl.entry_apply import EntryApply
from woo_harvester.crawl.entry_lookup import Batch, EntryLookUp
from woo_harvester.crawl.host import SitemapReading, Visit
from woo_harvester.diwoo.defaults import Choice
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.register import Register
from woo_harvester.register.names import Vocabulary
from woo_harvester.sitemaps.decide import NOT_FETCHED, SETTLED, Decision, EntryOutcome, decide
from woo_harvester.sitemaps.facts import EntryFacts, Terms
from woo_harvester.sitemaps.file_findings import Sitemap
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.scanner import ScannedEntry
from woo_harvester.sitemaps.xml_stream import local_name
from woo_harvester.state import documents, listings
from woo_harvester.state.deliveries import PendingRead
from woo_harvester.state.resources import sitemaps_of_host
from woo_harvester.tooi.lists import category_by_number
from woo_harvester.utils.dates import iso_seconds
from woo_harvester.utils.program import counted

SitemapFilter = Callable[[Iterable[dict[str, Any]]], Iterable[dict[str, Any]]]
"""The method ``sitemap_filter`` of a spider: it yields the entries that are to be harvested."""

_FOREIGN = "loc.andere-host"
_LEFT_TO_OTHER = "niet gebruikt: de vermelding op de andere host telt"
_SKIPPED = "overgeslagen: een andere vermelding telt"

#: Outcomes with which an entry does not stand for its document in this run: another one may.
_NOT_COUNTING = (EntryOutcome.PASSED_OVER, EntryOutcome.OLDER, EntryOutcome.UNUSABLE)


class Entries:
    """The entries of all sitemaps of a run, which become items if their documents must be harvested.

    *choice* is what the run chooses of the entries, *keeps* the spider's filter; None for all.
    """

    def __init__(
        self,
        register: Register,
        vocabulary: Vocabulary,
        report: Reporter,
        keeper: StateKeeper,
        terms: Terms = Terms(),  # noqa: B008 -- it does not change
        choice: Choice | None = None,
        keeps: SitemapFilter | None = None,
    ) -> None:
        self._register = register
        self._report = report
        self._keeper = keeper
        self._keeps = keeps
        self.terms = terms
        """What the run wants."""
        self._vocabulary = vocabulary
        self._lookup = EntryLookUp(register, terms, choice)
        self._apply = EntryApply(report, keeper, terms)
        self.is_choosing = choice is not None
        """Whether the run chooses some of the entries only."""
        self.counts = dict.fromkeys(EntryOutcome, 0)
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
            visit.own_sitemaps.update(sitemaps_of_host(connection, visit.known.id))
        visit.own_sitemaps.add(pending.resource_id)
        before = documents.before(connection, pending.resource_id, self.terms.depth)
        same, others = before.same, before.others
        if self.terms.delivers_all:
            others += same.values()
            same = {}
        known = cast("dict[bytes | None, int]", same)
        lists = self._vocabulary.of_host(visit.host)
        category = category_by_number(sitemap.index.name.number, lists.informatiecategorieen)
        return SitemapReading(
            visit, sitemap, pending, lists, category, known, others if before.is_all else None
        )

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
            decided = self._decide(batch, visit, now)
            files = self._apply.write(connection, decided, batch, reading)
        for facts, decision in decided:  # an error of the filter has undone the transaction before this
            if facts.known is not None and decision.version is not None:
                self._keeper.delivered.add(facts.known.id)
        outcomes = Counter(decision.outcome for _, decision in decided)
        outcomes[EntryOutcome.UNCHANGED] += batch.unchanged
        for outcome, count in outcomes.items():
            self.counts[outcome] += count
        unchanged = sum(outcomes[outcome] for outcome in SETTLED)
        visit.account.count_entries(batch.processed - batch.left_out, unchanged)
        visit.account.count_as_repeated(sum(decision.left_to is not None for _, decision in decided))
        reading.leave_out(batch.left_out)
        return self._apply.items(decided, files, reading), batch.processed

    def pass_over(self, visit: Visit, sitemap: Sitemap, resource_id: int) -> None:
        """Count the documents of a sitemap that has not changed, and report again what is wrong with them."""
        with self._keeper.begin() as connection:
            found = documents.faults_of(connection, resource_id)
            listed = listings.count(connection, resource_id)
            left_to, repeated = Counter[str](), 0
            for ids in listings.passed_over(connection, resource_id):
                owners = self._lookup.owners(connection, ids, visit.host)
                left_to.update(owners.values())
                repeated += len(ids) - len(owners)
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
        passed_over = left_to.total() + repeated
        self.counts[EntryOutcome.UNCHANGED] += listed - len(found) - passed_over
        self.counts[EntryOutcome.REFUSED] += len(found)
        self.counts[EntryOutcome.PASSED_OVER] += passed_over
        visit.account.count_unchanged_sitemap(listed, len(found))
        visit.account.count_as_repeated(passed_over, unchanged=True)
        if repeated:
            seen = counted(repeated, "document", "documenten")
            visit.report("loc.dubbel", url=sitemap.url, seen=seen, action=_SKIPPED)
        self.report_foreign(visit, sitemap, left_to)

    def report_foreign(self, visit: Visit, sitemap: Sitemap, left_to: Mapping[str, int]) -> None:
        """Report, to both sides, of how many documents the entry on another host counts."""
        if not left_to:
            return
        total = counted(sum(left_to.values()), "document", "documenten")
        visit.report(_FOREIGN, url=sitemap.url, seen=total, action=_LEFT_TO_OTHER)
        for host, count in sorted(left_to.items()):
            owners = self._register.organisations_of_host(host)
            self._report(
                _FOREIGN,
                url=sitemap.url,
                host=host,
                organisation=owners[0].identifier if len(owners) == 1 else None,
                seen=f"{counted(count, 'document', 'documenten')} in een sitemap van {visit.host}",
                action=_LEFT_TO_OTHER,
            )

    def _decide(self, batch: Batch, visit: Visit, now: datetime) -> list[tuple[EntryFacts, Decision]]:
        """Decide on entries in their order: a decision may depend on the entries before it."""
        listed, delivered = visit.listed, set[int]()
        decided = []
        for facts in batch.rest:
            if (known := facts.known) is not None:
                facts.is_listed = known.id in listed
                facts.is_delivered = known.id in delivered or known.id in self._keeper.delivered
            decision = decide(facts, self.terms, now)
            if known is not None and decision.version is not None:
                if not self._is_kept(facts.entry):
                    batch.left_out += 1
                    batch.still_listed.append(known.id)
                    continue
                delivered.add(known.id)
            if known is not None and decision.outcome not in _NOT_COUNTING:
                listed.add(known.id)
            decided.append((facts, decision))
        return decided

    def _is_kept(self, entry: Entry) -> bool:
        """Return whether the spider's filter keeps an entry that is about to be delivered."""
        return self._keeps is None or bool(list(self._keeps([_as_dict(entry)])))


def _as_dict(entry: Entry) -> dict[str, Any]:
    """Return an entry as Scrapy gives it to ``sitemap_filter``: the texts of its elements by their names."""
    children = entry.element if entry.element is not None else ()
    found: dict[str, Any] = {local_name(child.tag): (child.text or "").strip() for child in children}
    links = [child.get("href") for child in children if local_name(child.tag) == "link"]
    found.pop("link", None)
    if alternate := [href for href in links if href]:
        found["alternate"] = alternate
    if entry.lastmod is not None:
        found["lastmod"] = entry.lastmod
    return {**found, "loc": entry.loc}
