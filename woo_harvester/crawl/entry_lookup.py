"""Looks up entries in the state and the register, the first of three stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import time

from sqlalchemy import Connection

from woo_harvester.crawl.host import Visit
from woo_harvester.register import Register
from woo_harvester.sitemaps.decide import find_loc_problem
from woo_harvester.sitemaps.facts import (
    OTHERS_VERSION,
    OWN_VERSION,
    EntryFacts,
    KnownDocument,
    KnownVersion,
)
from woo_harvester.sitemaps.file_findings import Sitemap
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.state import documents, listings
from woo_harvester.state.contents import PendingRead
from woo_harvester.state.listings import HostListing
from woo_harvester.state.permit_history import DocumentSet
from woo_harvester.state.resources import hosts_of_sitemaps
from woo_harvester.tooi.lists import ValueLists
from woo_harvester.tooi.values import Concept
from woo_harvester.utils.urls import host_of


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
    seen: DocumentSet = field(default_factory=DocumentSet)
    """Documents that were read and looked up."""
    placed: DocumentSet = field(default_factory=DocumentSet)
    """Documents of which an entry was decided on."""
    placed_again: DocumentSet = field(default_factory=DocumentSet)
    """Documents of which a second entry was decided on."""
    left_to: Counter[str] = field(default_factory=Counter)
    """Number of its entries whose documents their own hosts list too, by host."""
    left_out: int = 0
    """Number of entries that the run does not choose, or that the spider's filter has left out."""
    is_postponed: bool = False
    """True if some of its entries wait until the hosts of their documents have been read."""

    @property
    def sitemap_id(self) -> int:
        """The number of the sitemap in the state."""
        return self.pending.resource_id


class EntryLookUp:
    """The stage that looks up entries. *is_waited_for* returns whether a host is still being read."""

    def __init__(self, register: Register, is_waited_for: Callable[[str], bool]) -> None:
        self._register = register
        self._is_waited_for = is_waited_for

    def look_up(
        self,
        connection: Connection,
        entries: Iterable[tuple[Entry, bytes | None]],
        known: Mapping[str, KnownDocument],
        reading: SitemapReading,
    ) -> list[EntryFacts]:
        """Return the facts of entries, each given with its digest; add new documents to the state.

        *known* has the documents that the state knows, by loc.
        """
        facts = [self._by_register(entry, digest, reading) for entry, digest in entries]
        for one in facts:
            one.known = known.get(one.entry.loc)
            if one.known is None and not one.is_own:
                one.is_owner_awaited = self._is_owner_awaited(one.entry.loc, reading)
        # A new document of another organisation is added only once it is known which hosts list it.
        new = [one for one in facts if one.known is None and one.is_registered and not one.is_owner_awaited]
        locs = {one.entry.loc for one in new}
        added = documents.add_seen(connection, locs, reading.sitemap_id, int(time()))
        for one in new:
            one.known = added.get(one.entry.loc)
        self._add_listings(connection, facts, reading)
        return facts

    def owners(self, connection: Connection, ids: Sequence[int], host: str) -> dict[int, str]:
        """Return, for each document of another organisation, a host of that organisation that lists it."""
        rows = listings.listed_by(connection, ids)
        return self._owners((row for row in rows if not self._register.is_own(row.loc, host)), host)

    def _by_register(self, entry: Entry, digest: bytes | None, reading: SitemapReading) -> EntryFacts:
        """Return the facts of an entry that the register has."""
        loc, host = entry.loc, reading.visit.host
        problem = find_loc_problem(loc)
        if problem is not None or not self._register.is_registered(host_of(loc)):
            return EntryFacts(entry, digest, problem, is_registered=False)
        is_own = self._register.is_own(loc, host)
        return EntryFacts(
            entry,
            digest,
            is_own=is_own,
            match=self._register.organisation_of(loc, host),
            sitemap_id=reading.sitemap_id,
            version=OWN_VERSION if is_own else OTHERS_VERSION,
        )

    def _add_listings(
        self, connection: Connection, facts: Sequence[EntryFacts], reading: SitemapReading
    ) -> None:
        """Add which hosts list the known documents, and which entries their versions came from."""
        known = [(one, one.known) for one in facts if one.known is not None and one.is_registered]
        rows = listings.find(connection, reading.sitemap_id, [document.id for _, document in known])
        versions = self._versions(connection, known, reading)
        for one, document in known:
            reading.seen.add(document.id)
            one.listing = rows.get(document.id)
            one.version = versions.get(document.id) or one.version
            if not one.is_own and one.version.owner is None:
                one.is_owner_awaited = self._is_owner_awaited(one.entry.loc, reading)

    def _versions(
        self,
        connection: Connection,
        facts: Iterable[tuple[EntryFacts, KnownDocument]],
        reading: SitemapReading,
    ) -> dict[int, KnownVersion]:
        """Return the origin of each known version whose document another host lists, or may list."""
        host, own_sitemaps = reading.visit.host, reading.visit.own_sitemaps
        asked = [
            (one, document)
            for one, document in facts
            if not one.is_own or document.sitemap_id not in own_sitemaps
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
