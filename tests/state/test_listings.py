"""Listings of documents in sitemaps, and their counts of complete reads that lacked them."""

from __future__ import annotations

from contextlib import closing

from sqlalchemy import Connection, select, text

from tests.state.knowledge import BEGUN, HARVESTED, harvest, list_in, locs, miss, see, sitemap_of
from woo_harvester.sitemaps.decide import SitemapListing
from woo_harvester.state import listings, schema
from woo_harvester.state.documents import confirm_withdrawn, move
from woo_harvester.state.listings import HostListing
from woo_harvester.state.resources import host_of_state
from woo_harvester.state.schema import CONFIRMED
from woo_harvester.state.sql import BATCH
from woo_harvester.state.store import State
from woo_harvester.state.upkeep import confirm_withdrawals

table = schema.listings.c


def host_id(connection: Connection, host: str = "a.nl") -> int:
    return host_of_state(connection, host).id


def misses(connection: Connection, sitemap: int) -> dict[int, int]:
    """Return the misses of each document of a sitemap."""
    return {key: count for key, (count, _, _) in rows(connection, sitemap).items()}


def rows(connection: Connection, sitemap: int) -> dict[int, tuple[int, int | None, int | None]]:
    """Return the misses, the needed reads and the first miss of each document of a sitemap."""
    columns = table.document_id, table.misses, table.needed, table.missing_since
    found = connection.execute(select(*columns).where(table.sitemap_id == sitemap))
    return {key: (count, needed, since) for key, count, needed, since in found}


def test_a_sitemap_lists_what_was_seen_in_it(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, "b.nl")
    keys = sorted(harvest(connection, one, locs(2 * BATCH + 1)))
    listings.write(connection, two, [SitemapListing(key, 0, passed_over=True) for key in keys[1:]])
    listings.write(connection, two, [])
    assert listings.find(connection, one, keys) == {key: SitemapListing(key) for key in keys}
    passed_over = {key: SitemapListing(key, 0, passed_over=True) for key in keys[1:]}
    assert listings.find(connection, two, keys) == passed_over
    assert listings.find(connection, two, []) == {}
    assert listings.count(connection, one) == len(keys)
    assert sorted(listings.ids_of(connection, one)) == keys
    assert listings.sitemaps_of(connection, keys[1]) == [one, two]
    assert listings.sitemaps_of(connection, 99_999) == []
    assert listings.places(connection, [one]) == {one: ("a.nl", "https://a.nl/s0.xml")}
    assert listings.places(connection, []) == {}
    assert len(list(listings.listed_by(connection, keys))) == 2 * len(keys) - 1
    found = list(listings.passed_over(connection, two))
    assert [len(part) for part in found] == [BATCH, BATCH]
    assert sorted(key for part in found for key in part) == keys[1:]


