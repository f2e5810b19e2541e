"""What becomes of the files and cases of an entry page over the days."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from msgspec import structs
from sqlalchemy import Connection

from tests.permits.kept_files import keep_file
from tests.permits.world import ENTRY, mutation
from woo_harvester.permits.history import (
    PageHistory,
    ended_cases,
    forget_links,
    missing_files,
    note_back,
    note_complete_read,
)
from woo_harvester.permits.links import NO_MESSAGE, RememberedFile
from woo_harvester.permits.mutations import Mutation, PermitRow
from woo_harvester.permits.record import Periode, Vergunning
from woo_harvester.permits.state import (
    PermitFile,
    add_case_rows,
    entry_page_id,
    look_up_files,
    named_entries,
)
from woo_harvester.permits.tables import permit_entries
from woo_harvester.utils.document_set import DocumentSet

URLS = [f"{ENTRY}{number}.xml" for number in range(3)]
DAY = 86_400


@pytest.fixture
def entry(connection: Connection) -> int:
    return entry_page_id(connection, ENTRY, "www.voorbeeldstad.nl")


def keep(connection: Connection, entry: int, url: str, **values: object) -> int:
    """Keep a file that was read on day 1; return its number."""
    file = replace(PermitFile(RememberedFile("ab"), DAY), **values)  # type: ignore[arg-type]
    return keep_file(connection, entry, url, file, None)


def missing(connection: Connection, entry: int, *listed: int) -> list[str]:
    numbers = DocumentSet()
    for number in listed:
        numbers.add(number)
    return [file.url for file in missing_files(connection, entry, numbers)]


def ended(identifier: str, end: str | None) -> Mutation:
    made = mutation("C", 1, identifier=identifier)
    period = Periode(None, date.fromisoformat(end)) if end else None
    given = Vergunning(identifier=identifier, temporal=period)
    return structs.replace(made, message=structs.replace(made.message, gegevens=given))


def test_a_file_is_missing_until_noted_and_after_it_came_back(connection: Connection, entry: int) -> None:
    numbers = [keep(connection, entry, url) for url in URLS]
    assert missing(connection, entry, numbers[0]) == URLS[1:3]
    note_complete_read(connection, entry, numbers[1:2], 2 * DAY)
    assert missing(connection, entry, numbers[0]) == [URLS[2]]
    assert [file.is_gone for file in look_up_files(connection, entry, URLS[:3]).values()] == [
        False,
        True,
        False,
    ]
    note_back(connection, numbers[1:2])
    assert missing(connection, entry, numbers[0]) == URLS[1:3]
    note_complete_read(connection, entry, numbers[1:2], 3 * DAY)
    assert keep(connection, entry, URLS[1]) == numbers[1], "a file that is read is there"
    assert missing(connection, entry, numbers[0]) == URLS[1:3]


def test_an_invalid_file_is_known_as_such_and_the_first_read_of_a_file_stays_known(
    connection: Connection, entry: int
) -> None:
    keep(connection, entry, URLS[0], faults=[{"code": "ipm.schema"}])
    for read_at in (DAY, 9 * DAY):
        keep(connection, entry, URLS[1], read_at=read_at)
    found = missing_files(connection, entry, DocumentSet())
    assert [(bool(file.is_message), file.first_seen) for file in found] == [(False, DAY), (True, DAY)]


def test_a_page_knows_its_first_read_and_when_a_file_last_went(connection: Connection, entry: int) -> None:
    number = keep(connection, entry, URLS[0])
    assert note_complete_read(connection, entry, [], 10) == PageHistory(10, None)
    assert note_complete_read(connection, entry, [number], 20) == PageHistory(10, 20)
    assert note_complete_read(connection, entry, [], 30) == PageHistory(10, 20)
    (row,) = connection.execute(permit_entries.select()).all()
    assert row.complete_at == 30


def test_the_name_of_a_page_stays_until_it_gets_another(connection: Connection, entry: int) -> None:
    assert named_entries(connection) == {}
    for name, expected in (("Stad", "Stad"), (None, "Stad"), ("Dorp", "Dorp")):
        assert entry_page_id(connection, ENTRY, "www.voorbeeldstad.nl", name) == entry
        assert named_entries(connection) == {ENTRY: expected}


def test_the_version_on_its_way_decides_whether_a_case_has_ended(connection: Connection, entry: int) -> None:
    one, two, three = (f"{ENTRY}zaak/{number}" for number in range(3))
    old = [ended(one, "2020-01-02"), ended(two, "2020-01-01"), ended(three, "2019-12-31")]
    add_case_rows(connection, [(PermitRow(each, each.message.zaak), None) for each in old])
    assert ended_cases(connection, entry, date(2020, 1, 3)) == (3, three, "2019-12-31")
    assert ended_cases(connection, entry, date(2020, 1, 2)) == (2, three, "2019-12-31")
    new = [ended(two, "2020-06-01"), mutation("D", 2, identifier=three)]
    add_case_rows(connection, [(PermitRow(each, each.message.zaak), 7) for each in new])
    assert ended_cases(connection, entry, date(2020, 1, 3)) == (1, one, "2020-01-02")
    other = entry_page_id(connection, ENTRY + "x/", "www.voorbeeldstad.nl")
    assert ended_cases(connection, other, date(2020, 1, 3)) is None


def test_links_that_are_gone_are_forgotten_and_files_much_later(connection: Connection, entry: int) -> None:
    script, gone_script, no_message, menu = (f"{ENTRY}{name}" for name in ("z?1", "z?2", "z?3", "contact"))
    other = RememberedFile(NO_MESSAGE)
    numbers = [keep(connection, entry, url) for url in (URLS[0], script, gone_script)]
    keep(connection, entry, no_message, known=other)
    listed = DocumentSet()
    listed.add(keep(connection, entry, menu, known=other))
    note_complete_read(connection, entry, numbers[:1] + numbers[2:], 5 * DAY)
    assert missing(connection, entry) == [script], "what is no message cannot go too soon"
    forget_links(connection, entry, listed, 5 * DAY)
    urls = [*URLS[:1], script, gone_script, no_message, menu]
    assert look_up_files(connection, entry, urls).keys() == {URLS[0], script, gone_script, menu}
    forget_links(connection, entry, listed, 6 * DAY)
    assert look_up_files(connection, entry, urls).keys() == {script, menu}
