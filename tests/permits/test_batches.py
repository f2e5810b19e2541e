"""Messages that wait, applied in batches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, func, select

from tests.permits.kept_files import keep_file
from tests.register.exports import organisation, read
from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits import batches
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.messages import Message, Soort, Transactie
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.record import Vergunning, VergunningDocument
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.state import (
    PermitFile,
    entry_page_id,
    look_up_files,
)
from woo_harvester.permits.tables import permit_cases, permit_messages
from woo_harvester.register import Register
from woo_harvester.state import NOWHERE
from woo_harvester.state.store import State

HOST = "www.voorbeeldstad.nl"
ENTRY = f"https://{HOST}/xml/"
NOW = datetime(2026, 4, 2, 6, tzinfo=UTC)
NOBODYS = Rights(Register([], []), {})
FILE = PermitFile(RememberedFile("00" * 32, "2026-04-01T10:00"), read_at=1)


@pytest.fixture
def connection() -> Iterator[Connection]:
    with closing(State.open(NOWHERE)) as state, state.begin() as connection:
        yield connection


@pytest.fixture
def entry(connection: Connection) -> int:
    return entry_page_id(connection, ENTRY, HOST)


def case_url(number: int) -> str:
    return f"https://{HOST}/zaken/{number}"


def case(number: int, transactie: Transactie = Transactie.CREATE, day: int = 1) -> Message:
    url = case_url(number)
    given = Vergunning(identifier=url, title=str(day)) if transactie is not Transactie.DELETE else None
    return Message(Soort.ZAAK, transactie, "1", 0, date(2026, 4, day), url, url, given)


def document(number: int, of: int, day: int = 1) -> Message:
    url = f"https://{HOST}/documenten/{number}"
    given = VergunningDocument(identifier=url, title="besluit")
    return Message(Soort.DOCUMENT, Transactie.UPDATE, "1", 1, date(2026, 4, day), url, case_url(of), given)


def wait(connection: Connection, entry: int, *messages: Message, organisation: str = "gm1") -> None:
    """Have messages wait, each of a file of its own."""
    for message in messages:
        url = f"{ENTRY}{message.identifier.rpartition('/')[2]}-{message.aanmaakdatum}.xml"
        keep_file(connection, entry, url, FILE, Mutation(message, organisation, ENTRY, url))


def apply_next(connection: Connection, *entries: int) -> list[batches.Batch]:
    return batches.apply_next(connection, entries, NOBODYS, Reporter(lambda _: None), NOW)


def apply_all(connection: Connection, *entries: int) -> list[batches.Batch]:
    """Apply all that waits; return what has records."""
    found: list[batches.Batch] = []
    while made := apply_next(connection, *entries):
        found += [batch for batch in made if batch.outcomes]
    return found


def count(connection: Connection, table: object) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0  # type: ignore[arg-type]


def causes(made: list[batches.Batch]) -> list[str]:
    return [str(outcome.oorzaak) for batch in made for outcome in batch.outcomes]


def test_only_messages_of_the_given_entry_pages_are_applied(connection: Connection, entry: int) -> None:
    other = entry_page_id(connection, f"https://{HOST}/andere/", HOST)
    wait(connection, entry, case(1))
    assert apply_next(connection, other) == []
    assert len(apply_next(connection, entry)) == 1


def test_what_is_linked_is_a_batch(connection: Connection, entry: int) -> None:
    wait(connection, entry, case(1), case(2), document(7, of=1), case(1, Transactie.UPDATE, day=2))
    made = apply_all(connection, entry)
    assert [causes([batch]) for batch in made] == [["aanlevering"], ["aanlevering"]]
    assert len(made[0].outcomes[0].documenten) == 1


def test_a_case_is_known_when_its_batch_is_confirmed(connection: Connection, entry: int) -> None:
    wait(connection, entry, case(1))
    (batch,) = apply_all(connection, entry)
    assert count(connection, permit_messages) == 1
    batches.confirm(connection, [batch.number])
    assert (count(connection, permit_messages), count(connection, permit_cases)) == (0, 1)
    wait(connection, entry, case(1, Transactie.UPDATE, day=2))
    (batch,) = apply_all(connection, entry)
    assert causes([batch]) == ["wijziging"]
    batches.confirm(connection, [batch.number])
    assert count(connection, permit_cases) == 1


def test_what_was_not_confirmed_is_applied_again(connection: Connection, entry: int) -> None:
    wait(connection, entry, case(1))
    first = apply_all(connection, entry)
    assert apply_all(connection, entry) == []
    batches.undo_unconfirmed(connection, [entry])
    assert count(connection, permit_cases) == 0
    assert apply_all(connection, entry) == first


def test_a_document_that_moves_binds_two_cases(connection: Connection, entry: int) -> None:
    wait(connection, entry, case(1), case(2), document(7, of=1))
    batches.confirm(connection, [batch.number for batch in apply_all(connection, entry)])
    wait(connection, entry, document(7, of=2, day=2))
    (batch,) = apply_all(connection, entry)
    assert causes([batch]) == ["wijziging", "wijziging"]
    batches.confirm(connection, [batch.number])
    assert apply_all(connection, entry) == []
    assert count(connection, permit_cases) == 3


def test_what_gives_no_record_is_known_at_once_with_the_findings_of_its_host(
    connection: Connection, entry: int
) -> None:
    wait(connection, entry, case(1, Transactie.DELETE), document(7, of=2))
    findings: list[Finding] = []
    batches.apply_next(connection, [entry], NOBODYS, Reporter(findings.append), NOW)
    assert (count(connection, permit_messages), count(connection, permit_cases)) == (0, 2)
    assert ("ipm.zaak-onbekend", HOST) in [(finding.code, finding.host) for finding in findings]


def test_as_many_messages_are_applied_as_have_the_size_together_and_at_least_one(
    connection: Connection, entry: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait(connection, entry, *(case(number) for number in range(10, 40)))
    size = connection.scalar(select(func.max(func.length(permit_messages.c.data)))) or 0
    for number, sizes in ((7, 99), (99, 2), (99, 0)):
        undo = connection.begin_nested()
        monkeypatch.setattr(batches, "AT_ONCE", number)
        monkeypatch.setattr(batches, "AT_ONCE_SIZE", max(1, sizes * size))
        first = apply_next(connection, entry)
        assert len(first) == max(1, min(number, sizes)), (number, sizes)
        assert causes([*first, *apply_all(connection, entry)]) == ["aanlevering"] * 30, (number, sizes)
        undo.rollback()


STRANGE = "https://www.elders.nl/xml/"
REGISTERED = Rights(read(organisation("Stad", ENTRY, id="gm1")), {})


def offer(connection: Connection, *messages: Message, digest: str = "00" * 32) -> int:
    """Have messages of a stranger wait."""
    entry = entry_page_id(connection, STRANGE, "www.elders.nl")
    for message in messages:
        url = STRANGE + message.identifier.rpartition("/")[2]
        keep_file(connection, entry, url, FILE, Mutation(message, "gm2", STRANGE, url, digest=digest))
    return entry


def refused(connection: Connection, *entries: int, rights: Rights = REGISTERED) -> list[str | None]:
    """The files of what is refused of all that waits."""
    findings: list[Finding] = []
    report = Reporter(findings.append)
    while made := batches.apply_next(connection, entries, rights, report, NOW):
        batches.confirm(connection, [batch.number for batch in made])
    assert {finding.code for finding in findings} <= {"ipm.andere-organisatie"}
    return [finding.url for finding in findings]


def faults(connection: Connection, entry: int, url: str) -> list[str]:
    return [fault["code"] for fault in look_up_files(connection, entry, [url])[url].faults]


def test_what_is_refused_is_an_error_of_its_file(connection: Connection) -> None:
    stranger, url = offer(connection, case(1)), f"{STRANGE}1"
    assert refused(connection, stranger) == [url]
    assert (count(connection, permit_cases), count(connection, permit_messages)) == (0, 0)
    assert faults(connection, stranger, url) == ["ipm.andere-organisatie"]
    offer(connection, case(1))
    assert refused(connection, stranger, rights=NOBODYS) == []
    assert (count(connection, permit_cases), faults(connection, stranger, url)) == (1, [])


def test_what_an_owner_takes_is_an_error_of_the_file_of_a_stranger(
    connection: Connection, entry: int
) -> None:
    stranger = offer(connection, case(1, day=9), document(7, of=1, day=9))
    assert refused(connection, stranger, rights=NOBODYS) == []
    wait(connection, entry, case(1))
    assert refused(connection, stranger, entry) == []
    assert faults(connection, stranger, f"{STRANGE}1") == ["ipm.andere-organisatie"]
    rows = connection.scalars(select(permit_cases.c.entry_id).where(permit_cases.c.kind == "zaak"))
    assert rows.all() == [entry]


def test_two_organisations_may_have_one_document(connection: Connection, entry: int) -> None:
    own = "https://www.elders.nl/zaken/1"
    theirs = replace(case(1), identifier=own, zaak=own)
    stranger = offer(connection, theirs, replace(document(7, of=1), zaak=own))
    wait(connection, entry, case(1), document(7, of=1))
    assert refused(connection, stranger, entry) == []
    wait(connection, entry, replace(document(7, of=1, day=2), transactie_id="2"))
    assert refused(connection, stranger, entry) == []
    assert count(connection, permit_cases) == 4


def test_messages_that_were_applied_together_wait_together_again(connection: Connection, entry: int) -> None:
    """A run that was killed read two entry pages; the next one reads only the first of them."""
    other = entry_page_id(connection, ENTRY + "meer/", HOST)
    wait(connection, entry, case(1))
    keep_file(connection, other, "b.xml", FILE, Mutation(document(7, of=1), "gm1", ENTRY + "meer/", "b.xml"))
    assert len(apply_all(connection, entry, other)) == 1
    batches.undo_unconfirmed(connection, [entry])
    (batch,) = apply_all(connection, entry)
    batches.confirm(connection, [batch.number])
    batches.undo_unconfirmed(connection, [other])
    (batch,) = apply_all(connection, other)
    assert [len(outcome.documenten) for outcome in batch.outcomes] == [1]
