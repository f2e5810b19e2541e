"""Decides what is done with one entry of a sitemap, from what is known of it: a pure function.

Source: seed "Sitemapindex en Sitemaps", fields loc and lastmod; seed "Technische implementatie", sections
"Doellocatie van de <loc> verwijzing" and "Protocol indicatie"; "Whose entry counts" in the interface.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from woo_harvester.record import Oorzaak
from woo_harvester.sitemaps.facts import (
    KNOWN_VERSION,
    SKIPPED,
    Decision,
    EntryFacts,
    EntryFinding,
    EntryOutcome,
    KnownDocument,
    NewVersion,
    SitemapListing,
    StateUpdate,
    Terms,
    first_read,
    is_future,
    is_newer,
    is_repeated,
    lacks_fields,
    own_listing,
    read_lastmod,
    repeated_finding,
)
from woo_harvester.utils.dates import day_of, from_microseconds, iso_datetime, moment_after, to_microseconds
from woo_harvester.utils.urls import host_of, loc_problem


def new_version(
    facts: EntryFacts, outcome: EntryOutcome, lastmod: datetime | None, now: datetime
) -> NewVersion | None:
    """Return the version that is to be harvested; None if the outcome calls for none.

    The openbaarmakingsdatum is that of the first version, unless another's entry gave it and the owner's has
    come since. A version of an unchanged entry has the lastmod that was harvested: it may have lost it since.
    """
    known, text = facts.known, facts.entry.lastmod
    if outcome.cause is None:
        return None
    if outcome in KNOWN_VERSION and known is not None and known.harvested is not None:
        return _known_version(known, datetime.fromtimestamp(known.harvested, UTC), text, now)
    is_same = facts.is_comparable and outcome in (EntryOutcome.RECHECKED, EntryOutcome.CHANGED)
    if is_same and lastmod is None and known is not None and known.lastmod:
        lastmod = from_microseconds(known.lastmod)
        text = iso_datetime(lastmod)
    is_ahead = is_future(lastmod, now)
    is_first = known is None or not known.published or (facts.is_own and not facts.version.is_own)
    return NewVersion(
        cause=outcome.cause,
        lastmod=lastmod,
        lastmod_text=text,
        published=_published(facts.known, None if is_ahead else lastmod, now, is_first=is_first),
        at=moment_after(known.delivered_at if known else None, now),
        takes_over=known is not None and known.harvested is not None and not facts.is_comparable,
        is_ahead=is_ahead,
        is_dated_by_harvest=is_first and (lastmod is None or is_ahead),
    )


def _published(
    known: KnownDocument | None, lastmod: datetime | None, now: datetime, *, is_first: bool
) -> date:
    """Return the openbaarmakingsdatum: that of the first version, else the day of the lastmod or of today."""
    if known is None or is_first:
        return day_of(lastmod or now)
    return date.fromisoformat(str(known.published))


def _known_version(known: KnownDocument, began_at: datetime, text: str | None, now: datetime) -> NewVersion:
    """Return the version that was harvested at *began_at*, to be delivered again.

    Its dates and oorzaak are those that it had. *text* is the lastmod as given today.
    """
    lastmod = from_microseconds(known.lastmod) if known.lastmod is not None else None
    given, _ = read_lastmod(text, now)
    if given != lastmod:  # it is absent by now, or it was in the future and has been corrected
        text = iso_datetime(lastmod) if lastmod is not None else None
    is_ahead = is_future(lastmod, began_at)
    cause = Oorzaak(known.cause) if known.cause is not None else _likely_cause(known, lastmod, began_at)
    is_first = cause is Oorzaak.AANLEVERING
    return NewVersion(
        cause=cause,
        lastmod=lastmod,
        lastmod_text=text,
        published=date.fromisoformat(str(known.published)),
        at=moment_after(known.delivered_at, now),
        began_at=began_at,
        takes_over=False,
        is_ahead=is_ahead,
        is_dated_by_harvest=is_first and (lastmod is None or is_ahead),
    )


def _likely_cause(known: KnownDocument, lastmod: datetime | None, began_at: datetime) -> Oorzaak:
    """Return the oorzaak of a version of which the state does not have it.

    The openbaarmakingsdatum is the day of the first version: a version of that day is most likely the first.
    """
    is_ahead = is_future(lastmod, began_at)
    day = day_of(began_at if lastmod is None or is_ahead else lastmod)
    return Oorzaak.AANLEVERING if day.isoformat() == known.published else Oorzaak.WIJZIGING


NOT_HARVESTED = "niet opnieuw geoogst"
_AS_KNOWN = "geleverd als de versie die bekend was"
NOT_FETCHED = "niet opnieuw opgehaald, want de lastmod is niet nieuwer"

#: Outcomes that are reported in each run, so that the sitemap must be read in each.
_REPORTED_AGAIN = (
    EntryOutcome.OLDER,
    EntryOutcome.OLDER_AGAIN,
    EntryOutcome.OFFERED_AGAIN,
    EntryOutcome.DUPLICATE,
)
_UNCHANGED = (EntryOutcome.UNCHANGED, EntryOutcome.UNCHANGED_AGAIN)

#: The outcome in a run that delivers all documents, by the outcome in another run.
_AGAIN = {
    EntryOutcome.UNCHANGED: EntryOutcome.UNCHANGED_AGAIN,
    EntryOutcome.RECHECKED: EntryOutcome.UNCHANGED_AGAIN,
    EntryOutcome.OLDER: EntryOutcome.OLDER_AGAIN,
}


def find_loc_problem(loc: str) -> str | None:
    """Return the code of the finding that keeps a loc from being harvested, or None for a good one."""
    return loc_problem(loc) if loc else "loc.ontbreekt"


def decide(facts: EntryFacts, terms: Terms, now: datetime) -> Decision:
    """Return what is to be done with an entry; *now* is in whole seconds."""
    if facts.loc_problem is not None or not facts.is_registered:
        return _leave_out(facts)
    lastmod, findings = read_lastmod(facts.entry.lastmod, now)
    offered = _compare_with_known(facts, lastmod, terms, now)
    outcome = _compare_with_run(facts, offered, lastmod, now)
    if outcome is EntryOutcome.POSTPONED:
        return Decision(outcome)
    if outcome is EntryOutcome.DUPLICATE:
        findings = (repeated_finding(facts, lastmod, now),)
    elif not _is_reported(facts):
        findings = ()
    if finding := _finding(facts, outcome):
        findings = (*findings, finding)
    return Decision(
        outcome,
        findings,
        _update(facts, outcome, offered, lastmod),
        _must_reread(facts, outcome, lastmod, now),
        outcome is EntryOutcome.UNCHANGED or (outcome is EntryOutcome.OLDER and not _is_copy(facts)),
        new_version(facts, outcome, lastmod, now),
    )


def is_long_ago(moment: int | None, now: int, interval: float) -> bool:
    """Return whether *moment* is unknown, ahead of the clock, or *interval* seconds ago or longer."""
    return moment is None or not 0 <= now - moment < interval


def _leave_out(facts: EntryFacts) -> Decision:
    """Return the decision on an entry whose loc may not be harvested.

    A document that was harvested before its host left the register is not harvested again, but not gone. Nor
    is one that the loc means, if it is to be corrected: see corrected_locs.
    """
    loc, known = facts.entry.loc, facts.known
    if facts.loc_problem is not None:
        outcome = EntryOutcome.UNUSABLE
        finding = EntryFinding(facts.loc_problem, "loc", loc or None, SKIPPED)
    else:
        outcome = EntryOutcome.UNREGISTERED
        finding = EntryFinding("loc.niet-geregistreerd", "loc", host_of(loc), SKIPPED)
    update = None
    if known is not None:
        update = StateUpdate(known.id, new_listing=own_listing(known.id), is_listed_again=True)
    return Decision(outcome, (finding,), update, must_reread=True)


def _compare_with_known(
    facts: EntryFacts, lastmod: datetime | None, terms: Terms, now: datetime
) -> EntryOutcome:
    """Return what an entry calls for, by what earlier runs know of its document."""
    outcome, known = _by_lastmod(facts, lastmod, now), facts.known
    if known is None:
        return outcome
    is_same = outcome is EntryOutcome.UNCHANGED and facts.is_comparable
    if is_same and not is_repeated(facts, outcome, lastmod, now):
        if lacks_fields(facts):
            outcome = EntryOutcome.CHANGED
        elif _is_supply_due(facts, known, terms):
            outcome = EntryOutcome.SUPPLIED
        elif _is_recheck_due(known, terms, now):
            outcome = EntryOutcome.RECHECKED
    if terms.delivers_all and not facts.is_delivered_there and not is_repeated(facts, outcome, lastmod, now):
        outcome = _AGAIN.get(outcome, outcome)
    # An owner's entry that follows another's says something new, whatever was refused.
    is_comparable = facts.version.is_own or not facts.is_own
    is_asked_again = outcome.cause is not None or (is_same and _is_version_refused(known))
    if is_asked_again and is_comparable and _is_refused(known, lastmod, terms, now):
        return EntryOutcome.REFUSED
    return outcome


def _by_lastmod(facts: EntryFacts, lastmod: datetime | None, now: datetime) -> EntryOutcome:
    """Return the outcome by the guide's rule on lastmod. Moments are compared, not notations."""
    known, version, is_own = facts.known, facts.version, facts.is_own
    if version.owner is not None and not is_own:
        return EntryOutcome.FOREIGN
    if known is None or known.harvested is None:
        return EntryOutcome.NEW
    is_withdrawn = known.withdrawn is not None
    newer: bool | None = None  # neither newer nor older
    if (is_withdrawn and known.restore) or (is_own and not version.is_own):
        newer = True
    elif is_own or not version.is_own:
        newer = _is_newer_than_version(facts, known, lastmod, now)
    elif facts.listing is not None:
        # The owner lists it no longer: it stays as it is until the other's own entry changes.
        newer = _is_newer_than_before(known, facts.listing, lastmod, now)
    if newer:
        return EntryOutcome.REPUBLISHED if is_withdrawn else EntryOutcome.CHANGED
    if is_withdrawn:
        return EntryOutcome.OFFERED_AGAIN
    return EntryOutcome.UNCHANGED if newer is None else EntryOutcome.OLDER


