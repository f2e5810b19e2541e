"""Migration of a state of version 3, made with SQL, to the version of today without loss."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from tests.state.test_migrations import KINDS, before_of, make_unchanged, new_sqlite, shape, table_of
from tests.utils.postgresql import new_database
from woo_harvester.sitemaps.facts import moment_compared
from woo_harvester.state import listings, repeated
from woo_harvester.state.contents import UNKNOWN_STORE, Content, Depth, descriptions, parse
from woo_harvester.state.documents import look_up
from woo_harvester.state.migrations import STATE_VERSION
from woo_harvester.state.resources import ReadCounts, note_named_indexes
from woo_harvester.state.store import State
from woo_harvester.state.upkeep import HostSummary, summaries
from woo_harvester.state.withdrawal import Registration, WithdrawalLimits, missing_documents

EVERYONE = Registration(lambda host: True, ReadCounts({}, {}))

TABLES = """
CREATE TABLE about (name VARCHAR(50) NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE hosts (
    id {key} NOT NULL PRIMARY KEY, host TEXT NOT NULL UNIQUE, complete_at BIGINT, begun_at BIGINT,
    complete BOOLEAN NOT NULL, massive BOOLEAN NOT NULL
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
    fetched_at BIGINT, unchanged_since BIGINT, fault VARCHAR(50), fault_seen TEXT, fault_since BIGINT,
    refused_at BIGINT, refused_lastmod BIGINT, withdrawing BIGINT, restore BOOLEAN
);
CREATE INDEX ix_documents_sitemap_id ON documents (sitemap_id);
CREATE INDEX documents_withdrawing ON documents (withdrawing) WHERE withdrawing IS NOT NULL;
CREATE INDEX documents_faults ON documents (sitemap_id) WHERE fault IS NOT NULL;
CREATE INDEX documents_rechecks ON documents (sitemap_id) WHERE unchanged_since IS NOT NULL;
CREATE TABLE listings (
    sitemap_id BIGINT NOT NULL REFERENCES resources (id), document_id BIGINT NOT NULL,
    misses INTEGER NOT NULL, missing_since BIGINT, "foreign" BOOLEAN NOT NULL, lastmod BIGINT,
    PRIMARY KEY (sitemap_id, document_id)
);
CREATE INDEX listings_missing ON listings (sitemap_id) WHERE misses > 0;
CREATE INDEX listings_foreign ON listings (sitemap_id) WHERE "foreign";
CREATE INDEX ix_listings_document_id ON listings (document_id);
CREATE TABLE outputs (
    node TEXT NOT NULL, path TEXT NOT NULL, durable BIGINT NOT NULL, closed BOOLEAN NOT NULL,
    PRIMARY KEY (node, path)
);
"""

#: A host with two indexes. The second one is no longer in robots.txt: its document is missing once. The first
#: document has a lastmod of 2042, and was harvested in 2023.
ROWS = """
INSERT INTO about VALUES ('version', '3');
INSERT INTO hosts VALUES (1, 'a.nl', 1700000100, 1700000000000000, true, true);
INSERT INTO resources (id, host_id, url, kind, index_url, read_at) VALUES
    (1, 1, 'https://a.nl/robots.txt', 'robots', NULL, 7),
    (2, 1, 'https://a.nl/i.xml', 'index', NULL, 7), (3, 1, 'https://a.nl/j.xml', 'index', NULL, 7),
    (4, 1, 'https://a.nl/s.xml', 'sitemap', 'https://a.nl/i.xml', 8),
    (5, 1, 'https://a.nl/t.xml', 'sitemap', 'https://a.nl/j.xml', 8);
INSERT INTO documents (id, loc, sitemap_id, lastmod, first_seen, published, harvested) VALUES
    (1, 'https://a.nl/1.pdf', 4, 2279000000000000, 5, '2042-03-21', 1700000050),
    (2, 'https://a.nl/2.pdf', 5, 10, 5, '2024-04-02', 1700000050);
INSERT INTO listings VALUES (4, 1, 0, NULL, false, NULL), (5, 2, 1, 1700000000000000, false, NULL);
"""


@pytest.fixture
def old(state_url: str) -> str:
    """Return the URL of a state of version 3."""
    engine = create_engine(state_url, poolclass=NullPool)
    with engine.begin() as connection:
        script = TABLES.format(**KINDS[connection.dialect.name]) + ROWS
        for statement in filter(str.strip, script.split(";")):
            connection.execute(text(statement.strip()))
        make_unchanged(connection)
    engine.dispose()
    return state_url


def test_no_row_is_lost(old: str) -> None:
    names = ("hosts", "documents", "resources", "listings")
    before = before_of(old, *names)
    with closing(State.open(old)) as state, state.begin() as connection:
        after = {name: table_of(connection, name) for name in names}
        assert table_of(connection, "about") == [{"name": "version", "value": str(STATE_VERSION)}]
    contents = {"cause": None, "known_content": 1, "supplied_at": None, "refused_with": None}
    added = {
        "documents": {"supplemented": None, **contents},
        "resources": dict.fromkeys(("index_gone", "wanted")),
    }
    assert [row.pop("massive") for row in before["hosts"]] == [True], "what is missing goes on waiting"
    added["hosts"] = dict.fromkeys(("reads", "unregistered"))
    pending = [bool(row.pop("massive")) for row in after["listings"]]
    assert pending == [row["misses"] > 0 for row in before["listings"]]
    assert any(pending)
    assert after == {name: [row | added.get(name, {}) for row in rows] for name, rows in before.items()}


def test_the_index_that_went_before_holds_back_what_is_missing_from_the_next_complete_read(old: str) -> None:
    with closing(State.open(old)) as state, state.begin() as connection:
        assert list(summaries(connection)) == [HostSummary("a.nl", 2, 0, 1, False, 1_700_000_100)]
        assert note_named_indexes(connection, 1, {"https://a.nl/i.xml"}) == ["https://a.nl/j.xml"]
        listings.missed(connection, 1, {4}, {}, 5, 3)
        (missing,) = missing_documents(connection, 1, EVERYONE, WithdrawalLimits())
        assert (missing.id, missing.misses, missing.waits_for_index) == (2, 2, True)


def test_a_lastmod_in_the_future_compares_as_the_moment_of_the_harvest(old: str) -> None:
    with closing(State.open(old)) as state, state.begin() as connection:
        (known,) = look_up(connection, ["https://a.nl/1.pdf"]).values()
        assert moment_compared(known.lastmod, known.harvested) == 1_700_000_050_000_000
        assert known.supplemented is None
        assert repeated.sitemaps_and_documents(connection, 1)[1] == set()


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


def test_a_file_that_was_fetched_is_known_and_where_it_was_kept_is_not(old: str) -> None:
    engine = create_engine(old, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("UPDATE documents SET sha256 = '12' WHERE id = 2"))
    engine.dispose()
    with closing(State.open(old)) as state, state.begin() as connection:
        known = look_up(connection, ["https://a.nl/1.pdf", "https://a.nl/2.pdf"])
        contents = descriptions(connection)
        found = {loc: parse(contents[one.content or 0]) for loc, one in known.items()}
    assert found == {
        "https://a.nl/1.pdf": Content(Depth.HEADERS),
        "https://a.nl/2.pdf": Content(Depth.FILE, UNKNOWN_STORE),
    }
