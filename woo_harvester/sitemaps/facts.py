"""What is known of an entry when it is decided on: the entry, the rows of the state, and its owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec import Struct

from woo_harvester.register.organisations import Match
from woo_harvester.sitemaps.reader import Entry


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

    @property
    def has_others(self) -> bool:
        """Whether the host has other entries for the document, as far as is known."""
        return bool(self.beside or self.others) or self.source_url is not None

    @property
    def is_comparable(self) -> bool:
        """Whether the entry and the known version are both the owner's, or both another's."""
        return self.is_own == self.version.is_own