def _is_newer_than_version(
    facts: EntryFacts, known: KnownDocument, lastmod: datetime | None, now: datetime
) -> bool | None:
    """Return whether an entry is newer than the known version; None if it is neither newer nor older.

    An entry whose lastmod lies in the future is not newer than one that another host lists, or that this host
    lists elsewhere. Otherwise the two would replace each other in each run.
    """
    if (_is_copy(facts) or facts.is_listed) and is_future(lastmod, now):
        return None
    return is_newer(lastmod, known.lastmod, known.harvested, first_read(facts, lastmod, now))


def _is_newer_than_before(
    known: KnownDocument, listing: SitemapListing, lastmod: datetime | None, now: datetime
) -> bool | None:
    """Return whether another's entry has a newer lastmod than when it was read last.

    The state does not know when that was. If that lastmod is still in the future, the moment of the known
    version counts instead of it.
    """
    was_future = listing.lastmod is not None and is_future(from_microseconds(listing.lastmod), now)
    return is_newer(lastmod, listing.lastmod, known.harvested if was_future else None, now)


def _is_recheck_due(known: KnownDocument, terms: Terms, now: datetime) -> bool:
    """Return whether the bytes of an unchanged document must be compared, whatever its server says."""
    if terms.recheck_interval is None or known.unchanged_since is None:
        return False
    return is_long_ago(known.fetched_at, int(now.timestamp()), terms.recheck_interval)


