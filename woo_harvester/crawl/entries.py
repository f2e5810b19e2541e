"""The entries of sitemaps, in three stages: look up, decide, apply."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import Connection

from woo_harvester.audit.one_cause import EntryReporter
from woo_harvester.crawl.hosts import Visit
from woo_harvester.diwoo.choice import Choice
from woo_harvester.diwoo.given import given_metadata
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import Fetched, Source, StreamedResponse, WooItem
from woo_harvester.record import Herkomst
from woo_harvester.register import Register
from woo_harvester.register.names import Vocabulary
from woo_harvester.sitemaps.decide import (
    NOT_FETCHED,
    SETTLED,
    UNREGISTERED,
    Decision,
    EntryFacts,
    EntryOutcome,
    KnownDocument,
    NewVersion,
    OtherSitemap,
    SitemapListing,
    StateUpdate,
    Terms,
    decide,
    find_loc_problem,
)
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.scanner import NotPlainError, ScannedEntry
from woo_harvester.sitemaps.selection import Sitemap
from woo_harvester.sitemaps.xml_stream import local_name
from woo_harvester.state import documents, listings
from woo_harvester.state.deliveries import Delivery, Harvested, KnownFile, PendingRead
from woo_harvester.state.listings import HostListing
from woo_harvester.state.resources import sitemaps_of_host
from woo_harvester.tooi.lists import ValueLists, category_by_number
from woo_harvester.tooi.values import Concept
from woo_harvester.utils.dates import iso_seconds
from woo_harvester.utils.document_set import DocumentSet
from woo_harvester.utils.program import counted
from woo_harvester.utils.urls import corrected_locs, host_of


@dataclass(slots=True)
class SitemapReading:
    """One sitemap while it is read: what it listed before, and what has been read so far."""

    visit: Visit
    sitemap: Sitemap
    pending: PendingRead
    lists: ValueLists
    """The value lists for its host."""
    category: Concept | None
    """The informatiecategorie in the name of its index."""
    same: dict[bytes | None, int]
    """Numbers of its documents by the digest of their entries; a document is removed when it is read."""
    others: Sequence[int] | None
    """All other documents that it listed; None if there are too many to have them in memory."""
    left_to: Counter[str] = field(default_factory=Counter)
    """Number of its entries that do not count because another host's entry does, by that host."""
    seen: DocumentSet = field(default_factory=DocumentSet)
    """Documents that were read and looked up."""
    left_out: int = 0
    """Number of entries that the run does not choose, or that the spider's filter has left out."""

    @property
    def sitemap_id(self) -> int:
        """The number of the sitemap in the state."""
        return self.pending.resource_id

    def leave_out(self, count: int) -> None:
        """Count entries that are left out; they may count in the next run."""
        if count:
            self.left_out += count
            self.pending.must_reread = True

    def note(self, facts: EntryFacts, decision: Decision) -> None:
        """Note what a decision on one of its entries means for the sitemap as a whole."""
        if decision.must_reread:
            self.pending.must_reread = True
        if decision.left_to is not None:
            self.left_to[decision.left_to] += 1
        elif decision.outcome is EntryOutcome.UNUSABLE and facts.known is None:
            self.visit.unusable += 1


@dataclass(slots=True)
class Batch:
    """Some entries of a sitemap, and the result of comparing their bytes with the state."""

    known: dict[str, KnownDocument]
    """Documents that the state knows, by loc, without those whose entries are unchanged to the byte."""
    processed: int = 0
    """Number of entries that were read: fewer than all if one of them is not plain."""
    unchanged: int = 0
    """Number of entries that are unchanged to the byte."""
    left_out: int = 0
    """Number of entries that the run does not choose, or that the spider's filter leaves out."""
    still_listed: list[int] = field(default_factory=list)
    """Documents whose entries the filter leaves out: they are not delivered, but not gone either."""
    moved: list[int] = field(default_factory=list)
    """Documents whose entries are unchanged, and that another sitemap of the host listed before."""
    rest: list[EntryFacts] = field(default_factory=list)
    """The entries to decide on."""


SitemapFilter = Callable[[Iterable[dict[str, Any]]], Iterable[dict[str, Any]]]
"""The method ``sitemap_filter`` of a spider: it yields the entries that are to be harvested."""

_FOREIGN = "loc.andere-host"
_LEFT_TO_OTHER = "niet gebruikt: de vermelding op de andere host telt"
_SKIPPED = "overgeslagen: een andere vermelding telt"

#: Outcomes with which an entry does not stand for its document in this run: another one may.
_NOT_COUNTING = (EntryOutcome.PASSED_OVER, EntryOutcome.OLDER, EntryOutcome.UNUSABLE)


