from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.links import (
    Ask,
    RememberedFile,
    compare_file,
    first_and_last,
    how_to_ask,
    is_due_again,
    without_the_rest,
)
from woo_harvester.permits.listing import Link
from woo_harvester.permits.listing_dates import Stamp

ASKED = datetime(2026, 7, 1, 8, 30, tzinfo=UTC)
OLD = Stamp(datetime(2026, 4, 1, 10, 0), to_the_second=False)  # noqa: DTZ001
MINUTE = timedelta(minutes=1)


def stamp(moment: datetime) -> Stamp:
    """Return a moment as the date in a listing without time zone."""
    return Stamp(moment.replace(tzinfo=None), to_the_second=False)


def link(name: str, *, is_xml: bool = True) -> Link:
    return Link(f"https://www.a.nl/{name}", is_xml)


def names(links: object) -> list[str]:
    return [each.url.rpartition("/")[2] for each in links]  # type: ignore[attr-defined]


def test_an_unknown_file_is_fetched() -> None:
    assert how_to_ask(OLD, None) is Ask.FETCH
    assert how_to_ask(None, None) is Ask.FETCH


def test_a_file_with_the_date_of_last_time_is_not_requested_and_one_without_is_conditionally() -> None:
    known, changed, always_now = compare_file(None, "a", OLD, ASKED)
    assert (known, changed, always_now) == (RememberedFile("a", "2026-04-01T10:00"), True, False)
    assert how_to_ask(OLD, known) is Ask.NOT
    final = stamp(ASKED - 2 * MINUTE)
    assert how_to_ask(final, compare_file(None, "a", final, ASKED).known) is Ask.NOT
    undated = compare_file(None, "a", None, ASKED, ASKED - 60 * MINUTE).known
    assert how_to_ask(None, undated) is Ask.CONDITIONALLY


def test_a_file_with_another_date_is_fetched_be_it_older_or_newer() -> None:
    for minutes in [-1, 1, 60_000]:
        known = compare_file(None, "a", OLD, ASKED).known
        assert how_to_ask(stamp(OLD.moment + minutes * MINUTE), known) is Ask.FETCH, minutes


def test_a_file_that_was_a_minute_old_is_fetched_once_more() -> None:
    date = stamp(ASKED - MINUTE)
    first = compare_file(None, "a", date, ASKED)
    assert how_to_ask(date, first.known) is Ask.FETCH
    second = compare_file(first.known, "a", date, ASKED + timedelta(days=1))
    assert (second.changed, second.always_now) == (False, False)
    assert how_to_ask(date, second.known) is Ask.NOT


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
    ("first", "wait"),
    [
        (0, timedelta(hours=20)),
        (1, timedelta(hours=24)),
        (3, timedelta(days=3)),
        (90, timedelta(days=7)),
    ],
)
def test_a_link_to_no_message_is_due_ever_later(first: int, wait: timedelta) -> None:
    last = ASKED + timedelta(days=first)

    def is_due(after: timedelta) -> bool:
        return is_due_again(ASKED, last, last + after, timedelta(days=7))

    assert not is_due(timedelta())
    assert not is_due(wait - MINUTE)
    assert is_due(wait)
    assert is_due(-MINUTE), "the clock was set back"


def test_the_first_and_the_last_links_are_a_sample_and_those_of_xml_come_first() -> None:
    for given, size, chosen in [
        *(("abc", size, "abc") for size in (0, 3, 4)),
        ("abcde", 1, "e"),
        ("abcde", 3, "ade"),
        ("1234ab", 4, "ab14"),
    ]:
        links = [link(name, is_xml=name.isalpha()) for name in given]
        assert "".join(names(first_and_last(links, size))) == chosen, (given, size)


def test_what_messages_beyond_a_sample_explain_is_left_out() -> None:
    for hosts, codes in [((), 3), (("www.b.nl",), 3), (("www.a.nl", "www.b.nl"), 1)]:
        found: list[Finding] = []
        report = without_the_rest(Reporter(found.append), hosts)
        for code in ("ipm.zaak-onbekend", "ipm.document-zonder-zaak", "ipm.zaak-bekend"):
            report(code, host="www.a.nl")
        assert [finding.code for finding in found][-1] == "ipm.zaak-bekend", hosts
        assert len(found) == codes, hosts