def _is_supply_due(facts: EntryFacts, known: KnownDocument, terms: Terms) -> bool:
    """Return whether an unchanged document lacks content that is wanted, and this host is to deliver it.

    That is the host that the version came from, or this one if that host no longer lists the document.
    """
    is_of_here = facts.version.is_here or not facts.version.is_listed
    return is_of_here and terms.is_lacking(known.content)


def _is_version_refused(known: KnownDocument) -> bool:
    """Return whether the version that was harvested has been refused since, when it was fetched once more."""
    return known.refused_at is not None and known.refused_lastmod == known.lastmod


def _is_refused(known: KnownDocument, lastmod: datetime | None, terms: Terms, now: datetime) -> bool:
    """Return whether a document that was fetched and refused is not asked for again yet.

    It is again once it has a newer lastmod, the interval has passed, or a run wants more than the one that
    refused it: the type that its bytes show, or a larger document.
    """
    if known.fault is None or is_long_ago(known.refused_at, int(now.timestamp()), terms.refused_interval):
        return False
    if known.refused_with in terms.wanted_less:
        return False
    return not is_newer(lastmod, known.refused_lastmod, known.refused_at, now)


def _compare_with_run(
    facts: EntryFacts, offered: EntryOutcome, lastmod: datetime | None, now: datetime
) -> EntryOutcome:
    """Return the outcome, given the other entries for the document.

    A run delivers a document once: by the entry that was read first, of those in one batch by the newest. A
    record that another host of the owner gave counts too. The newest entry is harvested from the next run on.
    """
    if facts.is_owner_awaited and offered.cause:
        return EntryOutcome.POSTPONED
    if facts.is_listed and (facts.is_expected or offered.cause is None):
        return EntryOutcome.DUPLICATE
    if facts.is_supplied and offered in _UNCHANGED:
        return EntryOutcome.UNCHANGED  # another host delivers the version that is known to both
    if facts.is_expected and offered is not EntryOutcome.FOREIGN:
        return EntryOutcome.DUPLICATE
    return EntryOutcome.DUPLICATE if is_repeated(facts, offered, lastmod, now) else offered


