"""What is known of an entry when it is decided on, and what a decision consists of.

What is known is the entry with the moment of its lastmod, the rows of the state, and the document's owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from woo_harvester.record import Herkomst, Oorzaak, Record, Versie, bare_record
from woo_harvester.register.register import Match
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.utils.dates import CLOCK_SLACK, day_of, parse_datetime, to_microseconds


class KnownDocument(NamedTuple):
    """What the state knows of a document that an entry names."""

    loc: str
    id: int
    sitemap_id: int
    """The sitemap whose entry counts: see the table documents."""
    lastmod: int | None
    """Microseconds since 1970, of the version that was harvested last."""
    published: str | None
    """The openbaarmakingsdatum, ``YYYY-MM-DD``."""
    harvested: int | None
    """Seconds since 1970; None if it was only seen, and no output has it durably."""
    withdrawn: int | None
    """Seconds since 1970; None while it is published."""
    entry_digest: bytes | None
    """Digest of the entry's bytes, when the full reader last read them."""
    fault: str | None = None
    """Code of the finding that kept the version that is listed from being harvested."""
    fault_seen: str | None = None
    fault_since: int | None = None
    """Seconds since 1970; when it could not be harvested for the first time."""
    refused_at: int | None = None
    """Seconds since 1970; when it was fetched and refused. None if it could not be fetched."""
    refused_lastmod: int | None = None
    """Microseconds since 1970; its lastmod when it was refused."""
    restore: bool | None = None
    """Withdrawn by mistake: to be harvested again whatever its lastmod."""
    fetched_at: int | None = None
    """Seconds since 1970; when its bytes were last received completely."""
    unchanged_since: int | None = None
    """Seconds since 1970; when its server first answered since then that they are the same."""
    supplemented: int | None = None
    """The fields that the version has from other entries than the one that counts, a bit for each."""
    cause: str | None = None
    """The oorzaak of the version; None if it is not known."""
    content: int | None = None
    """Number of what is known of its content: see the table contents."""
    supplied_at: int | None = None
    """Seconds since 1970; when the version was delivered again with content that its record lacked."""
    refused_with: int | None = None
    """Number of what the run wanted to know of its content that refused a version of it."""
    number: int | None = None
    """Number of the version that was harvested last, 1 for the first one; None if there is none."""

    @property
    def delivered_at(self) -> datetime | None:
        """The moment of the last record that every output has; None if there is none."""
        seconds = [one for one in (self.harvested, self.withdrawn, self.supplied_at) if one is not None]
        return datetime.fromtimestamp(max(seconds), UTC) if seconds else None


class SitemapListing(NamedTuple):
    """What is known of a document in one sitemap."""

    document_id: int
    misses: int
    """Complete reads of the host in a row that lacked it; 0 if it was listed last time."""
    foreign: bool
    """Whether the entry is of another organisation's document."""
    lastmod: int | None
    """Microseconds since 1970; only of such an entry."""


def own_listing(document_id: int) -> SitemapListing:
    """Return the row that says that a sitemap of the owner's lists a document."""
    return SitemapListing(document_id, 0, foreign=False, lastmod=None)


class OtherEntry(NamedTuple):
    """Another entry of the same host for the same document, as the state or this batch has it."""

    sitemap_id: int
    place: int
    """0 for the first entry of the document in the sitemap, 1 for a later one."""
    url: str
    """The sitemap."""
    index_url: str | None
    """The index that lists the sitemap."""
    lastmod: int | None
    """Microseconds since 1970."""
    first_read: int
    """Seconds since 1970; when the entry was first read with this lastmod."""
    fields: int
    """The fields of metadata that it gives, a bit for each."""
    digest: bytes | None = None
    entry: Entry | None = None
    """The entry itself, if this batch has it."""

    @property
    def key(self) -> tuple[int, int]:
        """The sitemap and the place in it."""
        return self.sitemap_id, self.place

    @property
    def moment(self) -> int | None:
        """The lastmod as it is compared, in microseconds since 1970."""
        return moment_compared(self.lastmod, self.first_read)


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """Where the known version of a document came from, and who else lists the document."""

    is_own: bool
    """It came from an entry of the document's owner: see Register.is_own."""
    is_here: bool = True
    """It came from a sitemap of the host that is being read."""
    is_listed: bool = True
    """The host that it came from still lists the document."""
    owner: str | None = None
    """Another host that lists the document and is its owner's."""
    host: str | None = None
    """The host that it came from; None if that is the one that is being read."""

    @property
    def is_elsewhere(self) -> bool:
        """Whether another host lists the version."""
        return not self.is_here and self.is_listed


