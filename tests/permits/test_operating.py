from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from tests.permits.kept_files import keep_file
from tests.permits.world import CASE, ENTRY, OTHER_CASE, document, mutation
from woo_harvester.permits.history import note_complete_read
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.mutations import Mutation, PermitRow
from woo_harvester.permits.operating import case_differences, count_cases, hosts_of_pages, lines
from woo_harvester.permits.state import PermitFile, add_case_rows, entry_page_id
from woo_harvester.state.check import Difference, differences
from woo_harvester.state.latest import Latest
from woo_harvester.utils.urls import record_id

HOST, ELSEWHERE = "www.voorbeeldstad.nl", "www.dorp.nl"
FILES = [f"{ENTRY}{number}.xml" for number in range(6)]


OTHER_ENTRY = f"https://{ELSEWHERE}/xml/"


def offered(made: Mutation, number: int) -> Mutation:
    return replace(made, bestand=FILES[number])


@pytest.fixture
def entry(connection: Connection) -> int:
    """Return the number of a page with a case and its document, another case, and messages that wait."""
    entry = entry_page_id(connection, ENTRY, HOST, "Stad")
    entry_page_id(connection, OTHER_ENTRY, ELSEWHERE)
    messages = [
        offered(mutation("C", 1), 0),
        offered(document("C", 1), 1),
        offered(mutation("U", 2), 2),
        offered(mutation("D", 1, identifier=OTHER_CASE), 3),
    ]
    for message in messages:
        keep_file(connection, entry, message.bestand, PermitFile(RememberedFile("ab"), 9), message)
    keep_file(connection, entry, FILES[4], PermitFile(RememberedFile("ab"), 9), None)
    gone = keep_file(connection, entry, FILES[5], PermitFile(RememberedFile("ab"), 9), None)
    note_complete_read(connection, entry, [gone], 20)
    presence = (True, None, None, False)
    rows = [PermitRow(made, made.message.zaak, known) for made, known in zip(messages, presence, strict=True)]
    add_case_rows(connection, [(rows[0], None), (rows[1], None), (rows[3], None), (rows[2], 7)])
    return entry


MOMENT = datetime(2026, 4, 2, 6, tzinfo=UTC)
HTTP = CASE.replace("https", "http")


def permit_record(
    first: str = CASE, cause: str = "aanlevering", at: datetime = MOMENT, url: str = CASE
) -> str:
    given = {"id": record_id(first), "vergunning": {"identifier": url}, "versies": [{"oorzaak": cause}]}
    return json.dumps(given | {"herkomst": {"opgehaald": at.isoformat()}})


def known(*, present: bool | None = True, first: str | None = None, organisatie: str = "gm0001") -> PermitRow:
    made = mutation("C" if present else "D", 1, identifier=CASE, organisatie=organisatie)
    return PermitRow(made, CASE, present, None if present is None else MOMENT, eerste=first)


def check_permits(
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


def test_a_case_is_compared_with_its_latest_record(connection: Connection, tmp_path: Path) -> None:
    cases: list[tuple[PermitRow, list[str], list[Difference]]] = [
        (known(), [permit_record()], []),
        (known(), [], [Difference.MISSING]),
        (known(present=False), [], []),
        (known(present=None), [], []),
        (known(present=None), [permit_record()], [Difference.EXTRA]),
        (known(), [permit_record(at=MOMENT - SECOND)], [Difference.OLDER]),
        (known(), [permit_record(at=MOMENT + SECOND)], [Difference.EXTRA]),
        (known(present=False), [permit_record(at=MOMENT - SECOND)], [Difference.OLDER]),
        (known(present=False), [permit_record(cause="intrekking", at=MOMENT - SECOND)], []),
        (known(), [permit_record(cause="intrekking", at=MOMENT - SECOND)], [Difference.OLDER]),
        (known(), [permit_record(cause="intrekking", at=MOMENT + SECOND)], [Difference.EXTRA]),
        (known(first=HTTP), [permit_record(HTTP)], []),
        (known(first=HTTP), [permit_record(CASE)], [Difference.MISSING, Difference.EXTRA]),
    ]
    for row, in_files, expected in cases:
        undo = connection.begin_nested()
        found = check_permits(connection, tmp_path, [row], *in_files)
        assert found == [(str(difference), CASE) for difference in expected], (row, in_files)
        undo.rollback()


def test_of_two_organisations_the_last_record_counts(connection: Connection, tmp_path: Path) -> None:
    before = replace(known(present=False, organisatie="gm0002"), opgehaald=MOMENT - SECOND)
    assert check_permits(connection, tmp_path, [before, known()], permit_record()) == []
    assert count_cases(connection) == 1


def test_documents_of_cases_and_unconfirmed_versions_are_not_counted(connection: Connection) -> None:
    entry_page_id(connection, ENTRY, "www.voorbeeldstad.nl")
    add_case_rows(connection, [(PermitRow(document("C", 1), CASE), None), (known(), 5)])
    assert count_cases(connection) == 0


def test_the_pages_of_a_host_are_summed_up(connection: Connection, entry: int) -> None:
    assert [line.split() for line in lines(connection)][1:] == [
        [ELSEWHERE, "1", "0", "0", "0", "never"],
        [HOST, "1", "5", "1", "1", "1970-01-01", "01:00"],
        ["2", "entry", "pages,", "5", "files,", "1", "case,", "1", "withdrawn"],
    ]
    second = entry_page_id(connection, ENTRY + "2/", HOST)
    assert [*lines(connection)][2].split() == [HOST, "2", "5", "1", "1", "never"]
    note_complete_read(connection, second, [], 30)
    assert [*lines(connection)][2].split()[-1] == "01:00"
    assert hosts_of_pages(connection) == [ELSEWHERE, HOST]