def _is_reported(facts: EntryFacts) -> bool:
    """Return whether what is wrong with the lastmod is reported: only of an entry that counts."""
    if facts.is_listed or facts.is_owner_awaited:
        return False
    return facts.is_own or facts.version.owner is None


def _is_copy(facts: EntryFacts) -> bool:
    """Return whether another host lists the version that is known."""
    return not facts.version.is_here and facts.version.is_listed


def _finding(facts: EntryFacts, outcome: EntryOutcome) -> EntryFinding | None:
    """Return why an entry is not harvested, if its publisher is to know."""
    if outcome is EntryOutcome.OLDER and _is_copy(facts):
        action = f"{SKIPPED}: de nieuwere vermelding op {facts.version.host} telt"
        return EntryFinding("loc.dubbel", "loc", facts.entry.lastmod, action)
    if outcome is EntryOutcome.OLDER:
        return EntryFinding("lastmod.ouder", "lastmod", facts.entry.lastmod, NOT_HARVESTED)
    if outcome is EntryOutcome.OLDER_AGAIN:
        return EntryFinding("lastmod.ouder", "lastmod", facts.entry.lastmod, _AS_KNOWN)
    if outcome is EntryOutcome.OFFERED_AGAIN:
        return EntryFinding("lastmod.heraanbod", "lastmod", facts.entry.lastmod, NOT_HARVESTED)
    if outcome is EntryOutcome.REFUSED and facts.known is not None:
        return EntryFinding(str(facts.known.fault), seen=facts.known.fault_seen, action=NOT_FETCHED)
    return None


def _must_reread(facts: EntryFacts, outcome: EntryOutcome, lastmod: datetime | None, now: datetime) -> bool:
    """Return whether the sitemap must be read in the next run: to report this again, or to decide anew."""
    if facts.has_others or (facts.is_listed and outcome.cause is not None):
        return True
    if outcome in _UNCHANGED and _is_copy(facts) and is_future(lastmod, now):
        return True  # it counts once the other host lists the document no longer
    if outcome is EntryOutcome.REFUSED:
        return not facts.is_comparable  # else it is known as this sitemap's
    return outcome in _REPORTED_AGAIN


def _update(
    facts: EntryFacts, outcome: EntryOutcome, offered: EntryOutcome, lastmod: datetime | None
) -> StateUpdate | None:
    """Return what the state learns of the document; None if the state does not know it."""
    known, version, before = facts.known, facts.version, facts.listing
    if known is None:
        return None
    row = _listing(facts, known.id, offered, lastmod)
    if before is not None and outcome is EntryOutcome.DUPLICATE:
        row = row._replace(lastmod=before.lastmod)  # else the entry that counts seems newer in the next run
    is_unchanged = outcome in _UNCHANGED
    is_moved = False
    if is_unchanged:
        is_moved = not version.is_here and not version.is_listed and facts.is_comparable
    elif outcome is EntryOutcome.REFUSED:
        is_moved = facts.is_comparable and known.sitemap_id != facts.sitemap_id
    is_as_harvested = is_unchanged or outcome is EntryOutcome.OLDER  # a fault was of another version
    return StateUpdate(
        known.id,
        new_listing=row if before is None else None,
        changed_listing=row if before is not None and _differs(before, row) else None,
        is_listed_again=before is not None and before.misses > 0,
        is_moved=is_moved,
        digest=facts.digest if is_unchanged and version.is_here else None,
        ends_fault=is_as_harvested and known.fault is not None,
    )


def _listing(
    facts: EntryFacts, document_id: int, offered: EntryOutcome, lastmod: datetime | None
) -> SitemapListing:
    """Return the row that says that this sitemap lists the document.

    The lastmod of a version that is to be delivered is not kept: if the run is killed, it comes again.
    """
    kept = None
    if offered.cause is not None and offered not in KNOWN_VERSION:
        kept = facts.listing.lastmod if facts.listing else None
    elif lastmod is not None and not facts.is_own:
        kept = to_microseconds(lastmod)
    return SitemapListing(document_id, 0, not facts.is_own, kept)


def _differs(one: SitemapListing, other: SitemapListing) -> bool:
    """Return whether two rows differ in whose document it is, or in the lastmod."""
    return one.lastmod != other.lastmod or one.foreign != other.foreign
