"""The decision on one entry of a sitemap: what it depends on, and the pure function that makes it.

One entry of a document counts: the owner's before another's, then the one with the newest lastmod. On a tie,
and without a lastmod, the version that was delivered stays. In one run a document is delivered once; if
another entry of the run should have counted, the next run delivers that.

Source: seed "Sitemapindex en Sitemaps", fields loc and lastmod; seed "Technische implementatie", sections
"Doellocatie van de <loc> verwijzing" and "Protocol indicatie"; "Whose entry counts" in the interface.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum, IntEnum
from typing import NamedTuple

from msgspec import Struct

from woo_harvester.record import Herkomst, Oorzaak, Record, Versie, bare_record
from woo_harvester.register.register import Match
from woo_harvester.sitemaps.lastmod import Moment, first_day, is_future, is_newer, is_placeholder, was_future
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.utils.dates import moment_after
from woo_harvester.utils.terminal import visible
from woo_harvester.utils.urls import host_of, loc_problem

_SKIPPED = "overgeslagen"
_NOT_HARVESTED = "niet opnieuw geoogst"
_AS_HARVESTED = "telt als het moment van de oogst"
_FROM_NEXT_RUN = (
    "overgeslagen: een andere is eerder gelezen; is deze nieuwer, dan telt zij vanaf de volgende oogst"
)
NOT_FETCHED = "niet opnieuw opgehaald, want de lastmod is niet nieuwer"

#: The code of a loc whose host is not in the register.
UNREGISTERED = "loc.niet-geregistreerd"

#: Origin of a default value: the moment or the day of the harvest.
_HARVEST = "oogstdatum"


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
    """The organisation to which the register assigns the document."""
    known: KnownDocument | None = None
    """What the state knows of the document. A new one has a number by now, and was never harvested."""
    listing: SitemapListing | None = None
    """What is known of the document in this sitemap; None if the sitemap did not list it before."""
    elsewhere: OtherSitemap | None = None
    """The sitemap that gave the known version; None if this one did, or if there is no known version."""
    owner: str | None = None
    """If the entry is another's: a host of the owner that lists the document."""
    is_named: bool = False
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
        return self.elsewhere is None or self.elsewhere.is_own == self.is_own

    @property
    def takes_over(self) -> bool:
        """Whether the entry is the owner's, and the known version came from another's."""
        return self.is_own and self.elsewhere is not None and not self.elsewhere.is_own


class EntryOutcome(Enum):
    """What is done with an entry, and the oorzaak of the version if one is harvested."""

    NEW = "new", Oorzaak.AANLEVERING
    CHANGED = "changed", Oorzaak.WIJZIGING
    REPUBLISHED = "republished", Oorzaak.HERPUBLICATIE
    """Withdrawn, and listed again with a newer lastmod, or marked to be restored."""
    AGAIN = "again", Oorzaak.AANLEVERING
    """Not newer, and delivered once more as the version that it was."""
    UNCHANGED = "unchanged", None
    OLDER = "older", None
    """The lastmod is older than that of the version that was harvested."""
    OFFERED_AGAIN = "offered again", None
    """Withdrawn, and listed again without a newer lastmod."""
    PASSED_OVER = "passed over", None
    """Another entry counts for the document."""
    REFUSED = "refused", None
    """Fetched before and refused, and nothing says that it has changed: not requested again."""
    UNUSABLE = "unusable", None
    """The loc cannot be harvested."""

    def __init__(self, _label: str, cause: Oorzaak | None) -> None:
        self.cause = cause


#: Outcomes of an entry that counts, and says nothing new.
SETTLED = (EntryOutcome.UNCHANGED, EntryOutcome.OLDER)
_MOVING = (*SETTLED, EntryOutcome.REFUSED)


class EntryFinding(NamedTuple):
    """What is wrong with an entry; the fields are those of :class:`Finding`."""

    code: str
    element: str | None = None
    seen: str | None = None
    action: str | None = None


class StateUpdate(NamedTuple):
    """What the state learns of one document from one entry, apart from the version that is delivered."""

    document_id: int
    listing: SitemapListing | None = None
    """Row to write: the sitemap lists the document."""
    is_moved: bool = False
    """The known version counts as this sitemap's from now on."""
    digest: bytes | None = None
    """Digest of the entry, which is unchanged though its bytes are not."""
    ends_fault: bool = False
    """The document is listed as it was harvested, after a version that could not be."""


