"""Decides what is done with one entry of a sitemap, from what is known of it: a pure function.

Source: seed "Sitemapindex en Sitemaps", fields loc and lastmod; seed "Technische implementatie", sections
"Doellocatie van de <loc> verwijzing" and "Protocol indicatie"; "Whose entry counts" in the interface.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from woo_harvester.record import Oorzaak
from woo_harvester.sitemaps.facts import (
    KNOWN_VERSION,
    Decision,
    EntryFacts,
    EntryFinding,
    EntryOutcome,
    KnownDocument,
    NewVersion,
    SitemapListing,
    StateUpdate,
    Terms,
    first_day,
    is_future,
    is_newer,
    newest_first,
    own_listing,
)
from woo_harvester.utils.dates import from_microseconds, iso_datetime, moment_after
from woo_harvester.utils.urls import host_of, loc_problem

_SKIPPED = "overgeslagen"
_NOT_HARVESTED = "niet opnieuw geoogst"
_AS_KNOWN = "geleverd als de versie die bekend was"
_AS_HARVESTED = "telt als het moment van de oogst"
_FROM_NEXT_RUN = "is deze nieuwer, dan telt zij vanaf de volgende oogst"
NOT_FETCHED = "niet opnieuw opgehaald, want de lastmod is niet nieuwer"

#: Outcomes that are reported in each run, so that the sitemap must be read in each.
_REPORTED_AGAIN = (
    EntryOutcome.OLDER,
    EntryOutcome.OLDER_AGAIN,
    EntryOutcome.OFFERED_AGAIN,
    EntryOutcome.DUPLICATE,
)
_UNCHANGED = (EntryOutcome.UNCHANGED, EntryOutcome.UNCHANGED_AGAIN)

#: Outcomes without a version with which an entry may be left to another one of its host that is newer.
_MAY_BE_BEATEN = (EntryOutcome.UNCHANGED, EntryOutcome.OLDER, EntryOutcome.REFUSED)

#: The outcome in a run that delivers all documents, by the outcome in another run.
_AGAIN = {
    EntryOutcome.UNCHANGED: EntryOutcome.UNCHANGED_AGAIN,
    EntryOutcome.RECHECKED: EntryOutcome.UNCHANGED_AGAIN,
    EntryOutcome.OLDER: EntryOutcome.OLDER_AGAIN,
}


def find_loc_problem(loc: str) -> str | None:
    """Return the code of the finding that keeps a loc from being harvested, or None for a good one."""
    return loc_problem(loc) if loc else "loc.ontbreekt"


def is_long_ago(moment: int | None, now: int, interval: float) -> bool:
    """Return whether *moment* is unknown, ahead of the clock, or *interval* seconds ago or longer."""
    return moment is None or not 0 <= now - moment < interval


def decide(facts: EntryFacts, terms: Terms, now: datetime) -> Decision:
    """Return what is to be done with an entry; *now* is in whole seconds."""
    if not facts.is_usable:
        return _leave_out(facts)
    case = _Case(facts, terms, now)
    offered = case.compare_with_known()
    outcome = case.compare_with_run(offered)
    if outcome is EntryOutcome.POSTPONED:
        return Decision(outcome)
    return Decision(
        outcome,
        case.findings(outcome),
        case.update(outcome, offered),
        case.must_reread(outcome),
        outcome is EntryOutcome.UNCHANGED
        or (outcome is EntryOutcome.OLDER and not facts.version.is_elsewhere),
        new_version(facts, outcome, now),
    )


def _leave_out(facts: EntryFacts) -> Decision:
    """Return the decision on an entry whose loc may not be harvested.

    A document that was harvested before its host left the register is not harvested again, but not gone. Nor
    is one that the loc means, if it is to be corrected: see corrected_locs.
    """
    loc, known = facts.entry.loc, facts.known
    if facts.loc_problem is not None:
        outcome = EntryOutcome.UNUSABLE
        finding = EntryFinding(facts.loc_problem, "loc", loc or None, _SKIPPED)
    else:
        outcome = EntryOutcome.UNREGISTERED
        finding = EntryFinding("loc.niet-geregistreerd", "loc", host_of(loc), _SKIPPED)
    update = None
    if known is not None:
        update = StateUpdate(known.id, new_listing=own_listing(known.id), is_listed_again=True)
    return Decision(outcome, (finding,), update, must_reread=True)


class _Case:
    """An entry that may be harvested, while it is decided on."""

    __slots__ = ("_facts", "_has_others", "_known", "_now", "_terms", "_version")

    def __init__(self, facts: EntryFacts, terms: Terms, now: datetime) -> None:
        self._facts = facts
        self._has_others = facts.has_others
        self._known = facts.known
        self._version = facts.version
        self._terms = terms
        self._now = now

    def compare_with_known(self) -> EntryOutcome:
        """Return what an entry calls for, by what earlier runs know of its document."""
        outcome, known, terms, facts = self._by_lastmod(), self._known, self._terms, self._facts
        if known is None:
            return outcome
        is_same = outcome is EntryOutcome.UNCHANGED and facts.is_comparable
        if is_same and not self._is_repeated(outcome):
            if self._lacks_fields(known):
                outcome = EntryOutcome.SUPPLEMENTED
            elif self._is_supply_due(known):
                outcome = EntryOutcome.SUPPLIED
            elif self._is_recheck_due(known):
                outcome = EntryOutcome.RECHECKED
        if terms.delivers_all and not facts.is_delivered_there and not self._is_repeated(outcome):
            outcome = _AGAIN.get(outcome, outcome)
        # An owner's entry that follows another's says something new, whatever was refused.
        is_comparable = self._version.is_own or not facts.is_own
        # The version that was harvested may have been refused since, when it was fetched once more.
        is_version_refused = known.refused_at is not None and known.refused_lastmod == known.lastmod
        is_asked_again = outcome.cause is not None or (is_same and is_version_refused)
        if is_asked_again and is_comparable and self._is_refused(known):
            return EntryOutcome.REFUSED
        return outcome

    def compare_with_run(self, offered: EntryOutcome) -> EntryOutcome:
        """Return the outcome, given the other entries for the document.

        A run delivers a document once: by the entry that was read first, of those in one batch by the newest.
        A record that another host of the owner gave counts too. The newest entry is harvested from the next
        run on.
        """
        facts = self._facts
        if facts.is_owner_awaited and offered.cause:
            return EntryOutcome.POSTPONED
        if facts.is_listed and (facts.is_expected or offered.cause is None):
            return EntryOutcome.DUPLICATE
        if facts.is_supplied and offered in _UNCHANGED:
            return EntryOutcome.UNCHANGED  # another host delivers the version that is known to both
        if facts.is_expected and offered is not EntryOutcome.FOREIGN:
            return EntryOutcome.DUPLICATE
        return EntryOutcome.DUPLICATE if self._is_repeated(offered) else offered

    def findings(self, outcome: EntryOutcome) -> tuple[EntryFinding, ...]:
        """Return what is wrong with an entry, and why it is not harvested if its publisher is to know."""
        facts, found = self._facts, self._why_not_harvested(outcome)
        if outcome is EntryOutcome.DUPLICATE:
            found = EntryFinding("loc.dubbel", "loc", facts.entry.lastmod, self._repeated_action())
        elif not (facts.is_listed or facts.is_owner_awaited or facts.is_left_to_owner):
            wrong = self._lastmod_finding()
            if wrong is not None:
                return (wrong,) if found is None else (wrong, found)
        return () if found is None else (found,)

    def must_reread(self, outcome: EntryOutcome) -> bool:
        """Return whether the sitemap must be read in the next run: to report this again, or decide anew."""
        facts = self._facts
        if self._has_others or (facts.is_listed and outcome.cause is not None):
            return True
        if outcome in _UNCHANGED and self._version.is_elsewhere and is_future(facts.moment, self._now):
            return True  # it counts once the other host lists the document no longer
        if outcome is EntryOutcome.REFUSED:
            return not facts.is_comparable  # else it is known as this sitemap's
        return outcome in _REPORTED_AGAIN

    def update(self, outcome: EntryOutcome, offered: EntryOutcome) -> StateUpdate | None:
        """Return what the state learns of the document; None if the state does not know it."""
        facts, known, version, before = self._facts, self._known, self._version, self._facts.listing
        if known is None:
            return None
        row = self._listing(known.id, offered)
        if before is not None and outcome is EntryOutcome.DUPLICATE:
            row = row._replace(lastmod=before.lastmod)  # else the entry that counts seems newer next time
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

    def _by_lastmod(self) -> EntryOutcome:
        """Return the outcome by the guide's rule on lastmod. Moments are compared, not notations."""
        facts, known, version, is_own = self._facts, self._known, self._version, self._facts.is_own
        if version.owner is not None and not is_own:
            return EntryOutcome.FOREIGN
        if known is None or known.harvested is None:
            return EntryOutcome.NEW
        is_withdrawn = known.withdrawn is not None
        newer: bool | None = None  # neither newer nor older
        if (is_withdrawn and known.restore) or (is_own and not version.is_own):
            newer = True
        elif is_own or not version.is_own:
            newer = self._is_newer_than_version(known)
        elif facts.listing is not None:
            # The owner lists it no longer: it stays as it is until the other's own entry changes.
            newer = self._is_newer_than_before(known, facts.listing)
        if newer:
            return EntryOutcome.REPUBLISHED if is_withdrawn else EntryOutcome.CHANGED
        if is_withdrawn:
            return EntryOutcome.OFFERED_AGAIN
        return EntryOutcome.UNCHANGED if newer is None else EntryOutcome.OLDER

    def _is_newer_than_version(self, known: KnownDocument) -> bool | None:
        """Return whether an entry is newer than the known version; None if it is neither newer nor older.

        An entry whose lastmod lies in the future is not newer than one that another host lists, or that this
        host lists elsewhere. Otherwise the two would replace each other in each run.
        """
        facts, now = self._facts, self._now
        if (self._version.is_elsewhere or facts.is_listed) and is_future(facts.moment, now):
            return None
        return is_newer(facts.moment, known.lastmod, known.harvested, facts.first_read(now))

    def _is_newer_than_before(self, known: KnownDocument, listing: SitemapListing) -> bool | None:
        """Return whether another's entry has a newer lastmod than when it was read last.

        The state does not know when that was. If that lastmod is still in the future, the moment of the known
        version counts instead of it.
        """
        before, now = listing.lastmod, self._now
        was_future = before is not None and is_future(from_microseconds(before), now)
        return is_newer(self._facts.moment, before, known.harvested if was_future else None, now)

    def _is_repeated(self, offered: EntryOutcome) -> bool:
        """Return whether an entry is left to another one of its host.

        *offered* is the outcome that it would have without the other one.
        """
        if not self._has_others:  # nearly always
            return False
        facts = self._facts
        if offered.cause is not None:
            return facts.is_older_than(facts.beside, self._now)
        if offered not in _MAY_BE_BEATEN:
            return False
        is_beside_source = facts.source_url is not None and offered is not EntryOutcome.REFUSED
        return is_beside_source or facts.is_older_than(facts.rivals, self._now)

    def _lacks_fields(self, known: KnownDocument) -> bool:
        """Return whether other entries give a field that neither the entry nor the known version has."""
        facts = self._facts
        if not self._has_others or facts.source_url is not None or not self._version.is_here:
            return False
        given = 0
        for other in facts.rivals:
            given |= other.fields
        return bool(given & ~facts.fields & ~(known.supplemented or 0))

    def _is_supply_due(self, known: KnownDocument) -> bool:
        """Return whether an unchanged document lacks content that is wanted, and this host is to deliver it.

        That is the host that the version came from, or this one if that host no longer lists the document.
        """
        return not self._version.is_elsewhere and self._terms.is_lacking(known.content)

    def _is_recheck_due(self, known: KnownDocument) -> bool:
        """Return whether the bytes of an unchanged document must be compared, whatever its server says."""
        interval = self._terms.recheck_interval
        if interval is None or known.unchanged_since is None:
            return False
        return is_long_ago(known.fetched_at, int(self._now.timestamp()), interval)

    def _is_refused(self, known: KnownDocument) -> bool:
        """Return whether a document that was fetched and refused is not asked for again yet.

        It is again once it has a newer lastmod, the interval has passed, or a run wants more than the one
        that refused it: the type that its bytes show, or a larger document.
        """
        terms, now = self._terms, self._now
        if known.fault is None or is_long_ago(known.refused_at, int(now.timestamp()), terms.refused_interval):
            return False
        if known.refused_with in terms.wanted_less:
            return False
        return not is_newer(self._facts.moment, known.refused_lastmod, known.refused_at, now)

    def _lastmod_finding(self) -> EntryFinding | None:
        """Return what is wrong with the lastmod. One that cannot be read counts as absent."""
        text, moment = self._facts.entry.lastmod, self._facts.moment
        if text is None:
            return EntryFinding("lastmod.ontbreekt", "lastmod")
        if moment is None:
            return EntryFinding("lastmod.ongeldig", "lastmod", text, "telt als afwezig")
        if is_future(moment, self._now):
            return EntryFinding("lastmod.toekomst", "lastmod", text, _AS_HARVESTED)
        return None

    def _why_not_harvested(self, outcome: EntryOutcome) -> EntryFinding | None:
        """Return why an entry is not harvested, if its publisher is to know."""
        lastmod, known = self._facts.entry.lastmod, self._known
        if outcome is EntryOutcome.UNCHANGED or known is None:  # nearly always
            return None
        if outcome is EntryOutcome.OLDER and self._version.is_elsewhere:
            action = f"{_SKIPPED}: de nieuwere vermelding op {self._version.host} telt"
            return EntryFinding("loc.dubbel", "loc", lastmod, action)
        if outcome in (EntryOutcome.OLDER, EntryOutcome.OLDER_AGAIN):
            action = _NOT_HARVESTED if outcome is EntryOutcome.OLDER else _AS_KNOWN
            return EntryFinding("lastmod.ouder", "lastmod", lastmod, action)
        if outcome is EntryOutcome.OFFERED_AGAIN:
            return EntryFinding("lastmod.heraanbod", "lastmod", lastmod, _NOT_HARVESTED)
        if outcome is EntryOutcome.REFUSED:
            return EntryFinding(str(known.fault), seen=known.fault_seen, action=NOT_FETCHED)
        return None

    def _repeated_action(self) -> str:
        """Return the action on a repeated entry: skipped, and which one counts, with its place if known."""
        facts = self._facts
        if facts.is_left_to_owner:
            return f"{_SKIPPED}: de vermelding op {self._version.owner} telt"
        rivals = newest_first(facts.rivals)
        if facts.source_url is not None and not facts.beside:
            where = f"in {facts.source_url}"
        elif rivals:
            entry = rivals[0].entry
            where = f"in {rivals[0].url}" if entry is None else f"op regel {entry.line}"
        else:
            where = "eerder in deze sitemap" if facts.place else "op een andere plek"
        if facts.is_older_than(rivals, self._now):
            return f"{_SKIPPED}: de nieuwere vermelding {where} telt"
        if facts.is_expected and not facts.beside:
            return f"{_SKIPPED}: de vermelding {where} is eerder gelezen; {_FROM_NEXT_RUN}"
        return f"{_SKIPPED}: de vermelding {where} telt"

    def _listing(self, document_id: int, offered: EntryOutcome) -> SitemapListing:
        """Return the row that says that this sitemap lists the document.

        The lastmod of a version that is to be delivered is not kept: if the run is killed, it comes again.
        """
        facts, kept = self._facts, None
        if offered.cause is not None and offered not in KNOWN_VERSION:
            kept = facts.listing.lastmod if facts.listing else None
        elif not facts.is_own:
            kept = facts.lastmod
        return SitemapListing(document_id, 0, not facts.is_own, kept)


