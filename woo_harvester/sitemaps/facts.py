"""What is known of an entry when it is decided on: its document, who else lists that, what the run wants.

Source: "Whose entry counts" in the interface description.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from typing import NamedTuple

from msgspec import Struct

from woo_harvester.register.register import Match
from woo_harvester.sitemaps.lastmod import Moment
from woo_harvester.sitemaps.reader import Entry


class Depth(IntEnum):
    """How much of a document a run requests, and what a record can say of it."""

    NONE = 0
    HEADERS = 1
    FILE = 2
    TEXT = 3


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
    """Seconds since 1970, of the first record of its version; None if no output has one durably."""
    withdrawn: int | None
    """Seconds since 1970; None while it is published."""
    entry_digest: bytes | None
    """Digest of the bytes of the entry that counts."""
    fault: str | None = None
    """Code of the finding that kept the version that is listed from being harvested."""
    fault_seen: str | None = None
    fault_since: int | None = None
    """Seconds since 1970; when it could not be harvested for the first time."""
    refused_at: int | None = None
    """Seconds since 1970; when it was fetched and refused. None if it could not be fetched."""
    refused_lastmod: int | None = None
    """Microseconds since 1970; its lastmod when it was refused."""
    again: bool | None = None
    """An operator has marked it: it is delivered once more, whatever its lastmod."""
    depth: int | None = None
    """The depth with which it was harvested or refused last."""
    cause: str | None = None
    """The oorzaak of the version."""
    number: int | None = None
    """Number of the version that was harvested last, 1 for the first one; None if there is none."""

    @property
    def delivered_at(self) -> datetime | None:
        """The moment of the last version or withdrawal that every output has; None if there is none."""
        seconds = [one for one in (self.harvested, self.withdrawn) if one is not None]
        return datetime.fromtimestamp(max(seconds), UTC) if seconds else None


class SitemapListing(NamedTuple):
    """What is known of a document in one sitemap."""

    document_id: int
    misses: int = 0
    """Complete reads of the host in a row that lacked it; 0 if it was listed last time."""
    passed_over: bool = False
    """Another entry counted when the sitemap was read last."""


class OtherSitemap(NamedTuple):
    """The other sitemap that the known version of a document came from."""

    sitemap: str
    """Its URL."""
    host: str
    is_here: bool
    """It is a sitemap of the host that is being read."""
    is_own: bool
    """Its host is the owner's: see Register.is_own."""
    is_listed: bool
    """It still lists the document, as far as is known."""
    is_read: bool = False
    """It was read in this run, or has not changed."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a run wants, and how long an earlier answer of a server counts."""

    refused_interval: float = 0.0
    """So many seconds a document that was fetched and refused is not requested again."""
    depth: int = Depth.NONE
    """A document that was harvested with less is delivered again."""
    delivers_all: bool = False
    """Whether documents that are known and did not change are delivered again."""

    def want_again(self, known: KnownDocument) -> bool:
        """Return whether a document that did not change is delivered once more."""
        return self.delivers_all or bool(known.again) or self.want_more(known.depth)

    def want_more(self, depth: int | None) -> bool:
        """Return whether the run wants more of a document than it was delivered with."""
        return (depth or 0) < self.depth


NO_MATCH = Match()


class EntryFacts(Struct):
    """All that a decision on one entry depends on, except the time and the terms."""

    entry: Entry
    digest: bytes | None = None
    """Digest of the entry's bytes; None if the full reader gave it."""
    problem: str | None = None
    """Code of the finding that keeps the loc from being harvested."""
    is_own: bool = True
    """The entry is on the loc's own host, or on one that is registered for the same organisation."""
    match: Match = NO_MATCH
    """Whose the document is by the register."""
    known: KnownDocument | None = None
    listing: SitemapListing | None = None
    """What is known of the document in this sitemap; None if the sitemap did not list it before."""
    source: OtherSitemap | None = None
    """Where the known version came from; None if that is this sitemap, or if there is none."""
    owner: str | None = None
    """If the entry is another's: a host of the owner that lists the document."""
    is_listed: bool = False
    """An entry of this host that counts named the document earlier in this run."""
    is_delivered: bool = False
    """This run delivers a record of the document already, from whatever host."""
    moment: Moment | None = None
    """The lastmod; None if it is absent or cannot be read."""

    def __post_init__(self) -> None:
        """Read the lastmod, once for all that needs its moment."""
        self.moment = Moment.read(self.entry.lastmod)

    @property
    def is_comparable(self) -> bool:
        """Whether the entry and the known version are both the owner's, or both another's."""
        return self.source is None or self.source.is_own == self.is_own

    @property
    def takes_over(self) -> bool:
        """Whether the entry is the owner's, and the known version came from another's."""
        return self.is_own and self.source is not None and not self.source.is_own
