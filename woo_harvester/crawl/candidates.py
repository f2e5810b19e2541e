"""The entries of a sitemap on their way to items, and what is known of them at each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from woo_harvester.crawl.host import Visit
from woo_harvester.findings import Reporter
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.url_selection import Sitemap
from woo_harvester.state.decision import Known
from woo_harvester.state.delivery import Reading
from woo_harvester.state.listed import Listed
from woo_harvester.state.listings import Listing


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
class Place:
    """The reading of one sitemap: where it stands, and what is known of it."""

    visit: Visit
    sitemap: Sitemap
    reading: Reading
    same: dict[bytes | None, int]
    """Numbers of its documents by the digest of their entries; those that came by are removed."""
    others: Sequence[int] | None
    """All other documents that it listed; None where all must be asked of the state."""
    seen: Listed = field(default_factory=Listed)
    """Documents that came by and were looked up."""
    left_to: Counter[str] = field(default_factory=Counter)
    """How many of its entries are of documents that these hosts list themselves."""
    is_postponed: bool = False
    """Some of its entries wait until the hosts of their documents are read."""

    @property
    def sitemap_id(self) -> int:
        """The number of the sitemap in the state."""
        return self.reading.resource_id


@dataclass
class Candidate:
    """An entry that the rules on loc let through, and what is known of its document."""

    entry: Entry
    digest: bytes | None
    report: Reporter
    own: bool
    """The entry is its owner's: see Register.is_own."""
    known: Known
    listing: Listing | None
    """What is known of the document in this sitemap; None where it was not listed in it."""
    version: Version


@dataclass(frozen=True, slots=True)
class Version:
    """Where the version of a document that is known came from, and who else lists the document."""

    host: str
    own: bool
    """It came from an entry of the owner's."""
    is_listed: bool = True
    """Its host lists the document."""
    owner: str | None = None
    """Another host that lists the document and is its owner's."""


@dataclass
class Changes:
    """What the state learns of a batch."""

    consumed: int = 0
    """Entries that were compared: fewer than the batch has where one of them is not plain."""
    postponed: int = 0
    """Of those: entries that wait."""
    unchanged: int = 0
    """Of those: documents that are harvested and are as they were."""
    candidates: list[tuple[Entry, bytes | None, Reporter]] = field(default_factory=list)
    """Entries that the rules on loc let through, and that are not known to be the same to the byte."""
    listed: list[Listing] = field(default_factory=list)
    """Documents that the sitemap did not list before."""
    again: list[int] = field(default_factory=list)
    """Documents that were missing from it."""
    foreign: list[Listing] = field(default_factory=list)
    """Entries of others' documents that have another lastmod now."""
    moved: list[int] = field(default_factory=list)
    """Documents whose version counts as this sitemap's from now on."""
    digests: dict[int, bytes] = field(default_factory=dict)
    corrected: list[int] = field(default_factory=list)
    """Documents that are listed again as they were harvested, after a version that could not be."""
    unread: set[int] = field(default_factory=set)
    """Sitemaps that must be read whole in the next run."""
