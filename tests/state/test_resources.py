from __future__ import annotations

import os

import pytest
from sqlalchemy import Connection, func, select

from tests.state.knowledge import harvest, list_in, locs, read_before, sitemap_of
from woo_harvester.state import schema
from woo_harvester.state.documents import look_up
from woo_harvester.state.listings import sitemaps_of
from woo_harvester.state.resources import (
    CONTENT_MAXSIZE,
    KnownHost,
    Resource,
    add_visited,
    begin_reads,
    begin_run,
    forget_host,
    forget_read,
    forget_unread,
    forget_visited,
    gone_indexes,
    host_of_state,
    hosts_of_state,
    is_visited,
    keep_read,
    last_reads,
    note_unregistered,
    resource_of,
    robots_of,
    sitemaps_of_host,
)
from woo_harvester.state.schema import visited
from woo_harvester.state.sql import BATCH
from woo_harvester.state.withdrawal import end_reads

ROBOTS = "https://a.nl/robots.txt"
SITEMAP = "https://a.nl/s0.xml"


def robots(connection: Connection) -> Resource:
    return resource_of(connection, host_of_state(connection, "a.nl").id, ROBOTS, "robots")


def etags(connection: Connection) -> dict[int, str | None]:
    """Return the ETag of each file, which is None if its digest is too: it is read in full."""
    columns = schema.resources.c.id, schema.resources.c.etag, schema.resources.c.digest
    rows = connection.execute(select(*columns)).all()
    assert all((row.etag is None) is (row.digest is None) for row in rows)
    return {row.id: row.etag for row in rows}


GENERAL, OTHER = "https://a.nl/sitemapindex-diwoo.xml", "https://a.nl/sitemapindex-diwoo-infocat002.xml"


def host(connection: Connection, name: str = "a.nl") -> int:
    return host_of_state(connection, name).id


def read_index(connection: Connection, url: str) -> None:
    """Note that an index was read."""
    key = resource_of(connection, host(connection), url, "index").id
    keep_read(connection, key, etag=None, last_modified=None, digest=b"d", at=5, content=b"x")


def test_a_host_is_added_once_and_starts_without_a_read(connection: Connection) -> None:
    first = host_of_state(connection, "a.nl")
    assert first == KnownHost(first.id, None)
    assert host_of_state(connection, "a.nl") == first
    assert host_of_state(connection, "a.nl:8443").id != first.id


def test_a_host_was_not_read_completely_until_a_read_ends(connection: Connection) -> None:
    known = host_of_state(connection, "a.nl")
    assert last_reads(connection) == {"a.nl": 0}
    end_reads(connection, [known.id], 5, 4)
    assert last_reads(connection) == {"a.nl": 4}
    assert host_of_state(connection, "a.nl") == KnownHost(known.id, 5)


def test_a_read_that_is_killed_was_not_complete(connection: Connection) -> None:
    ids = [host_of_state(connection, f"h{number}.nl").id for number in range(BATCH + 2)]
    end_reads(connection, ids, 5, 4)
    begin_reads(connection, ids[1:])
    begin_reads(connection, [])
    complete = [host for host, begun in last_reads(connection).items() if begun]
    assert complete == ["h0.nl"]
    assert host_of_state(connection, "h1.nl").complete_at == 5


def test_each_run_begins_after_those_before_it_whatever_its_clock_says(connection: Connection) -> None:
    assert [begin_run(connection, now) for now in (100, 50, 100, 200)] == [100, 101, 102, 200]


def test_a_sitemap_that_left_its_index_is_read_in_full_when_it_returns(connection: Connection) -> None:
    read, dropped = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    other, robots_id = sitemap_of(connection, "b.nl"), robots(connection).id
    read_before(connection, read, dropped, other, robots_id)
    forget_unread(connection, host_of_state(connection, "a.nl").id, {read})
    assert etags(connection) == {read: '"e"', dropped: None, other: '"e"', robots_id: '"e"'}


