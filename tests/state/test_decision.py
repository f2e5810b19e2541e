"""The guide's rule on lastmod, a sentence each (seed "Sitemapindex en Sitemaps", field lastmod)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.dates import parse_datetime
from woo_harvester.record import Oorzaak
from woo_harvester.state.decision import Known, Verdict, decide, is_refused, microseconds, moment_of

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
