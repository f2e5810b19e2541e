"""The migration of a state of version 8, whatever waits in it, in either database."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, select, text
from sqlalchemy.pool import NullPool

from woo_harvester.permits.tables import TABLES
from woo_harvester.sitemaps.decide import Depth
from woo_harvester.state import migration, schema
from woo_harvester.state.store import State, StateError

#: Tables that both versions have.
_SAME = ("about", "locks", "visited")
#: The tables of version 8 that are others by now, with the names of types that differ in curly brackets.
_VERSION_8 = """
CREATE TABLE hosts (id {key} PRIMARY KEY, host TEXT NOT NULL UNIQUE, complete_at BIGINT, begun_at BIGINT,
    complete BOOLEAN NOT NULL, reads INTEGER, unregistered TEXT);
CREATE TABLE resources (id {key} PRIMARY KEY, host_id BIGINT NOT NULL REFERENCES hosts (id),
    url TEXT NOT NULL, kind VARCHAR(10) NOT NULL, index_url TEXT, index_gone BOOLEAN, etag TEXT,
    last_modified TEXT, digest {bytes}, read_at BIGINT, content {bytes}, wanted INTEGER,
    UNIQUE (url, host_id));
CREATE INDEX ix_resources_host_id ON resources (host_id);
CREATE TABLE contents (id {key} PRIMARY KEY, description TEXT NOT NULL UNIQUE);
CREATE TABLE documents (id {key} PRIMARY KEY, loc TEXT NOT NULL UNIQUE,
    sitemap_id BIGINT NOT NULL REFERENCES resources (id), lastmod BIGINT, first_seen BIGINT NOT NULL,
    published VARCHAR(10), harvested BIGINT, withdrawn BIGINT, entry_digest {bytes}, sha256 {bytes},
    etag TEXT, last_modified TEXT, size BIGINT, media_type TEXT, file_name TEXT, pages BIGINT,
    fetched_at BIGINT, unchanged_since BIGINT, fault VARCHAR(50), fault_seen TEXT, fault_since BIGINT,
    refused_at BIGINT,
    refused_lastmod BIGINT, withdrawing BIGINT, restore BOOLEAN, supplemented BIGINT, cause VARCHAR(13),
    number INTEGER, known_content INTEGER, supplied_at BIGINT, refused_with INTEGER);
CREATE INDEX ix_documents_sitemap_id ON documents (sitemap_id);
CREATE INDEX documents_faults ON documents (sitemap_id) WHERE fault IS NOT NULL;
CREATE INDEX documents_withdrawing ON documents (withdrawing) WHERE withdrawing IS NOT NULL;
CREATE INDEX documents_rechecks ON documents (sitemap_id) WHERE unchanged_since IS NOT NULL;
CREATE TABLE listings (sitemap_id BIGINT NOT NULL REFERENCES resources (id), document_id BIGINT NOT NULL,
    misses INTEGER NOT NULL, missing_since BIGINT, massive BOOLEAN, "foreign" BOOLEAN NOT NULL,
    lastmod BIGINT,
    PRIMARY KEY (sitemap_id, document_id)){without_rowid};
CREATE INDEX ix_listings_document_id ON listings (document_id);
CREATE INDEX listings_missing ON listings (sitemap_id) WHERE misses > 0;
CREATE INDEX listings_foreign ON listings (sitemap_id) WHERE "foreign";
CREATE TABLE repeated (sitemap_id BIGINT NOT NULL REFERENCES resources (id), document_id BIGINT NOT NULL,
    place INTEGER NOT NULL, lastmod BIGINT, first_read BIGINT NOT NULL, digest {bytes},
    fields BIGINT NOT NULL, metadata {bytes}, PRIMARY KEY (sitemap_id, document_id, place)){without_rowid};
CREATE INDEX ix_repeated_document_id ON repeated (document_id);
CREATE TABLE outputs (node TEXT NOT NULL, path TEXT NOT NULL, durable BIGINT NOT NULL,
    closed BOOLEAN NOT NULL, made BOOLEAN NOT NULL, PRIMARY KEY (node, path))
