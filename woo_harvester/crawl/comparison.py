"""First step of an entry's way: pass over what is the same, and apply the rules on loc to the rest.

Source: seed "Sitemapindex en Sitemaps", field loc; seed "Technische implementatie", sections "Doellocatie van
de <loc> verwijzing" and "Protocol indicatie".
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from woo_harvester.crawl.candidates import Changes, ListedEntry, Place
from woo_harvester.findings import Reporter
from woo_harvester.register import Register
from woo_harvester.sitemaps.rules import SKIPPED, is_usable
from woo_harvester.sitemaps.scanner import NotPlainError
from woo_harvester.state import documents
from woo_harvester.state.decision import Known
from woo_harvester.state.listings import Listing
from woo_harvester.urls import host_of, loc_problem


class Comparison:
    """Compares entries with what is known of their documents."""

    def __init__(self, register: Register, report: Reporter) -> None:
        self._register = register
        self._report = report
        self._origin = "\0"
        """Beginning of a loc, up to and with its path's first slash, whose host is registered."""

    def compare(
        self, connection: Connection, batch: Sequence[ListedEntry], known: dict[str, Known], place: Place
    ) -> Changes:
        """Pass over what is the same to the byte; a million entries a day come by here."""
        changes = Changes()
        same, listed = place.same, place.visit.listed
        for entry in batch:
            key = same.get(entry.digest)
            if (
                key is not None
                and self._is_registered(entry.loc)
                and (listed.add(key) or place.visit.is_second)
            ):
                del same[entry.digest]
                changes.unchanged += 1
            else:
                if key is not None:
                    known.update(documents.look_up(connection, [entry.loc]))
                try:
                    self._compare_one(entry, known.get(entry.loc), place, changes)
                except NotPlainError:
                    break
            changes.consumed += 1
        if place.visit.is_second:  # the first reading has counted them
            changes.postponed += changes.unchanged
            changes.unchanged = 0
        return changes

    def _compare_one(
        self, listed: ListedEntry, document: Known | None, place: Place, changes: Changes
    ) -> None:
        """Take an entry for a candidate, or report why it is not harvested."""
        if document is not None:
            place.seen.add(document.id)
            if self._is_same(listed, document, place):
                changes.listed.append(Listing(document.id, 0, foreign=False, lastmod=None))
                changes.again.append(document.id)
                changes.unchanged += 1
                return
        entry = listed.parse()
        if place.visit.is_second and not self._is_postponed(entry.loc, document, place):
            changes.postponed += 1  # it was compared in the first reading
            return
        sitemap = place.sitemap.url
        report = self._report.about(url=entry.loc, host=place.visit.host, sitemap=sitemap, line=entry.line)
        if self._may_be_harvested(entry.loc, report):
            changes.candidates.append((entry, listed.digest, report))
        else:
            # What is wrong is reported in each run: the sitemap is not passed over.
            place.reading.flawed = True
            if document is not None:
                # Harvested before its host left the register: not harvested any more, but not gone either.
                changes.listed.append(Listing(document.id, 0, foreign=False, lastmod=None))
                changes.again.append(document.id)

    def _is_same(self, listed: ListedEntry, document: Known, place: Place) -> bool:
        """Whether an entry is the same to the byte, though another sitemap of the host had it before."""
        return (
            listed.digest is not None
            and listed.digest == document.entry_digest
            and document.withdrawn is None
            and document.harvested is not None
            and document.fault is None
            and document.unchanged_since is None
            and document.sitemap_id in place.visit.own_sitemaps
            and self._is_registered(listed.loc)
            and self._register.is_own(listed.loc, place.visit.host)
            and place.visit.listed.add(document.id)
        )

    def _is_postponed(self, loc: str, document: Known | None, place: Place) -> bool:
        """Whether an entry waited for the second reading of its sitemap."""
        return (
            (document is None or document.id not in place.visit.listed)
            and not loc_problem(loc)
            and self._register.is_registered(host_of(loc))
            and not self._register.is_own(loc, place.visit.host)
        )

    def _is_registered(self, loc: str) -> bool:
        """Whether the host of *loc* is in the register; nearly always it is the host of the one before."""
        if loc.startswith(self._origin):
            return True
        registered = self._register.is_registered(host_of(loc))
        end = loc.find("/", loc.find("//") + 2) + 1
        if registered and end:
            self._origin = loc[:end]
        return registered

    def _may_be_harvested(self, loc: str, report: Reporter) -> bool:
        if not is_usable(loc, report):
            return False
        if not self._register.is_registered(host_of(loc)):
            report("loc.niet-geregistreerd", element="loc", seen=host_of(loc), action=SKIPPED)
            return False
        return True
