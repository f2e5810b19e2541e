from __future__ import annotations

import os

from sqlalchemy import Connection, func, select

from tests.state.knowledge import harvest, list_in, locs, sitemap_of
from woo_harvester.state import schema
from woo_harvester.state.documents import look_up
from woo_harvester.state.listings import sitemaps_of
from woo_harvester.state.repeated import sitemaps_and_documents
from woo_harvester.state.resources import (
    CONTENT_MAXSIZE,
    KnownHost,
    Resource,
    begin_reads,
    begin_run,
    end_read,
    forget_host,
    forget_read,
    forget_unread,
    host_of_state,
    hosts_of_sitemaps,
    hosts_of_state,
    index_url_of,
    keep_read,
    last_reads,
    note_unregistered,
    read_counts,
    resource_of,
    robots_of,
)
from woo_harvester.state.sql import BATCH
from woo_harvester.state.withdrawal import claim

ROBOTS = "https://a.nl/robots.txt"
SITEMAP = "https://a.nl/s0.xml"


def robots(connection: Connection) -> Resource:
    return resource_of(connection, host_of_state(connection, "a.nl").id, ROBOTS, "robots")


def test_a_host_is_added_once_and_starts_without_a_read(connection: Connection) -> None:
    first = host_of_state(connection, "a.nl")
    assert first == KnownHost(first.id, None)
    assert host_of_state(connection, "a.nl") == first
    assert host_of_state(connection, "a.nl:8443").id != first.id


def test_a_host_was_not_read_completely_until_a_read_ends(connection: Connection) -> None:
    known = host_of_state(connection, "a.nl")
    assert last_reads(connection) == {"a.nl": 0}
    end_read(connection, known.id, 5, 4)
    assert last_reads(connection) == {"a.nl": 4}
    assert host_of_state(connection, "a.nl") == KnownHost(known.id, 5)


def test_a_read_that_is_killed_was_not_complete(connection: Connection) -> None:
    ids = [host_of_state(connection, f"h{number}.nl").id for number in range(BATCH + 2)]
    for key in ids:
        end_read(connection, key, 5, 4)
    begin_reads(connection, ids[1:])
    begin_reads(connection, [])
    complete = [host for host, begun in last_reads(connection).items() if begun]
    assert complete == ["h0.nl"]
    assert host_of_state(connection, "h1.nl").complete_at == 5


def test_each_run_begins_after_those_before_it_whatever_its_clock_says(connection: Connection) -> None:
    assert [begin_run(connection, now) for now in (100, 50, 100, 200)] == [100, 101, 102, 200]
    end_read(connection, host_of_state(connection, "a.nl").id, 5, 900)  # as after an import
    assert begin_run(connection, 300) == 901


def test_the_reads_of_others_count_from_when_the_register_first_lacks_a_host(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(2))
    ids = {name: host_of_state(connection, name).id for name in ("a.nl", "b.nl", "c.nl")}

    def reads(*registered: str) -> int:
        note_unregistered(connection, registered.__contains__)
        return read_counts(connection).since("a.nl", "b.nl")

    end_read(connection, ids["b.nl"], 5, 4)
    assert reads(*ids) == 0
    assert note_unregistered(connection, {"b.nl"}.__contains__) == [ids["a.nl"], ids["c.nl"]]
    # A host that has listed nothing holds nothing back.
    assert read_counts(connection).before == {"a.nl": {"b.nl": 1}, "c.nl": {}}
    for number in (1, 2):
        end_read(connection, ids["b.nl"], 6, 5)
        assert reads("b.nl", "c.nl") == number
    assert read_counts(connection).since("a.nl", "nieuw.nl") == 0
    assert reads(*ids) == 0
    assert reads("b.nl", "c.nl") == 0


def test_a_host_that_was_forgotten_meanwhile_counts_its_reads_anew(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(1))
    end_read(connection, host_of_state(connection, "b.nl").id, 5, 4)
    end_read(connection, host_of_state(connection, "b.nl").id, 5, 4)
    note_unregistered(connection, {"b.nl"}.__contains__)
    forget_host(connection, "b.nl")
    assert read_counts(connection).since("a.nl", "b.nl") == 0
    end_read(connection, host_of_state(connection, "b.nl").id, 5, 4)
    assert read_counts(connection).since("a.nl", "b.nl") == 1


def test_each_sitemap_has_its_host(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, "b.nl")
    assert hosts_of_sitemaps(connection, {one, two, 99}) == {one: "a.nl", two: "b.nl"}
    assert hosts_of_sitemaps(connection, []) == {}


def test_a_sitemap_that_left_its_index_is_read_in_full_when_it_returns(connection: Connection) -> None:
    read, dropped, other = (
        sitemap_of(connection),
        sitemap_of(connection, name="s1.xml"),
        sitemap_of(connection, "b.nl"),
    )
    for key in (read, dropped, other):
        keep_read(connection, key, etag='"e"', last_modified=None, digest=b"d", at=7)
    robots_id = robots(connection).id
    keep_read(connection, robots_id, etag='"r"', last_modified=None, digest=b"d", at=7, content=b"")
    forget_unread(connection, host_of_state(connection, "a.nl").id, {read})
    rows = connection.execute(select(schema.resources.c.id, schema.resources.c.etag)).all()
    assert dict(tuple(row) for row in rows) == {read: '"e"', dropped: None, other: '"e"', robots_id: '"r"'}


def test_a_file_is_added_once_and_starts_unread(connection: Connection) -> None:
    first = robots(connection)
    assert first == Resource(first.id, None, None, None, None, None)
    assert robots(connection) == first


