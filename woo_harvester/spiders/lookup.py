"""Second step of an entry's way: look up what the state knows of its document, and who else lists it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import time

from sqlalchemy import Connection

from woo_harvester.register import Register
from woo_harvester.spiders.candidates import Candidate, Changes, Place
from woo_harvester.state import documents, listings
from woo_harvester.state.decision import Known
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
            place.is_postponed = place.reading.flawed = True
            rest = [one for one in changes.candidates if one[0].loc not in waiting]
            changes.postponed += len(changes.candidates) - len(rest)
            changes.candidates = rest
        ids = [known[entry.loc].id for entry, _, _ in changes.candidates]
        rows = listings.find(connection, place.sitemap_id, ids)
        elsewhere = self._elsewhere(connection, [known[loc] for loc in own if loc in known], own, place)
        found = []
        for entry, digest, notes in changes.candidates:
            document = known[entry.loc]
            place.seen.add(document.id)
            source, owner = elsewhere.get(document.id, (host, None))
            is_own = own[entry.loc]
            own_known = is_own if source == host else self._register.is_own(entry.loc, source)
            row = rows.get(document.id)
            found.append(Candidate(entry, digest, notes, is_own, document, row, own_known, owner, source))
        return found

    def _elsewhere(
        self, connection: Connection, known: Sequence[Known], own: Mapping[str, bool], place: Place
    ) -> dict[int, tuple[str, str | None]]:
        """Return the host of each document's version, and a host of its owner that lists it.

        Only for documents that another host may list.
        """
        asked = [one for one in known if not own[one.loc] or one.sitemap_id not in place.visit.own_sitemaps]
        if not asked:
            return {}
        sources = hosts_of_sitemaps(connection, {one.sitemap_id for one in asked})
        owners = self.owners(connection, [one.id for one in asked], place.visit.host)
        return {one.id: (sources[one.sitemap_id], owners.get(one.id)) for one in asked}

    def owners(self, connection: Connection, ids: Sequence[int], host: str) -> dict[int, str]:
        """Return for each document a host of its owner that lists it, other than *host*."""
        found: dict[int, str] = {}
        for row in listings.listed_by(connection, ids):
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
