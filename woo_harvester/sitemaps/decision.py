"""What is decided on an entry: the outcome, its findings, and what is harvested and remembered of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from woo_harvester.record import Herkomst, Oorzaak, Record, Versie, bare_record
from woo_harvester.sitemaps.facts import SitemapListing


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
KNOWN_VERSION = (EntryOutcome.SUPPLIED, *DELIVERED_AGAIN)
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

    def record(self, loc: str, origin: Herkomst) -> Record:
        """Return the record of the document at *loc*, with this version and no metadata yet."""
        origin.lastmod = self.lastmod_text
        if self.is_dated_by_harvest:
            origin.standaardwaarden["versies.openbaarmakingsdatum"] = _HARVEST
        if self.is_ahead:
            origin.standaardwaarden["versies.mutatiedatumtijd"] = _HARVEST
        moment = (self.began_at or self.at) if self.is_ahead else self.lastmod
        return bare_record(loc, Versie(self.cause, self.published, moment), origin)


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
