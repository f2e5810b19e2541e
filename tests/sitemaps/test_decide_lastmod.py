"""The guide's rule on lastmod, a sentence each (seed "Sitemapindex en Sitemaps", field lastmod)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.record import Oorzaak
from woo_harvester.sitemaps.decide import decide
from woo_harvester.sitemaps.facts import EntryFacts, KnownDocument, KnownVersion, SitemapListing, Terms
from woo_harvester.sitemaps.facts import EntryOutcome as Outcome
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.utils.dates import parse_datetime, to_microseconds

MOMENT = datetime(2024, 4, 2, 8, tzinfo=UTC)
LATER = MOMENT + timedelta(microseconds=1)
EARLIER = MOMENT - timedelta(microseconds=1)

#: When the known version was harvested, when it was withdrawn, and the moment at which an entry is read.
HARVESTED, WITHDRAWN, NOW = 1_715_000_000, 1_716_000_000, 1_720_000_000

#: Moments before the known version was harvested.
MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(2024, 5, 1), timezones=st.just(UTC))  # noqa: DTZ001
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def known(lastmod: datetime | None, *, withdrawn: bool = False, harvested: bool = True) -> KnownDocument:
    """A document as the state has it."""
    return KnownDocument(
        loc="https://a.nl/d.pdf",
        id=1,
        sitemap_id=1,
        lastmod=None if lastmod is None else to_microseconds(lastmod),
        published="2024-04-02",
        harvested=HARVESTED if harvested else None,
        withdrawn=WITHDRAWN if withdrawn else None,
        entry_digest=None,
    )


class Standing(NamedTuple):
    """Whose entry it is, beside whose version is known."""

    own: bool = True
    own_known: bool = True
    own_listed: bool = False
    lastmod: int | None = None
    """What the entry had when it was last read, in microseconds since 1970."""
    seen_before: bool = True


def outcome(
    document: KnownDocument | None,
    lastmod: datetime | None,
    standing: Standing = Standing(),  # noqa: B008 -- it does not change
) -> Outcome:
    """Return what is done with an entry of that lastmod."""
    listing = SitemapListing(1, 0, not standing.own, standing.lastmod) if standing.seen_before else None
    facts = EntryFacts(
        Entry("https://a.nl/d.pdf", lastmod.isoformat() if lastmod else None, 1, None),
        is_own=standing.own,
        known=document,
        listing=listing,
        version=KnownVersion(standing.own_known, owner="www.a.nl" if standing.own_listed else None),
    )
    return decide(facts, Terms(), datetime.fromtimestamp(NOW, UTC)).outcome


def test_what_is_harvested_has_an_oorzaak() -> None:
    assert Outcome.NEW.cause is Oorzaak.AANLEVERING
    assert Outcome.CHANGED.cause is Oorzaak.WIJZIGING
    assert Outcome.REPUBLISHED.cause is Oorzaak.HERPUBLICATIE
    for left in (Outcome.UNCHANGED, Outcome.OLDER, Outcome.OFFERED_AGAIN, Outcome.FOREIGN):
        assert left.cause is None


def test_a_lastmod_that_appears_is_newer_whatever_it_is() -> None:
    assert outcome(known(None), EARLIER) is Outcome.CHANGED
    assert outcome(known(None), None) is Outcome.UNCHANGED
    assert outcome(known(None, withdrawn=True), MOMENT) is Outcome.REPUBLISHED
    assert outcome(known(None, withdrawn=True), None) is Outcome.OFFERED_AGAIN


@given(MOMENTS, OFFSETS, OFFSETS)
def test_equality_is_of_moments_not_of_notations(moment: datetime, one: timezone, other: timezone) -> None:
    first = parse_datetime(moment.astimezone(one).isoformat())
    second = parse_datetime(moment.astimezone(other).isoformat())
    assert outcome(known(first), second) is Outcome.UNCHANGED


@given(MOMENTS, MOMENTS, OFFSETS)
def test_what_is_newer_does_not_depend_on_the_notation(
    first: datetime, second: datetime, zone: timezone
) -> None:
    expected = Outcome.CHANGED if second > first else Outcome.UNCHANGED if second == first else Outcome.OLDER
    assert outcome(known(first), second.astimezone(zone)) is expected


#: Another's entry, seen before with MOMENT, of a document whose version came from such an entry.
FOREIGN = Standing(own=False, own_known=False, lastmod=to_microseconds(MOMENT))
#: The same, where the version came from an entry of the owner, who lists the document no longer.
LEFT_ALONE = Standing(own=False, own_known=True, lastmod=to_microseconds(MOMENT))
#: The same, where the owner lists it.
LISTED = Standing(own=False, own_known=True, own_listed=True, lastmod=to_microseconds(MOMENT))
#: An entry of the owner, of a version that came from another's entry.
OWN_COMES = Standing(own=True, own_known=False)
#: Another's entry that was not there before, of a version that came from an entry of the owner.
APPEARS = Standing(own=False, own_known=True, seen_before=False)

CHANGED, UNCHANGED, OLDER = Outcome.CHANGED, Outcome.UNCHANGED, Outcome.OLDER
AGAIN, BACK = Outcome.OFFERED_AGAIN, Outcome.REPUBLISHED


#: Whose entry it is, and what is done with one without lastmod, an older, the same and a newer one than
#: MOMENT: of a published document with that lastmod, and of a withdrawn one.
TABLE = (
    (Standing(), [UNCHANGED, OLDER, UNCHANGED, CHANGED], [AGAIN, AGAIN, AGAIN, BACK]),
    (FOREIGN, [UNCHANGED, OLDER, UNCHANGED, CHANGED], [AGAIN, AGAIN, AGAIN, BACK]),
    (LEFT_ALONE, [UNCHANGED, OLDER, UNCHANGED, CHANGED], [AGAIN, AGAIN, AGAIN, BACK]),
    (APPEARS, [UNCHANGED] * 4, [AGAIN] * 4),
    (OWN_COMES, [CHANGED] * 4, [BACK] * 4),
    (LISTED, [Outcome.FOREIGN] * 4, [Outcome.FOREIGN] * 4),
)


def test_what_is_done_depends_on_whose_entry_it_is_and_whose_version_is_known() -> None:
    given = (None, EARLIER, MOMENT, LATER)
    restored = known(MOMENT, withdrawn=True)._replace(restore=True)
    for standing, published, withdrawn in TABLE:
        assert [outcome(known(MOMENT), each, standing) for each in given] == published, standing
        gone = known(MOMENT, withdrawn=True)
        assert [outcome(gone, each, standing) for each in given] == withdrawn, standing
        if standing is LISTED:
            continue
        for lastmod in given:
            assert outcome(restored, lastmod, standing) is Outcome.REPUBLISHED
            for unharvested in (None, known(None, harvested=False), known(MOMENT, harvested=False)):
                assert outcome(unharvested, lastmod, standing) is Outcome.NEW


def test_anothers_entry_is_left_to_the_owner_who_lists_the_document_even_before_it_was_harvested() -> None:
    for document in (None, known(None, harvested=False), known(MOMENT)._replace(restore=True)):
        assert outcome(document, LATER, LISTED) is Outcome.FOREIGN


def test_an_entry_of_the_owner_counts_though_another_owner_lists_the_document_too() -> None:
    both = Standing(own=True, own_known=True, own_listed=True)
    assert outcome(known(MOMENT), LATER, both) is Outcome.CHANGED
    assert outcome(known(MOMENT), EARLIER, both) is Outcome.OLDER


def test_an_own_entry_ends_what_a_lastmod_far_ahead_in_anothers_entry_did() -> None:
    """Issue 15, number 4: a foreign entry with lastmod 2099 froze the document."""
    ahead = datetime(2099, 1, 1, tzinfo=UTC)
    assert outcome(known(ahead), MOMENT, OWN_COMES) is Outcome.CHANGED


def test_anothers_entry_is_compared_with_what_it_said_itself_not_with_what_the_owner_said() -> None:
    """The owner's version is of LATER, and the other's entry has gone from EARLIER to MOMENT."""
    other = Standing(own=False, own_known=True, lastmod=to_microseconds(EARLIER))
    assert outcome(known(LATER), MOMENT, other) is Outcome.CHANGED
    assert outcome(known(LATER), EARLIER, other) is Outcome.UNCHANGED
    without = Standing(own=False, own_known=True, lastmod=None)
    assert outcome(known(LATER), EARLIER, without) is Outcome.CHANGED
    assert outcome(known(LATER), None, without) is Outcome.UNCHANGED
