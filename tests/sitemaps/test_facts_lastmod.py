from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.sitemaps.decide import decide
from woo_harvester.sitemaps.facts import EntryFacts, Terms, is_future, is_newer, moment_compared
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.utils.dates import to_microseconds

HARVEST = datetime(2026, 3, 2, 8, tzinfo=UTC)
NEXT_DAY = HARVEST + timedelta(days=1)
READ_AT = int(HARVEST.timestamp())
SLACK = timedelta(minutes=5)
SECOND = timedelta(seconds=1)
TYPO = datetime(2042, 3, 1, tzinfo=UTC)

MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2050, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def newer(lastmod: datetime | None, known: datetime | None, now: datetime = NEXT_DAY) -> bool | None:
    """Compare with a version that was harvested with the lastmod *known*."""
    return is_newer(lastmod, None if known is None else to_microseconds(known), READ_AT, now)


@pytest.mark.parametrize(
    ("text", "moment", "code"),
    [
        (None, None, "lastmod.ontbreekt"),
        ("gisteren", None, "lastmod.ongeldig"),
        ("2026-03-02T08:05:01Z", HARVEST + SLACK + SECOND, "lastmod.toekomst"),
        ("2026-03-02T08:05:00Z", HARVEST + SLACK, None),
    ],
)
def test_what_is_wrong_with_a_lastmod_is_named(
    text: str | None, moment: datetime | None, code: str | None
) -> None:
    facts = EntryFacts(Entry("https://a.nl/b.pdf", text, 3, None))
    assert facts.moment == moment
    findings = decide(facts, Terms(), HARVEST).findings
    assert [finding.code for finding in findings] == ([code] if code else [])
    assert all(finding.seen == text for finding in findings)


def test_a_lastmod_is_in_the_future_beyond_what_clocks_differ() -> None:
    assert not is_future(None, HARVEST)
    assert not is_future(HARVEST + SLACK, HARVEST)
    assert is_future(HARVEST + SLACK + SECOND, HARVEST)


def test_a_known_lastmod_that_was_in_the_future_counts_as_the_moment_at_which_it_was_read() -> None:
    within = to_microseconds(HARVEST + SLACK)
    assert moment_compared(within, READ_AT) == within
    assert moment_compared(within + 1, READ_AT) == to_microseconds(HARVEST)
    assert moment_compared(within + 1, None) == within + 1
    assert moment_compared(None, READ_AT) is None


def test_a_typo_does_not_block_a_later_correction() -> None:
    assert newer(TYPO, TYPO) is None
    assert newer(HARVEST - SECOND, TYPO) is None
    assert newer(HARVEST, TYPO) is None
    assert newer(HARVEST + SECOND, TYPO) is True


def test_a_lastmod_in_the_future_is_newer_than_one_that_was_not_and_than_another_in_the_future() -> None:
    assert newer(TYPO, HARVEST) is True
    assert newer(TYPO, None) is True
    assert newer(TYPO + SECOND, TYPO) is True
    assert newer(TYPO - SECOND, TYPO) is True


def test_without_a_lastmod_nothing_is_new() -> None:
    assert newer(None, None) is None
    assert newer(None, HARVEST) is None
    assert newer(HARVEST - SECOND, HARVEST) is False
    assert newer(HARVEST, None) is True


@given(MOMENTS, st.integers(0, 40_000))
def test_the_same_lastmod_is_never_new_also_when_it_is_past_by_then(lastmod: datetime, hours: int) -> None:
    assert newer(lastmod, lastmod, HARVEST + timedelta(hours=hours)) is None


@given(MOMENTS, MOMENTS, st.integers(0, 100_000))
def test_what_changed_after_the_harvest_is_always_new(known: datetime, changed: datetime, wait: int) -> None:
    now = HARVEST + SLACK + timedelta(seconds=1 + wait)
    lastmod = min(changed, now)
    if lastmod > HARVEST + SLACK and lastmod != known:
        assert newer(lastmod, known, now) is True
