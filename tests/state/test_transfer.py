from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace as replace_fields
from sqlalchemy import Connection, func, select

from tests.permits.world import CASE, ENTRY, mutation
from tests.permits.world import document as document_of_case
from tests.state.exports import FILE, HOST, SITEMAP, document, rows_of, transfer
from tests.state.kept_files import keep_file
from tests.state.knowledge import harvest, list_in, locs, sitemap_of
from woo_harvester.documents.extracted import Limits
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.sitemaps.facts import SitemapListing
from woo_harvester.state import NOWHERE, listings, schema
from woo_harvester.state.contents import (
    Content,
    Depth,
    add_content,
    describe,
    wanted_content,
)
from woo_harvester.state.documents import confirm_withdrawn, look_up
from woo_harvester.state.exported import read
from woo_harvester.state.permit_history import note_complete_read
from woo_harvester.state.permits import PermitFile, add_case_rows, add_message, entry_page_id
from woo_harvester.state.resources import host_of_state, keep_read, last_reads, resource_of
from woo_harvester.state.rows import KINDS, LISTING, Row
from woo_harvester.state.sql import BATCH
from woo_harvester.state.store import State
from woo_harvester.state.transfer import replace, replace_listings


@pytest.fixture
def other() -> Iterator[State]:
    opened = State.open(NOWHERE)
    yield opened
    opened.close()


def fill(state: State) -> None:
    """Fill a state with two hosts and everything that it can know of them."""
    with state.begin() as connection:
        values = {"lastmod": -1, "first_seen": 0, "published": "1969-12-31", "harvested": 7}
        sitemap = sitemap_of(connection)
        kept, wanted = (
            add_content(connection, describe(one))
            for one in (Content(Depth.FILE, '/srv/één,"twee"'), wanted_content(Depth.FILE, limits=Limits()))
        )
        keep_read(
            connection,
            sitemap,
            etag='W/"é,;\'"',
            last_modified="gisteren",
            digest=b"\x00" * 32,
            at=9,
            wanted=wanted,
        )
        harvest(connection, sitemap, locs(BATCH + 5))
        connection.execute(
            schema.documents.insert().values(
                loc='https://a.nl/één,"twee".pdf',
                sitemap_id=sitemap,
                withdrawn=8,
                entry_digest=b"\xff",
                sha256=b"\x01" * 32,
                etag="e",
                cause="herpublicatie",
                known_content=kept,
                supplied_at=8,
                refused_with=wanted,
                **values,
            )
        )
        host = connection.scalar(select(schema.hosts.c.id))
        assert host is not None
        robots = resource_of(connection, host, "https://a.nl/robots.txt", "robots")
        keep_read(
            connection, robots.id, etag=None, last_modified=None, digest=None, at=9, content=b"\xff\x00"
        )
        connection.execute(
            schema.hosts.update().values(
                complete_at=3, begun_at=2, complete=True, reads=7, unregistered='{"b.nl:8443": 4}'
            )
        )
        other = sitemap_of(connection, "b.nl:8443")
        harvest(connection, other, locs(2, "b.nl:8443"))
        # Missing, of another host, moved to another sitemap, withdrawn and listed again, to be restored,
        # listed again after it was missing with much else.
        second = sitemap_of(connection, name="s1.xml")
        missing, moved, again, restored, back = (key_of(connection, loc) for loc in locs(5))
        listings.missed(connection, host, {sitemap, other}, {sitemap: [missing, back]}, 77, 3)
        listings.mark_massive(connection, host)
        listings.listed_again(connection, sitemap, [back])
        foreign = [SitemapListing(key, 0, foreign=True, lastmod=-5) for key in (missing, moved)]
        listings.add(connection, other, foreign)
        listings.add(connection, second, [SitemapListing(moved, 0, foreign=False, lastmod=None)])
        unlisted = schema.listings.c.sitemap_id == sitemap, schema.listings.c.document_id == moved
        connection.execute(schema.listings.delete().where(*unlisted))
        confirm_withdrawn(connection, dict.fromkeys((again, restored), 9))
        to_restore = schema.documents.update().where(schema.documents.c.id == restored)
        connection.execute(to_restore.values(restore=True))


def key_of(connection: Connection, loc: str) -> int:
    return look_up(connection, [loc])[loc].id


def replace_all(state: State, rows: list[Row]) -> None:
    """Import rows as ``scrapy state import`` does."""
    replace(state, rows)
    replace_listings(state, rows)


def import_all(other: State, state: State, rows: list[Row]) -> None:
    """Import the rows of a state, perhaps in another order, and compare all that both know."""
    replace_all(other, rows)
    assert rows_of(other) == rows_of(state)
    assert listed(other) == listed(state)