"""
_TYPES = {
    "sqlite": {"key": "INTEGER NOT NULL", "bytes": "BLOB", "without_rowid": " WITHOUT ROWID"},
    "postgresql": {"key": "BIGSERIAL", "bytes": "BYTEA", "without_rowid": ""},
}
HEAD, FILE, READ = 1, 2, 3
CONTENTS = {
    HEAD: {"depth": 1},
    FILE: {"depth": 2, "store": "/srv/woo"},
    READ: {"depth": 2, "text": {"limits": {}, "result": 1}},
}
CONFIRMED = 1_000_000
BASE = {"sitemap_id": 1, "first_seen": 5, "lastmod": 10, "published": "2024-04-02"}
BASE |= {"harvested": 20, "number": 2}
#: What each document has in version 8, and what it has to have in version 9.
DOCUMENTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({**BASE}, {"lastmod": 10, "published": "2024-04-02", "harvested": 20, "number": 2, "depth": 1}),
    ({**BASE, "sha256": b"s" * 32, "pages": 3}, {"depth": 2, "pages": 3, "sha256": b"s" * 32}),
    ({**BASE, "known_content": HEAD}, {"depth": Depth.HEADERS}),
    ({**BASE, "known_content": FILE}, {"depth": Depth.FILE}),
    ({**BASE, "known_content": READ, "refused_with": HEAD}, {"depth": Depth.TEXT}),
    ({**BASE, "etag": '"e"', "last_modified": "g"}, {"validator": 'ETag: "e"'}),
    ({**BASE, "last_modified": "gisteren"}, {"validator": "Last-Modified: gisteren"}),
    ({**BASE, "supplied_at": 30, "unchanged_since": 25, "supplemented": 3}, {"harvested": 30, "again": None}),
    ({**BASE, "withdrawn": 40, "restore": True}, {"withdrawn": 40, "again": True, "validator": None}),
    ({**BASE, "withdrawing": 1}, {"withdrawn": None, "harvested": 20}),
    ({"sitemap_id": 1, "first_seen": 5}, {"harvested": None, "depth": None}),
    (
        {"sitemap_id": 2, "first_seen": 5, "fault": "x", "refused_at": 7, "refused_with": FILE},
        {"sitemap_id": 2, "fault": "x", "refused_at": 7, "depth": Depth.FILE},
    ),
]
#: Of each listing: the sitemap, misses, missing_since, massive, foreign; and misses, needed, missing_since
#: and passed_over in version 9. The document is the first one, which is of the first sitemap.
LISTINGS: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = [
    ((1, 0, None, None, False), (0, None, None, False)),
    ((2, 0, 4, True, True), (0, None, None, True)),
    ((3, 1, 90, None, False), (1, 1, 90, False)),
    ((4, 2, 90, True, True), (2, 3, 90, False)),
    ((5, 1, 90, None, False), (1, 3, 90, False)),  # of an index that is gone
    ((6, CONFIRMED, 90, True, False), (CONFIRMED, 1, 90, False)),
]


def insert(connection: Connection, table: str, **values: Any) -> None:
    names = ", ".join(f'"{name}"' for name in values)
    places = ", ".join(f":{name}" for name in values)
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({places})"), values)


@pytest.fixture
def old_state(state_url: str, database: str) -> str:
    """Return the URL of a state of version 8 in which everything waits that can."""
    with closing(create_engine(state_url, poolclass=NullPool).connect()) as connection:
        same = [schema.metadata.tables[name] for name in _SAME]
        schema.metadata.create_all(connection, tables=[*same, *TABLES])
        for column in ("refused TEXT", "case_url TEXT", "dated_at BIGINT"):
            connection.execute(text(f"ALTER TABLE permit_files ADD COLUMN {column}"))
        insert(connection, "permit_entries", id=1, url="https://a.nl/xml/", host="a.nl")
        file = {"entry_id": 1, "digest": b"x", "now": False, "read_at": 5}
        for number, refused in enumerate((None, "{}"), 1):
            insert(
                connection,
                "permit_files",
                id=number,
                url=f"https://a.nl/{number}.xml",
                refused=refused,
                **file,
            )
        for statement in _VERSION_8.format(**_TYPES[database]).split(";"):
            connection.execute(text(statement))
        insert(connection, "about", name="version", value="8")
        insert(connection, "about", name="name", value="of the state")
        insert(connection, "outputs", node="", path="/a.jsonl", durable=1, closed=False, made=True)
        host = {"complete_at": 8, "begun_at": 9, "complete": True, "reads": 4}
        insert(connection, "hosts", id=1, host="a.nl", unregistered=None, **host)
        insert(connection, "hosts", id=2, host="b.nl", unregistered='{"a.nl": 3}', **host)
        for number, description in CONTENTS.items():
            insert(connection, "contents", id=number, description=json.dumps(description))
        for number in range(1, 7):
            insert(
                connection,
                "resources",
                id=number,
                host_id=1 + number % 2,
                url=f"https://a.nl/{number}.xml",
                kind="sitemap",
                etag='"e"',
                wanted=READ if number == 1 else None,
                index_gone=number in (5, 6),
            )
        for number, (before, _) in enumerate(DOCUMENTS, 1):
            insert(connection, "documents", id=number, loc=f"https://a.nl/{number}.pdf", **before)
        names = "sitemap_id", "misses", "missing_since", "massive", "foreign"
        for row, _ in LISTINGS:
            insert(connection, "listings", document_id=1, **dict(zip(names, row, strict=True)))
        insert(connection, "repeated", sitemap_id=1, document_id=1, place=0, first_read=5, fields=1)
        connection.commit()
    return state_url


def contents_of(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of a state by table, whatever its version."""
    with closing(create_engine(url, poolclass=NullPool).connect()) as connection:
        tables = set(schema.metadata.tables) | {"repeated", "contents"}
        there = {name for name in tables if connection.dialect.has_table(connection, name)}
        return {
            name: sorted((tuple(row) for row in connection.execute(text(f"SELECT * FROM {name}"))), key=repr)
            for name in sorted(there)
        }


