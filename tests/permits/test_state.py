"""The files of permits' entry pages, and their messages, in the state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs
from sqlalchemy import Connection, insert, select

from tests.permits.kept_files import keep_file
from tests.permits.world import CASE, DOCUMENT, ENTRY, document, mutation
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.state import (
    PermitFile,
    entry_ids,
    entry_page_id,
    forget_entries,
    keep_refused,
    load_message,
    look_up_files,
    read_again,
    wait_again,
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
    return [load_message(data) for data in connection.execute(query).scalars()]


def offered(number: int, digest: str | None = "ab" * 32) -> Mutation:
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


def test_a_refused_message_waits_again_once(connection: Connection, entry: int) -> None:
    messages = [offered(number) for number in (1, 2, 3)]
    urls = [message.bestand for message in messages]
    for url in urls:
        keep_file(connection, entry, url, FILE, None)
    keep_refused(connection, messages[:2])
    assert [file.refused for file in look_up_files(connection, entry, urls).values()] == [True, True, False]
    wait_again(connection, entry, urls[1:])
    assert waiting(connection, entry) == [messages[1]]
    assert [file.refused for file in look_up_files(connection, entry, urls).values()] == [True, False, False]
    wait_again(connection, entry, urls[1:])
    assert waiting(connection, entry) == [messages[1]]


@pytest.mark.parametrize(("digest", "is_kept"), [("ab" * 32, True), ("cd" * 32, False), (None, True)])
def test_a_refused_message_is_kept_if_the_file_still_has_it(
    connection: Connection, entry: int, digest: str | None, is_kept: bool
) -> None:
    message = offered(1, digest)
    keep_file(connection, entry, message.bestand, FILE, None)
    keep_refused(connection, [message])
    assert look_up_files(connection, entry, [message.bestand])[message.bestand].refused is is_kept


@pytest.mark.parametrize(
    ("file", "message", "stays"), [(FILE, None, True), (FILE, offered(1), False), (FAULTY, None, False)]
)
def test_a_refused_message_goes_with_the_content_of_its_file(
    connection: Connection, entry: int, file: PermitFile, message: Mutation | None, stays: bool
) -> None:
    url = offered(1).bestand
    keep_file(connection, entry, url, FILE, None)
    keep_refused(connection, [offered(1)])
    keep_file(connection, entry, url, file, message)
    assert look_up_files(connection, entry, [url])[url].refused is stays


def test_a_file_that_is_to_be_read_again_is_forgotten(connection: Connection, entry: int) -> None:
    messages = [offered(1), offered(2)]
    urls = [message.bestand for message in messages]
    for url in urls:
        keep_file(connection, entry, url, FILE, None)
    read_again(connection, messages[:1])
    assert look_up_files(connection, entry, urls).keys() == {urls[1]}


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
