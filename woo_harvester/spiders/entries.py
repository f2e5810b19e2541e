"""From the entries of a sitemap to items: the rules on loc and lastmod, and what is known of a document.

Source: seed "Sitemapindex en Sitemaps", fields loc and lastmod; seed "Technische implementatie", sections
"Doellocatie van de <loc> verwijzing" and "Protocol indicatie".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from time import time
from typing import Protocol, cast

from sqlalchemy import Connection

from woo_harvester.dates import day_of, iso_datetime, iso_seconds, moment_after
from woo_harvester.diwoo.given import read_given
from woo_harvester.extensions.delivery import Delivery, Reading
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Report
from woo_harvester.findings.notes import Notes
from woo_harvester.items import Source, WooItem
from woo_harvester.record import Document, Herkomst, Oorzaak, Record, Versie
from woo_harvester.register import Register
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.rules import SKIPPED, is_usable, read_lastmod
from woo_harvester.sitemaps.scanner import NotPlainError
from woo_harvester.sitemaps.selection import Sitemap
from woo_harvester.state import documents, faults
from woo_harvester.state.decision import (
    Known,
    Verdict,
    decide,
    is_long_ago,
    is_refused,
    microseconds,
    moment_of,
)
from woo_harvester.state.documents import Harvested
from woo_harvester.state.resources import forget_read
from woo_harvester.tooi.categories import category_of_index
from woo_harvester.urls import host_of, record_id

NOT_AGAIN = "niet opnieuw opgehaald, want de lastmod is niet nieuwer"


class ListedEntry(Protocol):
    """An entry as the scanner or the reader gives it."""

    @property
    def loc(self) -> str:
        """As given, without the white space around it."""

    @property
    def digest(self) -> bytes | None:
        """Of its bytes; None where the full reader gave it."""

    def parse(self) -> Entry:
        """The entry with its metadata; raises NotPlainError where only the full reader can read it."""


@dataclass
class Sifted:
    """What is found of a batch before the state has learned of what is new in it."""

    consumed: int = 0
    """Entries looked at: fewer than the batch has where one of them is not plain."""
    unchanged: int = 0
    """Entries of documents that are harvested and are the same to the byte."""
    parsed_unchanged: int = 0
    """Of those that were parsed: harvested already, by their lastmod."""
    candidates: list[tuple[Entry, bytes | None, Notes]] = field(default_factory=list)
    """Entries that the rules on loc let through, and that are not known to be the same to the byte."""
    moved: list[int] = field(default_factory=list)
    """Ids of documents that another sitemap listed last time."""
    digests: dict[int, bytes] = field(default_factory=dict)
    mended: list[int] = field(default_factory=list)
    """Ids of documents that are listed again as they were harvested, after a version that could not be."""
    shared: set[int] = field(default_factory=set)
    """Ids of other sitemaps that list a document of this one, or did before."""

    def mends(self, document: Known) -> None:
        """Note a document that is listed as it was harvested: what was wrong since is past."""
        if document.fault is not None:
            self.mended.append(document.id)

    def moves(self, document: Known, place: Place) -> None:
        """Note a document that another sitemap listed last time.

        That one may list it still, and be "not modified": what it lists is known only by reading it again.
        """
        if document.sitemap_id != place.reading.resource_id:
            self.moved.append(document.id)
            self.shared.add(document.sitemap_id)


@dataclass
class Place:
    """Where a batch stands."""

    host: str
    sitemap: Sitemap
    reading: Reading
    account: Account
    same: Mapping[bytes | None, int]
    """Ids of the sitemap's documents by the digest of their entries: those are unchanged."""


