"""Looks up entries in the state and the register, the first of three stages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from woo_harvester.crawl.host import SitemapReading, Visit
from woo_harvester.diwoo.defaults import Choice
from woo_harvester.register import Register
from woo_harvester.sitemaps.decide import UNREGISTERED, find_loc_problem
from woo_harvester.sitemaps.facts import EntryFacts, KnownDocument, Source, Terms
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.scanner import NotPlainError, ScannedEntry
from woo_harvester.state import documents, listings
from woo_harvester.state.listings import HostListing
from woo_harvester.utils.urls import corrected_locs, host_of


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
        batch = self._pass_over_same(connection, entries, reading)
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
        found = {row.document_id: row.host for row in rows if row.is_source and row.host != host}
        return found | self._owners((row for row in rows if not self._register.is_own(row.loc, host)), host)

    def _pass_over_same(
        self, connection: Connection, entries: Sequence[Entry | ScannedEntry], reading: SitemapReading
    ) -> Batch:
        """Return the batch without the entries that are unchanged to the byte. A million a day are."""
        same, listed = reading.same, reading.visit.listed
        asked = [entry.loc for entry in entries if entry.digest not in same]
        batch = Batch(documents.look_up(connection, asked))
        batch.known.update(self._look_up_corrected(connection, asked, reading))
        unchanged = 0
        for entry in entries:
            key = same.get(entry.digest)
            if key is not None and self._is_registered(entry.loc) and listed.add(key):
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

    def _compare(self, listed: Entry | ScannedEntry, batch: Batch, reading: SitemapReading) -> None:
        """Compare an entry with its document, and add it to the batch. Raise NotPlainError if not plain."""
        document, visit = batch.known.get(listed.loc), reading.visit
        if document is not None:
            reading.seen.add(document.id)
            if self._is_moved(listed, document, visit):
                batch.moved.append(document.id)
                batch.unchanged += 1
                return
        facts = EntryFacts(listed.parse(), listed.digest, known=document)
        categories = reading.lists.informatiecategorieen
        if self._choice is not None and not self._choice.has(facts, reading.category, categories):
            batch.left_out += 1
        else:
            batch.rest.append(facts)

    def _is_moved(self, listed: Entry | ScannedEntry, document: KnownDocument, visit: Visit) -> bool:
        """Return whether an entry is unchanged to the byte but was in another sitemap of the host before."""
        return (
            listed.digest is not None
            and listed.digest == document.entry_digest
            and document.withdrawn is None
            and document.harvested is not None
            and document.fault is None
            and document.sitemap_id in visit.own_sitemaps
            and document.sitemap_id not in visit.unchanged
            and self._is_registered(listed.loc)
            and self._register.is_own(listed.loc, visit.host)
            and not self._terms.want_again(document)
            and visit.listed.add(document.id)
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
        listed = {(row.document_id, row.sitemap_id) for row in rows}
        owners = self._owners(rows, visit.host)
        for one, document in elsewhere:
            key = document.id
            one.owner = None if one.is_own else owners.get(key)
            if document.sitemap_id not in places:
                continue
            host, url = places[document.sitemap_id]
            is_read = document.sitemap_id in visit.read
            was_read_now = is_read and document.sitemap_id not in visit.unchanged
            one.source = Source(
                sitemap=url,
                host=host,
                is_here=host == visit.host,
                is_own=self._register.is_own(document.loc, host),
                is_listed=key in visit.listed if was_read_now else (key, document.sitemap_id) in listed,
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
