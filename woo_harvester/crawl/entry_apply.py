"""Applies decisions on entries, the last of three stages: report, make items, write to the state."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import Connection

from woo_harvester.crawl.entry_lookup import Batch
from woo_harvester.crawl.host import SitemapReading
from woo_harvester.diwoo.given import metadata_of
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import Fetched, Source, StreamedResponse, WooItem
from woo_harvester.record import Herkomst
from woo_harvester.sitemaps.decide import Decision, EntryOutcome, NewVersion, StateUpdate
from woo_harvester.sitemaps.facts import EntryFacts, KnownDocument, SitemapListing, Terms
from woo_harvester.state import documents, listings
from woo_harvester.state.deliveries import Delivery, Harvested, KnownFile
from woo_harvester.utils.dates import iso_seconds, to_microseconds

_Decided = Sequence[tuple[EntryFacts, Decision]]


class EntryApply:
    """The stage that applies the decisions on the entries of a batch."""

    def __init__(self, report: Reporter, keeper: StateKeeper, terms: Terms) -> None:
        self._report = report
        self._keeper = keeper
        self._terms = terms

    def write(
        self, connection: Connection, decided: _Decided, batch: Batch, reading: SitemapReading
    ) -> Mapping[int, KnownFile]:
        """Write the entries of a batch to the state. Return the known files of documents to deliver again."""
        for facts, decision in decided:
            reading.note(facts, decision)
        again = [facts.known.id for facts, made in decided if facts.known is not None and made.version]
        files = documents.files_of(connection, again)
        updates = [decision.update for _, decision in decided if decision.update is not None]
        _write_documents(connection, updates, batch.moved, reading.sitemap_id)
        rows = [one.listing for one in updates if one.listing is not None]
        listings.write(
            connection, reading.sitemap_id, [*map(SitemapListing, [*batch.moved, *batch.still_listed]), *rows]
        )
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
        source = Source(metadata_of(facts.entry), reading.category, facts.match, reading.lists, known=file)
        origin = Herkomst(
            index=reading.sitemap.index.url,
            sitemap=reading.sitemap.url,
            opgehaald=version.at,
            organisatie=report.organisation,
            bevindingen=report.codes,
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
            lastmod=to_microseconds(version.lastmod) if version.lastmod else None,
            published=version.published.isoformat(),
            at=int(version.harvested.timestamp()),
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
        return self._report.about(
            url=facts.entry.loc,
            host=reading.visit.host,
            organisation=organisation.identifier if organisation else None,
            sitemap=reading.sitemap.url,
            line=facts.entry.line,
            since=None if since is None else iso_seconds(since),
        )


def _write_documents(
    connection: Connection, updates: Sequence[StateUpdate], moved: Sequence[int], sitemap_id: int
) -> None:
    """Write what changed of the documents themselves.

    The order is documents, then listings, then files. Other runs lock rows in the same order.
    """
    here = [*moved, *(one.document_id for one in updates if one.is_moved)]
    digests = {one.document_id: one.digest for one in updates if one.digest is not None}
    corrected = [one.document_id for one in updates if one.ends_fault]
    documents.lock_rows(connection, {*here, *digests, *corrected})
    documents.move(connection, here, sitemap_id)
    documents.keep_digests(connection, digests)
    documents.end_faults(connection, corrected)