class NewVersion(Struct, frozen=True):
    """The version that is to be delivered."""

    cause: Oorzaak
    moment: Moment | None
    """Of its lastmod; None if that is absent or cannot be read."""
    lastmod_text: str | None
    """As given."""
    published: date
    """The openbaarmakingsdatum."""
    recorded: datetime
    """The moment of the record, in whole seconds."""
    harvested: datetime
    """The moment of the harvest: that of the first record of this version."""
    is_ahead: bool = False
    """The lastmod lies in the future, so the moment of the harvest counts in its place."""
    is_dated_by_harvest: bool = False
    """The openbaarmakingsdatum is the day of the harvest, since no lastmod gives it."""
    number: int = 1
    """Its number, 1 for the first version of the document."""

    def record(self, loc: str, origin: Herkomst) -> Record:
        """Return the record of the document at *loc*, with this version and no metadata yet.

        *origin* gets the lastmod as given, and the defaults of the version.
        """
        origin.lastmod = self.lastmod_text
        if self.is_dated_by_harvest:
            origin.standaardwaarden["versies.openbaarmakingsdatum"] = _HARVEST
        if self.is_ahead:
            origin.standaardwaarden["versies.mutatiedatumtijd"] = _HARVEST
        given = self.moment.utc if self.moment is not None else None
        moment = self.harvested if self.is_ahead else given
        return bare_record(loc, Versie(self.cause, self.published, moment, self.number), origin)


class Decision(Struct, frozen=True):
    """What is done with an entry, and what is reported and remembered of it."""

    outcome: EntryOutcome
    findings: tuple[EntryFinding, ...] = ()
    update: StateUpdate | None = None
    """None if the state learns nothing."""
    must_reread: bool = False
    """The next run must read the sitemap again: this entry is not delivered, or should have counted."""
    version: NewVersion | None = None
    """None if nothing is delivered."""
    left_to: str | None = None
    """The other host whose entry counts."""


def find_loc_problem(loc: str) -> str | None:
    """Return the code of the finding that keeps a loc from being harvested, or None for a good one."""
    return loc_problem(loc) if loc else "loc.ontbreekt"


def is_long_ago(moment: int | None, now: int, interval: float) -> bool:
    """Return whether *moment* is unknown, ahead of the clock, or *interval* seconds ago or longer."""
    return moment is None or not 0 <= now - moment < interval


def decide(facts: EntryFacts, terms: Terms, now: datetime) -> Decision:
    """Return what is to be done with an entry; *now* is in whole seconds."""
    if facts.problem is not None:
        return _leave_out(facts, facts.problem)
    offered = _by_lastmod(facts, now)
    outcome = _choose(facts, offered, terms, now)
    is_passed_over = outcome is EntryOutcome.PASSED_OVER
    # One in the future may count later: it was passed over for another one, or the clock was ahead before.
    is_ahead = is_future(facts.moment, now)
    should_have_counted = is_passed_over and facts.owner is None and (offered.cause is not None or is_ahead)
    should_have_counted |= is_ahead and outcome is EntryOutcome.OLDER
    is_replaced = facts.is_named and outcome.cause is not None  # the entry before it is yet to be reported
    left_to, elsewhere = facts.owner, facts.elsewhere
    if left_to is None and not facts.is_named and elsewhere is not None and not elsewhere.is_here:
        left_to = elsewhere.host  # else another entry of this host counts
    return Decision(
        outcome,
        _findings(facts, outcome, offered, left_to, now),
        _update(facts, outcome),
        must_reread=should_have_counted or is_replaced or outcome is EntryOutcome.OFFERED_AGAIN,
        version=new_version(facts, outcome, now),
        left_to=left_to if is_passed_over else None,
    )


def _leave_out(facts: EntryFacts, problem: str) -> Decision:
    """Return the decision on an entry whose loc cannot be harvested.

    A document that was harvested before its host left the register is not harvested again, but not gone. Nor
    is one that the loc means, if it is to be corrected: see corrected_locs.
    """
    loc, known = facts.entry.loc, facts.known
    seen = host_of(loc) if problem == UNREGISTERED else visible(loc) or None
    finding = EntryFinding(problem, "loc", seen, _SKIPPED)
    update = StateUpdate(known.id, SitemapListing(known.id)) if known is not None else None
    return Decision(EntryOutcome.UNUSABLE, (finding,), update, must_reread=True)