def listed(state: State) -> set[tuple[str, str, int, bool, int | None]]:
    """Return each listing: sitemap, loc, misses, whether it is foreign, and its lastmod."""
    table = schema.listings.c
    columns = (schema.resources.c.url, schema.documents.c.loc, table.misses, table.foreign, table.lastmod)
    query = select(*columns).join_from(schema.listings, schema.resources)
    query = query.join(schema.documents, schema.documents.c.id == table.document_id)
    with state.snapshot() as connection:
        rows = connection.execute(query).all()
        assert len(rows) == connection.scalar(select(func.count()).select_from(schema.listings))
    return {tuple(row) for row in rows}


def test_all_is_imported_exactly_in_any_order(state: State, other: State, tmp_path: Path) -> None:
    fill(state)
    rows = rows_of(state)
    assert len(rows) == 2 + 4 + BATCH + 6 + 2 + 8
    assert transfer(rows, tmp_path / "export") == rows
    for _ in range(2):
        import_all(other, state, rows)
    turned = sorted(rows, key=lambda row: row["host"], reverse=True)
    assert turned != rows
    with closing(State.open(NOWHERE)) as another:
        import_all(another, state, turned)


def fill_permits(state: State) -> None:
    """Fill a state with two entry pages that have files, messages that wait, and cases."""
    with state.begin() as connection:
        entry_page_id(connection, "https://www.dorp.nl/xml/", "www.dorp.nl")
        entry = entry_page_id(connection, ENTRY, "www.voorbeeldstad.nl", "Stad")
        for number in range(BATCH + 5):
            file = PermitFile(RememberedFile("ab", date="vandaag"), 9, etag='"é"', dated_at=8)
            keep_file(connection, entry, f"{ENTRY}{number}.xml", file, None)
        message = replace_fields(mutation("C", 1), bestand=f"{ENTRY}0.xml")
        keep_file(connection, entry, message.bestand, PermitFile(RememberedFile("cd"), 9), message)
        rows = [PermitRow(each, CASE, True) for each in (message, document_of_case("C", 1))]
        waiting = PermitRow(mutation("U", 2), CASE)
        add_message(connection, entry, waiting, waiting.dump())
        add_case_rows(connection, [(row, None) for row in rows])
        note_complete_read(connection, entry, [], 20)


def test_a_large_state_gives_the_same_file_again(state: State, other: State, tmp_path: Path) -> None:
    fill(state)
    fill_permits(state)
    with state.begin() as connection:
        harvest(connection, sitemap_of(connection, "c.nl"), locs(2 * BATCH + 1, "c.nl"))
    first, again = tmp_path / "first.jsonl", tmp_path / "again.jsonl"
    rows = rows_of(state)
    assert {row["kind"] for row in rows} == set(KINDS)
    assert transfer(rows, first) == rows
    replace(other, read(first))
    replace_listings(other, read(first))
    transfer(rows_of(other), again)
    assert again.read_bytes() == first.read_bytes()
    assert first.read_bytes().count(b"\n") > 4 * BATCH


def test_an_import_replaces_all_that_was_known_of_its_hosts(state: State, other: State) -> None:
    fill(state)
    rows = rows_of(state)
    with other.begin() as connection:
        robots = resource_of(
            connection, host_of_state(connection, "a.nl").id, "https://a.nl/robots.txt", "robots"
        )
        keep_read(connection, robots.id, etag='"x"', last_modified=None, digest=None, at=1, content=b"x")
        for name in ("s1.xml", "s2.xml", "s0.xml"):
            sitemap = sitemap_of(connection, name=name)
            keys = harvest(connection, sitemap, locs(9))
        list_in(connection, sitemap_of(connection, "b.nl:8443"), keys, misses=4)
    import_all(other, state, rows)


def cut_off(rows: list[Row]) -> Iterator[Row]:
    """Yield the rows of the first host; then the process is killed."""
    yield from (row for row in rows if row["host"] == "a.nl")
    yield next(row for row in rows if row["host"] != "a.nl")
    raise InterruptedError


def status(state: State) -> dict[str, bool]:
    with state.snapshot() as connection:
        return {host: bool(begun) for host, begun in last_reads(connection).items()}


def test_an_import_that_is_killed_while_it_adds_hosts_can_be_done_again(state: State, other: State) -> None:
    fill(state)
    rows = rows_of(state)
    with pytest.raises(InterruptedError):
        replace(other, cut_off(rows))
    assert status(other) == {"a.nl": False}
    files = [row for row in rows_of(other) if row["kind"] == "file"]
    assert {(row["etag"], row["digest"], row["read_at"], row["content"]) for row in files} == {(None,) * 4}
    import_all(other, state, rows)


def test_an_import_that_is_killed_while_it_adds_listings_can_be_repeated(state: State, other: State) -> None:
    fill(state)
    with state.begin() as connection:
        sitemap = sitemap_of(connection, "b.nl:8443")
        keep_read(connection, sitemap, etag='"b"', last_modified=None, digest=b"b", at=9)
    rows = rows_of(state)
    replace(other, rows)
    with pytest.raises(InterruptedError):
        replace_listings(other, cut_off(rows))
    assert status(other) == {"a.nl": True, "b.nl:8443": False}
    assert digests(other)["https://a.nl/s0.xml"] == b"\x00" * 32
    assert digests(other)["https://b.nl:8443/s0.xml"] is None
    import_all(other, state, rows)


