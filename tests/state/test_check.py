from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.state.knowledge import locs, see, sitemap_of
from woo_harvester.state.check import Difference, differences, take_over
from woo_harvester.state.contents import Harvested
from woo_harvester.state.documents import confirm_harvested, confirm_withdrawn, files_of, look_up
from woo_harvester.state.latest import Latest
from woo_harvester.state.sql import BATCH
from woo_harvester.state.upkeep import host_of_document
from woo_harvester.utils.dates import iso_datetime, to_microseconds
from woo_harvester.utils.urls import record_id

LOC = "https://a.nl/d/0.pdf"
LASTMOD = datetime(2024, 4, 2, 8, tzinfo=UTC)
AT = datetime(2026, 11, 21, 8, tzinfo=UTC)
HOUR = timedelta(hours=1)


def record(
    loc: str = LOC, *, lastmod: datetime | None = LASTMOD, at: datetime = AT, cause: str = "aanlevering"
) -> dict[str, Any]:
    herkomst = {"opgehaald": iso_datetime(at)}
    if lastmod is not None:
        herkomst["lastmod"] = iso_datetime(lastmod)
    return {
        "id": record_id(loc),
        "document": {"weblocatie": loc},
        "versies": [{"oorzaak": cause}],
        "herkomst": herkomst,
    }


def harvest(
    connection: Connection, *wanted: str, lastmod: datetime | None = LASTMOD, at: datetime = AT
) -> list[int]:
    """Add documents to the state, harvested at a moment."""
    ids = see(connection, sitemap_of(connection), wanted or [LOC])
    moment = None if lastmod is None else to_microseconds(lastmod)
    confirm_harvested(connection, [Harvested(key, moment, "2024-04-02", int(at.timestamp())) for key in ids])
    return ids


def numbered(number: int | None, **changes: Any) -> dict[str, Any]:
    """Return a record whose version has a number."""
    given = record(**changes)
    given["versies"][0] |= {"nummer": number} if number else {}
    return given


def withdraw(connection: Connection, ids: list[int], at: datetime) -> None:
    confirm_withdrawn(connection, dict.fromkeys(ids, int(at.timestamp())))


def check(connection: Connection, folder: Path, *records: dict[str, Any]) -> list[tuple[str, str]]:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    with Latest([path]) as files:
        return [(str(difference), loc) for difference, loc in differences(connection, files)]


def test_a_delivered_document_in_the_files_is_no_difference(connection: Connection, tmp_path: Path) -> None:
    harvest(connection)
    assert check(connection, tmp_path, record()) == []


def test_the_same_moment_in_another_notation_is_the_same_version(
    connection: Connection, tmp_path: Path
) -> None:
    harvest(connection)
    given = record()
    given["herkomst"]["lastmod"] = "2024-04-02T10:00:00+02:00"
    assert check(connection, tmp_path, given) == []


def test_a_lastmod_in_the_future_compares_as_the_moment_of_the_harvest(
    connection: Connection, tmp_path: Path
) -> None:
    typo, day = datetime(2042, 4, 2, tzinfo=UTC), timedelta(days=1)
    harvest(connection, lastmod=typo)
    assert check(connection, tmp_path, record(lastmod=typo)) == []
    assert check(connection, tmp_path, record(lastmod=AT + HOUR, at=AT + day)) == [("extra", LOC)]
    harvest(connection, lastmod=AT + HOUR, at=AT + day)
    assert check(connection, tmp_path, record(lastmod=typo)) == [("older", LOC)]


def test_a_delivered_document_that_is_not_in_the_files_is_missing(
    connection: Connection, tmp_path: Path
) -> None:
    harvest(connection)
    assert check(connection, tmp_path) == [("missing", LOC)]


def test_a_document_that_was_only_seen_is_not_missing(connection: Connection, tmp_path: Path) -> None:
    see(connection, sitemap_of(connection), [LOC])
    assert check(connection, tmp_path) == []


