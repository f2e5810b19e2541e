"""The files of permits' entry pages, and their messages, in the state."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from msgspec import structs
from sqlalchemy import Connection, insert, select

from tests.permits.kept_files import keep_file
from tests.permits.world import CASE, DOCUMENT, ENTRY, document, mutation
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.mutations import Mutation, PermitRow
from woo_harvester.permits.state import (
    PermitFile,
    entry_ids,
    entry_page_id,
    forget_entries,
    keep_fault,
    look_up_files,
)
from woo_harvester.permits.tables import permit_cases, permit_messages

HOST = "www.voorbeeldstad.nl"
OTHER_ENTRY = "https://www.dorp.nl/xml/"
FILE = PermitFile(RememberedFile("ab" * 32, "2026-04-01T10:00", True), 1000, '"v1"', "Wed, 01 Apr 2026")
FAULTY = replace(FILE, faults=[{"code": "ipm.schema", "seen": "één", "line": 3}], faults_since=900)


@pytest.fixture
def entry(connection: Connection) -> int:
    return entry_page_id(connection, ENTRY, HOST)


def waiting(connection: Connection, entry: int) -> list[Mutation]:
    """The messages of an entry page that wait, in the order of their arrival."""
    table = permit_messages.c
    query = select(table.data).where(table.entry_id == entry).order_by(table.id)
    return [PermitRow.load(data).mutation for data in connection.execute(query).scalars()]


def offered(number: int, digest: str = "ab" * 32) -> Mutation:
    """A message in a file of its own."""
    return structs.replace(mutation("C", number), bestand=f"{ENTRY}{number}.xml", digest=digest)


def test_an_entry_page_has_one_id(connection: Connection, entry: int) -> None:
    other = entry_page_id(connection, OTHER_ENTRY, "www.dorp.nl")
    assert entry_page_id(connection, ENTRY, HOST) == entry != other
    assert entry_ids(connection, [ENTRY, OTHER_ENTRY]) == {ENTRY: entry, OTHER_ENTRY: other}
    assert entry_ids(connection, [OTHER_ENTRY, "https://www.nieuw.nl/"]) == {OTHER_ENTRY: other}


def test_a_file_is_known_as_it_was_read_last(connection: Connection, entry: int) -> None:
    urls = [f"{ENTRY}{number}.xml" for number in range(3)]
    keep_file(connection, entry, urls[0], FILE, None)
    keep_file(connection, entry, urls[1], FAULTY, None)
    assert look_up_files(connection, entry, urls) == {urls[0]: replace(FILE, faults=()), urls[1]: FAULTY}
    assert look_up_files(connection, entry, urls[1:]) == {urls[1]: FAULTY}
    newer = PermitFile(RememberedFile("cd" * 32), 2000)
    keep_file(connection, entry, urls[1], newer, None)
    assert look_up_files(connection, entry, urls[1:]) == {urls[1]: newer}


def test_a_file_belongs_to_its_entry_page(connection: Connection, entry: int) -> None:
    other = entry_page_id(connection, OTHER_ENTRY, "www.dorp.nl")
    url = ENTRY + "1.xml"
    keep_file(connection, entry, url, FILE, None)
    keep_file(connection, other, url, FAULTY, None)
    assert look_up_files(connection, entry, [url]) == {url: FILE}
    assert look_up_files(connection, other, [url]) == {url: FAULTY}


def test_a_message_waits_with_its_case(connection: Connection, entry: int) -> None:
    for message in (offered(1), document("C", 2)):
        keep_file(connection, entry, message.bestand, FILE, message)
    keep_file(connection, entry, ENTRY + "3.xml", FAULTY, None)
    assert waiting(connection, entry) == [offered(1), document("C", 2)]
    table = permit_messages.c
    rows = connection.execute(select(table.identifier, table.case_url, table.batch).order_by(table.id))
    assert [tuple(row) for row in rows] == [(CASE, CASE, None), (DOCUMENT, CASE, None)]


def test_what_is_wrong_with_a_message_is_kept_if_the_file_still_has_it(
    connection: Connection, entry: int
) -> None:
    messages = [offered(1), offered(2, "cd" * 32), offered(3)]
    urls = [message.bestand for message in messages]
    for url in urls:
        keep_file(connection, entry, url, FILE, None)
    fault = {"code": "ipm.andere-organisatie"}
    for message in messages[:2]:
        keep_fault(connection, message, fault, datetime.fromtimestamp(900, UTC))
    found = look_up_files(connection, entry, urls)
    assert found[urls[0]] == replace(FILE, faults=[fault], faults_since=900)
    assert [found[url] for url in urls[1:]] == [FILE, FILE]


def test_only_the_entry_pages_of_the_host_are_forgotten(connection: Connection, entry: int) -> None:
    other = entry_page_id(connection, OTHER_ENTRY, "www.dorp.nl")
    for page in (entry, other):
        keep_file(connection, page, ENTRY + "1.xml", FILE, offered(1))
        connection.execute(
            insert(permit_cases).values(entry_id=page, kind="zaak", identifier=CASE, data="{}")
        )
    forget_entries(connection, HOST)
    assert entry_ids(connection, [ENTRY, OTHER_ENTRY]) == {OTHER_ENTRY: other}
    assert connection.execute(select(permit_cases.c.entry_id)).scalars().all() == [other]
    assert connection.execute(select(permit_messages.c.entry_id)).scalars().all() == [other]
    assert look_up_files(connection, entry, [ENTRY + "1.xml"]) == {}
    assert look_up_files(connection, other, [ENTRY + "1.xml"]) == {ENTRY + "1.xml": FILE}
