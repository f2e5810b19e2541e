from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from woo_harvester.permits.links import Ask, RememberedFile, compare_file, how_to_ask, is_due_again
from woo_harvester.permits.listing_dates import Stamp

ASKED = datetime(2026, 7, 1, 8, 30, tzinfo=UTC)
OLD = Stamp(datetime(2026, 4, 1, 10, 0), to_the_second=False)  # noqa: DTZ001
MINUTE = timedelta(minutes=1)


def stamp(moment: datetime) -> Stamp:
    """Return a moment as the date in a listing without time zone."""
    return Stamp(moment.replace(tzinfo=None), to_the_second=False)


def test_an_unknown_file_is_fetched() -> None:
    assert how_to_ask(OLD, None) is Ask.FETCH
    assert how_to_ask(None, None) is Ask.FETCH


def test_a_file_with_the_date_of_last_time_is_not_requested() -> None:
    known, changed, always_now = compare_file(None, "a", OLD, ASKED)
    assert (known, changed, always_now) == (RememberedFile("a", "2026-04-01T10:00"), True, False)
    assert how_to_ask(OLD, known) is Ask.NOT


@pytest.mark.parametrize("minutes", [-1, 1, 60_000])
def test_a_file_with_another_date_is_fetched_be_it_older_or_newer(minutes: int) -> None:
    known = compare_file(None, "a", OLD, ASKED).known
    assert how_to_ask(stamp(OLD.moment + minutes * MINUTE), known) is Ask.FETCH


def test_a_file_without_a_date_in_the_listing_is_requested_conditionally() -> None:
    known = compare_file(None, "a", None, ASKED, ASKED - 60 * MINUTE).known
    assert how_to_ask(None, known) is Ask.CONDITIONALLY


def test_a_file_that_was_a_minute_old_is_fetched_once_more() -> None:
    date = stamp(ASKED - MINUTE)
    first = compare_file(None, "a", date, ASKED)
    assert how_to_ask(date, first.known) is Ask.FETCH
    second = compare_file(first.known, "a", date, ASKED + timedelta(days=1))
    assert (second.changed, second.always_now) == (False, False)
    assert how_to_ask(date, second.known) is Ask.NOT


def test_a_file_that_was_two_minutes_old_is_final() -> None:
    date = stamp(ASKED - 2 * MINUTE)
    assert how_to_ask(date, compare_file(None, "a", date, ASKED).known) is Ask.NOT


@pytest.mark.parametrize("hours", [0, 2], ids=["nginx writes UTC", "Apache writes Dutch time"])
def test_a_date_of_the_request_in_two_runs_with_the_same_content_is_reported(hours: int) -> None:
    first = compare_file(None, "a", stamp(ASKED + timedelta(hours=hours)), ASKED)
    assert (first.changed, first.always_now) == (True, False)
    later = ASKED + timedelta(days=1)
    date = stamp(later + timedelta(hours=hours))
    assert how_to_ask(date, first.known) is Ask.FETCH
    second = compare_file(first.known, "a", date, later)
    assert (second.changed, second.always_now) == (False, True)
    assert how_to_ask(date, second.known) is Ask.FETCH


def test_a_date_of_the_request_with_another_content_is_a_change() -> None:
    first = compare_file(None, "a", stamp(ASKED), ASKED)
    later = ASKED + timedelta(days=1)
    second = compare_file(first.known, "b", stamp(later), later)
    assert (second.changed, second.always_now) == (True, False)


def test_a_last_modified_of_the_request_each_time_is_reported_as_well() -> None:
    first = compare_file(None, "a", None, ASKED, ASKED)
    assert how_to_ask(None, first.known) is Ask.FETCH
    later = ASKED + timedelta(days=1)
    assert compare_file(first.known, "a", None, later, later).always_now


def test_a_file_without_any_date_is_compared_by_its_content() -> None:
    first = compare_file(None, "a", None, ASKED)
    assert how_to_ask(None, first.known) is Ask.CONDITIONALLY
    assert compare_file(first.known, "a", None, ASKED).changed is False
    assert compare_file(first.known, "b", None, ASKED).changed is True


def test_a_date_with_a_zone_stands_for_one_moment() -> None:
    date = Stamp(ASKED, to_the_second=True)
    assert date.readings() == (ASKED,)
    assert compare_file(None, "a", date, ASKED + timedelta(hours=2)).known.now is False


@pytest.mark.parametrize(
    ("first", "is_script", "wait"),
    [
        (0, True, timedelta(hours=20)),
        (1, True, timedelta(hours=24)),
        (3, True, timedelta(days=3)),
        (90, True, timedelta(days=7)),
        (0, False, timedelta(days=3)),
        (6, False, timedelta(days=6)),
        (90, False, timedelta(days=7)),
    ],
)
def test_a_link_that_led_to_no_message_is_due_after_as_long_as_it_led_to_none(
    first: int, is_script: bool, wait: timedelta
) -> None:
    last = ASKED + timedelta(days=first)

    def is_due(after: timedelta) -> bool:
        most = timedelta(days=7)
        return is_due_again(ASKED, last, last + after, is_made_on_request=is_script, most=most)

    assert not is_due(timedelta())
    assert not is_due(wait - MINUTE)
    assert is_due(wait)
    assert is_due(-MINUTE), "the clock was set back"
