"""The guide's rule on lastmod, a sentence each (seed "Sitemapindex en Sitemaps", field lastmod)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.dates import parse_datetime
from woo_harvester.record import Oorzaak
from woo_harvester.state.decision import (
    Known,
    Standing,
    Verdict,
    decide,
    is_refused,
    microseconds,
    moment_of,
)

MOMENT = datetime(2024, 4, 2, 8, tzinfo=UTC)
LATER = MOMENT + timedelta(microseconds=1)
EARLIER = MOMENT - timedelta(microseconds=1)

MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.just(UTC))  # noqa: DTZ001
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def known(lastmod: datetime | None, *, withdrawn: bool = False, harvested: bool = True) -> Known:
    """A document as the state has it."""
    return Known(
        loc="https://a.nl/d.pdf",
        id=1,
        sitemap_id=1,
        lastmod=None if lastmod is None else microseconds(lastmod),
        published="2024-04-02",
        harvested=1_700_000_000 if harvested else None,
        withdrawn=1_710_000_000 if withdrawn else None,
        entry_digest=None,
    )


def test_a_document_that_is_not_known_is_harvested_as_aanlevering() -> None:
    assert decide(None, MOMENT) is Verdict.NEW
    assert decide(None, None) is Verdict.NEW
    assert Verdict.NEW.cause is Oorzaak.AANLEVERING


def test_a_document_that_was_seen_but_that_no_output_has_is_still_new() -> None:
    assert decide(known(None, harvested=False), MOMENT) is Verdict.NEW
    assert decide(known(MOMENT, harvested=False), MOMENT) is Verdict.NEW


def test_a_newer_lastmod_is_harvested_again_as_wijziging() -> None:
    assert decide(known(MOMENT), LATER) is Verdict.CHANGED
    assert Verdict.CHANGED.cause is Oorzaak.WIJZIGING


def test_the_same_lastmod_is_not_harvested() -> None:
    assert decide(known(MOMENT), MOMENT) is Verdict.UNCHANGED
    assert Verdict.UNCHANGED.cause is None


def test_a_lastmod_that_is_missing_or_cannot_be_read_is_not_harvested() -> None:
    assert decide(known(MOMENT), None) is Verdict.UNCHANGED
    assert decide(known(None), None) is Verdict.UNCHANGED


def test_a_lastmod_that_appears_is_harvested_again_as_wijziging() -> None:
    assert decide(known(None), EARLIER) is Verdict.CHANGED


def test_an_older_lastmod_is_a_finding_and_not_harvested() -> None:
    assert decide(known(MOMENT), EARLIER) is Verdict.OLDER
    assert Verdict.OLDER.cause is None
    assert Verdict.OLDER.value == "lastmod.ouder"


def test_a_withdrawn_document_with_a_newer_lastmod_is_a_herpublicatie() -> None:
    assert decide(known(MOMENT, withdrawn=True), LATER) is Verdict.REPUBLISHED
    assert decide(known(None, withdrawn=True), MOMENT) is Verdict.REPUBLISHED
    assert Verdict.REPUBLISHED.cause is Oorzaak.HERPUBLICATIE


def test_a_withdrawn_document_without_a_newer_lastmod_is_a_finding_and_not_harvested() -> None:
    for lastmod in (MOMENT, EARLIER, None):
        assert decide(known(MOMENT, withdrawn=True), lastmod) is Verdict.OFFERED_AGAIN
    assert decide(known(None, withdrawn=True), None) is Verdict.OFFERED_AGAIN
    assert Verdict.OFFERED_AGAIN.cause is None
    assert Verdict.OFFERED_AGAIN.value == "lastmod.heraanbod"


@given(MOMENTS, OFFSETS, OFFSETS)
def test_equality_is_of_moments_not_of_notations(moment: datetime, one: timezone, other: timezone) -> None:
    first = parse_datetime(moment.astimezone(one).isoformat())
    second = parse_datetime(moment.astimezone(other).isoformat())
    assert decide(known(first), second) is Verdict.UNCHANGED


@given(MOMENTS, MOMENTS, OFFSETS)
def test_what_is_newer_does_not_depend_on_the_notation(
    first: datetime, second: datetime, zone: timezone
) -> None:
    expected = Verdict.CHANGED if second > first else Verdict.UNCHANGED if second == first else Verdict.OLDER
    assert decide(known(first), second.astimezone(zone)) is expected


def test_plus_two_and_z_are_the_same_moment() -> None:
    summer = parse_datetime("2024-04-02T10:00:00+02:00")
    assert decide(known(summer), parse_datetime("2024-04-02T08:00:00Z")) is Verdict.UNCHANGED
    assert decide(known(summer), parse_datetime("2024-04-02T10:00:00")) is Verdict.UNCHANGED
    assert decide(known(summer), parse_datetime("2024-04-02T10:00:00Z")) is Verdict.CHANGED


@given(MOMENTS)
def test_a_moment_is_kept_to_the_microsecond(moment: datetime) -> None:
    assert moment_of(microseconds(moment)) == moment


#: Another's entry, seen before with MOMENT, of a document whose version came from such an entry.
FOREIGN = Standing(own=False, own_known=False, lastmod=microseconds(MOMENT))
#: The same, where the version came from an entry of the owner, who lists the document no longer.
LEFT_ALONE = Standing(own=False, own_known=True, lastmod=microseconds(MOMENT))
#: The same, where the owner lists it.
LISTED = Standing(own=False, own_known=True, own_listed=True, lastmod=microseconds(MOMENT))
#: An entry of the owner, of a version that came from another's entry.
OWN_COMES = Standing(own=True, own_known=False)
#: Another's entry that was not there before, of a version that came from an entry of the owner.
APPEARS = Standing(own=False, own_known=True, seen_before=False)

CHANGED, UNCHANGED, OLDER = Verdict.CHANGED, Verdict.UNCHANGED, Verdict.OLDER
AGAIN, BACK = Verdict.OFFERED_AGAIN, Verdict.REPUBLISHED


@pytest.mark.parametrize(
    ("standing", "published", "withdrawn"),
    [
        # Of a known lastmod MOMENT: the verdict for no lastmod, an older, the same, a newer one.
        (Standing(), [UNCHANGED, OLDER, UNCHANGED, CHANGED], [AGAIN, AGAIN, AGAIN, BACK]),
        (FOREIGN, [UNCHANGED, OLDER, UNCHANGED, CHANGED], [AGAIN, AGAIN, AGAIN, BACK]),
        (LEFT_ALONE, [UNCHANGED, OLDER, UNCHANGED, CHANGED], [AGAIN, AGAIN, AGAIN, BACK]),
        (APPEARS, [UNCHANGED] * 4, [AGAIN] * 4),
        (OWN_COMES, [CHANGED] * 4, [BACK] * 4),
        (LISTED, [Verdict.FOREIGN] * 4, [Verdict.FOREIGN] * 4),
    ],
)
def test_what_is_done_depends_on_whose_entry_it_is_and_whose_version_is_known(
    standing: Standing, published: list[Verdict], withdrawn: list[Verdict]
) -> None:
    given = (None, EARLIER, MOMENT, LATER)
    assert [decide(known(MOMENT), each, standing) for each in given] == published
    assert [decide(known(MOMENT, withdrawn=True), each, standing) for each in given] == withdrawn


@pytest.mark.parametrize("standing", [Standing(), FOREIGN, LEFT_ALONE, APPEARS, OWN_COMES])
@pytest.mark.parametrize("lastmod", [None, EARLIER, MOMENT, LATER])
def test_a_document_that_was_never_harvested_is_new_whoever_lists_it(
    standing: Standing, lastmod: datetime | None
) -> None:
    assert decide(None, lastmod, standing) is Verdict.NEW
    assert decide(known(MOMENT, harvested=False), lastmod, standing) is Verdict.NEW


def test_anothers_entry_is_left_to_the_owner_who_lists_the_document_even_before_it_was_harvested() -> None:
    for document in (None, known(None, harvested=False), known(MOMENT)._replace(restore=True)):
        assert decide(document, LATER, LISTED) is Verdict.FOREIGN
    assert Verdict.FOREIGN.cause is None
    assert Verdict.FOREIGN.value == "loc.andere-host"


def test_an_entry_of_the_owner_counts_though_another_owner_lists_the_document_too() -> None:
    both = Standing(own=True, own_known=True, own_listed=True)
    assert decide(known(MOMENT), LATER, both) is Verdict.CHANGED
    assert decide(known(MOMENT), EARLIER, both) is Verdict.OLDER


def test_an_own_entry_ends_what_a_lastmod_far_ahead_in_anothers_entry_did() -> None:
    """Issue 15, number 4: a foreign entry with lastmod 2099 froze the document."""
    ahead = datetime(2099, 1, 1, tzinfo=UTC)
    assert decide(known(ahead), MOMENT, OWN_COMES) is Verdict.CHANGED


def test_anothers_entry_is_compared_with_what_it_said_itself_not_with_what_the_owner_said() -> None:
    """The owner's version is of LATER, and the other's entry has gone from EARLIER to MOMENT."""
    other = Standing(own=False, own_known=True, lastmod=microseconds(EARLIER))
    assert decide(known(LATER), MOMENT, other) is Verdict.CHANGED
    assert decide(known(LATER), EARLIER, other) is Verdict.UNCHANGED
    without = Standing(own=False, own_known=True, lastmod=None)
    assert decide(known(LATER), EARLIER, without) is Verdict.CHANGED
    assert decide(known(LATER), None, without) is Verdict.UNCHANGED


@pytest.mark.parametrize("standing", [Standing(), FOREIGN, LEFT_ALONE, APPEARS, OWN_COMES])
@pytest.mark.parametrize("lastmod", [None, EARLIER, MOMENT, LATER])
def test_a_document_that_is_restored_comes_back_whatever_its_lastmod(
    standing: Standing, lastmod: datetime | None
) -> None:
    marked = known(MOMENT, withdrawn=True)._replace(restore=True)
    assert decide(marked, lastmod, standing) is Verdict.REPUBLISHED


def test_a_mark_to_restore_does_nothing_to_a_document_that_is_published() -> None:
    assert decide(known(MOMENT)._replace(restore=True), MOMENT) is Verdict.UNCHANGED


WEEK = 7 * 86400
REFUSED = 1_720_000_000


def refused(lastmod: datetime | None) -> Known:
    """A document that was fetched and refused."""
    given = None if lastmod is None else microseconds(lastmod)
    return known(None, harvested=False)._replace(refused_at=REFUSED, refused_lastmod=given)


def test_what_was_refused_is_left_alone_for_a_week() -> None:
    assert is_refused(refused(MOMENT), MOMENT, REFUSED, WEEK)
    assert is_refused(refused(MOMENT), MOMENT, REFUSED + WEEK - 1, WEEK)
    assert not is_refused(refused(MOMENT), MOMENT, REFUSED + WEEK, WEEK)


def test_a_clock_that_jumped_back_does_not_keep_it_refused() -> None:
    assert not is_refused(refused(MOMENT), MOMENT, REFUSED - 1, WEEK)


def test_what_was_refused_is_asked_for_again_with_a_newer_lastmod_only() -> None:
    assert not is_refused(refused(MOMENT), LATER, REFUSED, WEEK)
    assert is_refused(refused(MOMENT), EARLIER, REFUSED, WEEK)
    assert is_refused(refused(MOMENT), None, REFUSED, WEEK)
    assert not is_refused(refused(None), MOMENT, REFUSED, WEEK)
    assert is_refused(refused(None), None, REFUSED, WEEK)


def test_what_could_not_be_fetched_is_never_left_alone() -> None:
    assert not is_refused(known(None, harvested=False), None, REFUSED, WEEK)
