from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from tests.state.knowledge import locs, see, sitemap_of
from woo_harvester.state.check import Difference, differences, take_over
from woo_harvester.state.deliveries import Harvested
from woo_harvester.state.documents import confirm_harvested, confirm_withdrawn, files_of, look_up
from woo_harvester.state.latest import Latest
from woo_harvester.state.sql import BATCH
from woo_harvester.state.upkeep import hosts_of_document
from woo_harvester.utils.dates import iso_datetime, to_microseconds
from woo_harvester.utils.urls import record_id

LOC = "https://a.nl/d/0.pdf"
LASTMOD = datetime(2024, 4, 2, 8, tzinfo=UTC)
AT = datetime(2026, 11, 21, 8, tzinfo=UTC)
HOUR = timedelta(hours=1)


def record(
    loc: str = LOC,
    *,
    lastmod: datetime | None = LASTMOD,
    at: datetime = AT,
    cause: str = "aanlevering",
    number: int | None = None,
) -> dict[str, Any]:
    herkomst = {"opgehaald": iso_datetime(at)}
    if lastmod is not None:
        herkomst["lastmod"] = iso_datetime(lastmod)
    version = {"oorzaak": cause} | ({"nummer": number} if number else {})
    about = {"id": record_id(loc), "document": {"weblocatie": loc}}
    return {**about, "versies": [version], "herkomst": herkomst}


def file_of(folder: Path, *records: dict[str, Any]) -> list[Path]:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return [path]


def know(
    connection: Connection,
    *locs: str,
    lastmod: datetime | None = LASTMOD,
    at: datetime = AT,
    withdrawn: datetime | None = None,
) -> list[int]:
    """Add documents to the state, harvested at a moment and perhaps withdrawn at a later one."""
    sitemap = sitemap_of(connection)
    ids = see(connection, sitemap, locs or [LOC])
    moment = None if lastmod is None else to_microseconds(lastmod)
    seconds = int(at.timestamp())
    confirm_harvested(connection, [Harvested(key, moment, "2024-04-02", seconds, sitemap) for key in ids])
    if withdrawn:
        confirm_withdrawn(connection, dict.fromkeys(ids, int(withdrawn.timestamp())))
    return ids


def check(connection: Connection, folder: Path, *records: dict[str, Any]) -> list[tuple[str, str]]:
    with Latest(file_of(folder, *records)) as files:
        return [(str(difference), loc) for difference, loc in differences(connection, files)]


OTHER_NOTATION = record() | {
    "herkomst": {"opgehaald": iso_datetime(AT), "lastmod": "2024-04-02T10:00:00+02:00"}
}
GONE = record(at=AT + HOUR, cause="intrekking")
BACK = record(at=AT + 2 * HOUR, cause="herpublicatie")
#: What the state knows of a document, the records in the files, and the difference.
COMPARED: dict[str, tuple[dict[str, Any], list[dict[str, Any]], list[str]]] = {
    "in both": ({}, [record()], []),
    "the same lastmod in another notation": ({}, [OTHER_NOTATION], []),
    "only in the state": ({}, [], ["missing"]),
    "an earlier version in the files": ({}, [record(lastmod=LASTMOD - HOUR)], ["older"]),
    "no lastmod in the files": ({}, [record(lastmod=None)], ["older"]),
    "an earlier version in the state": ({"lastmod": LASTMOD - HOUR}, [record()], ["extra"]),
    "no lastmod in the state": ({"lastmod": None}, [record()], ["extra"]),
    "no lastmod in either": ({"lastmod": None}, [record(lastmod=None)], []),
    "withdrawn in both": (
        {"withdrawn": AT + HOUR},
        [record(), record(at=AT + HOUR, lastmod=None, cause="intrekking")],
        [],
    ),
    "withdrawn and not in the files": ({"withdrawn": AT + HOUR}, [], []),
    "withdrawn only in the state": ({"withdrawn": AT + HOUR}, [record()], ["older"]),
    "withdrawn only in the files": ({}, [record(), GONE], ["extra"]),
    "returned only in the state": ({"at": AT + 2 * HOUR}, [record(), GONE], ["older"]),
    "returned only in the files": ({"withdrawn": AT + HOUR}, [record(), BACK], ["extra"]),
}


def test_a_delivered_document_is_compared_with_its_latest_record(
    connection: Connection, tmp_path: Path
) -> None:
    for case, (known, in_files, found) in COMPARED.items():
        undo = connection.begin_nested()
        know(connection, **known)
        assert check(connection, tmp_path, *in_files) == [(difference, LOC) for difference in found], case
        undo.rollback()