def _by_lastmod(facts: EntryFacts, now: datetime) -> EntryOutcome:
    """Return the outcome by the guide's rule on lastmod. Moments are compared, not notations."""
    known, elsewhere = facts.known, facts.elsewhere
    if known is None or known.harvested is None:
        return EntryOutcome.NEW
    is_withdrawn = known.withdrawn is not None
    newer = is_newer(facts.moment, known.lastmod, known.harvested, now)
    has_other = facts.is_named or (elsewhere is not None and elsewhere.is_listed)
    if has_other and is_future(facts.moment, now) and was_future(known.lastmod, known.harvested):
        newer = None  # otherwise two entries in the future would replace each other in each run
    if facts.takes_over or (is_withdrawn and known.again):
        newer = True
    if newer:
        return EntryOutcome.REPUBLISHED if is_withdrawn else EntryOutcome.CHANGED
    if is_withdrawn:
        return EntryOutcome.OFFERED_AGAIN
    return EntryOutcome.UNCHANGED if newer is None else EntryOutcome.OLDER


def _choose(facts: EntryFacts, offered: EntryOutcome, terms: Terms, now: datetime) -> EntryOutcome:
    """Return the outcome of an entry that calls for *offered*, given the other entries and the terms."""
    known = facts.known
    if facts.owner is not None:
        return EntryOutcome.PASSED_OVER
    if offered.cause is not None:
        if facts.is_delivered:
            return EntryOutcome.PASSED_OVER
    elif facts.is_named:
        return EntryOutcome.PASSED_OVER
    elif known is not None and offered in SETTLED:
        if _counts_elsewhere(facts, known, delivers_all=terms.delivers_all):
            return EntryOutcome.PASSED_OVER
        if terms.want_again(known):
            offered = EntryOutcome.PASSED_OVER if facts.is_delivered else EntryOutcome.AGAIN
    if offered.cause is not None and known is not None and _is_refused(facts, known, terms, now):
        return EntryOutcome.REFUSED
    return offered


def _counts_elsewhere(facts: EntryFacts, known: KnownDocument, *, delivers_all: bool) -> bool:
    """Return whether the known version is another sitemap's, which still lists the document.

    On a tie, of two sitemaps of one host that was read first counts: the other one may just have lost it.
    """
    elsewhere = facts.elsewhere
    if elsewhere is None or not elsewhere.is_listed:
        return False
    if (facts.moment.at if facts.moment is not None else None) != known.lastmod:
        return True  # it is older or absent, or corrects one in the future: no tie
    return elsewhere.is_read if elsewhere.is_here else not delivers_all


def _is_refused(facts: EntryFacts, known: KnownDocument, terms: Terms, now: datetime) -> bool:
    """Return whether a document that was fetched and refused is not requested again yet.

    It is once it has a newer lastmod, the interval has passed, or a run wants more than the one that refused
    it. An owner's entry that follows another's says something new, whatever was refused.
    """
    if known.fault is None or facts.takes_over or terms.want_more(known.depth):
        return False
    if is_long_ago(known.refused_at, int(now.timestamp()), terms.refused_interval):
        return False
    return not is_newer(facts.moment, known.refused_lastmod, known.refused_at, now)


def _findings(
    facts: EntryFacts, outcome: EntryOutcome, offered: EntryOutcome, left_to: str | None, now: datetime
) -> tuple[EntryFinding, ...]:
    """Return what is wrong with an entry, and why it is not harvested if its publisher is to know."""
    if outcome is EntryOutcome.PASSED_OVER:
        if left_to is not None:  # one finding for the sitemap says how many
            return ()
        place = f"in {facts.elsewhere.sitemap}" if facts.elsewhere is not None else "op een andere plek"
        action = f"overgeslagen: de vermelding {place} telt" if offered.cause is None else _FROM_NEXT_RUN
        return (EntryFinding("loc.dubbel", "loc", facts.entry.lastmod, action=action),)
    found = [_loc_finding(facts.entry), _lastmod_finding(facts, now), _why_not_harvested(facts, outcome)]
    if (other := facts.entry.other_lastmod) is not None:
        found.append(EntryFinding("metadata.dubbel", "lastmod", other, "de eerste telt"))
    return tuple(one for one in found if one is not None)


def _loc_finding(entry: Entry) -> EntryFinding | None:
    """Return what is wrong with a loc that can be read all the same."""
    if entry.given_loc is None:
        return None
    return EntryFinding("loc.tekens", "loc", visible(entry.given_loc), f"gelezen als {entry.loc}")