OWN_VERSION = KnownVersion(is_own=True)
OTHERS_VERSION = KnownVersion(is_own=False)
NO_MATCH = Match()


class EntryFacts(Struct):
    """All that a decision on one entry depends on, except the time and the terms."""

    entry: Entry
    digest: bytes | None = None
    """Digest of the entry's bytes; None if the full reader gave it."""
    loc_problem: str | None = None
    """Code of the finding that keeps the loc from being harvested: see find_loc_problem."""
    is_registered: bool = True
    """The host of the loc is in the register."""
    is_own: bool = True
    """The entry is on the loc's own host, or on one that is registered for the same organisation."""
    is_owner_awaited: bool = False
    """The entry is another's, and a host of the owner is still being read in this run."""
    match: Match = NO_MATCH
    """Whose the document is by the register."""
    sitemap_id: int = 0
    """Number in the state of the sitemap that has the entry."""
    known: KnownDocument | None = None
    listing: SitemapListing | None = None
    """What is known of the document in this sitemap; None if the sitemap did not list it before."""
    version: KnownVersion = OWN_VERSION
    is_listed: bool = False
    """An earlier entry of the host in this run named the document."""
    is_expected: bool = False
    """This run delivers a record of the document already, from whatever host."""
    is_supplied: bool = False
    """That record is of the known version, which is delivered again."""
    is_delivered_there: bool = False
    """The host that the known version came from still lists it, and this run reads that host."""
    place: int = 0
    """0 for the first entry of the document in the sitemap, 1 for a later one."""
    fields: int = 0
    """The fields of metadata that the entry gives, a bit for each; only if there are other entries."""
    stored: OtherEntry | None = None
    """The entry itself, as the state has it from its last reading."""
    others: Sequence[OtherEntry] = ()
    """Other entries of the host, as they were when they were read last."""
    beside: Sequence[OtherEntry] = ()
    """Other entries in the same batch."""
    source_url: str | None = None
    """The sitemap that the known version came from, if it is another one of the host that still lists it."""
    moment: datetime | None = None
    """The lastmod; None if it is absent or cannot be read."""

    def __post_init__(self) -> None:
        """Parse the lastmod, once for all that needs its moment."""
        if self.entry.lastmod is not None:
            try:
                self.moment = parse_datetime(self.entry.lastmod)
            except ValueError:
                self.moment = None

    @property
    def lastmod(self) -> int | None:
        """The lastmod in microseconds since 1970, as the state has that of others."""
        return None if self.moment is None else to_microseconds(self.moment)

    @property
    def is_usable(self) -> bool:
        """Whether the loc may be harvested."""
        return self.loc_problem is None and self.is_registered

    @property
    def has_others(self) -> bool:
        """Whether the host has other entries for the document, as far as is known."""
        return bool(self.beside or self.others) or self.source_url is not None

    @property
    def rivals(self) -> tuple[OtherEntry, ...]:
        """The other entries of the host, as far as they are known."""
        return (*self.beside, *self.others)

    @property
    def is_comparable(self) -> bool:
        """Whether the entry and the known version are both the owner's, or both another's."""
        return self.is_own == self.version.is_own

    @property
    def is_left_to_owner(self) -> bool:
        """Whether the entry is another's, and a host of the owner lists the document."""
        return self.version.owner is not None and not self.is_own

    def first_read(self, now: datetime) -> datetime:
        """Return when the entry was first read with this lastmod."""
        if self.stored is None or self.stored.lastmod != self.lastmod:
            return now
        return datetime.fromtimestamp(self.stored.first_read, UTC)

    def is_older_than(self, others: Iterable[OtherEntry], now: datetime) -> bool:
        """Return whether one of *others* has a newer lastmod."""
        moments = [moment for other in others if (moment := other.moment) is not None]
        if not moments or self.moment is None:
            return bool(moments)
        own = moment_compared(self.lastmod, int(self.first_read(now).timestamp()))
        return own is None or max(moments) > own