class Entries:
    """The entries of all sitemaps of a run, which become items if their documents must be harvested.

    *choice* is what the run chooses of the entries, *keeps* the spider's filter; None for all. With
    *checks_schema*, the findings on an entry are sent when its item is done (``EntryReporter.finish``).
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
        *,
        checks_schema: bool = False,
    ) -> None:
        self._register = register
        self._report = report
        self._keeper = keeper
        self._keeps = keeps
        self.terms = terms
        """What the run wants."""
        self._vocabulary = vocabulary
        self._lookup = EntryLookUp(register, terms, choice)
        self._apply = EntryApply(report, keeper, terms, checks_schema=checks_schema)
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

    def skip_unchanged(self, visit: Visit, sitemap: Sitemap, resource_id: int) -> None:
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
        named, delivered = visit.named, set[int]()
        decided = []
        for facts in batch.rest:
            if (known := facts.known) is not None:
                facts.is_named = known.id in named
                facts.is_delivered = known.id in delivered or known.id in self._keeper.delivered
            decision = decide(facts, self.terms, now)
            if known is not None and decision.version is not None:
                if not self._is_kept(facts.entry):
                    batch.left_out += 1
                    batch.still_listed.append(known.id)
                    continue
                delivered.add(known.id)
            if known is not None and decision.outcome not in _NOT_COUNTING:
                named.add(known.id)
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


class EntryLookUp:
    """The stage that looks up entries. *choice* is what the run chooses of the entries; None for all."""

    def __init__(self, register: Register, terms: Terms, choice: Choice | None) -> None:
        self._register = register
        self._terms = terms
        self._choice = choice
        self._origin = "\0"
        """The last registered origin, with the slash after it: a loc that begins with it needs no check."""

    def look_up(
        self, connection: Connection, entries: Sequence[Entry | ScannedEntry], reading: SitemapReading
    ) -> Batch:
        """Return a batch of entries, with the facts of those to decide on; add new documents to the state."""
        batch = self._split_off_same(connection, entries, reading)
        for one in batch.rest:
            self._add_register(one, reading)
            one.known = batch.known.get(one.entry.loc)
        new = [one for one in batch.rest if one.known is None and one.problem is None]
        added = documents.add_seen(connection, {one.entry.loc for one in new}, reading.sitemap_id)
        for one in new:
            one.known = added.get(one.entry.loc)
        self._add_listings(connection, batch.rest, reading)
        return batch

    def owners(self, connection: Connection, ids: Sequence[int], host: str) -> dict[int, str]:
        """Return the host whose entry counts for each of these documents, if that is not *host*."""
        rows = list(listings.listed_by(connection, ids))
        found = {row.document_id: row.host for row in rows if row.gave_version and row.host != host}
        return found | self._owners((row for row in rows if not self._register.is_own(row.loc, host)), host)

    def _split_off_same(
        self, connection: Connection, entries: Sequence[Entry | ScannedEntry], reading: SitemapReading
    ) -> Batch:
        """Return the batch; entries that are unchanged to the byte, a million a day, need no facts."""
        same, named = reading.same, reading.visit.named
        asked = [entry.loc for entry in entries if entry.digest not in same]
        batch = Batch(documents.look_up(connection, asked))
        batch.known.update(self._look_up_corrected(connection, asked, reading))
        unchanged = 0
        for entry in entries:
            key = same.get(entry.digest)
            if key is not None and self._is_registered(entry.loc) and named.add(key):
                del same[entry.digest]
                unchanged += 1
            else:
                if key is not None:
                    batch.known.update(documents.look_up(connection, [entry.loc]))
                try:
                    self._add_facts(entry, batch, reading)
                except NotPlainError:
                    break
            batch.processed += 1
        batch.unchanged += unchanged
        return batch

    def _look_up_corrected(
        self, connection: Connection, asked: Iterable[str], reading: SitemapReading
    ) -> dict[str, KnownDocument]:
        """Return the host's own documents that locs mean which cannot be used, by the given loc."""
        unusable = [loc for loc in asked if find_loc_problem(loc) is not None or not self._is_registered(loc)]
        meant = {loc: corrected_locs(loc) for loc in unusable}
        known = documents.look_up(connection, [one for locs in meant.values() for one in locs])
        return {
            loc: known[one]
            for loc, locs in meant.items()
            for one in reversed(locs)
            if one in known and self._register.is_own(one, reading.visit.host)
        }

    def _add_facts(self, entry: Entry | ScannedEntry, batch: Batch, reading: SitemapReading) -> None:
        """Parse an entry, and add its facts to the batch. Raise NotPlainError if it is not plain."""
        document, visit = batch.known.get(entry.loc), reading.visit
        if document is not None:
            reading.seen.add(document.id)
            if self._is_moved(entry, document, visit):
                batch.moved.append(document.id)
                batch.unchanged += 1
                return
        facts = EntryFacts(entry.parse(), entry.digest, known=document)
        categories = reading.lists.informatiecategorieen
        if self._choice is not None and not self._choice.has(facts, reading.category, categories):
            batch.left_out += 1
        else:
            batch.rest.append(facts)

    def _is_moved(self, entry: Entry | ScannedEntry, document: KnownDocument, visit: Visit) -> bool:
        """Return whether an entry is unchanged to the byte but was in another sitemap of the host before."""
        return (
            entry.digest is not None
            and entry.digest == document.entry_digest
            and document.withdrawn is None
            and document.harvested is not None
            and document.fault is None
            and document.sitemap_id in visit.own_sitemaps
            and document.sitemap_id not in visit.unchanged
            and self._is_registered(entry.loc)
            and self._register.is_own(entry.loc, visit.host)
            and not self._terms.want_again(document)
            and visit.named.add(document.id)
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

    def _add_register(self, facts: EntryFacts, reading: SitemapReading) -> None:
        """Add what the register says of an entry."""
        loc, host = facts.entry.loc, reading.visit.host
        facts.problem = find_loc_problem(loc)
        if facts.problem is None and not self._register.is_registered(host_of(loc)):
            facts.problem = UNREGISTERED
        if facts.problem is None:
            facts.is_own = self._register.is_own(loc, host)
            facts.match = self._register.organisation_of(loc, host)

    def _add_listings(
        self, connection: Connection, facts: Sequence[EntryFacts], reading: SitemapReading
    ) -> None:
        """Add what is known of the documents in this sitemap, and of who else lists them."""
        known = [(one, one.known) for one in facts if one.known is not None and one.problem is None]
        rows = listings.find(connection, reading.sitemap_id, [document.id for _, document in known])
        for one, document in known:
            reading.seen.add(document.id)
            one.listing = rows.get(document.id)
        elsewhere = [
            (one, document)
            for one, document in known
            if not one.is_own or document.sitemap_id != reading.sitemap_id
        ]
        if elsewhere:
            self._add_others(connection, elsewhere, reading)

    def _add_others(
        self,
        connection: Connection,
        elsewhere: Sequence[tuple[EntryFacts, KnownDocument]],
        reading: SitemapReading,
    ) -> None:
        """Add the owner's host that lists a document, and where the known version came from."""
        visit = reading.visit
        sources = {document.sitemap_id for _, document in elsewhere} - {reading.sitemap_id}
        places = listings.places(connection, sources)
        rows = list(listings.listed_by(connection, [document.id for _, document in elsewhere]))
        there = {(row.document_id, row.sitemap_id) for row in rows}
        owners = self._owners(rows, visit.host)
        for one, document in elsewhere:
            key = document.id
            one.owner = None if one.is_own else owners.get(key)
            if document.sitemap_id not in places:
                continue
            host, url = places[document.sitemap_id]
            is_read = document.sitemap_id in visit.read
            was_read_now = is_read and document.sitemap_id not in visit.unchanged
            one.elsewhere = OtherSitemap(
                sitemap=url,
                host=host,
                is_here=host == visit.host,
                is_own=self._register.is_own(document.loc, host),
                is_listed=key in visit.named if was_read_now else (key, document.sitemap_id) in there,
                is_read=is_read,
            )

    def _owners(self, rows: Iterable[HostListing], host: str) -> dict[int, str]:
        """Return for each document a host of its owner, other than *host*, that lists it.

        The host of the document itself comes before other hosts.
        """
        found: dict[int, str] = {}
        for row in rows:
            if row.host == host or (row.document_id in found and row.host != host_of(row.loc)):
                continue
            if self._register.is_registered(row.host) and self._register.is_own(row.loc, row.host):
                found[row.document_id] = row.host
        return found


_Decided = Sequence[tuple[EntryFacts, Decision]]


class EntryApply:
    """The stage that applies the decisions on the entries of a batch."""

    def __init__(
        self, report: Reporter, keeper: StateKeeper, terms: Terms, *, checks_schema: bool = False
    ) -> None:
        self._report = report
        self._keeper = keeper
        self._terms = terms
        self._checks_schema = checks_schema

    def write(
        self, connection: Connection, decided: _Decided, batch: Batch, reading: SitemapReading
    ) -> Mapping[int, KnownFile]:
        """Write the entries of a batch to the state. Return the known files of documents to deliver again."""
        for facts, decision in decided:
            reading.note(facts, decision)
        again = [facts.known.id for facts, made in decided if facts.known is not None and made.version]
        files = documents.files_of(connection, again)
        updates = [decision.update for _, decision in decided if decision.update is not None]
        left = _write_documents(connection, updates, batch.moved, reading.sitemap_id)
        rows = [one.listing for one in updates if one.listing is not None]
        listings.write(
            connection, reading.sitemap_id, [*map(SitemapListing, [*batch.moved, *batch.still_listed]), *rows]
        )
        self._keeper.read_again(connection, left)
        return files

    def items(
        self, decided: _Decided, files: Mapping[int, KnownFile], reading: SitemapReading
    ) -> Iterator[WooItem]:
        """Report what is wrong with entries, and yield the items of those to be harvested.

        This takes longest, so no transaction is open meanwhile that would keep other processes from writing.
        Each entry is let go once its item is made: its elements take as much memory as the item.
        """
        waiting = deque(decided)
        del decided
        while waiting:
            facts, decision = waiting.popleft()
            version, known = decision.version, facts.known
            if not decision.findings and version is None:
                continue
            report = self._reporter(facts, reading)
            for one in decision.findings:
                report(one.code, element=one.element, seen=one.seen, action=one.action)
            if version is not None and known is not None:
                yield self._item(facts, known, decision, version, report, files.get(known.id), reading)
            elif isinstance(report, EntryReporter):
                report.finish(is_harvested=False)

    def _item(
        self,
        facts: EntryFacts,
        known: KnownDocument,
        decision: Decision,
        version: NewVersion,
        report: Reporter,
        file: KnownFile | None,
        reading: SitemapReading,
    ) -> WooItem:
        """Return the item of an entry, whose delivery the state waits for."""
        source = Source(given_metadata(facts.entry), reading.category, facts.match, reading.lists, known=file)
        origin = Herkomst(
            index=reading.sitemap.index.url,
            sitemap=reading.sitemap.url,
            opgehaald=version.recorded,
            organisatie=report.organisation,
            bevindingen=report.codes,  # the list itself: it gets the findings that are yet to come
        )
        depth: int = self._terms.depth
        if decision.outcome is EntryOutcome.AGAIN:
            source.is_again = True
            if file is not None and not self._terms.want_more(known.depth):
                # In place of the headers. A run that downloads requests the document all the same.
                source.fetched = Fetched(StreamedResponse(known.loc, 304), file)
                depth = known.depth or 0
        item = WooItem(version.record(facts.entry.loc, origin), source, report)
        harvested = Harvested(
            id=known.id,
            lastmod=version.moment.at if version.moment is not None else None,
            published=version.published.isoformat(),
            harvested=int(version.harvested.timestamp()),
            sitemap_id=reading.sitemap_id,
            entry_digest=facts.digest,
            file=file if source.fetched is not None else None,
            takes_over=facts.takes_over,
            cause=version.cause.value,
            number=version.number,
            depth=depth,
        )
        self._keeper.expect(item, Delivery(harvested=harvested, reading=reading.pending))
        return item

    def _reporter(self, facts: EntryFacts, reading: SitemapReading) -> Reporter:
        """Return a reporter of findings about an entry."""
        organisation = facts.match.organisation
        since = facts.known.fault_since if facts.known is not None and facts.problem is None else None
        report = self._report.about(
            url=facts.entry.loc,
            host=reading.visit.host,
            organisation=organisation.identifier if organisation else None,
            sitemap=reading.sitemap.url,
            line=facts.entry.line,
            since=None if since is None else iso_seconds(since),
        )
        return EntryReporter(facts.entry, report) if self._checks_schema else report


def _write_documents(
    connection: Connection, updates: Sequence[StateUpdate], moved: Sequence[int], sitemap_id: int
) -> set[int]:
    """Write what changed of the documents themselves; return the sitemaps that their versions came from.

    The order is documents, then listings, then files. Other runs lock rows in the same order.
    """
    here = [*moved, *(one.document_id for one in updates if one.is_moved)]
    digests = {one.document_id: one.digest for one in updates if one.digest is not None}
    corrected = [one.document_id for one in updates if one.ends_fault]
    documents.lock_rows(connection, {*here, *digests, *corrected})
    left = documents.other_sources(connection, dict.fromkeys(here, sitemap_id))
    documents.move(connection, here, sitemap_id)
    documents.keep_digests(connection, digests)
    documents.end_faults(connection, corrected)
    return left
