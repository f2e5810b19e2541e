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


def test_a_host_is_added_once_and_was_not_read_completely_until_a_read_ends(connection: Connection) -> None:
    first = host_of_state(connection, "a.nl")
    assert first == host_of_state(connection, "a.nl") == KnownHost(first.id, None)
    assert host_of_state(connection, "a.nl:8443").id != first.id
    end_reads(connection, [first.id], 5, 4)
    assert last_reads(connection) == {"a.nl": 4, "a.nl:8443": 0}
    assert host_of_state(connection, "a.nl") == KnownHost(first.id, 5)


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


def test_a_file_starts_unread_and_a_complete_read_is_known_with_its_content(connection: Connection) -> None:
    first = robots(connection)
    key, unread = first.id, Resource(first.id, None, None, None, None, None)
    assert first == robots(connection) == unread
    other = resource_of(connection, host(connection, "b.nl"), ROBOTS, "robots")
    assert other.id != key, "of another host"
    for content in (b"User-agent: *\n", b"", b"x" * 10**6):
        keep_read(connection, key, etag='"e"', last_modified="g", digest=b"d", at=7, content=content)
        assert robots(connection) == Resource(key, '"e"', "g", b"d", 7, content)
        stored = connection.scalar(
            select(func.length(schema.resources.c.content)).where(schema.resources.c.id == key)
        )
        assert stored is not None
        assert stored < 10_000, "compressed"
        forget_read(connection, key)
        assert robots(connection) == unread
    large = os.urandom(CONTENT_MAXSIZE + 1)
    keep_read(connection, key, etag='"e"', last_modified=None, digest=None, at=7, content=large)
    assert robots(connection).etag is None, "too large to keep"


def test_what_was_read_as_another_kind_of_file_is_forgotten(connection: Connection) -> None:
    a = host(connection)
    key = resource_of(connection, a, SITEMAP, "index").id
    keep_read(connection, key, etag='"e"', last_modified="g", digest=b"d", at=7, content=b"x")
    assert resource_of(connection, a, SITEMAP, "index").etag == '"e"'
    unread = Resource(key, None, None, None, None, None)
    for _ in range(2):
        assert resource_of(connection, a, SITEMAP, "sitemap", "https://a.nl/index.xml") == unread
    assert sitemaps_of_host(connection, a) == {key}
    keep_read(connection, key, etag='"e"', last_modified="g", digest=b"d", at=7)
    assert robots_of(connection, {a: SITEMAP}) == {a: unread}
    assert resource_of(connection, a, SITEMAP, "robots").read_at is None


def test_many_hosts_and_their_robots_txt_are_added_once_and_keep_their_numbers(
    connection: Connection,
) -> None:
    first = host_of_state(connection, "b.nl")
    end_reads(connection, [first.id], 7, 5)
    names = [f"h{count}.nl" for count in range(BATCH + 1)]
    hosts = hosts_of_state(connection, ["b.nl", *names, "b.nl"])
    assert (set(hosts), hosts["b.nl"]) == ({"b.nl", *names}, (first.id, 7))
    assert {known.complete_at for known in hosts.values()} == {None, 7}
    assert hosts_of_state(connection, names) == {name: hosts[name] for name in names}
    assert len({known.id for known in hosts.values()}) == BATCH + 2
    urls = {hosts[name].id: f"https://{name}/robots.txt" for name in names}
    added = robots_of(connection, urls)
    assert (set(added), len({robots.id for robots in added.values()})) == (set(urls), BATCH + 1)
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


def test_a_forgotten_host_was_never_visited_and_the_others_stay(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(3))
    theirs = sitemap_of(connection, "b.nl")
    keys = harvest(connection, theirs, locs(2, "b.nl"))
    list_in(connection, sitemap_of(connection), keys)
    robots(connection)
    for name in ("a.nl", "onbekend.nl"):
        forget_host(connection, name)
    assert connection.execute(select(schema.hosts.c.host)).scalars().all() == ["b.nl"]
    assert connection.execute(select(schema.documents.c.loc)).scalars().all() == locs(2, "b.nl")
    assert connection.execute(select(schema.resources.c.url)).scalars().all() == ["https://b.nl/s0.xml"]
    assert [sitemaps_of(connection, key) for key in keys] == [[theirs], [theirs]]


@pytest.mark.parametrize("source", ["a.nl", "b.nl"])
def test_a_sitemap_that_lists_what_a_forgotten_host_lists_is_read_in_full(
    connection: Connection, source: str
) -> None:
    sitemaps = {name: sitemap_of(connection, name) for name in ("a.nl", "b.nl", "c.nl")}
    keys = harvest(connection, sitemaps[source], locs(1))
    for name in ("a.nl", "b.nl"):
        list_in(connection, sitemaps[name], keys)
    read_before(connection, sitemaps["b.nl"], sitemaps["c.nl"])
    forget_host(connection, "a.nl")
    assert list(look_up(connection, locs(1))) == ([] if source == "a.nl" else locs(1))
    assert etags(connection) == {sitemaps["b.nl"]: None, sitemaps["c.nl"]: '"e"'}


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
    def seen() -> list[bool]:
        keys = ("een", b"k"), ("twee", b"k"), ("drie", b"k"), ("een", b"K")
        return [is_visited(connection, spider, key) for spider, key in keys]

    assert seen() == [False] * 4
    for spider, at in (("een", 5), ("een", 6), ("twee", 5)):
        add_visited(connection, spider, b"k", at)
    assert sorted(connection.execute(select(visited.c.at)).scalars()) == [5, 6]
    assert seen() == [True, True, False, False]
    forget_visited(connection, "een")
    assert seen() == [False, True, False, False]