class EntryOutcome(Enum):
    """What is done with an entry, and the oorzaak of the version if one is harvested."""

    NEW = "new", Oorzaak.AANLEVERING
    CHANGED = "changed", Oorzaak.WIJZIGING
    REPUBLISHED = "republished", Oorzaak.HERPUBLICATIE
    """Withdrawn, and listed again with a newer lastmod, or to be restored."""
    RECHECKED = "rechecked", Oorzaak.WIJZIGING
    """Unchanged by its entry, and fetched all the same: a version only if its bytes differ."""
    SUPPLIED = "supplied", Oorzaak.AANLEVERING
    """Unchanged, and delivered again with content that its record lacked, as the version that it was."""
    SUPPLEMENTED = "supplemented", Oorzaak.AANLEVERING
    """The same, with fields that only another entry of its host gives, which was read after it."""
    UNCHANGED_AGAIN = "unchanged, delivered again", Oorzaak.AANLEVERING
    """Unchanged, and delivered again as the version that it was, because the run delivers all documents."""
    OLDER_AGAIN = "older, delivered again", Oorzaak.AANLEVERING
    """The same, although the lastmod is older than that of the version."""
    UNCHANGED = "unchanged", None
    OLDER = "older", None
    """The lastmod is older than that of the version that was harvested."""
    OFFERED_AGAIN = "offered again", None
    """Withdrawn, and listed again without a newer lastmod."""
    FOREIGN = "foreign", None
    """Another organisation's document, which its own host lists."""
    REFUSED = "refused", None
    """Fetched before and refused, and nothing says that it has changed: not asked for again."""
    DUPLICATE = "duplicate", None
    """Another entry of this run counts for the document."""
    POSTPONED = "postponed", None
    """Another organisation's document, whose own hosts are still being read: read again at the end."""
    UNUSABLE = "unusable loc", None
    UNREGISTERED = "unregistered host", None

    def __init__(self, _label: str, cause: Oorzaak | None) -> None:
        self.cause = cause

    @property
    def is_counted(self) -> bool:
        """Whether entries with this outcome are counted in the statistics, as ``woo/documents/<outcome>``."""
        return self not in _UNCOUNTED


#: Outcomes with which the known version is delivered again because the run delivers all documents.
DELIVERED_AGAIN = (EntryOutcome.UNCHANGED_AGAIN, EntryOutcome.OLDER_AGAIN)
#: Outcomes with which the known version is delivered again.
KNOWN_VERSION = (EntryOutcome.SUPPLIED, EntryOutcome.SUPPLEMENTED, *DELIVERED_AGAIN)
#: Outcomes with which an entry does not count as listed by its host in this run, or not yet.
NOT_LISTED = (EntryOutcome.POSTPONED, EntryOutcome.UNUSABLE, EntryOutcome.UNREGISTERED)
_UNCOUNTED = (EntryOutcome.DUPLICATE, *NOT_LISTED)

#: Origin of a default value: the moment or the day of the harvest.
_HARVEST = "oogstdatum"


@dataclass(frozen=True, slots=True)
class Terms:
    """How long an earlier answer of a server counts, in seconds."""

    refused_interval: float = 0.0
    """So long a document that was fetched and refused is not asked for again."""
    recheck_interval: float | None = None
    """After so long a document is fetched once more whose server said that it is the same; None for never."""
    delivers_all: bool = False
    """Whether documents that are known and did not change are delivered again."""
    sufficient: frozenset[int] | None = None
    """Numbers of the contents of documents that lack nothing; None if no content is wanted."""
    wanted_less: frozenset[int] = frozenset()
    """Numbers of what runs wanted that wanted less: a document that they refused may be accepted now."""

    def is_lacking(self, content: int | None) -> bool:
        """Return whether a document whose content has this number lacks something that is wanted."""
        return self.sufficient is not None and content not in self.sufficient


class EntryFinding(NamedTuple):
    """What is wrong with an entry; the fields are those of :class:`Finding`."""

    code: str
    element: str | None = None
    seen: str | None = None
    action: str | None = None


class StateUpdate(NamedTuple):
    """What the state learns of one document from one entry."""

    document_id: int
    new_listing: SitemapListing | None = None
    """Row to add: the sitemap did not list the document before."""
    changed_listing: SitemapListing | None = None
    """Row to change: whose document it is, or the lastmod of another's entry."""
    is_listed_again: bool = False
    """The document was missing from the sitemap."""
    is_moved: bool = False
    """The known version counts as this sitemap's from now on."""
    digest: bytes | None = None
    """Digest of the entry, which is unchanged though its bytes are not."""
    ends_fault: bool = False
    """The document is listed as it was harvested, after a version that could not be."""


