"""What an operator sees and forgets of permits."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, select

from tests.permits.world import CASE, DOCUMENT, ENTRY, OTHER_CASE, document, mutation
from tests.state.kept_files import keep_file
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.mutations import Mutation, PermitRow
from woo_harvester.state.permit_history import note_complete_read
from woo_harvester.state.permits import (
    PermitFile,
    add_case_rows,
    entry_page_id,
    look_up_files,
    named_entries,
)
from woo_harvester.state.schema import permit_cases, permit_files, permit_messages
from woo_harvester.state.upkeep import (
    PageSummary,
    forget_case,
    forget_page,
    host_of_page,
    hosts_of_case,
    hosts_of_pages,
    page_summaries,
)

HOST, ELSEWHERE = "www.voorbeeldstad.nl", "www.dorp.nl"
OTHER_ENTRY = f"https://{ELSEWHERE}/xml/"
FILES = [f"{ENTRY}{number}.xml" for number in range(6)]


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


def test_a_page_is_summed_up(connection: Connection, entry: int) -> None:
    assert list(page_summaries(connection)) == [
        PageSummary(ELSEWHERE, OTHER_ENTRY, None, 0, 0, 0, None),
        PageSummary(HOST, ENTRY, "Stad", 5, 1, 1, 20),
    ]
    assert hosts_of_pages(connection) == [ELSEWHERE, HOST]
    assert (host_of_page(connection, ENTRY), host_of_page(connection, ENTRY + "x")) == (HOST, None)


@pytest.mark.parametrize("url", [CASE, CASE.replace("https", "http")])
def test_a_case_is_forgotten_with_its_documents_and_the_files_about_it(
    connection: Connection, entry: int, url: str
) -> None:
    assert hosts_of_case(connection, url) == {HOST}
    forget_case(connection, url)
    assert hosts_of_case(connection, url) == frozenset()
    assert list(look_up_files(connection, entry, FILES)) == FILES[3:]
    for table in (permit_cases, permit_messages):
        assert connection.execute(select(table.c.identifier)).scalars().all() == [OTHER_CASE]


def test_the_last_file_of_a_case_is_found_if_its_message_does_not_name_the_case(
    connection: Connection, entry: int
) -> None:
    connection.execute(permit_files.update().values(case_url=None))
    forget_case(connection, CASE)
    assert list(look_up_files(connection, entry, FILES)) == FILES[3:]


def test_a_document_is_no_case(connection: Connection, entry: int) -> None:
    assert hosts_of_case(connection, DOCUMENT) == frozenset()
    assert hosts_of_case(connection, CASE + "9") == frozenset()


def test_a_page_is_forgotten_with_all_it_has(connection: Connection, entry: int) -> None:
    forget_page(connection, ENTRY)
    assert [page.url for page in page_summaries(connection)] == [OTHER_ENTRY]
    assert named_entries(connection) == {}
    for table in (permit_files, permit_cases, permit_messages):
        assert connection.execute(select(table.c.id)).first() is None