def test_what_waits_goes_on_waiting(old_state: str) -> None:
    with closing(State.open(old_state)) as state, state.begin() as connection:
        rows = connection.execute(select(schema.documents).order_by(schema.documents.c.id)).mappings().all()
        for number, (row, (_, expected)) in enumerate(zip(rows, DOCUMENTS, strict=True), 1):
            assert {name: row[name] for name in expected} == expected, number
        table = schema.listings.c
        columns = table.misses, table.needed, table.missing_since, table.passed_over
        found = connection.execute(select(*columns).order_by(table.sitemap_id)).all()
        assert [tuple(row) for row in found] == [expected for _, expected in LISTINGS]
        files = connection.execute(select(schema.resources.c.depth, schema.resources.c.etag)).all()
        assert sorted(files, key=repr) == sorted([(Depth.TEXT, '"e"'), *[(None, '"e"')] * 5], key=repr)
        permits = schema.metadata.tables["permit_files"]
        assert connection.execute(select(permits.c.id)).scalars().all() == [1]
        host = schema.hosts.c
        given = select(host.complete_at, host.begun_at, host.unregistered).order_by(host.id)
        hosts = connection.execute(given)
        assert [tuple(row) for row in hosts] == [(8, 9, None), (8, 9, True)]


def test_it_has_the_tables_of_a_new_state_and_is_migrated_once(old_state: str) -> None:
    State.open(old_state).close()
    once = contents_of(old_state)
    assert set(once) == set(schema.metadata.tables)
    assert ("version", "9") in once["about"]
    with closing(State.open(old_state)) as state, state.begin() as connection:
        for table in schema.metadata.tables.values():
            dialect = connection.dialect
            names = {column["name"] for column in dialect.get_columns(connection, table.name)}
            assert names == set(table.columns.keys()), table.name
            indexes = {index["name"] for index in dialect.get_indexes(connection, table.name)}
            assert {index.name for index in table.indexes} <= indexes, table.name
    assert contents_of(old_state) == once


def test_a_migration_that_fails_leaves_the_state_whole(
    old_state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents_of(old_state)
    original = migration._OLD_PARTS
    monkeypatch.setattr(migration, "_OLD_PARTS", f"{original}; DROP TABLE onbekend")
    with pytest.raises(StateError):
        State.open(old_state)
    assert contents_of(old_state) == before
    monkeypatch.setattr(migration, "_OLD_PARTS", original)
    State.open(old_state).close()
    assert ("version", "9") in contents_of(old_state)["about"]


def test_an_older_state_is_refused_in_one_line_and_does_not_change(old_state: str) -> None:
    with closing(create_engine(old_state, poolclass=NullPool).connect()) as connection:
        connection.execute(text("UPDATE about SET value = '7' WHERE name = 'version'"))
        connection.commit()
    before = contents_of(old_state)
    expected = "it has version 7, .* version 9, to which it migrates version 8"
    with pytest.raises(StateError, match=expected) as caught:
        State.open(old_state)
    assert "\n" not in str(caught.value)
    assert contents_of(old_state) == before
