"""Whether a document is to be harvested: the guide's rule on lastmod.

Source: seed "Sitemapindex en Sitemaps", field lastmod. Moments are compared, not notations.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import NamedTuple

from woo_harvester.record import Oorzaak

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Known(NamedTuple):
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
    """Seconds since 1970; None where it was only seen, and no output has it durably."""
    withdrawn: int | None
    """Seconds since 1970; None while it is published."""
    entry_digest: bytes | None
    """Of the entry's bytes, when the full reader last read them."""
    fault: str | None = None
    """Code of the finding that kept the version that is listed from being harvested."""
    fault_seen: str | None = None
    fault_since: int | None = None
    """Seconds since 1970; when it could not be harvested for the first time."""
    refused_at: int | None = None
    """Seconds since 1970; when it was fetched and refused. None where it could not be fetched."""
    refused_lastmod: int | None = None
    """Microseconds since 1970; that it had then."""
    restore: bool | None = None
    """Withdrawn by mistake: to be harvested again whatever its lastmod."""
    fetched_at: int | None = None
    """Seconds since 1970; when its bytes were last received completely."""
    unchanged_since: int | None = None
    """Seconds since 1970; when its server first answered since then that they are the same."""

    @property
    def told(self) -> datetime | None:
        """The moment of the last version that every output has; None where there is none."""
        seconds = [one for one in (self.harvested, self.withdrawn) if one is not None]
        return datetime.fromtimestamp(max(seconds), UTC) if seconds else None


class Verdict(Enum):
    """What is to be done with an entry."""

    NEW = Oorzaak.AANLEVERING
    CHANGED = Oorzaak.WIJZIGING
    REPUBLISHED = Oorzaak.HERPUBLICATIE
    UNCHANGED = None
    OLDER = "lastmod.ouder"
    """Not harvested, with that finding."""
    OFFERED_AGAIN = "lastmod.heraanbod"
    """Withdrawn, and listed again without a newer lastmod: not harvested, with that finding."""
    FOREIGN = "loc.andere-host"
    """Of another organisation's document, whose own host lists it: not harvested."""
    REFUSED = "refused"
    """Fetched before and refused, and nothing says that it has changed: not asked for again."""

    RECHECKED = "rechecked"
    """Unchanged by its entry, and fetched all the same: its server may be wrong about its bytes."""

    @property
    def cause(self) -> Oorzaak | None:
        """The oorzaak of the version that is to be harvested; None where nothing is."""
        if self is Verdict.RECHECKED:
            return Oorzaak.WIJZIGING  # if its bytes differ
        return self.value if isinstance(self.value, Oorzaak) else None


def microseconds(moment: datetime) -> int:
    """An aware moment as the state keeps it."""
    return (moment - EPOCH) // MICROSECOND


def moment_of(value: int) -> datetime:
    """A kept moment as an aware date-time in UTC."""
    return EPOCH + value * MICROSECOND


@dataclass(frozen=True, slots=True)
class Standing:
    """Whose entry it is, beside whose version is known. Source: "Whose entry counts" in the interface."""

    own: bool = True
    """The entry is on the loc's own host, or on one that is registered for the same organisation."""
    own_known: bool = True
    """The version that was harvested came from such an entry."""
    own_listed: bool = False
    """Of another's entry: such an entry is known beside it."""
    lastmod: int | None = None
    """Of another's entry: the lastmod that it had when it was last read, in microseconds since 1970."""
    seen_before: bool = True
    """Of another's entry: it was read before."""


OWN = Standing()


def decide(known: Known | None, lastmod: datetime | None, standing: Standing = OWN) -> Verdict:
    """Return what is to be done with an entry. *lastmod* is None where it is absent or cannot be read."""
    if standing.own_listed and not standing.own:
        return Verdict.FOREIGN
    if known is None or known.harvested is None:
        return Verdict.NEW
    withdrawn = known.withdrawn is not None
    if (withdrawn and known.restore) or (standing.own and not standing.own_known):
        return Verdict.REPUBLISHED if withdrawn else Verdict.CHANGED
    before = known.lastmod
    if standing.own_known and not standing.own:
        # The owner lists it no longer: it stays as it is until the other's own entry changes.
        if not standing.seen_before:
            return Verdict.OFFERED_AGAIN if withdrawn else Verdict.UNCHANGED
        before = standing.lastmod
    given = None if lastmod is None else microseconds(lastmod)
    if given is None or given == before:
        return Verdict.OFFERED_AGAIN if withdrawn else Verdict.UNCHANGED
    if before is None or given > before:
        return Verdict.REPUBLISHED if withdrawn else Verdict.CHANGED
    return Verdict.OFFERED_AGAIN if withdrawn else Verdict.OLDER


def is_long_ago(moment: int | None, now: int, interval: float) -> bool:
    """Return whether *moment* is unknown, ahead of the clock, or *interval* seconds ago or longer."""
    return moment is None or not 0 <= now - moment < interval


def is_refused(known: Known, lastmod: datetime | None, now: int, patience: float) -> bool:
    """Whether a document that was fetched and refused is left alone.

    It is until it has a newer lastmod, or *patience* seconds have passed; *now* is in seconds since 1970.
    """
    if known.refused_at is None or not 0 <= now - known.refused_at < patience:
        return False
    given = None if lastmod is None else microseconds(lastmod)
    return given is None or (known.refused_lastmod is not None and given <= known.refused_lastmod)