class Entries:
    """Chooses what is harvested, for the hosts and bodies of one register.

    A document that was fetched and refused is left alone for *patience*. One whose server said that a newer
    version has the same bytes is fetched once more when *recheck* has passed since they were received; never
    where that is None.
    """

    def __init__(
        self,
        register: Register,
        report: Report,
        keeper: StateKeeper,
        patience: timedelta = timedelta(0),
        recheck: timedelta | None = None,
    ) -> None:
        self._register = register
        self._recheck = recheck
        self._patience = patience.total_seconds()
        self._report = report
        self._keeper = keeper
        self.counts = dict.fromkeys(Verdict, 0)
        """Entries by what was decided."""
        self._origin = "\0"
        """Beginning of a loc, up to and with its path's first slash, whose host is registered."""

    @property
    def skipped(self) -> int:
        """Entries that were known and are not harvested again."""
        return sum(count for verdict, count in self.counts.items() if verdict.cause is None)

    def place(self, connection: Connection, account: Account, sitemap: Sitemap, reading: Reading) -> Place:
        """Where the batches of a sitemap stand, with what is known of it."""
        before = documents.before(connection, reading.resource_id)
        reading.before = before.ids
        same = cast("Mapping[bytes | None, int]", before.same)
        return Place(account.host, sitemap, reading, account, same)

    def pass_over(self, account: Account, sitemap: Sitemap, resource_id: int) -> None:
        """Count the documents of a sitemap that has not changed, and tell what is still wrong with some."""
        host = account.host
        with self._keeper.begin() as connection:
            found = faults.faults_of(connection, resource_id)
            account.passed_over(documents.count_listed(connection, resource_id), len(found))
        for fault in found:
            match = self._register.organisation_of(fault.loc, host)
            body = match.organisation.identifier if match.organisation else None
            notes = Notes(self._report, url=fault.loc, host=host, organisation=body, sitemap=sitemap.url)
            notes.since = iso_seconds(fault.since)
            notes(fault.code, seen=fault.seen, action=NOT_AGAIN)
        self.counts[Verdict.REFUSED] += len(found)

    def select(self, batch: Sequence[ListedEntry], place: Place) -> tuple[list[WooItem], int]:
        """The items of a batch, and how many of its entries were looked at.

        Fewer than all were where an entry is not plain: the full reader must go on from there.
        """
        with self._keeper.begin() as connection:
            rest = [entry.loc for entry in batch if entry.digest not in place.same]
            known = documents.look_up(connection, rest)
            sifted = self._sift(connection, batch, known, place)
            place.account.looked_at(sifted.consumed, sifted.unchanged)
            new = {entry.loc for entry, _, _ in sifted.candidates if entry.loc not in known}
            known.update(documents.add_seen(connection, new, place.reading.resource_id, int(time())))
            items = [
                item
                for entry, digest, notes in sifted.candidates
                if (item := self._item(connection, entry, digest, known[entry.loc], notes, place, sifted))
            ]
            # Documents first, then files: in the order in which other runs lock them too.
            documents.hold(connection, {*sifted.moved, *sifted.digests, *sifted.mended})
            documents.move(connection, sifted.moved, place.reading.resource_id)
            documents.keep_digests(connection, sifted.digests)
            faults.end_faults(connection, sifted.mended)
            for sitemap_id in sorted(sifted.shared):
                forget_read(connection, sitemap_id)
        self.counts[Verdict.UNCHANGED] += sifted.unchanged
        place.account.looked_at(0, sifted.parsed_unchanged)
        return items, sifted.consumed

    def _sift(
        self, connection: Connection, batch: Sequence[ListedEntry], known: dict[str, Known], place: Place
    ) -> Sifted:
        """Pass over what is the same to the byte; a million entries a day come by here."""
        sifted = Sifted()
        same, listed = place.same, self._keeper.listed
        for entry in batch:
            key = same.get(entry.digest)
            if key is not None and self._is_registered(entry.loc) and listed.add(key):
                sifted.unchanged += 1
            else:
                if key is not None:
                    known.update(documents.look_up(connection, [entry.loc]))
                try:
                    self._look_at(entry, known.get(entry.loc), place, sifted)
                except NotPlainError:
                    break
            sifted.consumed += 1
        return sifted

    def _look_at(self, entry: ListedEntry, document: Known | None, place: Place, sifted: Sifted) -> None:
        """Pass over what is the same, though another sitemap listed it last time; consider what is not."""
        if (
            document is not None
            and entry.digest is not None
            and entry.digest == document.entry_digest
            and document.withdrawn is None
            and document.harvested is not None
            and document.unchanged_since is None
            and self._is_registered(entry.loc)
            and self._keeper.listed.add(document.id)
        ):
            sifted.moves(document, place)
            sifted.unchanged += 1
        else:
            self._consider(entry, document, place, sifted)

    def _is_registered(self, loc: str) -> bool:
        """Whether the host of *loc* is in the register; nearly always it is the host of the one before."""
        if loc.startswith(self._origin):
            return True
        registered = self._register.is_registered(host_of(loc))
        end = loc.find("/", loc.find("//") + 2) + 1
        if registered and end:
            self._origin = loc[:end]
        return registered

    def _consider(self, listed: ListedEntry, document: Known | None, place: Place, sifted: Sifted) -> None:
        """Take the entry for a candidate, or tell why it is not harvested."""
        entry = listed.parse()
        notes = Notes(
            self._report, url=entry.loc, host=place.host, sitemap=place.sitemap.url, line=entry.line
        )
        if self._may_be_harvested(entry.loc, notes):
            sifted.candidates.append((entry, listed.digest, notes))
        elif document is not None:
            # Harvested before its host left the register: not harvested any more, but not gone either.
            self._keeper.listed.add(document.id)

    def _may_be_harvested(self, loc: str, notes: Notes) -> bool:
        if not is_usable(loc, notes):
            return False
        if not self._register.is_registered(host_of(loc)):
            notes("loc.niet-geregistreerd", element="loc", seen=host_of(loc), action=SKIPPED)
            return False
        return True

    def _item(
        self,
        connection: Connection,
        entry: Entry,
        digest: bytes | None,
        known: Known,
        notes: Notes,
        place: Place,
        sifted: Sifted,
    ) -> WooItem | None:
        """The item for an entry; None where nothing is to be harvested."""
        match = self._register.organisation_of(entry.loc, place.host)
        notes.organisation = match.organisation.identifier if match.organisation else None
        sifted.moves(known, place)
        if not self._keeper.listed.add(known.id):
            self._repeated(known, notes, place)
            return None
        now = datetime.now(UTC).replace(microsecond=0)
        moment = read_lastmod(entry.lastmod, now, notes)
        verdict = decide(known, moment)
        if verdict is Verdict.UNCHANGED and self._is_recheck_due(known, now):
            verdict = Verdict.RECHECKED
            entry, moment = _as_harvested(entry, known, moment)
        if known.fault is not None:
            notes.since = iso_seconds(known.fault_since) if known.fault_since is not None else None
            if verdict.cause and is_refused(known, moment, int(now.timestamp()), self._patience):
                verdict = Verdict.REFUSED
        self.counts[verdict] += 1
        if verdict.cause is None:
            self._passed_over(verdict, entry, digest, known, notes, sifted)
            return None
        published = date.fromisoformat(known.published) if known.published else day_of(moment or now)
        at = moment_after(known.told, now)
        record = _record(entry, place.sitemap, notes, verdict.cause, published, moment, at)
        number = place.sitemap.index.name.number
        category = category_of_index(number) if number else None
        source = Source(read_given(entry.document), category, match)
        if verdict is not Verdict.NEW:
            source.known = documents.file_of(connection, known.id)
            source.recheck = verdict is Verdict.RECHECKED
        item = WooItem(record, source, notes)
        harvested = Harvested(
            id=known.id,
            lastmod=microseconds(moment) if moment else None,
            published=published.isoformat(),
            at=int(at.timestamp()),
            entry_digest=digest,
        )
        self._keeper.expect(item, Delivery(harvested=harvested, reading=place.reading))
        return item

    def _is_recheck_due(self, known: Known, now: datetime) -> bool:
        """Return whether the bytes of an unchanged document must be compared, whatever its server says."""
        if self._recheck is None or known.unchanged_since is None:
            return False
        return is_long_ago(known.fetched_at, int(now.timestamp()), self._recheck.total_seconds())

    def _repeated(self, known: Known, notes: Notes, place: Place) -> None:
        """The same loc twice is one document; which of its entries is read does not matter to the guide.

        Where two sitemaps have it, neither may be passed over unread any more: the one would have to answer
        for what the other no longer lists.
        """
        notes("loc.dubbel", element="loc", action=SKIPPED)
        if known.sitemap_id != place.reading.resource_id:
            place.reading.flawed = True
            self._keeper.flaw(known.sitemap_id)

    @staticmethod
    def _passed_over(
        verdict: Verdict, entry: Entry, digest: bytes | None, known: Known, notes: Notes, sifted: Sifted
    ) -> None:
        """Tell what keeps a document from being harvested; remember an entry that was read."""
        if verdict is Verdict.REFUSED:
            notes(str(known.fault), seen=known.fault_seen, action=NOT_AGAIN)
        elif isinstance(verdict.value, str):
            if verdict is Verdict.OLDER:
                sifted.parsed_unchanged += 1
                sifted.mends(known)  # what was wrong was so of another version
            notes(verdict.value, element="lastmod", seen=entry.lastmod, action="niet opnieuw geoogst")
        else:
            sifted.parsed_unchanged += 1
            if digest is not None:
                sifted.digests[known.id] = digest
            sifted.mends(known)


def _as_harvested(entry: Entry, known: Known, moment: datetime | None) -> tuple[Entry, datetime | None]:
    """Return an unchanged entry with the lastmod that was harvested, which it may have lost since then."""
    if moment is not None or known.lastmod is None:
        return entry, moment
    moment = moment_of(known.lastmod)
    return replace(entry, lastmod=iso_datetime(moment)), moment


def _record(
    entry: Entry,
    sitemap: Sitemap,
    notes: Notes,
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
            organisatie=notes.organisation,
            bevindingen=notes.codes,
        ),
    )