def _lastmod_finding(facts: EntryFacts, now: datetime) -> EntryFinding | None:
    """Return what is wrong with the lastmod. One that cannot be read counts as absent."""
    text, moment = facts.entry.lastmod, facts.moment
    if text is None:
        return EntryFinding("lastmod.ontbreekt", "lastmod")
    if moment is None:
        code = "lastmod.onwaarschijnlijk" if is_placeholder(text) else "lastmod.ongeldig"
        return EntryFinding(code, "lastmod", text, "telt als afwezig")
    if is_future(moment, now):
        return EntryFinding("lastmod.toekomst", "lastmod", text, _AS_HARVESTED)
    return None


def _why_not_harvested(facts: EntryFacts, outcome: EntryOutcome) -> EntryFinding | None:
    lastmod, known = facts.entry.lastmod, facts.known
    if outcome is EntryOutcome.OLDER:
        return EntryFinding("lastmod.ouder", "lastmod", lastmod, _NOT_HARVESTED)
    if outcome is EntryOutcome.OFFERED_AGAIN:
        return EntryFinding("lastmod.heraanbod", "lastmod", lastmod, _NOT_HARVESTED)
    if outcome is EntryOutcome.REFUSED and known is not None:
        return EntryFinding(str(known.fault), seen=known.fault_seen, action=NOT_FETCHED)
    return None


def _update(facts: EntryFacts, outcome: EntryOutcome) -> StateUpdate | None:
    """Return what the state learns of the document; None if the state does not know it."""
    known = facts.known
    if known is None:
        return None
    # A sitemap that lists a document twice lists it, whichever of the two counts.
    is_other = facts.elsewhere is not None or facts.owner is not None
    row = SitemapListing(known.id, 0, is_other and outcome is EntryOutcome.PASSED_OVER)
    is_unchanged = outcome is EntryOutcome.UNCHANGED
    # Not to another's entry: the owner's would seem to say something new when it is listed again.
    is_moved = facts.is_comparable and facts.elsewhere is not None and outcome in _MOVING
    return StateUpdate(
        known.id,
        row if row != facts.listing else None,
        is_moved,
        digest=facts.digest if is_unchanged else None,
        ends_fault=outcome in SETTLED and known.fault is not None and facts.elsewhere is None,
    )


def new_version(facts: EntryFacts, outcome: EntryOutcome, now: datetime) -> NewVersion | None:
    """Return the version that is to be delivered; None if the outcome calls for none.

    The openbaarmakingsdatum is that of the first version, unless another's entry gave it and the owner's has
    come since.
    """
    known, lastmod = facts.known, facts.moment
    if outcome.cause is None:
        return None
    if outcome is EntryOutcome.AGAIN and known is not None:
        return _known_version(facts, known, now)
    is_ahead = is_future(lastmod, now)
    published = known.published if known is not None else None
    is_first = not published or facts.takes_over
    recorded = moment_after(known.delivered_at if known else None, now)
    return NewVersion(
        cause=outcome.cause,
        moment=lastmod,
        lastmod_text=facts.entry.lastmod,
        published=first_day(lastmod, now) if is_first else date.fromisoformat(str(published)),
        recorded=recorded,
        harvested=recorded,
        is_ahead=is_ahead,
        is_dated_by_harvest=is_first and (lastmod is None or is_ahead),
        number=1 if known is None or known.harvested is None else (known.number or 1) + 1,
    )


def _known_version(facts: EntryFacts, known: KnownDocument, now: datetime) -> NewVersion:
    """Return the known version, to be delivered again with the lastmod, dates and oorzaak that it had."""
    lastmod, text = facts.moment, facts.entry.lastmod
    if (lastmod.at if lastmod is not None else None) != known.lastmod:  # it is absent by now, or older
        lastmod = Moment.kept(known.lastmod)
        text = lastmod.text if lastmod is not None else None
    cause = Oorzaak(known.cause or Oorzaak.AANLEVERING)
    is_ahead = was_future(known.lastmod, known.harvested)
    return NewVersion(
        cause=cause,
        moment=lastmod,
        lastmod_text=text,
        published=date.fromisoformat(str(known.published)),
        recorded=moment_after(known.delivered_at, now),
        harvested=datetime.fromtimestamp(known.harvested or 0, UTC),
        is_ahead=is_ahead,
        is_dated_by_harvest=cause is Oorzaak.AANLEVERING and (lastmod is None or is_ahead),
        number=known.number or 1,
    )
