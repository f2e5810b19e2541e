"""Looks up entries in the state and the register, the first of three stages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import time

from sqlalchemy import Connection

from woo_harvester.crawl.host import SitemapReading, Visit
from woo_harvester.diwoo.defaults import Choice
from woo_harvester.register import Register
from woo_harvester.sitemaps.decide import find_loc_problem
from woo_harvester.sitemaps.facts import (
    OTHERS_VERSION,
    OWN_VERSION,
    EntryFacts,
    KnownDocument,
    KnownVersion,
    Terms,
)
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.scanner import NotPlainError, ScannedEntry
from woo_harvester.state import documents, listings
from woo_harvester.state.listings import HostListing
from woo_harvester.state.resources import hosts_of_sitemaps
from woo_harvester.utils.urls import corrected_locs, host_of


@dataclass(slots=True)
class Batch:
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
    rest: list[EntryFacts] = field(default_factory=list)
    """The entries to decide on."""


class EntryLookUp:
    """The stage that looks up entries.

    *is_waited_for* returns whether a host is still being read in this run. *choice* is what the run chooses
    of the entries; None for all.
    """

    def __init__(
        self,
        register: Register,
        terms: Terms,
        is_waited_for: Callable[[str], bool],
        choice: Choice | None,
    ) -> None:
        self._register = register
        self._terms = terms
        self._is_waited_for = is_waited_for
        self._choice = choice
        self._origin = "\0"
        """The last registered origin, with the slash after it: a loc that begins with it needs no check."""

    def look_up(
        self, connection: Connection, entries: Sequence[Entry | ScannedEntry], reading: SitemapReading
    ) -> Batch:
        """Return a batch of entries, with the facts of those to decide on; add new documents to the state."""
        batch = self._pass_over_same(connection, entries, reading)
        facts = batch.rest
        for one in facts:
            self._add_register(one, reading)
            one.known = batch.known.get(one.entry.loc)
            if one.known is None and not one.is_own:
                one.is_owner_awaited = self._is_owner_awaited(one.entry.loc, reading)
        # A new document of another organisation is added only once it is known which hosts list it.
        new = [one for one in facts if one.known is None and one.is_registered and not one.is_owner_awaited]
        locs = {one.entry.loc for one in new}
        added = documents.add_seen(connection, locs, reading.sitemap_id, int(time()))
        for one in new:
            one.known = added.get(one.entry.loc)
        self._add_listings(connection, facts, reading)
        return batch

    def owners(self, connection: Connection, ids: Sequence[int], host: str) -> dict[int, str]:
        """Return, for each document of another organisation, a host of that organisation that lists it."""
        rows = listings.listed_by(connection, ids)
        return self._owners((row for row in rows if not self._register.is_own(row.loc, host)), host)

    def _pass_over_same(
        self, connection: Connection, entries: Sequence[Entry | ScannedEntry], reading: SitemapReading
    ) -> Batch:
        """Return the batch without the entries that are unchanged to the byte. A million a day are."""
        same, listed, is_second = reading.same, reading.visit.listed, reading.visit.is_second
        asked = [entry.loc for entry in entries if entry.digest not in same]
        batch = Batch(documents.look_up(connection, asked))
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
            if self._is_same(listed, document, visit):
                batch.moved[document.id] = document.sitemap_id
                batch.unchanged += 1
                return
        entry = listed.parse()
        if visit.is_second and not self._was_postponed(entry.loc, document, visit):
            batch.counted += 1
            return
        facts = EntryFacts(entry, listed.digest, known=document)
        categories = reading.lists.informatiecategorieen
        if self._choice is not None and not self._choice.has(facts, reading.category, categories):
            batch.left_out += 1
        else:
            batch.rest.append(facts)

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

    def _add_register(self, facts: EntryFacts, reading: SitemapReading) -> None:
        """Add what the register says of an entry."""
        loc, host = facts.entry.loc, reading.visit.host
        facts.loc_problem = find_loc_problem(loc)
        if facts.loc_problem is not None or not self._register.is_registered(host_of(loc)):
            facts.is_registered = False
            return
        facts.sitemap_id = reading.sitemap_id
        facts.is_own = self._register.is_own(loc, host)
        facts.match = self._register.organisation_of(loc, host)
        facts.version = OWN_VERSION if facts.is_own else OTHERS_VERSION

    def _add_listings(
        self, connection: Connection, facts: Sequence[EntryFacts], reading: SitemapReading
    ) -> None:
        """Add which hosts list the known documents, and which entries their versions came from."""
        known = [(one, one.known) for one in facts if one.known is not None and one.is_registered]
        rows = listings.find(connection, reading.sitemap_id, [document.id for _, document in known])
        versions = self._versions(connection, known, reading.visit)
        for one, document in known:
            reading.seen.add(document.id)
            one.listing = rows.get(document.id)
            one.version = versions.get(document.id) or one.version
            if not one.is_own and one.version.owner is None:
                one.is_owner_awaited = self._is_owner_awaited(one.entry.loc, reading)

    def _versions(
        self, connection: Connection, facts: Iterable[tuple[EntryFacts, KnownDocument]], visit: Visit
    ) -> dict[int, KnownVersion]:
        """Return the origin of each known version whose document another host lists, or may list."""
        host = visit.host
        asked = [
            (one, document)
            for one, document in facts
            if not one.is_own or document.sitemap_id not in visit.own_sitemaps
        ]
        if not asked:
            return {}
        ids = [document.id for _, document in asked]
        sources = hosts_of_sitemaps(connection, {document.sitemap_id for _, document in asked})
        own_versions = listings.own_versions(connection, ids)
        rows = list(listings.listed_by(connection, ids))
        listed = {(row.document_id, row.host) for row in rows}
        owners = self._owners(rows, host)
        found: dict[int, KnownVersion] = {}
        for one, document in asked:
            source = sources[document.sitemap_id]
            # The register of today, or that of the day on which the entry was read: registers change.
            is_own = document.id in own_versions or self._register.is_own(document.loc, source)
            found[document.id] = KnownVersion(
                is_own=one.is_own if source == host else is_own,
                is_here=source == host,
                is_listed=(document.id, source) in listed,
                owner=owners.get(document.id),
                host=source,
            )
        return found

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

    def _is_owner_awaited(self, loc: str, reading: SitemapReading) -> bool:
        """Return whether the owner's hosts are still being read: their entry for a document counts first."""
        if reading.visit.is_second:
            return False
        return any(self._is_waited_for(host) for host in self._register.own_hosts(loc))