def shared(state: State) -> None:
    """Fill a state with two hosts that list one document, in the version of a.nl."""
    with state.begin() as connection:
        here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
        (key,) = harvest(connection, here, locs(1))
        harvest(connection, there, locs(1, "b.nl"))
        listings.add(connection, there, [SitemapListing(key, 0, foreign=True, lastmod=8)])
        for sitemap in (here, there):
            keep_read(connection, sitemap, etag='"e"', last_modified=None, digest=b"d", at=9)


BOTH = {
    ("https://a.nl/s0.xml", "https://a.nl/d/0.pdf", 0, False, None),
    ("https://b.nl/s0.xml", "https://b.nl/d/0.pdf", 0, False, None),
    ("https://b.nl/s0.xml", "https://a.nl/d/0.pdf", 0, True, 8),
}


def digests(state: State) -> dict[str, bytes | None]:
    return {row["url"]: row["digest"] for row in rows_of(state) if row["kind"] == "file"}


@pytest.mark.parametrize("first", ["a.nl", "b.nl"])
def test_either_of_two_hosts_with_one_document_can_come_first(state: State, other: State, first: str) -> None:
    for each in (state, other):
        shared(each)
    replace_all(other, rows_of(state, first))
    assert listed(other) == listed(state) == BOTH
    # A sitemap that lists a replaced document has another row to compare with, so it is read in full.
    theirs = None if first == "a.nl" else b"d"
    assert digests(other) == {"https://a.nl/s0.xml": b"d", "https://b.nl/s0.xml": theirs}


def test_hosts_with_one_document_can_be_imported_in_turn_owner_first(state: State, other: State) -> None:
    shared(state)
    for host in ("a.nl", "b.nl"):
        replace_all(other, rows_of(state, host))
    assert listed(other) == BOTH
    assert rows_of(other) == rows_of(state)


def test_a_sitemap_without_a_row_for_its_document_is_read_in_full(state: State, other: State) -> None:
    shared(state)
    for host in ("b.nl", "a.nl"):
        replace_all(other, rows_of(state, host))
    assert digests(other) == {"https://a.nl/s0.xml": b"d", "https://b.nl/s0.xml": None}
    assert listed(other) == {each for each in BOTH if not each[3]}
    replace_all(other, rows_of(state, "b.nl"))
    assert listed(other) == BOTH
    assert rows_of(other) == rows_of(state)


def test_only_the_named_hosts_are_exported(state: State) -> None:
    fill(state)
    assert {row["host"] for row in rows_of(state, "b.nl:8443")} == {"b.nl:8443"}
    assert rows_of(state, "onbekend.nl") == []


def test_an_imported_host_is_replaced_and_others_stay(state: State, other: State) -> None:
    fill(other)
    before = [row for row in rows_of(other, "b.nl:8443") if row["kind"] != "listing"]
    replace_all(other, [HOST, FILE, document()])
    assert rows_of(other, "a.nl") == [HOST, FILE, document()]
    assert rows_of(other, "b.nl:8443") == before


def test_a_document_of_another_host_moves_and_that_host_still_lists_it(other: State) -> None:
    """Else it would be withdrawn when the new host drops it, although the other still lists it."""
    with other.begin() as connection:
        sitemap, third = sitemap_of(connection, "b.nl"), sitemap_of(connection, "c.nl")
        moves, _ = harvest(connection, sitemap, ["https://a.nl/d.pdf", "https://b.nl/d.pdf"])
        list_in(connection, third, [moves], misses=2)
        keep_read(connection, sitemap, etag='"e"', last_modified=None, digest=b"d", at=9)
    replace_all(other, [HOST, FILE, document()])
    assert document() in rows_of(other, "a.nl")
    _, file, only, listing = rows_of(other, "b.nl")
    assert file["kind"] == "file"
    assert (file["etag"], file["digest"]) == (None, None)
    assert only["kind"] == "document"
    assert only["loc"] == "https://b.nl/d.pdf"
    assert listing == LISTING.row(host="b.nl", loc="https://a.nl/d.pdf", sitemap="https://b.nl/s0.xml")
    assert listed(other) == {
        (SITEMAP, "https://a.nl/d.pdf", 0, False, None),
        ("https://b.nl/s0.xml", "https://a.nl/d.pdf", 0, False, None),
        ("https://b.nl/s0.xml", "https://b.nl/d.pdf", 0, False, None),
        ("https://c.nl/s0.xml", "https://a.nl/d.pdf", 2, False, None),
    }


def test_a_host_is_replaced_completely_or_not_at_all(other: State) -> None:
    replace_all(other, [HOST, FILE, document()])

    def broken() -> Iterator[Row]:
        yield from (HOST, FILE)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        replace(other, broken())
    assert rows_of(other) == [HOST, FILE, document()]