def _differs(one: SitemapListing, other: SitemapListing) -> bool:
    """Return whether two rows differ in whose document it is, or in the lastmod."""
    return one.lastmod != other.lastmod or one.foreign != other.foreign


def new_version(facts: EntryFacts, outcome: EntryOutcome, now: datetime) -> NewVersion | None:
    """Return the version that is to be harvested; None if the outcome calls for none.

    The openbaarmakingsdatum is that of the first version, unless another's entry gave it and the owner's has
    come since. A version of an unchanged entry has the lastmod that was harvested: it may have lost it since.
    """
    known, lastmod, text = facts.known, facts.moment, facts.entry.lastmod
    if outcome.cause is None:
        return None
    if outcome in KNOWN_VERSION and known is not None and known.harvested is not None:
        return _known_version(facts, known, datetime.fromtimestamp(known.harvested, UTC), now)
    is_same = facts.is_comparable and outcome is EntryOutcome.RECHECKED
    if is_same and lastmod is None and known is not None and known.lastmod:
        lastmod = from_microseconds(known.lastmod)
        text = iso_datetime(lastmod)
    is_ahead = is_future(lastmod, now)
    published = known.published if known is not None else None
    is_first = not published or (facts.is_own and not facts.version.is_own)
    return NewVersion(
        cause=outcome.cause,
        lastmod=lastmod,
        lastmod_text=text,
        published=first_day(lastmod, now) if is_first else date.fromisoformat(str(published)),
        at=moment_after(known.delivered_at if known else None, now),
        takes_over=known is not None and known.harvested is not None and not facts.is_comparable,
        is_ahead=is_ahead,
        is_dated_by_harvest=is_first and (lastmod is None or is_ahead),
        number=1 if known is None or known.harvested is None else (known.number or 1) + 1,
    )