class NewVersion(Struct, frozen=True):
    """The version that is to be harvested."""

    cause: Oorzaak
    lastmod: datetime | None
    """None if it is absent or cannot be read."""
    lastmod_text: str | None
    """As given; of a recheck without one, that of the version before."""
    published: date
    """The openbaarmakingsdatum."""
    at: datetime
    """The moment of the record, in whole seconds."""
    takes_over: bool
    """It replaces a version that came from the other side: another organisation, or the owner."""
    is_ahead: bool = False
    """The lastmod lies in the future, so the moment of the harvest counts in its place."""
    is_dated_by_harvest: bool = False
    """The openbaarmakingsdatum is the day of the harvest, since no lastmod gives it."""
    began_at: datetime | None = None
    """The moment of its first record, if it is the known version, delivered again; else None."""
    number: int = 1
    """Its number, 1 for the first version of the document."""

    def record(self, loc: str, origin: Herkomst) -> Record:
        """Return the record of the document at *loc*, with this version and no metadata yet."""
        origin.lastmod = self.lastmod_text
        if self.is_dated_by_harvest:
            origin.standaardwaarden["versies.openbaarmakingsdatum"] = _HARVEST
        if self.is_ahead:
            origin.standaardwaarden["versies.mutatiedatumtijd"] = _HARVEST
        moment = (self.began_at or self.at) if self.is_ahead else self.lastmod
        return bare_record(loc, Versie(self.cause, self.published, moment, self.number), origin)


class Decision(Struct, frozen=True):
    """What is done with an entry, and what is reported and remembered of it."""

    outcome: EntryOutcome
    findings: tuple[EntryFinding, ...] = ()
    update: StateUpdate | None = None
    """None if the state learns nothing."""
    must_reread: bool = False
    """The next run must read the sitemap again, even if it has not changed."""
    is_unchanged: bool = False
    """The document counts as harvested before and unchanged."""
    version: NewVersion | None = None
    """None if nothing is harvested."""

    @property
    def is_harvested_again(self) -> bool:
        """Whether a document is harvested that was harvested before."""
        return self.version is not None and self.outcome is not EntryOutcome.NEW


_SLACK = CLOCK_SLACK // timedelta(microseconds=1)

#: Microseconds in a second.
_SECOND = 1_000_000


def is_future(lastmod: datetime | None, now: datetime) -> bool:
    """Return whether a lastmod lies in the future, by more than clocks differ."""
    return lastmod is not None and lastmod > now + CLOCK_SLACK


def first_day(lastmod: datetime | None, now: datetime) -> date:
    """Return the openbaarmakingsdatum of a document that is first seen with this lastmod."""
    return day_of(now if lastmod is None or is_future(lastmod, now) else lastmod)


def moment_compared(lastmod: int | None, read_at: int | None) -> int | None:
    """Return the moment with which a known *lastmod* takes part in a comparison, in microseconds since 1970.

    That is *read_at*, if the lastmod was in the future at that moment (in seconds since 1970).
    """
    if lastmod is None or read_at is None:
        return lastmod
    moment = read_at * _SECOND
    return moment if lastmod > moment + _SLACK else lastmod


def is_newer(given: datetime | None, known: int | None, read_at: int | None, now: datetime) -> bool | None:
    """Return whether a *given* lastmod is newer than the *known* one; None if that says nothing new.

    It says nothing new if it is absent, if it is the same, or if it corrects one that was in the future to a
    moment that was past when that was read, at *read_at*.
    """
    if given is None or (given_moment := to_microseconds(given)) == known:
        return None
    if is_future(given, now):
        given_moment = to_microseconds(now)
    before = moment_compared(known, read_at)
    if before is None or given_moment > before:
        return True
    return False if before == known else None


def newest_first(others: Iterable[OtherEntry]) -> list[OtherEntry]:
    """Return entries, the newest one first. The order of those that are as new does not depend on the run."""
    return sorted(
        others, key=lambda other: (other.moment is None, -(other.moment or 0), other.url, other.place)
    )