@pytest.mark.parametrize("seen", [False, True])
def test_a_document_that_was_not_delivered_by_the_state_is_extra(
    connection: Connection, tmp_path: Path, seen: bool
) -> None:
    if seen:
        see(connection, sitemap_of(connection), [LOC])
    assert check(connection, tmp_path, record()) == [("extra", LOC)]


def test_a_withdrawn_document_that_the_state_does_not_know_is_no_difference(
    connection: Connection, tmp_path: Path
) -> None:
    assert check(connection, tmp_path, record(cause="intrekking")) == []


def test_what_only_the_files_have_is_taken_over(connection: Connection, tmp_path: Path) -> None:
    """A new document with its file, a newer version, a withdrawal; not what the state knows better."""
    known, changed, gone, newer = locs(5)[1:]
    harvest(connection, known, changed, gone, newer)
    file = {"url": LOC, "hash": "ab" * 32, "grootte": 3, "mime-type": "application/pdf", "bestandsnaam": 1}
    new = record(at=AT + HOUR)
    new["versies"][0] |= {"openbaarmakingsdatum": "2024-01-02", "bestanden": [file]}
    new["herkomst"] |= {"sitemap": "https://b.nl/s.xml", "index": 3}
    records = (
        new,
        record(known),
        record(changed, lastmod=LASTMOD + HOUR, at=AT + HOUR),
        record(gone, at=AT + HOUR, cause="intrekking"),
        record(newer, lastmod=LASTMOD - HOUR),
        record("https://c.nl/zonder-sitemap.pdf"),
    )
    (tmp_path / "1.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    with Latest([tmp_path / "1.jsonl"]) as files:
        assert [take_over(connection, files) for _ in range(2)] == [3, 0]
        left = [(str(difference), loc) for difference, loc in differences(connection, files)]
    assert left == [("older", newer), ("extra", "https://c.nl/zonder-sitemap.pdf")]
    rows = look_up(connection, [LOC, changed, gone])
    assert rows[LOC].published == "2024-01-02"
    assert rows[changed].lastmod == to_microseconds(LASTMOD + HOUR)
    assert (rows[gone].withdrawn, rows[gone].restore) == (int((AT + HOUR).timestamp()), True)
    kept = files_of(connection, [rows[LOC].id])[rows[LOC].id]
    assert (kept.sha256, kept.size, kept.file_name) == (bytes.fromhex("ab" * 32), 3, None)
    assert host_of_document(connection, LOC) == "b.nl"


@pytest.mark.parametrize("given", [LASTMOD - HOUR, None])
def test_an_earlier_version_in_the_files_is_older(
    connection: Connection, tmp_path: Path, given: datetime | None
) -> None:
    harvest(connection)
    assert check(connection, tmp_path, record(lastmod=given)) == [("older", LOC)]


@pytest.mark.parametrize("known", [LASTMOD - HOUR, None])
def test_a_version_that_the_state_does_not_know_is_extra(
    connection: Connection, tmp_path: Path, known: datetime | None
) -> None:
    harvest(connection, lastmod=known)
    assert check(connection, tmp_path, record()) == [("extra", LOC)]


def test_a_document_without_lastmod_is_the_same_without(connection: Connection, tmp_path: Path) -> None:
    harvest(connection, lastmod=None)
    assert check(connection, tmp_path, record(lastmod=None)) == []


def test_a_withdrawal_that_both_know_is_no_difference(connection: Connection, tmp_path: Path) -> None:
    withdraw(connection, harvest(connection), AT + HOUR)
    gone = record(at=AT + HOUR, lastmod=None, cause="intrekking")
    assert check(connection, tmp_path, record(), gone) == []


def test_a_withdrawn_document_need_not_be_in_the_files(connection: Connection, tmp_path: Path) -> None:
    withdraw(connection, harvest(connection), AT + HOUR)
    assert check(connection, tmp_path) == []


def test_a_withdrawal_that_the_files_do_not_have_makes_them_older(
    connection: Connection, tmp_path: Path
) -> None:
    withdraw(connection, harvest(connection), AT + HOUR)
    assert check(connection, tmp_path, record()) == [("older", LOC)]


def test_a_withdrawal_that_the_state_does_not_know_is_extra(connection: Connection, tmp_path: Path) -> None:
    harvest(connection)
    gone = record(at=AT + HOUR, cause="intrekking")
    assert check(connection, tmp_path, record(), gone) == [("extra", LOC)]


def test_a_return_that_the_files_do_not_have_makes_them_older(connection: Connection, tmp_path: Path) -> None:
    harvest(connection, at=AT + 2 * HOUR)
    gone = record(at=AT + HOUR, cause="intrekking")
    assert check(connection, tmp_path, record(), gone) == [("older", LOC)]


def test_a_return_that_the_state_does_not_know_is_extra(connection: Connection, tmp_path: Path) -> None:
    withdraw(connection, harvest(connection), AT + HOUR)
    back = record(at=AT + 2 * HOUR, cause="herpublicatie")
    assert check(connection, tmp_path, record(), back) == [("extra", LOC)]


def test_permits_are_left_out_of_the_comparison(connection: Connection, tmp_path: Path) -> None:
    permit = {"id": "x", "vergunning": {}, "versies": [{"oorzaak": "aanlevering"}]}
    assert check(connection, tmp_path, permit) == []


def test_more_than_a_batch_is_compared_completely(connection: Connection, tmp_path: Path) -> None:
    wanted = locs(2 * BATCH + 3)
    harvest(connection, *wanted)
    extra = [f"https://b.nl/{number}.pdf" for number in range(BATCH + 1)]
    found = check(connection, tmp_path, *map(record, [*wanted[1:], *extra]))
    assert found[0] == (Difference.MISSING, wanted[0])
    assert sorted(loc for difference, loc in found[1:] if difference == "extra") == sorted(extra)
    assert len(found) == 1 + len(extra)


def test_a_record_that_added_content_is_missed_in_the_files(connection: Connection, tmp_path: Path) -> None:
    (key,) = harvest(connection)
    version = Harvested(
        key,
        to_microseconds(LASTMOD),
        "2024-04-02",
        int(AT.timestamp()),
        supplied_at=int((AT + HOUR).timestamp()),
    )
    confirm_harvested(connection, [version])
    assert check(connection, tmp_path, record()) == [("older", LOC)]
    assert check(connection, tmp_path, record(), record(at=AT + HOUR)) == []


def test_of_two_versions_with_the_same_lastmod_the_number_says_which_is_older(
    connection: Connection, tmp_path: Path
) -> None:
    (key,) = harvest(connection)
    version = Harvested(key, to_microseconds(LASTMOD), "2024-04-02", int(AT.timestamp()), number=2)
    confirm_harvested(connection, [version])
    found = {number: check(connection, tmp_path, numbered(number)) for number in (None, 1, 2, 3)}
    assert found == {None: [], 1: [("older", LOC)], 2: [], 3: [("extra", LOC)]}


def test_a_restored_state_goes_on_counting_where_the_files_are(
    connection: Connection, tmp_path: Path
) -> None:
    gone = "https://a.nl/d/1.pdf"
    harvest(connection, LOC, gone)
    later = [
        numbered(3, lastmod=LASTMOD + HOUR, at=AT + HOUR),
        numbered(4, loc=gone, lastmod=LASTMOD + HOUR, at=AT + HOUR),
        numbered(None, loc=gone, at=AT + 2 * HOUR, cause="intrekking"),
    ]
    for each in later:
        each["herkomst"]["sitemap"] = "https://a.nl/sitemap.xml"
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in later))
    with Latest([path]) as files:
        assert take_over(connection, files) == 2
    assert {loc: known.number for loc, known in look_up(connection, [LOC, gone]).items()} == {LOC: 3, gone: 4}
