"""Applies decisions on entries, the last of three stages: report, make items, write to the state."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from woo_harvester.crawl.host import SitemapReading
from woo_harvester.crawl.repeated_entries import (
    StoredMetadata,
    add_supplements,
    keep_entries,
    stored_metadata,
)
from woo_harvester.diwoo.given import metadata_of
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import Fetched, Source, StreamedResponse, WooItem
from woo_harvester.record import Aanvulling, Herkomst
from woo_harvester.sitemaps.facts import (
    DELIVERED_AGAIN,
    Decision,
    EntryFacts,
    EntryOutcome,
    KnownDocument,
    NewVersion,
    StateUpdate,
    own_listing,
)
from woo_harvester.state import documents, listings
from woo_harvester.state.contents import Content, Delivery, Depth, Harvested, KnownFile
from woo_harvester.state.resources import forget_read
from woo_harvester.utils.dates import iso_seconds, to_microseconds

_Decided = Sequence[tuple[EntryFacts, Decision]]


@dataclass(frozen=True, slots=True)
class Stored:
    """What the items of a batch need of the state."""

    files: Mapping[int, KnownFile]
    """The known files of documents that are harvested again."""
    metadata: Sequence[StoredMetadata]
    """The metadata of other entries for the document of each entry."""


class EntryApply:
    """The stage that applies the decisions on the entries of a batch."""

    def __init__(self, report: Reporter, keeper: StateKeeper) -> None:
        self._report = report
        self._keeper = keeper

    def write(
        self,
        connection: Connection,
        decided: _Decided,
        moved: Mapping[int, int],
        reading: SitemapReading,
        now: datetime,
    ) -> Stored:
        """Write the entries of a batch to the state, and return what their items need of it.

        *moved* are the documents whose entries are unchanged to the byte, with the sitemap of the host that
        listed them before. They may be listed in both.
        """
        reading.pending.must_reread |= bool(moved)
        for facts, decision in decided:
            reading.note(facts, decision)
        again = [facts.known.id for facts, made in decided if facts.known and made.is_harvested_again]
        stored = Stored(
            documents.files_of(connection, again),
            [stored_metadata(connection, facts) if decision.version else {} for facts, decision in decided],
        )
        shared = self._sharing_sitemaps(connection, decided, moved, reading)
        updates = [decision.update for _, decision in decided if decision.update is not None]
        _write_documents(connection, updates, reading.sitemap_id)
        _write_listings(connection, updates, list(moved), reading.sitemap_id)
        for sitemap_id in sorted(shared):
            forget_read(connection, sitemap_id)
        keep_entries(connection, decided, reading, now)
        return stored

    def items(self, decided: _Decided, stored: Stored, reading: SitemapReading) -> Iterator[WooItem]:
        """Report what is wrong with entries, and yield the items of those to be harvested.

        This takes longest, so no transaction is open meanwhile that would keep other processes from writing.
        Each entry is let go once its item is made: its elements take as much memory as the item.
        """
        waiting = deque(zip(decided, stored.metadata, strict=True))
        del decided
        while waiting:
            (facts, decision), metadata = waiting.popleft()
            version, known = decision.version, facts.known
            if not decision.findings and version is None:
                continue
            report = self._reporter(facts, reading)
            for one in decision.findings:
                report(one.code, element=one.element, seen=one.seen, action=one.action)
            if version is not None and known is not None:
                source = Source(metadata_of(facts.entry), reading.category, facts.match, reading.lists)
                supplemented = add_supplements(facts, metadata, source)
                source.known = stored.files.get(known.id)
                source.recheck = decision.outcome is EntryOutcome.RECHECKED
                origin = Herkomst(
                    index=reading.sitemap.index.url,
                    sitemap=reading.sitemap.url,
                    opgehaald=version.at,
                    organisatie=report.organisation,
                    bevindingen=report.codes,
                )
                record = version.record(facts.entry.loc, origin)
                if decision.outcome is EntryOutcome.SUPPLIED and self._keeper.wanted is not None:
                    source.content = self._keeper.wanted.content_of(known.content)
                    record.herkomst.aangevuld = [*self._keeper.wanted.lacks(known.content)]
                elif decision.outcome is EntryOutcome.SUPPLEMENTED:
                    record.herkomst.aangevuld = [Aanvulling.METADATA]
                item = WooItem(record, source, report)
                harvested = _harvested(facts, known.id, version, reading.sitemap_id, supplemented)
                if decision.outcome in (EntryOutcome.SUPPLEMENTED, *DELIVERED_AGAIN):
                    self._keep_known(known, decision, source, harvested)
                self._keeper.expect(item, Delivery(harvested=harvested, reading=reading.pending))
                yield item

    def _keep_known(
        self, known: KnownDocument, decision: Decision, source: Source, harvested: Harvested
    ) -> None:
        """Let the state keep what it knows of a document that is delivered again, whatever is known today."""
        wanted = self._keeper.wanted
        source.again = wanted.content_of(known.content) if wanted is not None else Content(Depth.NONE)
        harvested.file = source.known
        if source.known is not None:  # in place of its headers; a run that downloads requests it all the same
            source.fetched = Fetched(StreamedResponse(known.loc, 304), source.known)
        harvested.sitemap_id = None
        harvested.content = known.content
        digest = decision.update.digest if decision.update is not None else None
        harvested.entry_digest = digest or known.entry_digest

    def _reporter(self, facts: EntryFacts, reading: SitemapReading) -> Reporter:
        """Return a reporter of findings about an entry."""
        organisation = facts.match.organisation
        since = facts.known.fault_since if facts.known is not None and facts.is_registered else None
        return self._report.about(
            url=facts.entry.loc,
            host=reading.visit.host,
            organisation=organisation.identifier if organisation else None,
            sitemap=reading.sitemap.url,
            line=facts.entry.line,
            since=None if since is None else iso_seconds(since),
        )

    def _sharing_sitemaps(
        self, connection: Connection, decided: _Decided, moved: Mapping[int, int], reading: SitemapReading
    ) -> set[int]:
        """Return the sitemaps of the host that list the same document; the next run must read them again.

        They are read in every run, because every run must report the duplicates. The sitemap that a document
        moved from may list it still.
        """
        found = set(moved.values())
        for facts, decision in decided:
            if decision.outcome is EntryOutcome.DUPLICATE and facts.known is not None:
                sitemaps = listings.sitemaps_of(connection, facts.known.id)
                found.update(reading.visit.own_sitemaps.intersection(sitemaps))
        for sitemap_id in found:
            self._keeper.require_reread(sitemap_id)
        return found


def _harvested(
    facts: EntryFacts, document_id: int, version: NewVersion, sitemap_id: int, supplemented: int | None
) -> Harvested:
    """Return the version that the state stores once every output has the record."""
    return Harvested(
        id=document_id,
        lastmod=to_microseconds(version.lastmod) if version.lastmod else None,
        published=version.published.isoformat(),
        at=int((version.began_at or version.at).timestamp()),
        entry_digest=facts.digest,
        sitemap_id=sitemap_id,
        takes_over=version.takes_over,
        supplemented=supplemented,
        cause=version.cause.value,
        number=version.number,
        supplied_at=int(version.at.timestamp()) if version.began_at is not None else None,
    )


def _write_documents(connection: Connection, updates: Sequence[StateUpdate], sitemap_id: int) -> None:
    """Write what changed of the documents themselves.

    The order is documents, then listings, then files. Other runs lock rows in the same order.
    """
    moved = [one.document_id for one in updates if one.is_moved]
    digests = {one.document_id: one.digest for one in updates if one.digest is not None}
    corrected = [one.document_id for one in updates if one.ends_fault]
    documents.lock_rows(connection, {*moved, *digests, *corrected})
    documents.move(connection, moved, sitemap_id)
    documents.keep_digests(connection, digests)
    documents.end_faults(connection, corrected)


def _write_listings(
    connection: Connection, updates: Sequence[StateUpdate], same: Sequence[int], sitemap_id: int
) -> None:
    """Write where documents are listed."""
    new = [own_listing(document_id) for document_id in same]
    new += [one.new_listing for one in updates if one.new_listing is not None]
    new.sort(key=lambda row: row.lastmod or 0, reverse=True)  # of two of a document the first is added
    listings.add(connection, sitemap_id, new)
    again = [*same, *(one.document_id for one in updates if one.is_listed_again)]
    listings.listed_again(connection, sitemap_id, again)
    changed = [one.changed_listing for one in updates if one.changed_listing is not None]
    listings.keep_foreign(connection, sitemap_id, changed)
