"""The cases in the state, compared with the files that runs wrote."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from tests.permits.world import ENTRY, document, mutation
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.state.check import Difference, case_differences, count_cases, differences
from woo_harvester.state.latest import Latest
from woo_harvester.state.permits import add_case_rows, entry_page_id
from woo_harvester.utils.urls import record_id

AT = datetime(2026, 4, 2, 6, tzinfo=UTC)
CASE = "https://www.voorbeeldstad.nl/zaken/1"
HTTP = CASE.replace("https", "http")


def record(first: str = CASE, cause: str = "aanlevering", at: datetime = AT, url: str = CASE) -> str:
    given = {"id": record_id(first), "vergunning": {"identifier": url}, "versies": [{"oorzaak": cause}]}
    return json.dumps(given | {"herkomst": {"opgehaald": at.isoformat()}})


def known(*, present: bool | None = True, first: str | None = None, organisatie: str = "gm0001") -> PermitRow:
    made = mutation("C" if present else "D", 1, identifier=CASE, organisatie=organisatie)
    return PermitRow(made, CASE, present, None if present is None else AT, eerste=first)


def check(
    connection: Connection, folder: Path, rows: list[PermitRow], *records: str
) -> list[tuple[str, str]]:
    entry_page_id(connection, ENTRY, "www.voorbeeldstad.nl")
    add_case_rows(connection, [(row, None) for row in rows])
    path = folder / "records.jsonl"
    path.write_text("".join(f"{line}\n" for line in records), encoding="utf-8")
    with Latest([path]) as files:
        assert list(differences(connection, files)) == [], "a case is no document"
        return [(str(difference), url) for difference, url in case_differences(connection, files)]


SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("row", "in_files", "expected"),
    [
        (known(), [record()], []),
        (known(), [], [Difference.MISSING]),
        (known(present=False), [], []),
        (known(present=None), [], []),
        (known(present=None), [record()], [Difference.EXTRA]),
        (known(), [record(at=AT - SECOND)], [Difference.OLDER]),
        (known(), [record(at=AT + SECOND)], [Difference.EXTRA]),
        (known(present=False), [record(at=AT - SECOND)], [Difference.OLDER]),
        (known(present=False), [record(cause="intrekking", at=AT - SECOND)], []),
        (known(), [record(cause="intrekking", at=AT - SECOND)], [Difference.OLDER]),
        (known(), [record(cause="intrekking", at=AT + SECOND)], [Difference.EXTRA]),
        (known(first=HTTP), [record(HTTP)], []),
        (known(first=HTTP), [record(CASE)], [Difference.MISSING, Difference.EXTRA]),
    ],
)
def test_a_case_is_compared_with_its_latest_record(
    connection: Connection, tmp_path: Path, row: PermitRow, in_files: list[str], expected: list[Difference]
) -> None:
    found = check(connection, tmp_path, [row], *in_files)
    assert found == [(str(difference), CASE) for difference in expected]


def test_of_two_organisations_the_last_record_counts(connection: Connection, tmp_path: Path) -> None:
    before = replace(known(present=False, organisatie="gm0002"), opgehaald=AT - SECOND)
    assert check(connection, tmp_path, [before, known()], record()) == []
    assert count_cases(connection) == 1


def test_documents_of_cases_and_unconfirmed_versions_are_not_counted(connection: Connection) -> None:
    entry_page_id(connection, ENTRY, "www.voorbeeldstad.nl")
    add_case_rows(connection, [(PermitRow(document("C", 1), CASE), None), (known(), 5)])
    assert count_cases(connection) == 0