def test_complete_reads_are_counted_until_one_lists_the_document(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    gone, comes_back, stays = harvest(connection, sitemap, locs(3))
    (theirs,) = harvest(connection, other, locs(1, "b.nl"))
    for needed in (3, 1):
        miss(connection, {sitemap: [gone, comes_back]})
        listings.need(connection, host_id(connection), needed)
    listed = 0, None, None
    assert rows(connection, sitemap) == {gone: (2, 3, BEGUN), comes_back: (2, 3, BEGUN), stays: listed}
    assert (listings.count(connection, sitemap), len(listings.ids_of(connection, sitemap))) == (1, 3)
    list_in(connection, sitemap, [comes_back])
    assert rows(connection, sitemap)[comes_back] == listed, "the count begins anew"
    miss(connection, {sitemap: [gone, comes_back]})
    listings.need(connection, host_id(connection), 1)
    assert rows(connection, sitemap) == {gone: (3, 3, BEGUN), comes_back: (1, 1, BEGUN), stays: listed}
    assert rows(connection, other) == {theirs: listed}


def test_what_no_other_sitemap_of_the_host_lists_is_missing(connection: Connection) -> None:
    one, two, dropped = (sitemap_of(connection, name=f"s{number}.xml") for number in range(3))
    other = sitemap_of(connection, "b.nl")
    moved, gone, elsewhere = harvest(connection, one, locs(3))
    unnamed = harvest(connection, dropped, ["https://a.nl/een.pdf", "https://a.nl/twee.pdf"])
    list_in(connection, two, [moved])
    list_in(connection, other, [elsewhere])
    for count in (1, 2):
        miss(connection, {one: [moved, gone, elsewhere], two: []})
        listings.drop_settled(connection, host_id(connection))
        assert misses(connection, one) == {gone: count, elsewhere: count}
        assert misses(connection, dropped) == dict.fromkeys(unnamed, count), "no index names it"
    assert (misses(connection, two), misses(connection, other)) == ({moved: 0}, {elsewhere: 0})


def test_what_is_settled_here_loses_its_row(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    withdrawn, offered, elsewhere, waits = harvest(connection, here, locs(4))
    list_in(connection, there, [elsewhere])
    list_in(connection, there, [withdrawn], misses=1)
    confirm_withdrawn(connection, dict.fromkeys((withdrawn, offered), HARVESTED))
    miss(connection, {here: [withdrawn, elsewhere, waits]})
    listings.need(connection, host_id(connection), 2)
    listings.drop_settled(connection, host_id(connection))
    assert misses(connection, here) == {offered: 0, elsewhere: 1, waits: 1}
    assert misses(connection, there) == {elsewhere: 0, withdrawn: 1}, "another host's row is its own"
    miss(connection, {here: [elsewhere, waits]})
    listings.drop_settled(connection, host_id(connection))
    assert misses(connection, here) == {offered: 0, waits: 2}


def test_the_sitemaps_that_list_a_document_come_with_their_host(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    one, two = harvest(connection, here, locs(2))
    list_in(connection, there, [one, two])
    move(connection, [two], there)
    miss(connection, {here: [two]})
    first, second = locs(2)
    assert list(listings.listed_by(connection, [one, two])) == [
        HostListing(one, first, "a.nl", here, gave_version=True),
        HostListing(one, first, "b.nl", there, gave_version=False),
        HostListing(two, second, "b.nl", there, gave_version=True),
    ]
    assert list(listings.listed_by(connection, [])) == []


def test_each_published_document_of_a_host_is_counted_once(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = harvest(connection, one, locs(5))
    see(connection, one, ["https://a.nl/gezien.pdf"])
    list_in(connection, two, keys[:2])
    theirs = harvest(connection, sitemap_of(connection, "b.nl"), locs(3, "b.nl"))
    list_in(connection, two, theirs[:1])
    miss(connection, {one: keys[3:], two: []})
    confirm_withdrawn(connection, {keys[0]: HARVESTED})
    ids = [host_id(connection, host) for host in ("a.nl", "b.nl", "c.nl")]
    counts = [listings.count_lacking(connection, key) for key in ids]
    assert counts == [(2, 5), (0, 3), (0, 0)]


def test_only_missing_documents_that_no_host_lists_are_confirmed(connection: Connection) -> None:
    one, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    gone, elsewhere, stays, withdrawn = harvest(connection, one, locs(4))
    (seen,) = see(connection, one, ["https://a.nl/gezien.pdf"])
    list_in(connection, other, [elsewhere])
    miss(connection, {one: [gone, elsewhere, withdrawn, seen]})
    listings.need(connection, host_id(connection), 3)
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    assert [confirm_withdrawals(connection, host) for host in ("a.nl", "b.nl", "c.nl")] == [1, 0, 0]
    needed = {key: count for key, (_, count, _) in rows(connection, one).items()}
    assert needed == {gone: CONFIRMED, elsewhere: 3, stays: None, withdrawn: 3, seen: 3}


def test_two_hosts_count_their_misses_of_one_document_at_once(postgresql_url: str) -> None:
    """Neither waits for rows that the other has locked."""
    with closing(State.open(postgresql_url)) as mine, closing(State.open(postgresql_url)) as theirs:
        with mine.begin() as connection:
            here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
            keys = harvest(connection, here, locs(3))
            list_in(connection, there, keys)
        with theirs.begin() as other, mine.begin() as connection:
            miss(other, {there: keys[1:]}, "b.nl")
            connection.execute(text("SET LOCAL lock_timeout = '100ms'"))
            miss(connection, {here: keys})
        with mine.begin() as connection:
            assert set(misses(connection, here).values()) == {1}
            assert misses(connection, there) == {keys[0]: 0, keys[1]: 1, keys[2]: 1}