def test_the_same_url_is_another_file_of_another_host(connection: Connection) -> None:
    other = resource_of(connection, host_of_state(connection, "b.nl").id, ROBOTS, "robots")
    assert other.id != robots(connection).id


def test_a_complete_read_is_remembered_with_its_content(connection: Connection) -> None:
    key = robots(connection).id
    keep_read(
        connection, key, etag='"e"', last_modified="gisteren", digest=b"d", at=7, content=b"User-agent: *\n"
    )
    assert robots(connection) == Resource(key, '"e"', "gisteren", b"d", 7, b"User-agent: *\n")


def test_an_empty_file_is_content_too(connection: Connection) -> None:
    keep_read(
        connection, robots(connection).id, etag=None, last_modified=None, digest=None, at=7, content=b""
    )
    assert robots(connection).content == b""


def test_content_is_compressed(connection: Connection) -> None:
    keep_read(
        connection,
        robots(connection).id,
        etag=None,
        last_modified=None,
        digest=None,
        at=7,
        content=b"x" * 10**6,
    )
    stored = connection.scalar(select(func.length(schema.resources.c.content)))
    assert stored is not None
    assert stored < 10_000


def test_content_that_is_too_large_is_not_kept(connection: Connection) -> None:
    key = robots(connection).id
    large = os.urandom(CONTENT_MAXSIZE + 1)
    keep_read(connection, key, etag='"e"', last_modified=None, digest=None, at=7, content=large)
    assert robots(connection).etag is None


def test_a_read_can_be_forgotten(connection: Connection) -> None:
    key = robots(connection).id
    keep_read(connection, key, etag='"e"', last_modified="g", digest=b"d", at=7, content=b"x")
    forget_read(connection, key)
    assert robots(connection) == Resource(key, None, None, None, None, None)


def test_the_index_that_lists_a_sitemap_is_kept_up_to_date(connection: Connection) -> None:
    host = host_of_state(connection, "a.nl").id
    first = resource_of(connection, host, SITEMAP, "sitemap", "https://a.nl/oud.xml")
    second = resource_of(connection, host, SITEMAP, "sitemap", "https://a.nl/nieuw.xml")
    assert second.id == first.id
    assert connection.scalar(select(schema.resources.c.index_url)) == "https://a.nl/nieuw.xml"


def test_the_index_of_a_sitemap_is_that_of_the_last_request(connection: Connection) -> None:
    host, other = host_of_state(connection, "a.nl").id, host_of_state(connection, "b.nl").id
    assert index_url_of(connection, host, SITEMAP) is None
    for index in ("https://a.nl/oud.xml", "https://a.nl/nieuw.xml"):
        resource_of(connection, host, SITEMAP, "sitemap", index)
        assert index_url_of(connection, host, SITEMAP) == index
    assert index_url_of(connection, other, SITEMAP) is None


def test_what_was_read_as_another_kind_of_file_is_forgotten(connection: Connection) -> None:
    host = host_of_state(connection, "a.nl").id
    key = resource_of(connection, host, SITEMAP, "index").id
    keep_read(connection, key, etag='"e"', last_modified="g", digest=b"d", at=7, content=b"x")
    assert resource_of(connection, host, SITEMAP, "index").etag == '"e"'
    for _ in range(2):
        known = resource_of(connection, host, SITEMAP, "sitemap", "https://a.nl/index.xml")
        assert known == Resource(key, None, None, None, None, None)
    assert index_url_of(connection, host, SITEMAP) == "https://a.nl/index.xml"
    assert sitemaps_and_documents(connection, host)[0] == {key}


def test_hosts_are_added_once_and_keep_their_numbers(connection: Connection) -> None:
    first = host_of_state(connection, "b.nl")
    end_read(connection, first.id, 7, 5)
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
    assert list(look_up(connection, locs(1))) == locs(1)
    assert sitemaps_of(connection, key) == [sitemap]


def test_a_sitemap_that_lists_a_document_of_a_forgotten_host_is_read_in_full(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), locs(1))
    sitemap, other = sitemap_of(connection, "b.nl"), sitemap_of(connection, "c.nl")
    list_in(connection, sitemap, [key])
    for each in (sitemap, other):
        keep_read(connection, each, etag='"e"', last_modified=None, digest=b"d", at=7)
    forget_host(connection, "a.nl")
    assert look_up(connection, locs(1)) == {}
    assert connection.execute(select(schema.listings)).all() == []
    digests = connection.execute(select(schema.resources.c.id, schema.resources.c.digest)).all()
    assert dict(tuple(row) for row in digests) == {sitemap: None, other: b"d"}


def test_a_sitemap_whose_entry_counts_once_a_host_is_forgotten_is_read_in_full(
    connection: Connection,
) -> None:
    sitemap = sitemap_of(connection, "b.nl")
    (key,) = harvest(connection, sitemap, locs(1))
    list_in(connection, sitemap_of(connection), [key])
    keep_read(connection, sitemap, etag='"e"', last_modified=None, digest=b"d", at=7)
    forget_host(connection, "a.nl")
    assert (
        resource_of(connection, host_of_state(connection, "b.nl").id, "https://b.nl/s0.xml", "sitemap").digest
        is None
    )


def test_a_withdrawal_that_a_forgotten_host_was_to_deliver_is_free_again(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection, "b.nl"), locs(1))
    host = host_of_state(connection, "a.nl").id
    assert claim(connection, [key], host) == {key}
    forget_host(connection, "a.nl")
    assert claim(connection, [key], host_of_state(connection, "b.nl").id) == {key}


def test_forgetting_a_host_that_is_not_known_does_nothing(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(1))
    forget_host(connection, "b.nl")
    assert connection.execute(select(schema.hosts.c.host)).scalars().all() == ["a.nl"]
