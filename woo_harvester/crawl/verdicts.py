"""Third step of an entry's way: decide, and make the item or report why there is none.

Source: seed "Sitemapindex en Sitemaps", field lastmod.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import cast

from sqlalchemy import Connection

from woo_harvester.crawl.candidates import Candidate, Changes, Place
from woo_harvester.crawl.lookup import LookUp
from woo_harvester.dates import day_of, iso_datetime, iso_seconds, moment_after
from woo_harvester.diwoo.given_metadata import read_metadata
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import Source, WooItem
from woo_harvester.record import Document, Herkomst, Oorzaak, Record, Versie
from woo_harvester.register import Match, Register
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.rules import SKIPPED, read_lastmod
from woo_harvester.sitemaps.url_selection import Sitemap
from woo_harvester.state import documents, listings
from woo_harvester.state.decision import (
    Known,
    Standing,
    Verdict,
    decide,
    is_long_ago,
    is_refused,
    microseconds,
    moment_of,
)
from woo_harvester.state.delivery import Delivery
from woo_harvester.state.listings import Listing
from woo_harvester.state.versions import Harvested
from woo_harvester.tooi.categories import category_of_index
from woo_harvester.urls import record_id

NOT_AGAIN = "niet opnieuw opgehaald, want de lastmod is niet nieuwer"


class Verdicts:
    """Decides on entries; *patience* and *recheck* are those of Entries."""

    def __init__(
        self,
        register: Register,
        keeper: StateKeeper,
        lookup: LookUp,
        patience: timedelta,
        recheck: timedelta | None,
    ) -> None:
        self._register = register
        self._keeper = keeper
        self._lookup = lookup
        self._patience = patience.total_seconds()
        self._recheck = recheck
        self.counts = dict.fromkeys(Verdict, 0)
        """Entries by what was decided."""

    def apply(self, connection: Connection, one: Candidate, place: Place, changes: Changes) -> WooItem | None:
        """Return the item for an entry, or None where nothing is to be harvested."""
        known, entry, report = one.known, one.entry, one.report
        match = self._register.organisation_of(entry.loc, place.visit.host)
        report.organisation = match.organisation.identifier if match.organisation else None
        now = datetime.now(UTC).replace(microsecond=0)
        moment = read_lastmod(entry.lastmod, now, report if self._counts(one, place) else _silent(report))
        verdict = self._decide(one, moment, now)
        if verdict is Verdict.RECHECKED:
            one.entry, moment = _as_harvested(entry, known, moment)
        if not one.own and verdict.cause and self._lookup.waits(entry.loc, place):
            place.is_postponed = True
            changes.postponed += 1
            return None
        self._note_listing(one, moment, verdict, changes)
        is_repeated = not place.visit.listed.add(known.id)
        if is_repeated and (verdict.cause is None or known.id in self._keeper.expected):
            # Unless it is newer than the entry that came before, and that one gave nothing.
            self._repeated(connection, one, place, changes)
            return None
        if verdict is Verdict.FOREIGN:
            place.left_to[str(one.version.owner)] += 1
            self.counts[verdict] += 1
            return None
        if known.id in self._keeper.expected:
            # Another host of its owner gave it in this run: the newest entry counts from the next run on.
            self._repeated(connection, one, place, changes)
            return None
        self.counts[verdict] += 1
        if verdict.cause is None:
            self._passed_over(verdict, one, place, changes)
            return None
        return self._item(connection, one, match, verdict, moment, now, place)

    def _counts(self, one: Candidate, place: Place) -> bool:
        """Whether an entry is looked at in this reading: what is wrong with others is not reported."""
        if one.known.id in place.visit.listed:
            return False
        return one.own or (one.version.owner is None and not self._lookup.waits(one.entry.loc, place))

    def _decide(self, one: Candidate, moment: datetime | None, now: datetime) -> Verdict:
        known, row = one.known, one.listing
        standing = Standing(
            own=one.own,
            own_known=one.version.own,
            own_listed=one.version.owner is not None,
            lastmod=row.lastmod if row else None,
            seen_before=row is not None,
        )
        verdict = decide(known, moment, standing)
        if verdict is Verdict.UNCHANGED and one.own == one.version.own and self._is_recheck_due(known, now):
            verdict = Verdict.RECHECKED
        if known.fault is not None:
            one.report.since = iso_seconds(known.fault_since) if known.fault_since is not None else None
            comparable = one.version.own or not one.own
            if (
                verdict.cause
                and comparable
                and is_refused(known, moment, int(now.timestamp()), self._patience)
            ):
                return Verdict.REFUSED
        return verdict

    def _is_recheck_due(self, known: Known, now: datetime) -> bool:
        """Return whether the bytes of an unchanged document must be compared, whatever its server says."""
        if self._recheck is None or known.unchanged_since is None:
            return False
        return is_long_ago(known.fetched_at, int(now.timestamp()), self._recheck.total_seconds())

    @staticmethod
    def _note_listing(one: Candidate, moment: datetime | None, verdict: Verdict, changes: Changes) -> None:
        """Note that this sitemap lists the document.

        The lastmod of a version that is to be delivered is not noted: if the run is killed, it comes again.
        """
        lastmod = microseconds(moment) if moment and not one.own else None
        if verdict.cause is not None:
            lastmod = one.listing.lastmod if one.listing else None
        row = Listing(one.known.id, 0, not one.own, lastmod)
        if one.listing is None:
            changes.listed.append(row)
            return
        if one.listing.misses:
            changes.again.append(row.document_id)
        if (one.listing.foreign, one.listing.lastmod) != (row.foreign, row.lastmod):
            changes.foreign.append(row)

    def _item(
        self,
        connection: Connection,
        one: Candidate,
        match: Match,
        verdict: Verdict,
        moment: datetime | None,
        now: datetime,
        place: Place,
    ) -> WooItem:
        known, entry = one.known, one.entry
        # What another's entry said before the owner's came does not count.
        taken_over = one.own and not one.version.own
        published = (
            date.fromisoformat(known.published)
            if known.published and not taken_over
            else day_of(moment or now)
        )
        at = moment_after(known.told, now)
        cause = cast("Oorzaak", verdict.cause)
        record = _record(entry, place.sitemap, one.report, cause, published, moment, at)
        number = place.sitemap.index.name.number
        category = category_of_index(number) if number else None
        source = Source(read_metadata(entry.document), category, match)
        if verdict is not Verdict.NEW:
            source.known = documents.file_of(connection, known.id)
            source.recheck = verdict is Verdict.RECHECKED
        item = WooItem(record, source, one.report)
        harvested = Harvested(
            id=known.id,
            lastmod=microseconds(moment) if moment else None,
            published=published.isoformat(),
            at=int(at.timestamp()),
            entry_digest=one.digest,
            sitemap_id=place.sitemap_id,
            takes_over=known.harvested is not None and one.own != one.version.own,
        )
        self._keeper.expected.add(known.id)
        self._keeper.expect(item, Delivery(harvested=harvested, reading=place.reading))
        return item

    def _repeated(self, connection: Connection, one: Candidate, place: Place, changes: Changes) -> None:
        """Report that a loc was listed before: the entry that was read first counts in this run.

        The sitemaps that list it are read in each run, so that this is reported in each.
        """
        one.report("loc.dubbel", element="loc", action=SKIPPED)
        place.reading.flawed = True
        for sitemap_id in listings.sitemaps_of(connection, one.known.id):
            if sitemap_id in place.visit.own_sitemaps:
                self._keeper.flaw(sitemap_id)
                changes.unread.add(sitemap_id)

    @staticmethod
    def _passed_over(verdict: Verdict, one: Candidate, place: Place, changes: Changes) -> None:
        """Report what keeps a document from being harvested; keep the digest of an entry that was read."""
        known, report = one.known, one.report
        if verdict is Verdict.REFUSED:
            report(str(known.fault), seen=known.fault_seen, action=NOT_AGAIN)
            if one.own != one.version.own:
                place.reading.flawed = True  # it is not known as this sitemap's
            elif known.sitemap_id != place.sitemap_id:
                changes.moved.append(known.id)
        elif isinstance(verdict.value, str):
            # Reported in each run, so the sitemap is not passed over.
            place.reading.flawed = True
            if verdict is Verdict.OLDER:
                _correct(known, changes)  # what was wrong was so of another version
                if one.version.host != place.visit.host and one.version.is_listed:  # it has a newer version
                    report("loc.dubbel", element="loc", action=SKIPPED)
                    return
                changes.unchanged += 1
            report(verdict.value, element="lastmod", seen=one.entry.lastmod, action="niet opnieuw geoogst")
        else:
            changes.unchanged += 1
            if one.version.host == place.visit.host:
                if one.digest is not None:
                    changes.digests[known.id] = one.digest
            elif not one.version.is_listed and one.version.own == one.own:
                changes.moved.append(known.id)
            _correct(known, changes)


def _as_harvested(entry: Entry, known: Known, moment: datetime | None) -> tuple[Entry, datetime | None]:
    """Return an unchanged entry with the lastmod that was harvested, which it may have lost since then."""
    if moment is not None or known.lastmod is None:
        return entry, moment
    moment = moment_of(known.lastmod)
    return replace(entry, lastmod=iso_datetime(moment)), moment


def _silent(report: Reporter) -> Reporter:
    """Return a reporter that reports nothing, for an entry that does not count."""
    return Reporter(lambda finding: None, url=report.url)


def _correct(known: Known, changes: Changes) -> None:
    """Note a document that is listed as it was harvested: what was wrong since is past."""
    if known.fault is not None:
        changes.corrected.append(known.id)


def _record(
    entry: Entry,
    sitemap: Sitemap,
    report: Reporter,
    cause: Oorzaak,
    published: date,
    moment: datetime | None,
    at: datetime,
) -> Record:
    return Record(
        id=record_id(entry.loc),
        document=Document(weblocatie=entry.loc),
        versies=[Versie(cause, published, moment)],
        herkomst=Herkomst(
            index=sitemap.index.url,
            sitemap=sitemap.url,
            lastmod=entry.lastmod,
            opgehaald=at,
            organisatie=report.organisation,
            bevindingen=report.codes,
        ),
    )
