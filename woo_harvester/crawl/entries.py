"""Reads a sitemap whose entries go through the spider's ``sitemap_filter``.

What is left out is not harvested, and stays unknown if it was. A document that an earlier run has harvested
is still listed, so it is not missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

from sqlalchemy import Connection

from woo_harvester.crawl.entry_apply import EntryApply
from woo_harvester.crawl.entry_filter import FilteredEntries, SitemapFilter
from woo_harvester.crawl.entry_lookup import EntryLookUp, SitemapReading
from woo_harvester.crawl.host import Visit
from woo_harvester.crawl.repeated_entries import add_others, begin_visit, keep_entries
from woo_harvester.diwoo.choice import Choice
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.register import Register
from woo_harvester.register.names import Vocabulary
from woo_harvester.sitemaps.decide import decide, find_loc_problem
from woo_harvester.sitemaps.facts import (
    KNOWN_VERSION,
    NOT_LISTED,
    Decision,
    EntryFacts,
    EntryOutcome,
    KnownDocument,
    SitemapListing,
    Terms,
)
from woo_harvester.sitemaps.file_findings import Sitemap
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.scanner import NotPlainError, ScannedEntry, UrlsetReader
from woo_harvester.state import documents, listings
from woo_harvester.state import documents as faults
from woo_harvester.state.contents import PendingRead
from woo_harvester.state.permit_history import DocumentSet
from woo_harvester.state.sql import batches
from woo_harvester.tooi.lists import category_by_number
from woo_harvester.utils.urls import corrected_locs, host_of


class FilteredSitemap:
    """The entries of one sitemap that *keeps* keeps, and the known documents that it lists."""

    def __init__(
        self, keeps: SitemapFilter, register: Register, keeper: StateKeeper, reading: SitemapReading
    ) -> None:
        self._keeps = keeps
        self._register = register
        self._keeper = keeper
        self._reading = reading
        self._listed = DocumentSet()
        self._foreign = DocumentSet()
        """Those of the listed documents that belong to other organisations."""

    def kept(self, reader: UrlsetReader) -> Iterator[Sequence[Entry]]:
        """Yield the entries that are kept, in batches. Raises what *reader* and the filter raise."""
        kept = FilteredEntries(self._keeps, self._given(reader))
        try:
            yield from kept
        finally:
            if kept.left_out:  # they may count in the next run
                self._reading.pending.must_reread = True
                self._reading.left_out += kept.left_out

    def end(self) -> None:
        """Note in the state that the sitemap lists the known documents whose entries were left out."""
        seen, sitemap_id = self._reading.seen, self._reading.sitemap_id
        with self._keeper.begin() as connection:
            for ids in batches(seen.lacks(self._listed)):
                known = listings.find(connection, sitemap_id, ids)
                new = [SitemapListing(key, 0, key in self._foreign, None) for key in ids if key not in known]
                listings.add(connection, sitemap_id, new)
                listings.listed_again(connection, sitemap_id, sorted(known))
                for key in ids:
                    seen.add(key)

    def _given(self, reader: UrlsetReader) -> Iterator[list[Entry]]:
        """Yield the entries of the sitemap for the filter."""
        for batch in reader:
            entries = [entry.parse() for entry in batch]
            self._add(entries)
            reader.processed(len(batch))
            yield entries

    def _add(self, entries: Sequence[Entry]) -> None:
        """Note which known documents a batch of entries lists."""
        host = self._reading.visit.host
        with self._keeper.begin() as connection:
            known = documents.look_up(connection, [entry.loc for entry in entries])
        for loc, document in known.items():
            if document.withdrawn is None:
                self._listed.add(document.id)
                if self._register.is_registered(host_of(loc)) and not self._register.is_own(loc, host):
                    self._foreign.add(document.id)


@dataclass(slots=True)
class _Batch:
    """Some entries of a sitemap, and the result of comparing their bytes with the state."""

    known: dict[str, KnownDocument]
    """Documents that the state knows, by loc, without those whose entries are unchanged to the byte."""
    processed: int = 0
    """Number of entries that were read: fewer than all if one of them is not plain."""
    counted: int = 0
    """Number of entries that the first reading of the sitemap has counted already."""
    unchanged: int = 0
    """Number of entries that are unchanged to the byte."""
    left_out: int = 0
    """Number of entries that the run does not choose."""
    moved: dict[int, int] = field(default_factory=dict)
    """Documents whose entries are unchanged, with the sitemap of the host that listed them before."""
    rest: list[tuple[Entry, bytes | None]] = field(default_factory=list)
    """The entries to decide on, each with its digest."""


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
        self._choice = choice
        self._is_visited = is_visited
        self._vocabulary = vocabulary
        self._lookup = EntryLookUp(register, is_waited_for)
        self._apply = EntryApply(register, report, keeper)
        self._origin = "\0"
        """The last registered origin, with the slash after it: a loc that begins with it needs no check."""
        self.counts = self._apply.counts
        """Number of entries by outcome, with those of sitemaps that have not changed."""

    @property
    def is_choosing(self) -> bool:
        """Whether the run chooses some of the entries only."""
        return self._choice is not None

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
        with self._keeper.begin() as connection:
            batch = self._pass_over_same(connection, entries, reading)
            facts = self._lookup.look_up(connection, batch.rest, batch.known, reading)
            add_others(connection, facts, reading, now)
            decided = self._decide(facts, reading, now)
            stored = self._apply.write(connection, decided, batch.moved, reading)
            keep_entries(connection, decided, reading, now)
        unchanged = batch.unchanged + sum(decision.is_unchanged for _, decision in decided)
        postponed = sum(decision.outcome is EntryOutcome.POSTPONED for _, decision in decided)
        foreign = sum(decision.outcome is EntryOutcome.FOREIGN for _, decision in decided)
        account = reading.visit.account
        # What moved may be listed in both sitemaps, and a later run may choose what this one left out.
        reading.pending.must_reread |= bool(batch.moved) or bool(batch.left_out)
        if batch.left_out:
            reading.left_out += batch.left_out
        account.count_entries(batch.processed - batch.counted - batch.left_out - postponed, unchanged)
        account.count_as_repeated(foreign)
        self.counts[EntryOutcome.UNCHANGED] += batch.unchanged  # the others are counted by their decision
        return self._apply.items(decided, stored, reading), batch.processed

    def pass_over(self, visit: Visit, sitemap: Sitemap, resource_id: int) -> None:
        """Count the documents of a sitemap that has not changed, and report again what is wrong with them."""
        with self._keeper.begin() as connection:
            listings.all_listed_again(connection, resource_id)
            found = faults.faults_of(connection, resource_id)
            listed = listings.count(connection, resource_id)
            left_to = Counter[str]()
            for ids in listings.foreign_documents(connection, resource_id):
                left_to.update(self._lookup.owners(connection, ids, visit.host).values())
        self._apply.report_faults(visit, sitemap, found)
        self.counts[EntryOutcome.UNCHANGED] += listed - len(found) - left_to.total()
        self.counts[EntryOutcome.REFUSED] += len(found)
        self.counts[EntryOutcome.FOREIGN] += left_to.total()
        visit.account.count_unchanged_sitemap(listed, len(found))
        visit.account.count_as_repeated(left_to.total(), unchanged=True)
        self.report_foreign(visit, sitemap, left_to)

    def report_foreign(self, visit: Visit, sitemap: Sitemap, left_to: Mapping[str, int]) -> None:
        """Report, to both sides, how many documents a sitemap lists that their own hosts list too."""
        self._apply.report_foreign(visit, sitemap, left_to)

    def _decide(
        self, entries: Sequence[EntryFacts], reading: SitemapReading, now: datetime
    ) -> list[tuple[EntryFacts, Decision]]:
        """Decide on entries in their order: a decision may depend on the entries before it."""
        listed, left, expected = reading.visit.listed, reading.visit.left, self._keeper.expected
        supplied = self._keeper.supplied
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

    def _pass_over_same(
        self, connection: Connection, entries: Sequence[Entry | ScannedEntry], reading: SitemapReading
    ) -> _Batch:
        """Return the batch without the entries that are unchanged to the byte. A million a day are."""
        same, listed, is_second = reading.same, reading.visit.listed, reading.visit.is_second
        asked = [entry.loc for entry in entries if entry.digest not in same]
        batch = _Batch(documents.look_up(connection, asked))
        batch.known.update(self._look_up_corrected(connection, asked, reading))
        unchanged = 0
        for entry in entries:
            key = same.get(entry.digest)
            if key is not None and self._is_registered(entry.loc) and (listed.add(key) or is_second):
                del same[entry.digest]
                unchanged += 1
            else:
                if key is not None:
                    batch.known.update(documents.look_up(connection, [entry.loc]))
                try:
                    self._compare(entry, batch, reading)
                except NotPlainError:
                    break
            batch.processed += 1
        batch.unchanged += unchanged
        if is_second:  # the first reading has counted them
            batch.counted += batch.unchanged
            batch.unchanged = 0
        return batch

    def _look_up_corrected(
        self, connection: Connection, asked: Iterable[str], reading: SitemapReading
    ) -> dict[str, KnownDocument]:
        """Return the host's own documents that locs mean which cannot be used, by the given loc."""
        meant = {loc: corrected_locs(loc) for loc in asked}
        known = documents.look_up(connection, [one for locs in meant.values() for one in locs])
        return {
            loc: known[one]
            for loc, locs in meant.items()
            for one in reversed(locs)
            if one in known
            and not (find_loc_problem(loc) is None and self._is_registered(loc))
            and self._register.is_own(one, reading.visit.host)
        }

    def _compare(self, listed: Entry | ScannedEntry, batch: _Batch, reading: SitemapReading) -> None:
        """Compare an entry with its document, and add it to the batch. Raise NotPlainError if not plain."""
        document, visit = batch.known.get(listed.loc), reading.visit
        if document is not None:
            reading.seen.add(document.id)
            if self._is_same(listed, document, visit):
                batch.moved[document.id] = document.sitemap_id
                batch.unchanged += 1
                return
        entry = listed.parse()
        if visit.is_second and not self._was_postponed(entry.loc, document, visit):
            batch.counted += 1
        elif self._choice is not None and not self._is_chosen(self._choice, entry, reading):
            batch.left_out += 1
        else:
            batch.rest.append((entry, listed.digest))

    def _is_chosen(self, choice: Choice, entry: Entry, reading: SitemapReading) -> bool:
        """Return whether the run chooses an entry."""
        return choice.has(entry, reading.category, reading.lists.informatiecategorieen, datetime.now(UTC))

    def _is_same(self, listed: Entry | ScannedEntry, document: KnownDocument, visit: Visit) -> bool:
        """Return whether an entry is unchanged to the byte but was in another sitemap of the host before."""
        return (
            listed.digest is not None
            and listed.digest == document.entry_digest
            and document.withdrawn is None
            and document.harvested is not None
            and document.fault is None
            and document.unchanged_since is None
            and not self._terms.is_lacking(document.content)
            and document.sitemap_id in visit.own_sitemaps
            and document.id not in visit.repeated
            and self._is_registered(listed.loc)
            and self._register.is_own(listed.loc, visit.host)
            and not self._terms.delivers_all
            and visit.listed.add(document.id)
        )

    def _was_postponed(self, loc: str, document: KnownDocument | None, visit: Visit) -> bool:
        """Return whether the first reading of the sitemap has postponed an entry."""
        return (
            (document is None or document.id not in visit.listed)
            and find_loc_problem(loc) is None
            and self._is_registered(loc)
            and not self._register.is_own(loc, visit.host)
        )

    def _is_registered(self, loc: str) -> bool:
        """Return whether the host of *loc* is registered. Nearly always it is the host of the loc before."""
        if loc.startswith(self._origin):
            return True
        registered = self._register.is_registered(host_of(loc))
        end = loc.find("/", loc.find("//") + 2) + 1
        if registered and end:
            self._origin = loc[:end]
        return registered
