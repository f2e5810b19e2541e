"""Migration of a state of version 2, made with SQL, to the version of today without loss."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, Inspector, create_engine, inspect, text
from sqlalchemy.pool import NullPool

from tests.utils.postgresql import new_database
from woo_harvester.state import listings
from woo_harvester.state.documents import faults_of, look_up
from woo_harvester.state.migrations import MIGRATIONS, STATE_VERSION
from woo_harvester.state.resources import host_of_state
from woo_harvester.state.schema import metadata
from woo_harvester.state.store import State, StateError
from woo_harvester.state.upkeep import HostSummary, summaries

#: The tables of version 2 that version 3 changed, and those that they refer to.
TABLES = """
CREATE TABLE about (name VARCHAR(50) NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE hosts (
    id {key} NOT NULL PRIMARY KEY, host TEXT NOT NULL UNIQUE, complete_at BIGINT,
    held_runs INTEGER NOT NULL, held_documents INTEGER NOT NULL, confirmed BOOLEAN NOT NULL
);
CREATE TABLE resources (
    id {key} NOT NULL PRIMARY KEY, host_id BIGINT NOT NULL REFERENCES hosts (id), url TEXT NOT NULL,
    kind VARCHAR(10) NOT NULL, index_url TEXT, etag TEXT, last_modified TEXT, digest {bytes},
    read_at BIGINT, content {bytes}, UNIQUE (url, host_id)
);
CREATE INDEX ix_resources_host_id ON resources (host_id);
CREATE TABLE documents (
    id {key} NOT NULL PRIMARY KEY, loc TEXT NOT NULL UNIQUE,
    sitemap_id BIGINT NOT NULL REFERENCES resources (id), lastmod BIGINT, first_seen BIGINT NOT NULL,
    published VARCHAR(10), harvested BIGINT, withdrawn BIGINT, entry_digest {bytes}, sha256 {bytes},
    etag TEXT, last_modified TEXT, size BIGINT, media_type TEXT, file_name TEXT, pages BIGINT,
    fault VARCHAR(50), fault_seen TEXT, fault_since BIGINT, refused_at BIGINT, refused_lastmod BIGINT
);
CREATE INDEX documents_faults ON documents (sitemap_id) WHERE fault IS NOT NULL;
CREATE INDEX ix_documents_sitemap_id ON documents (sitemap_id);
CREATE TABLE outputs (
    node TEXT NOT NULL, path TEXT NOT NULL, durable BIGINT NOT NULL, closed BOOLEAN NOT NULL,
    PRIMARY KEY (node, path)
);
"""

#: A host with pending withdrawals, one that was never read completely, one whose confirmation was given.
ROWS = """
INSERT INTO about VALUES ('version', '2');
INSERT INTO hosts VALUES
    (1, 'a.nl', 1700000100, 2, 60, false), (2, 'b.nl', NULL, 0, 0, false), (3, 'c.nl', 5, 1, 10, true);
INSERT INTO resources (id, host_id, url, kind, index_url, etag, read_at) VALUES
    (1, 1, 'https://a.nl/robots.txt', 'robots', NULL, 'r', 7),
    (2, 1, 'https://a.nl/s0.xml', 'sitemap', 'https://a.nl/i.xml', 's', 8),
    (3, 2, 'https://b.nl/s0.xml', 'sitemap', 'https://b.nl/i.xml', NULL, NULL);
INSERT INTO documents (id, loc, sitemap_id, lastmod, first_seen, published, harvested, withdrawn) VALUES
    (1, 'https://a.nl/1.pdf', 2, 10, 5, '2024-04-02', 6, NULL),
    (2, 'https://a.nl/2.pdf', 2, 10, 5, '2024-04-02', 6, 9),
    (3, 'https://a.nl/3.pdf', 2, NULL, 5, NULL, NULL, NULL),
    (4, 'https://b.nl/4.pdf', 3, -1, 5, '1969-12-31', 6, NULL);
UPDATE documents SET fault = 'document.te-groot', fault_since = 4 WHERE id = 3;
"""

UNCHANGED = ("locks", "visited")
#: The columns that version 6 added.
VERSION_6 = {"hosts": ("reads", "unregistered"), "listings": ("massive",)}
#: The columns of the tables of permits that version 5 added.
VERSION_5 = {
    "permit_entries": ("organisation", "complete_since", "complete_at", "gone_at"),
    "permit_files": ("case_url", "dated_at", "first_seen", "gone_at"),
    "permit_messages": (),
    "permit_cases": ("present", "ends"),
}
KINDS = {
    "sqlite": {"key": "INTEGER", "bytes": "BLOB"},
    "postgresql": {"key": "BIGSERIAL", "bytes": "BYTEA"},
}


def make(engine: Engine, rows: str = ROWS) -> None:
    """Create a state of version 2."""
    with engine.begin() as connection:
        script = TABLES.format(**KINDS[connection.dialect.name]) + rows
        for statement in filter(str.strip, script.split(";")):
            connection.execute(text(statement.strip()))
        make_unchanged(connection)
        connection.execute(text("ALTER TABLE permit_files DROP COLUMN refused"))
        connection.execute(text("INSERT INTO outputs VALUES ('', '/srv/a.jsonl', 10, false)"))


def make_unchanged(connection: Connection) -> None:
    """Create the tables that versions 3 and 4 did not change, as they were in version 4."""
    metadata.create_all(connection, [metadata.tables[name] for name in (*UNCHANGED, *VERSION_5)])
    connection.execute(text("DROP INDEX permit_cases_ends"))
    for table, names in VERSION_5.items():
        for name in names:
            connection.execute(text(f"ALTER TABLE {table} DROP COLUMN {name}"))


def before_version_6(connection: Connection) -> None:
    """Make the tables of today those of version 5."""
    for table, names in VERSION_6.items():
        for name in names:
            connection.execute(text(f"ALTER TABLE {table} DROP COLUMN {name}"))
    connection.execute(text("ALTER TABLE hosts ADD COLUMN massive BOOLEAN DEFAULT false NOT NULL"))


@pytest.fixture
def old(state_url: str) -> str:
    """Return the URL of a state of version 2."""
    engine = create_engine(state_url, poolclass=NullPool)
    make(engine)
    engine.dispose()
    return state_url


def table_of(connection: Connection, name: str) -> list[dict[str, Any]]:
    rows = connection.execute(text(f"SELECT * FROM {name} ORDER BY 1, 2"))
    return [dict(row) for row in rows.mappings()]


def before_of(url: str, *names: str) -> dict[str, list[dict[str, Any]]]:
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        found = {name: table_of(connection, name) for name in names}
    engine.dispose()
    return found


def test_no_row_is_lost(old: str) -> None:
    names = ("documents", "resources", "outputs")
    before = before_of(old, *names)
    with closing(State.open(old)) as state, state.begin() as connection:
        after = {name: table_of(connection, name) for name in names}
        assert table_of(connection, "about") == [{"name": "version", "value": str(STATE_VERSION)}]
    columns = ("withdrawing", "restore", "fetched_at", "unchanged_since", "supplemented", "cause")
    added = dict.fromkeys((*columns, "supplied_at", "refused_with"))
    documents = after.pop("documents")
    assert [row.pop("known_content") for row in documents] == [1, 1, None, 1], "what was harvested"
    assert documents == [row | added for row in before.pop("documents")]
    added = dict.fromkeys(("index_gone", "wanted"))
    assert after.pop("resources") == [row | added for row in before.pop("resources")]
    assert after.pop("outputs") == [row | {"made": False} for row in before.pop("outputs")]
    assert after == before


def test_each_document_that_is_not_withdrawn_is_listed_by_the_sitemap_that_listed_it_last(old: str) -> None:
    with closing(State.open(old)) as state, state.begin() as connection:
        rows = table_of(connection, "listings")
    assert [(row["sitemap_id"], row["document_id"], row["misses"], bool(row["foreign"])) for row in rows] == [
        (2, 1, 0, False),
        (2, 3, 0, False),
        (3, 4, 0, False),
    ]
    assert {row["lastmod"] for row in rows} == {None}


def test_hosts_that_were_once_read_completely_count_as_such_and_nothing_is_pending(old: str) -> None:
    with closing(State.open(old)) as state, state.begin() as connection:
        complete = connection.execute(text("SELECT host, complete FROM hosts")).all()
        assert {row.host: bool(row.complete) for row in complete} == {
            "a.nl": True,
            "b.nl": False,
            "c.nl": True,
        }
        assert list(summaries(connection)) == [
            HostSummary("a.nl", 1, 1, 0, False, 1_700_000_100),
            HostSummary("b.nl", 1, 0, 0, False, None),
            HostSummary("c.nl", 0, 0, 0, False, 5),
        ]


def test_missing_documents_are_counted_from_the_next_complete_read(old: str) -> None:
    with closing(State.open(old)) as state, state.begin() as connection:
        host = host_of_state(connection, "a.nl").id
        listings.missed(connection, host, {2}, {2: [1]}, 5, 3)
        assert listings.missing(connection, host) == [1]
        assert [one.code for one in faults_of(connection, 2)] == ["document.te-groot"]
        assert look_up(connection, ["https://a.nl/2.pdf"])["https://a.nl/2.pdf"].withdrawn == 9


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


def new_sqlite(folder: Path) -> str:
    url = f"sqlite:///{folder / 'new.sqlite'}"
    State.open(url).close()
    return url


def shape(url: str) -> dict[str, object]:
    """Return the columns and indexes of each table, without their order."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        found: Inspector = inspect(connection)
        tables = {name: (columns(found, name), indexes(found, name)) for name in found.get_table_names()}
    engine.dispose()
    return dict(tables)


def columns(found: Inspector, table: str) -> dict[str, tuple[str, bool]]:
    """Return the type of a column and whether it may be null. All integer types of SQLite are one."""
    given = {one["name"]: (str(one["type"]), bool(one["nullable"])) for one in found.get_columns(table)}
    return {name: (kind.replace("BIGINT", "INTEGER"), null) for name, (kind, null) in given.items()}


def indexes(found: Inspector, table: str) -> dict[str | None, list[str | None]]:
    return {
        one["name"]: one["column_names"]
        for one in found.get_indexes(table)
        if not one.get("duplicates_constraint")
    }


def test_a_migration_that_fails_leaves_all_of_version_2(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("about", "hosts", "resources", "documents")
    before = before_of(old, *names)
    migrate = MIGRATIONS[2]

    def half(connection: Connection) -> None:
        migrate(connection)
        connection.execute(text("INSERT INTO nergens VALUES (1)"))

    with monkeypatch.context() as patch:
        patch.setitem(MIGRATIONS, 2, half)
        with pytest.raises(StateError, match="nergens"):
            State.open(old)
    assert before_of(old, *names) == before
    State.open(old).close()
    assert before_of(old, "about")["about"][0]["value"] == str(STATE_VERSION)


def test_opening_it_again_changes_nothing(old: str) -> None:
    names = ("about", "hosts", "resources", "documents", "listings")
    State.open(old).close()
    before = before_of(old, *names)
    State.open(old).close()
    assert before_of(old, *names) == before


def test_an_empty_state_of_version_2_becomes_an_empty_one(state_url: str) -> None:
    engine = create_engine(state_url, poolclass=NullPool)
    make(engine, "INSERT INTO about VALUES ('version', '2')")
    engine.dispose()
    with closing(State.open(state_url)) as state, state.begin() as connection:
        assert list(summaries(connection)) == []
        assert table_of(connection, "listings") == []


@pytest.mark.parametrize("version", [1, STATE_VERSION + 1])
def test_any_other_version_is_refused_by_name_and_version(old: str, version: int) -> None:
    engine = create_engine(old, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE about SET value = '{version}'"))
    engine.dispose()
    with pytest.raises(
        StateError,
        match=rf"was made by another version of the program: it has version {version}, "
        rf"and this program knows versions 2 to {STATE_VERSION}; install that one",
    ):
        State.open(old)
