"""Second step of an entry's way: look up what the state knows of its document, and who else lists it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from time import time

from sqlalchemy import Connection

from woo_harvester.crawl.candidates import Candidate, Changes, Place, Version
from woo_harvester.register import Register
from woo_harvester.state import documents, listings
from woo_harvester.state.decision import Known
from woo_harvester.state.listings import HostListing
from woo_harvester.state.resources import hosts_of_sitemaps
from woo_harvester.urls import host_of


class LookUp:
    """Asks the state in batches. *is_waited_for* says whether a host is still being read in this run."""

    def __init__(self, register: Register, is_waited_for: Callable[[str], bool]) -> None:
        self._register = register
        self._is_waited_for = is_waited_for

    def look_up(
        self, connection: Connection, changes: Changes, known: dict[str, Known], place: Place
    ) -> list[Candidate]:
        """Return the candidates of a batch with what is known of them; what is new is noted."""
        host = place.visit.host
        own = {entry.loc: self._register.is_own(entry.loc, host) for entry, _, _ in changes.candidates}
        # A document of others that nobody knows is noted only when it is known who lists it: see waits.
        waiting = {
            loc for loc, is_own in own.items() if loc not in known and not is_own and self.waits(loc, place)
        }
        new = own.keys() - known.keys() - waiting
        known.update(documents.add_seen(connection, new, place.sitemap_id, int(time())))
        if waiting:
            place.is_postponed = True
            rest = [one for one in changes.candidates if one[0].loc not in waiting]
            changes.postponed += len(changes.candidates) - len(rest)
            changes.candidates = rest
        ids = [known[entry.loc].id for entry, _, _ in changes.candidates]
        rows = listings.find(connection, place.sitemap_id, ids)
        versions = self._versions(connection, [known[loc] for loc in own if loc in known], own, place)
        found = []
        for entry, digest, report in changes.candidates:
            document = known[entry.loc]
            place.seen.add(document.id)
            version = versions.get(document.id) or Version(host, own[entry.loc])
            row = rows.get(document.id)
            found.append(Candidate(entry, digest, report, own[entry.loc], document, row, version))
        return found

    def _versions(
        self, connection: Connection, known: Sequence[Known], own: Mapping[str, bool], place: Place
    ) -> dict[int, Version]:
        """Return where the versions of documents came from that another host lists, or may list."""
        asked = [one for one in known if not own[one.loc] or one.sitemap_id not in place.visit.own_sitemaps]
        if not asked:
            return {}
        ids = [one.id for one in asked]
        host = place.visit.host
        sources = hosts_of_sitemaps(connection, {one.sitemap_id for one in asked})
        own_versions = listings.own_versions(connection, ids)
        rows = list(listings.listed_by(connection, ids))
        listed = {(row.document_id, row.host) for row in rows}
        owners = self._owners(rows, host)
        found: dict[int, Version] = {}
        for one in asked:
            source = sources[one.sitemap_id]
            # By the register of today, or by that of the day on which it was read: registers change.
            is_own = one.id in own_versions or self._register.is_own(one.loc, source)
            is_listed = (one.id, source) in listed
            own_version = own[one.loc] if source == host else is_own
            found[one.id] = Version(source, own_version, is_listed, owners.get(one.id))
        return found

    def owners(self, connection: Connection, ids: Sequence[int], host: str) -> dict[int, str]:
        """Return for each document that is another's a host of its owner that lists it."""
        rows = listings.listed_by(connection, ids)
        return self._owners((row for row in rows if not self._register.is_own(row.loc, host)), host)

    def _owners(self, rows: Iterable[HostListing], host: str) -> dict[int, str]:
        found: dict[int, str] = {}
        for row in rows:
            if row.host == host or (row.document_id in found and row.host != host_of(row.loc)):
                continue
            if self._register.is_registered(row.host) and self._register.is_own(row.loc, row.host):
                found[row.document_id] = row.host
        return found

    def waits(self, loc: str, place: Place) -> bool:
        """Whether the hosts that come before this one for a document are still being read."""
        if place.visit.is_second:
            return False
        return any(self._is_waited_for(host) for host in self._register.own_hosts(loc))