def test_a_lastmod_in_the_future_counts_as_the_harvest(connection: Connection, tmp_path: Path) -> None:
    typo, day = datetime(2042, 4, 2, tzinfo=UTC), timedelta(days=1)
    know(connection, lastmod=typo)
    assert check(connection, tmp_path, record(lastmod=typo)) == []
    assert check(connection, tmp_path, record(lastmod=AT + HOUR, at=AT + day)) == [("extra", LOC)]
    know(connection, lastmod=AT + HOUR, at=AT + day)
    assert check(connection, tmp_path, record(lastmod=typo)) == [("older", LOC)]


def test_what_the_state_did_not_deliver_is_extra_only(connection: Connection, tmp_path: Path) -> None:
    permit = {"id": "x", "vergunning": {}, "versies": [{"oorzaak": "aanlevering"}]}
    assert check(connection, tmp_path, record(cause="intrekking"), permit) == []
    assert check(connection, tmp_path, record()) == [("extra", LOC)]
    see(connection, sitemap_of(connection), [LOC])
    assert check(connection, tmp_path, record()) == [("extra", LOC)]
    assert check(connection, tmp_path) == []


def test_what_only_the_files_have_is_taken_over(connection: Connection, tmp_path: Path) -> None:
    """A new document with its file, a newer version, a withdrawal; not what the state knows better."""
    known, changed, gone, newer = locs(5)[1:]
    know(connection, known, changed, gone, newer)
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
    with Latest(file_of(tmp_path, *records)) as files:
        assert [take_over(connection, files) for _ in range(2)] == [3, 0]
        left = [(str(difference), loc) for difference, loc in differences(connection, files)]
    assert left == [("older", newer), ("extra", "https://c.nl/zonder-sitemap.pdf")]
    rows = look_up(connection, [LOC, changed, gone])
    assert rows[LOC].published == "2024-01-02"
    assert rows[changed].lastmod == to_microseconds(LASTMOD + HOUR)
    assert (rows[gone].withdrawn, rows[gone].again) == (int((AT + HOUR).timestamp()), True)
    kept = files_of(connection, [rows[LOC].id])[rows[LOC].id]
    assert (kept.sha256, kept.size, kept.file_name) == (bytes.fromhex("ab" * 32), 3, None)
    assert hosts_of_document(connection, LOC) == ["b.nl"]


def test_more_than_a_batch_is_compared_completely(connection: Connection, tmp_path: Path) -> None:
    wanted = locs(2 * BATCH + 3)
    know(connection, *wanted)
    extra = [f"https://b.nl/{number}.pdf" for number in range(BATCH + 1)]
    found = check(connection, tmp_path, *map(record, [*wanted[1:], *extra]))
    assert found[0] == (Difference.MISSING, wanted[0])
    assert sorted(loc for difference, loc in found[1:] if difference == "extra") == sorted(extra)
    assert len(found) == 1 + len(extra)


def test_of_two_versions_with_the_same_lastmod_the_number_says_which_is_older(
    connection: Connection, tmp_path: Path
) -> None:
    (key,) = know(connection)
    sitemap, seconds = sitemap_of(connection), int(AT.timestamp())
    version = Harvested(key, to_microseconds(LASTMOD), "2024-04-02", seconds, sitemap, number=2)
    confirm_harvested(connection, [version])
    found = {number: check(connection, tmp_path, record(number=number)) for number in (None, 1, 2, 3)}
    assert found == {None: [], 1: [("older", LOC)], 2: [], 3: [("extra", LOC)]}


def test_a_restored_state_goes_on_counting_where_the_files_are(
    connection: Connection, tmp_path: Path
) -> None:
    gone = "https://a.nl/d/1.pdf"
    know(connection, LOC, gone)
    later = [
        record(number=3, lastmod=LASTMOD + HOUR, at=AT + HOUR),
        record(gone, number=4, lastmod=LASTMOD + HOUR, at=AT + HOUR),
        record(gone, at=AT + 2 * HOUR, cause="intrekking"),
    ]
    for each in later:
        each["herkomst"]["sitemap"] = "https://a.nl/sitemap.xml"
    with Latest(file_of(tmp_path, *later)) as files:
        assert take_over(connection, files) == 2
    assert {loc: known.number for loc, known in look_up(connection, [LOC, gone]).items()} == {LOC: 3, gone: 4}
