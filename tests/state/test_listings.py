"""Listings of documents in sitemaps, and their counts of complete reads that lacked them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import Connection, delete, select, text

from tests.state.knowledge import BEGUN, HARVESTED, harvest, list_in, locs, miss, see, sitemap_of
from woo_harvester.sitemaps.facts import SitemapListing
from woo_harvester.state import listings, schema
from woo_harvester.state.documents import confirm_withdrawn
from woo_harvester.state.listings import CONFIRMED, HostListing
from woo_harvester.state.resources import end_read, host_of_state
from woo_harvester.state.sql import BATCH
from woo_harvester.state.store import State
from woo_harvester.state.upkeep import confirm_withdrawals


def host_id(connection: Connection, host: str = "a.nl") -> int:
    return host_of_state(connection, host).id


def misses(connection: Connection, sitemap: int) -> dict[int, int]:
    """Return the misses of each document of a sitemap."""
    table = schema.listings.c
    rows = connection.execute(select(table.document_id, table.misses).where(table.sitemap_id == sitemap))
    return {row.document_id: row.misses for row in rows}


def test_a_sitemap_lists_what_was_seen_in_it(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, "b.nl")
    keys = harvest(connection, one, locs(3))
    listings.add(connection, two, [SitemapListing(keys[1], 0, foreign=True, lastmod=-5)])
    assert listings.find(connection, one, keys) == {key: SitemapListing(key, 0, False, None) for key in keys}
    assert listings.find(connection, two, keys) == {keys[1]: SitemapListing(keys[1], 0, True, -5)}
    assert listings.find(connection, two, []) == {}
    assert listings.ids_of(connection, one) == keys
    assert listings.count(connection, one) == 3
    assert listings.sitemaps_of(connection, keys[1]) == [one, two]
    assert listings.sitemaps_of(connection, 99) == []


def test_a_version_is_an_owner_s_own_by_the_listing_that_it_came_from(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, "b.nl")
    own, others, elsewhere = harvest(connection, one, locs(3))
    connection.execute(delete(schema.listings).where(schema.listings.c.document_id != own))
    listings.add(connection, one, [SitemapListing(others, 0, foreign=True, lastmod=None)])
    listings.add(connection, two, [SitemapListing(elsewhere, 0, foreign=False, lastmod=None)])
    assert listings.own_versions(connection, [own, others, elsewhere, 99]) == {own}
    assert listings.own_versions(connection, [others]) == set()


def test_a_listing_that_is_added_again_keeps_its_values(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (key,) = harvest(connection, sitemap, locs(1))
    miss(connection, {sitemap: [key]})
    listings.add(connection, sitemap, [SitemapListing(key, 0, foreign=True, lastmod=7)])
    listings.add(connection, sitemap, [])
    assert listings.find(connection, sitemap, [key]) == {key: SitemapListing(key, 1, False, None)}


def test_a_missing_document_does_not_count_as_listed(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(3))
    miss(connection, {sitemap: keys[:1]})
    assert listings.count(connection, sitemap) == 2
    assert listings.ids_of(connection, sitemap) == keys


def test_complete_reads_without_a_document_are_counted_until_one_with_it(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    gone, comes_back, stays = harvest(connection, sitemap, locs(3))
    for _ in range(2):
        miss(connection, {sitemap: [gone, comes_back]})
    listings.listed_again(connection, sitemap, [comes_back])
    listings.listed_again(connection, sitemap, [])
    assert misses(connection, sitemap) == {gone: 2, comes_back: 0, stays: 0}
    miss(connection, {sitemap: [gone, comes_back]})
    assert misses(connection, sitemap) == {gone: 3, comes_back: 1, stays: 0}


def test_a_sitemap_that_lists_all_its_documents_again_has_none_missing(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    first, second = harvest(connection, one, locs(2))
    (other,) = harvest(connection, two, ["https://a.nl/weg.pdf"])
    miss(connection, {one: [first], two: [other]})
    listings.all_listed_again(connection, one)
    assert misses(connection, one) == {first: 0, second: 0}
    assert misses(connection, two) == {other: 1}


def test_documents_of_a_sitemap_that_left_its_index_are_missing(connection: Connection) -> None:
    kept, dropped = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    other = sitemap_of(connection, "b.nl")
    (stays,) = harvest(connection, kept, locs(1))
    gone = harvest(connection, dropped, ["https://a.nl/een.pdf", "https://a.nl/twee.pdf"])
    harvest(connection, other, locs(1, "b.nl"))
    for count in (1, 2):
        miss(connection, {kept: []})
        assert misses(connection, dropped) == dict.fromkeys(gone, count)
    assert misses(connection, kept) == {stays: 0}
    assert set(misses(connection, other).values()) == {0}


def test_a_document_that_moved_to_another_sitemap_of_the_host_is_not_missing(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    moved, gone = harvest(connection, one, locs(2))
    list_in(connection, two, [moved])
    miss(connection, {one: [moved, gone], two: []})
    assert misses(connection, one) == {gone: 1}
    assert misses(connection, two) == {moved: 0}


def test_a_document_that_another_host_lists_stays_missing_here(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (key,) = harvest(connection, here, locs(1))
    list_in(connection, there, [key])
    miss(connection, {here: [key]})
    assert misses(connection, here) == {key: 1}
    assert misses(connection, there) == {key: 0}


def test_the_lastmod_of_a_foreign_entry_is_kept(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    one, two = harvest(connection, sitemap, locs(2))
    listings.keep_foreign(connection, sitemap, [SitemapListing(one, 0, foreign=True, lastmod=8)])
    listings.keep_foreign(connection, sitemap, [])
    assert listings.find(connection, sitemap, [one, two]) == {
        one: SitemapListing(one, 0, True, 8),
        two: SitemapListing(two, 0, False, None),
    }
    miss(connection, {sitemap: [one]})
    listings.keep_foreign(connection, sitemap, [SitemapListing(one, 0, foreign=False, lastmod=None)])
    assert listings.find(connection, sitemap, [one]) == {one: SitemapListing(one, 1, False, None)}


def test_more_than_a_batch_is_found_completely(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys = sorted(harvest(connection, sitemap, locs(2 * BATCH + 1)))
    assert listings.find(connection, sitemap, keys).keys() == set(keys)
    assert [row.document_id for row in listings.known_by(connection, keys)] == keys
    foreign = [SitemapListing(key, 0, foreign=True, lastmod=None) for key in keys[1 : BATCH + 3]]
    listings.keep_foreign(connection, sitemap, foreign)
    miss(connection, {sitemap: [keys[1]]})
    found = list(listings.foreign_documents(connection, sitemap))
    assert [len(part) for part in found] == [BATCH, 1]
    assert sorted(key for part in found for key in part) == keys[2 : BATCH + 3]


def test_the_hosts_of_a_document_come_with_their_last_read(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    one, two = harvest(connection, here, locs(2))
    list_in(connection, there, [two])
    miss(connection, {here: [two]})
    listings.mark_massive(connection, host_id(connection))
    first, second = locs(2)
    on_a = HostListing(
        two, second, "a.nl", host_id(connection), 1, complete=True, massive=True, missing_since=BEGUN
    )
    on_b = HostListing(
        two, second, "b.nl", host_id(connection, "b.nl"), 0, complete=False, massive=False, missing_since=None
    )
    stays = HostListing(
        one, first, "a.nl", host_id(connection), 0, complete=True, massive=False, missing_since=None
    )
    assert list(listings.known_by(connection, [one, two])) == [stays, on_a, on_b]
    assert list(listings.listed_by(connection, [one, two])) == [stays, on_b]
    assert list(listings.known_by(connection, [])) == []


def test_what_the_last_complete_read_lacked_is_missing_until_withdrawn(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    twice, withdrawn, _ = harvest(connection, one, locs(3))
    (seen,) = see(connection, one, ["https://a.nl/gezien.pdf"])
    list_in(connection, two, [twice])
    miss(connection, {one: [twice, withdrawn, seen], two: [twice]})
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    assert listings.missing(connection, host_id(connection)) == [twice, seen]
    assert listings.missing(connection, host_id(connection, "b.nl")) == []


def test_each_published_document_of_a_host_is_counted_once(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = harvest(connection, one, locs(4))
    see(connection, one, ["https://a.nl/gezien.pdf"])
    list_in(connection, two, keys[:2])
    theirs = harvest(connection, sitemap_of(connection, "b.nl"), locs(3, "b.nl"))
    list_in(connection, two, theirs[:1])
    miss(connection, {one: keys[3:], two: []})
    confirm_withdrawn(connection, {keys[0]: HARVESTED})
    assert listings.count_published(connection, host_id(connection)) == 4
    assert listings.count_published(connection, host_id(connection, "b.nl")) == 3
    assert listings.count_published(connection, host_id(connection, "leeg.nl")) == 0


def test_a_withdrawal_ends_missing_listings_and_names_other_sitemaps(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    gone, back, other = harvest(connection, here, locs(3))
    list_in(connection, there, [back])
    miss(connection, {here: [gone, back, other]})
    assert listings.end_withdrawn(connection, [gone, back]) == [there]
    assert misses(connection, here) == {other: 1}
    assert misses(connection, there) == {back: 0}
    assert listings.end_withdrawn(connection, []) == []


def test_a_host_forgets_withdrawn_documents_that_it_no_longer_lists(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    gone, offered, waits = harvest(connection, sitemap, locs(3))
    list_in(connection, other, [gone], misses=1)
    confirm_withdrawn(connection, dict.fromkeys((gone, offered), HARVESTED))
    miss(connection, {sitemap: [gone, waits]})
    listings.drop_missing_withdrawn(connection, host_id(connection))
    assert misses(connection, sitemap) == {offered: 0, waits: 1}
    assert misses(connection, other) == {gone: 1}


def test_only_missing_documents_that_no_host_lists_are_confirmed(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    other = sitemap_of(connection, "b.nl")
    gone, elsewhere, stays, withdrawn = harvest(connection, one, locs(4))
    (seen,) = see(connection, one, ["https://a.nl/gezien.pdf"])
    list_in(connection, two, [gone])
    list_in(connection, other, [elsewhere])
    miss(connection, {one: [gone, elsewhere, withdrawn, seen], two: [gone]})
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    assert [confirm_withdrawals(connection, host) for host in ("a.nl", "b.nl", "c.nl")] == [1, 0, 0]
    found = misses(connection, one)
    assert found == {gone: CONFIRMED, elsewhere: 1, stays: 0, withdrawn: 1, seen: 1}
    assert misses(connection, two) == {gone: CONFIRMED}


def test_a_document_that_is_listed_again_is_no_longer_confirmed(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (key,) = harvest(connection, sitemap, locs(1))
    miss(connection, {sitemap: [key]})
    confirm_withdrawals(connection, "a.nl")
    listings.listed_again(connection, sitemap, [key])
    miss(connection, {sitemap: [key]})
    assert misses(connection, sitemap) == {key: 1}


@pytest.fixture
def two_states(postgresql_url: str) -> Iterator[tuple[State, State]]:
    with closing(State.open(postgresql_url)) as one, closing(State.open(postgresql_url)) as two:
        yield one, two


def test_a_withdrawal_does_not_wait_for_a_run_that_counts_missing_documents(
    two_states: tuple[State, State],
) -> None:
    """Else each run waits for rows that the other has locked, until the database ends one of them."""
    mine, theirs = two_states
    with mine.begin() as connection:
        here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
        keys = harvest(connection, here, locs(3))
        list_in(connection, there, keys, misses=1)
        miss(connection, {here: keys})
        end_read(connection, host_id(connection, "b.nl"), HARVESTED, BEGUN)
    with theirs.begin() as other, mine.begin() as connection:
        miss(other, {there: keys[1:]}, "b.nl")
        connection.execute(text("SET LOCAL lock_timeout = '100ms'"))
        assert listings.end_withdrawn(connection, keys) == []
        assert misses(connection, here) == {}
    with mine.begin() as connection:
        assert misses(connection, there) == {keys[1]: 2, keys[2]: 2}
        confirm_withdrawn(connection, dict.fromkeys(keys, HARVESTED))
        listings.drop_missing_withdrawn(connection, host_id(connection, "b.nl"))
        assert misses(connection, there) == {}