def _known_version(facts: EntryFacts, known: KnownDocument, began_at: datetime, now: datetime) -> NewVersion:
    """Return the version that was harvested at *began_at*, to be delivered again.

    Its dates and oorzaak are those that it had. If the state does not have the oorzaak, it is most likely the
    first version if it is of the day of the openbaarmakingsdatum, which is that of the first version.
    """
    lastmod, text = None, facts.entry.lastmod
    if known.lastmod is not None:
        lastmod = from_microseconds(known.lastmod)
    if facts.moment != lastmod:  # it is absent by now, or it was in the future and has been corrected
        text = iso_datetime(lastmod) if lastmod is not None else None
    is_ahead = is_future(lastmod, began_at)
    day = first_day(lastmod, began_at)
    if known.cause is not None:
        cause = Oorzaak(known.cause)
    else:
        cause = Oorzaak.AANLEVERING if day.isoformat() == known.published else Oorzaak.WIJZIGING
    return NewVersion(
        cause=cause,
        lastmod=lastmod,
        lastmod_text=text,
        published=date.fromisoformat(str(known.published)),
        at=moment_after(known.delivered_at, now),
        began_at=began_at,
        takes_over=False,
        is_ahead=is_ahead,
        is_dated_by_harvest=cause is Oorzaak.AANLEVERING and (lastmod is None or is_ahead),
        number=known.number or 1,
    )
