"""Reading the dates and date-times of publishers, and writing those of the record."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.utils.dates import (
    AMSTERDAM,
    day_of,
    from_microseconds,
    iso_datetime,
    moment_after,
    parse_date,
    parse_datetime,
    parse_end,
    to_microseconds,
)

MOMENTS = st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


#: The first day of the year 1 in all notations.
YEAR_1 = ("0001", "0001-01", "0001-01-01", "0001-01-01T00:00:00", "0001-01-01T00:00:00+14:00")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2023-11-21T09:00:00", "2023-11-21T09:00:00+01:00"),
        ("2023-04-04T08:00:00Z", "2023-04-04T10:00:00+02:00"),
        ("2023-11-21T09:00:00T+01:00", "2023-11-21T09:00:00+01:00"),
    ],
)
def test_the_three_notations_of_the_guide_are_read(text: str, written: str) -> None:
    assert iso_datetime(parse_datetime(text)) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2024", "2024-01-01T00:00:00+01:00"),
        ("2024-07", "2024-07-01T00:00:00+02:00"),
        ("2024-07-01", "2024-07-01T00:00:00+02:00"),
        ("2024-01-01", "2024-01-01T00:00:00+01:00"),
        ("2024-07-01+02:00", "2024-07-01T00:00:00+02:00"),
        ("2024-07-01Z", "2024-07-01T02:00:00+02:00"),
        ("2024-07-01T10:00", "2024-07-01T10:00:00+02:00"),
        ("2024-07-01T10:00Z", "2024-07-01T12:00:00+02:00"),
        ("2024-07-01T10:00:00+0200", "2024-07-01T10:00:00+02:00"),
        ("2024-07-01T10:00:00-05:00", "2024-07-01T17:00:00+02:00"),
        ("2024-01-01 10:00:00", "2024-01-01T10:00:00+01:00"),
        ("2024-07-01T10:00:00.5Z", "2024-07-01T12:00:00.500000+02:00"),
        ("2024-09-25T14:30:00.0000000+02:00", "2024-09-25T14:30:00+02:00"),
        ("2024-09-25T14:30:00.1234567+02:00", "2024-09-25T14:30:00.123456+02:00"),
        ("2024-12-31T24:00:00", "2025-01-01T00:00:00+01:00"),
        ("2024-12-31T24:00:00.000+01:00", "2025-01-01T00:00:00+01:00"),
        ("\n 2024-07-01T10:00:00Z \t", "2024-07-01T12:00:00+02:00"),
        ("1850-06-01T12:00:00", "1850-06-01T12:00:00+01:00"),
        *((text, "0001-01-01T01:00:00+01:00") for text in YEAR_1),
        ("9999-12-31T23:59:59", "9999-12-31T23:59:59+01:00"),
    ],
)
def test_what_publishers_write_is_read(text: str, written: str) -> None:
    assert iso_datetime(parse_datetime(text)) == written


def test_without_a_zone_it_is_dutch_time_with_its_summer_time() -> None:
    assert parse_datetime("2024-01-15T12:00:00") == datetime(2024, 1, 15, 11, tzinfo=UTC)
    assert parse_datetime("2024-07-15T12:00:00") == datetime(2024, 7, 15, 10, tzinfo=UTC)


def test_of_the_hour_that_comes_twice_the_first_is_meant() -> None:
    assert iso_datetime(parse_datetime("2024-10-27T02:30:00")) == "2024-10-27T02:30:00+02:00"


def test_an_hour_that_the_clock_skips_is_the_one_after_it() -> None:
    assert iso_datetime(parse_datetime("2024-03-31T02:30:00")) == "2024-03-31T03:30:00+02:00"


def test_the_two_hours_of_an_autumn_night_are_two_moments() -> None:
    assert parse_datetime("2024-10-27T02:30:00+02:00") < parse_datetime("2024-10-27T02:30:00+01:00")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gisteren",
        "01-04-2024",
        "1 april 2024",
        "April 2024",
        "2024/04/01",
        "20240401",
        "20240401T100000Z",
        "2024-W14",
        "2024-W14-1",
        "2024-092",
        "2024-4-1",
        "24-04-01",
        "-2024-04-01",
        "12024-04-01",
        "2024-04-01T",
        "2024-04-01T10",
        "2024-04-01T10:00:00,5",
        "2024-04-01T10:00:00.",
        "2024-04-01T10:00:00+02",
        "2024-04-01T10:00:00+02:00:00",
        "2024-04-01T10:00:00+15:00",
        "2024-04-01T10:00:00+14:30",
        "2024-04-01T10:00:00 CET",
        "2024-04-01T10:00:00\n+02:00",
        "2024-04T10:00:00Z",
        "2024-02-30",
        "2024-13-01",
        "2024-04-01T25:00:00",
        "2024-04-01T24:00:01",
        "2024-04-01T10:60:00",
        "2024-04-01T10:00:60",
        "٢٠٢٤-04-01",
        "0000-01-01",
        "9999-12-31T23:59:59Z",
        "9999-12-31T24:00:00",
        "9999-12-31T23:00:00-12:00",
    ],
)
def test_anything_else_is_an_error_and_not_a_guess(text: str) -> None:
    with pytest.raises(ValueError, match="Expected a date-time"):
        parse_datetime(text)


@given(
    st.one_of(st.text(), st.text("0123456789-:T+Z. "), st.from_regex(r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}[T ].*\Z"))
)
def test_no_text_raises_anything_but_value_error(text: str) -> None:
    for read in (parse_datetime, parse_date, parse_end):
        try:
            value = read(text)
        except ValueError:
            continue
        day = day_of(value) if isinstance(value, datetime) else value
        assert len(day.isoformat()) == len("2024-04-01")


@given(MOMENTS)
def test_a_moment_survives_writing_and_reading(moment: datetime) -> None:
    assert parse_datetime(iso_datetime(moment)) == moment


@given(MOMENTS, OFFSETS)
def test_one_moment_is_equal_in_every_notation(moment: datetime, offset: timezone) -> None:
    text = moment.astimezone(offset).isoformat(timespec="microseconds")
    time, zone = text[:-6], text[-6:]

    notations = [
        text,
        text.replace("T", " "),
        f"{time}T{zone}",
        f"{time}{zone.replace(':', '')}",
        f"{time}9{zone}",
    ]

    assert {parse_datetime(notation) for notation in notations} == {moment}


@given(MOMENTS.filter(lambda moment: moment.year >= 1946))
def test_dutch_time_without_a_zone_is_the_same_as_with_it(moment: datetime) -> None:
    dutch = moment.astimezone(AMSTERDAM).replace(fold=0)

    assert parse_datetime(dutch.replace(tzinfo=None).isoformat()) == parse_datetime(dutch.isoformat())


@given(st.dates())
def test_a_day_survives_writing_and_reading(day: date) -> None:
    assert parse_date(day.isoformat()) == day


@given(st.dates(min_value=date(1, 1, 2), max_value=date(9999, 12, 30)))
def test_the_midnight_of_a_day_falls_on_that_day(day: date) -> None:
    assert day_of(parse_datetime(day.isoformat())) == day


@pytest.mark.parametrize(
    "text", ["2024-04-01", "2024-04-01+02:00", "2024-04-01-11:00", "2024-04-01Z", " 2024-04-01\n"]
)
def test_a_date_is_the_day_as_written_whatever_its_zone(text: str) -> None:
    assert parse_date(text) == date(2024, 4, 1)


def test_of_a_date_time_the_day_is_the_dutch_one() -> None:
    assert parse_date("2024-04-01T23:30:00Z") == date(2024, 4, 2)
    assert parse_date("2024-04-01T23:30:00") == date(2024, 4, 1)
    assert day_of(datetime(2024, 1, 1, 23, 30, tzinfo=UTC)) == date(2024, 1, 2)


@pytest.mark.parametrize("text", ["2024", "2024-04", "01-04-2024", "2024-02-30", ""])
def test_what_is_no_day_is_no_date(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_date(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2024-01-31", "2024-01-31T23:59:59+01:00"),
        ("2024-07-31", "2024-07-31T23:59:59+02:00"),
        ("\n 2024-07-31 \t", "2024-07-31T23:59:59+02:00"),
        ("2024-03-30", "2024-03-30T23:59:59+01:00"),
        ("2024-03-31", "2024-03-31T23:59:59+02:00"),
        ("2024-10-26", "2024-10-26T23:59:59+02:00"),
        ("2024-10-27", "2024-10-27T23:59:59+01:00"),
        ("2024-07-31+02:00", "2024-07-31T23:59:59+02:00"),
        ("2024-12-31Z", "2025-01-01T00:59:59+01:00"),
        ("2024-02", "2024-02-29T23:59:59+01:00"),
        ("2023-02", "2023-02-28T23:59:59+01:00"),
        ("2024", "2024-12-31T23:59:59+01:00"),
        ("1850-06-01", "1850-06-01T23:59:59+01:00"),
        ("9999-12-31", "9999-12-31T23:59:59+01:00"),
    ],
)
def test_a_period_ends_with_the_last_second_of_a_day_month_or_year(text: str, written: str) -> None:
    assert iso_datetime(parse_end(text)) == written


@pytest.mark.parametrize(
    "text",
    ["2024-07-01T00:00:00", "2024-07-01T10:00Z", "2024-07-01 10:00:00", "2023-11-21T09:00:00T+01:00"],
)
def test_an_end_with_a_time_is_that_moment(text: str) -> None:
    assert parse_end(text) == parse_datetime(text)


@pytest.mark.parametrize(
    "text",
    ["", "gisteren", "2024-13", "2024-00", "2024-02-30", "2024-02Z", "0000", "0000-00", "9999-12-31-01:00"],
)
def test_an_end_that_cannot_be_read_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="Expected a date-time"):
        parse_end(text)


@given(st.dates(date(1, 1, 2), date(9999, 12, 31)))
def test_a_period_of_one_day_ends_on_that_day_after_it_began(day: date) -> None:
    begin, end = parse_datetime(day.isoformat()), parse_end(day.isoformat())
    assert day_of(end) == day
    assert end > begin


def test_a_version_is_of_now_or_of_just_after_the_one_before_it() -> None:
    now = datetime(2026, 11, 21, 8, 0, 0, 250_000, tzinfo=UTC)
    whole, second = now.replace(microsecond=0), timedelta(seconds=1)
    assert moment_after(None, now) == moment_after(whole - second, now) == whole
    assert moment_after(whole, now) == whole + second
    assert moment_after(whole + timedelta(days=10), now) == whole + timedelta(days=10) + second


@given(st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.just(UTC)))  # noqa: DTZ001
def test_a_moment_is_kept_to_the_microsecond(moment: datetime) -> None:
    assert from_microseconds(to_microseconds(moment)) == moment
