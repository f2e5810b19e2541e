"""Migration of the permits in a state of version 4 to the version of today without loss."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, create_engine, insert, select, text
from sqlalchemy.pool import NullPool

from tests.permits.world import CASE, DOCUMENT, ENTRY, document, mutation
from tests.state.test_migrations import VERSION_5, before_of, before_version_6, new_sqlite, shape, table_of
from tests.utils.postgresql import new_database
from woo_harvester.findings import Reporter
from woo_harvester.permits.mutations import Mutation, PermitRow
from woo_harvester.permits.record import Periode, Vergunning
from woo_harvester.permits.rights import Rights
from woo_harvester.register import Register
from woo_harvester.state.applying import Batch, apply_next
from woo_harvester.state.migrations import STATE_VERSION
from woo_harvester.state.permit_history import EndedCases, ended_cases
from woo_harvester.state.permits import load_message
from woo_harvester.state.schema import permit_cases, permit_messages
from woo_harvester.state.sql import BATCH
from woo_harvester.state.store import State

NOW = datetime(2026, 4, 2, 6, tzinfo=UTC)
HTTP_CASE = CASE.replace("https", "http")


def about(url: str, start: date | None = None, end: date | None = None) -> Mutation:
    """A message about a case with a period."""
    made = mutation("C", 1, identifier=url)
    given = Vergunning(identifier=url, title="Kap", temporal=Periode(start, end) if end else None)
    return replace(made, message=replace(made.message, gegevens=given))


def row_of(made: Mutation, *, present: bool | None = True) -> PermitRow:
    return PermitRow(made, made.message.zaak, present, NOW if present is not None else None)


ROWS = [
    row_of(about(HTTP_CASE, date(2020, 1, 1), date(2021, 2, 3))),
    row_of(about(f"{ENTRY}omgekeerd", date(2022, 1, 1), date(2021, 12, 31))),
    row_of(about(f"{ENTRY}zonder"), present=False),
    row_of(mutation("D", 2, identifier=f"{ENTRY}weg"), present=None),
    PermitRow(document("C", 1, case=HTTP_CASE), HTTP_CASE),
    *(row_of(about(f"{ENTRY}{number}")) for number in range(BATCH)),
]
WAITING = document("U", 3, case=HTTP_CASE, title="Nieuw", identifier=DOCUMENT.replace("https", "http"))


def old_form(row: PermitRow) -> str:
    """Return the row as version 4 wrote it."""
    data = json.loads(row.dump())
    assert "eerste" not in data
    return json.dumps(data)


def fill(connection: Connection) -> None:
    entry = {"id": 1, "url": ENTRY, "host": "www.voorbeeldstad.nl"}
    connection.execute(text("INSERT INTO permit_entries VALUES (:id, :url, :host)"), entry)
    columns = "entry_id, url, digest, now, read_at"
    connection.execute(
        text(f"INSERT INTO permit_files ({columns}) VALUES (1, '{ENTRY}1.xml', '12', false, 1700000000)")
    )
    for row in ROWS:
        message = row.mutation.message
        values = {"entry_id": 1, "kind": str(row.key.soort), "identifier": message.identifier}
        connection.execute(permit_cases.insert().values(**values, case_url=row.zaak, data=old_form(row)))
    values = {"entry_id": 1, "identifier": WAITING.message.identifier, "case_url": HTTP_CASE}
    data = old_form(PermitRow(WAITING, HTTP_CASE))
    connection.execute(insert(permit_messages).values(**values, data=data))


@pytest.fixture
def old(state_url: str) -> str:
    """Return the URL of a state of version 4 with permits."""
    State.open(state_url).close()
    engine = create_engine(state_url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("DROP INDEX permit_cases_ends"))
        for table, names in VERSION_5.items():
            for name in names:
                connection.execute(text(f"ALTER TABLE {table} DROP COLUMN {name}"))
        before_version_6(connection)
        fill(connection)
        connection.execute(text("UPDATE about SET value = '4'"))
    engine.dispose()
    return state_url


def rows_after(connection: Connection) -> list[tuple[Any, ...]]:
    table = permit_cases.c
    columns = (table.identifier, table.case_url, table.ends, table.present, table.data)
    rows = connection.execute(select(*columns).order_by(table.id))
    return [(*row[:4], PermitRow.load(row[4])) for row in rows]


def test_no_row_is_lost_and_every_case_knows_its_first_url_and_when_it_ends(old: str) -> None:
    with closing(State.open(old)) as state, state.begin() as connection:
        assert table_of(connection, "about") == [{"name": "version", "value": str(STATE_VERSION)}]
        found = rows_after(connection)
    ends = ["2021-02-03", "2022-01-01"]
    assert [row[2] for row in found] == [*ends, *[None] * (len(ROWS) - 2)]
    assert found[0][:2] == (CASE, CASE)
    assert found[4][:2] == (DOCUMENT, CASE)
    for (_, _, end, present, row), given in zip(found, ROWS, strict=True):
        first = given.mutation.message.identifier if given.present is not None else None
        assert row == replace(given, eerste=first)
        assert present == row.present
        assert end == (row.ends.isoformat() if row.ends else None)


def test_what_is_not_known_of_pages_and_files_is_null(old: str) -> None:
    before = before_of(old, "permit_entries", "permit_files")
    with closing(State.open(old)) as state, state.begin() as connection:
        for name, rows in before.items():
            added = dict.fromkeys(VERSION_5[name])
            assert table_of(connection, name) == [row | added for row in rows]


def test_cases_that_ended_are_found_at_once(old: str) -> None:
    with closing(State.open(old)) as state, state.begin() as connection:
        assert ended_cases(connection, 1, date(2022, 1, 1)) == EndedCases(1, HTTP_CASE, "2021-02-03")
        assert ended_cases(connection, 1, date(2022, 1, 2)) == EndedCases(2, HTTP_CASE, "2021-02-03")
        assert ended_cases(connection, 1, date(2021, 2, 3)) is None


def test_a_message_that_waits_belongs_to_the_case_whose_url_has_http(old: str) -> None:
    with closing(State.open(old)) as state, state.begin() as connection:
        assert load_message(connection.scalar(select(permit_messages.c.data)) or "") == WAITING
        rights = Rights(Register([], []), {})
        (batch,) = apply_next(connection, [1], rights, Reporter(lambda finding: None), NOW) or [Batch(0, [])]
    (outcome,) = batch.outcomes
    assert (outcome.identifier, outcome.eerste, str(outcome.oorzaak)) == (HTTP_CASE, HTTP_CASE, "wijziging")
    assert [each.message.identifier for each in outcome.documenten] == [WAITING.message.identifier]


def test_a_migrated_state_has_the_same_tables_as_a_new_one(
    old: str, database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    State.open(old).close()
    if database == "sqlite":
        assert shape(old) == shape(new_sqlite(tmp_path))
        return
    with new_database(request.getfixturevalue("postgresql_server")) as url:
        State.open(url).close()
        assert shape(old) == shape(url)
