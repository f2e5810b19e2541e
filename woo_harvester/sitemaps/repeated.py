"""Decides which entry counts for a document that its host lists more than once: that with the newest lastmod.

What the state has of the other entries is from their last reading. So it never keeps an entry that is newer
than the known version from being harvested. It only says which of the entries that bring nothing new is the
repeated one. Entries of one batch are compared with each other exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from woo_harvester.dates import to_microseconds
from woo_harvester.sitemaps.decision import EntryFinding, EntryOutcome
from woo_harvester.sitemaps.facts import EntryFacts, OtherEntry
from woo_harvester.sitemaps.lastmod import moment_compared

SKIPPED = "overgeslagen"
_FROM_NEXT_RUN = "is deze nieuwer, dan telt zij vanaf de volgende oogst"

#: Outcomes of entries that bring nothing new, and that may be left to another entry of the host.
_NOTHING_NEW = (EntryOutcome.UNCHANGED, EntryOutcome.OLDER)


def first_read(facts: EntryFacts, lastmod: datetime | None, now: datetime) -> datetime:
    """Return when an entry was first read with this lastmod."""
    stored = facts.stored
    if stored is None or lastmod is None or stored.lastmod != to_microseconds(lastmod):
        return now
    return datetime.fromtimestamp(stored.first_read, UTC)


def is_beaten(facts: EntryFacts, lastmod: datetime | None, now: datetime) -> bool:
    """Return whether another entry of the host has a newer lastmod, as far as is known."""
    return _is_newer_than((*facts.beside, *facts.others), facts, lastmod, now)


def is_repeated(facts: EntryFacts, offered: EntryOutcome, lastmod: datetime | None, now: datetime) -> bool:
    """Return whether an entry is left to another one of its host.

    *offered* is the outcome that it would have without the other one.
    """
    if not facts.has_others:  # nearly always
        return False
    if offered.cause is not None:
        return _is_newer_than(facts.beside, facts, lastmod, now)
    if offered in _NOTHING_NEW:
        return facts.source_url is not None or is_beaten(facts, lastmod, now)
    return offered is EntryOutcome.REFUSED and is_beaten(facts, lastmod, now)


def lacks_fields(facts: EntryFacts) -> bool:
    """Return whether other entries give a field that neither the entry nor the known version has."""
    is_source = facts.has_others and facts.source_url is None and facts.version.is_here
    if facts.known is None or not is_source:
        return False
    given = 0
    for other in (*facts.beside, *facts.others):
        given |= other.fields
    return bool(given & ~facts.fields & ~(facts.known.supplemented or 0))


def repeated_finding(facts: EntryFacts, lastmod: datetime | None, now: datetime) -> EntryFinding:
    """Return the finding that an entry is repeated, which says which entry counts."""
    where = _where(facts)
    if facts.version.owner is not None and not facts.is_own:
        action = f"{SKIPPED}: de vermelding op {facts.version.owner} telt"
    elif is_beaten(facts, lastmod, now):
        action = f"{SKIPPED}: de nieuwere vermelding {where} telt"
    elif facts.is_expected and not facts.beside:
        action = f"{SKIPPED}: de vermelding {where} is eerder gelezen; {_FROM_NEXT_RUN}"
    else:
        action = f"{SKIPPED}: de vermelding {where} telt"
    return EntryFinding("loc.dubbel", "loc", facts.entry.lastmod, action)


def newest_first(others: Iterable[OtherEntry]) -> list[OtherEntry]:
    """Return entries, the newest one first. The order of those that are as new does not depend on the run."""
    return sorted(others, key=lambda other: (*_descending(_moment(other)), other.url, other.place))


def _descending(moment: int | None) -> tuple[bool, int]:
    return moment is None, -(moment or 0)


def _moment(other: OtherEntry) -> int | None:
    return moment_compared(other.lastmod, other.first_read)


def _is_newer_than(
    others: Iterable[OtherEntry], facts: EntryFacts, lastmod: datetime | None, now: datetime
) -> bool:
    """Return whether one of *others* is newer than the entry."""
    moments = [moment for other in others if (moment := _moment(other)) is not None]
    if not moments:
        return False
    if lastmod is None:
        return True
    read_at = int(first_read(facts, lastmod, now).timestamp())
    own = moment_compared(to_microseconds(lastmod), read_at)
    return own is None or max(moments) > own


def _where(facts: EntryFacts) -> str:
    """Return where the entry is that counts, as far as is known."""
    if facts.source_url is not None and not facts.beside:
        return f"in {facts.source_url}"
    if others := newest_first((*facts.beside, *facts.others)):
        other = others[0]
        return f"op regel {other.entry.line}" if other.entry is not None else f"in {other.url}"
    return "eerder in deze sitemap" if facts.place else "op een andere plek"