def test_a_host_is_noted_as_long_as_the_register_lacks_it(connection: Connection) -> None:
    for name in ("a.nl", "b.nl"):
        host_of_state(connection, name)
    for registered, lacking in ((("a.nl", "b.nl"), set()), ((), {"a.nl", "b.nl"}), (("a.nl",), {"b.nl"})):
        note_unregistered(connection, registered.__contains__)
        table = schema.hosts.c
        assert set(connection.execute(select(table.host).where(table.unregistered)).scalars()) == lacking


def test_a_file_is_added_once_and_starts_unread(connection: Connection) -> None:
    first = robots(connection)
    assert first == Resource(first.id, None, None, None, None, None)
    assert robots(connection) == first
    other = resource_of(connection, host_of_state(connection, "b.nl").id, ROBOTS, "robots")
    assert other.id != first.id, "of another host"


@pytest.mark.parametrize("content", [b"User-agent: *\n", b"", b"x" * 10**6])
def test_a_complete_read_is_known_with_its_content(connection: Connection, content: bytes) -> None:
    key = robots(connection).id
    keep_read(connection, key, etag='"e"', last_modified="gisteren", digest=b"d", at=7, content=content)
    assert robots(connection) == Resource(key, '"e"', "gisteren", b"d", 7, content)
    stored = connection.scalar(select(func.length(schema.resources.c.content)))
    assert stored is not None
    assert stored < 10_000, "compressed"
    forget_read(connection, key)
    assert robots(connection) == Resource(key, None, None, None, None, None)


def test_content_that_is_too_large_is_not_kept(connection: Connection) -> None:
    key = robots(connection).id
    large = os.urandom(CONTENT_MAXSIZE + 1)
    keep_read(connection, key, etag='"e"', last_modified=None, digest=None, at=7, content=large)
    assert robots(connection).etag is None


def test_what_was_read_as_another_kind_of_file_is_forgotten(connection: Connection) -> None:
    host = host_of_state(connection, "a.nl").id
    key = resource_of(connection, host, SITEMAP, "index").id
    keep_read(connection, key, etag='"e"', last_modified="g", digest=b"d", at=7, content=b"x")
    assert resource_of(connection, host, SITEMAP, "index").etag == '"e"'
    for _ in range(2):
        known = resource_of(connection, host, SITEMAP, "sitemap", "https://a.nl/index.xml")
        assert known == Resource(key, None, None, None, None, None)
    assert sitemaps_of_host(connection, host) == {key}


def test_hosts_are_added_once_and_keep_their_numbers(connection: Connection) -> None:
    first = host_of_state(connection, "b.nl")
    end_reads(connection, [first.id], 7, 5)
    names = [f"h{count}.nl" for count in range(BATCH + 1)]
    added = hosts_of_state(connection, ["b.nl", *names, "b.nl"])
    assert set(added) == {"b.nl", *names}
    assert added["b.nl"] == (first.id, 7)
    assert {known.complete_at for known in added.values()} == {None, 7}
    assert hosts_of_state(connection, names) == {name: added[name] for name in names}
    assert len({known.id for known in added.values()}) == BATCH + 2


def test_the_robots_txt_of_many_hosts_are_added_once_and_known_the_next_time(connection: Connection) -> None:
    names = [f"h{count}.nl" for count in range(BATCH + 1)]
    state = hosts_of_state(connection, names)
    urls = {state[name].id: f"https://{name}/robots.txt" for name in names}
    added = robots_of(connection, urls)
    assert set(added) == set(urls)
    assert len({robots.id for robots in added.values()}) == BATCH + 1
    one = min(urls)
    assert added[one] == Resource(added[one].id, None, None, None, None, None)
    keep_read(connection, added[one].id, etag='"e"', last_modified="g", digest=None, at=7, content=b"x")
    read = Resource(added[one].id, '"e"', "g", None, 7, b"x")
    assert robots_of(connection, urls) == {**added, one: read}
    assert resource_of(connection, one, urls[one], "robots") == read


def test_a_robots_txt_that_another_host_redirected_to_is_a_file_of_each(connection: Connection) -> None:
    one, two = host_of_state(connection, "a.nl").id, host_of_state(connection, "b.nl").id
    there = resource_of(connection, two, "https://a.nl/robots.txt", "robots")
    found = robots_of(connection, {one: "https://a.nl/robots.txt", two: "https://b.nl/robots.txt"})
    assert there.id not in {each.id for each in found.values()}
    assert len(found) == 2


def test_what_was_a_sitemap_and_is_a_robots_txt_now_is_read_in_full(connection: Connection) -> None:
    host = host_of_state(connection, "a.nl").id
    key = resource_of(connection, host, SITEMAP, "sitemap", "https://a.nl/index.xml").id
    keep_read(connection, key, etag='"e"', last_modified="g", digest=b"d", at=7)
    assert robots_of(connection, {host: SITEMAP}) == {host: Resource(key, None, None, None, None, None)}
    assert resource_of(connection, host, SITEMAP, "robots").read_at is None


def test_a_forgotten_host_was_never_visited_and_the_others_stay(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(3))
    harvest(connection, sitemap_of(connection, "b.nl"), locs(2, "b.nl"))
    robots(connection)
    forget_host(connection, "a.nl")
    assert connection.execute(select(schema.hosts.c.host)).scalars().all() == ["b.nl"]
    assert connection.execute(select(schema.documents.c.loc)).scalars().all() == locs(2, "b.nl")
    assert connection.execute(select(schema.resources.c.url)).scalars().all() == ["https://b.nl/s0.xml"]
    assert len(connection.execute(select(schema.listings)).all()) == 2


def test_a_forgotten_host_no_longer_counts_as_listing_what_others_list(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (key,) = harvest(connection, sitemap, locs(1))
    list_in(connection, sitemap_of(connection, "b.nl"), [key])
    forget_host(connection, "b.nl")
    forget_host(connection, "onbekend.nl")
    assert connection.execute(select(schema.hosts.c.host)).scalars().all() == ["a.nl"]
    assert list(look_up(connection, locs(1))) == locs(1)
    assert sitemaps_of(connection, key) == [sitemap]


def test_a_sitemap_that_lists_a_document_of_a_forgotten_host_is_read_in_full(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), locs(1))
    sitemap, other = sitemap_of(connection, "b.nl"), sitemap_of(connection, "c.nl")
    list_in(connection, sitemap, [key])
    read_before(connection, sitemap, other)
    forget_host(connection, "a.nl")
    assert look_up(connection, locs(1)) == {}
    assert connection.execute(select(schema.listings)).all() == []
    assert etags(connection) == {sitemap: None, other: '"e"'}


def test_a_sitemap_that_counts_without_a_forgotten_host_is_read_in_full(connection: Connection) -> None:
    sitemap = sitemap_of(connection, "b.nl")
    (key,) = harvest(connection, sitemap, locs(1))
    list_in(connection, sitemap_of(connection), [key])
    read_before(connection, sitemap)
    forget_host(connection, "a.nl")
    assert etags(connection) == {sitemap: None}


def test_an_index_that_is_no_longer_named_is_returned_once(connection: Connection) -> None:
    for url in (GENERAL, OTHER):
        read_index(connection, url)
    never_read = "https://a.nl/oud/sitemapindex-diwoo.xml"
    resource_of(connection, host(connection), never_read, "index")
    assert gone_indexes(connection, host(connection), {GENERAL, OTHER}) == []
    assert gone_indexes(connection, host(connection, "b.nl"), ()) == []
    assert gone_indexes(connection, host(connection), {GENERAL}) == [OTHER]
    assert gone_indexes(connection, host(connection), {GENERAL}) == []
    read_index(connection, OTHER)
    assert gone_indexes(connection, host(connection), ()) == sorted([GENERAL, OTHER])


def test_a_key_is_visited_by_the_spiders_that_added_it_until_it_is_forgotten(connection: Connection) -> None:
    assert not is_visited(connection, "een", b"k")
    add_visited(connection, "een", b"k", 5)
    add_visited(connection, "een", b"k", 6)
    assert connection.execute(select(visited.c.at)).scalars().all() == [6]
    add_visited(connection, "twee", b"k", 5)
    assert is_visited(connection, "een", b"k")
    assert not is_visited(connection, "drie", b"k")
    assert not is_visited(connection, "een", b"K")
    forget_visited(connection, "een")
    assert not is_visited(connection, "een", b"k")
    assert is_visited(connection, "twee", b"k")
