from __future__ import annotations

import os

from sqlalchemy import Connection, func, select

from tests.state.knowledge import harvest, locs, sitemap_of
from woo_harvester.state import schema
from woo_harvester.state.resources import (
    CONTENT_MAXSIZE,
    Host,
    Resource,
    forget_host,
    forget_read,
    host_of_state,
    keep_host,
    keep_read,
    resource_of,
    sitemap_ids,
)

ROBOTS = "https://a.nl/robots.txt"
SITEMAP = "https://a.nl/s0.xml"


def robots(connection: Connection) -> Resource:
    return resource_of(connection, host_of_state(connection, "a.nl").id, ROBOTS, "robots")


def test_a_host_is_made_once_and_begins_with_nothing(connection: Connection) -> None:
    first = host_of_state(connection, "a.nl")
    assert first == Host(first.id, None, 0, False)
    assert host_of_state(connection, "a.nl") == first
    assert host_of_state(connection, "a.nl:8443").id != first.id


def test_how_a_run_ended_is_remembered(connection: Connection) -> None:
    known = host_of_state(connection, "a.nl")
    keep_host(connection, known.id, complete_at=5, held_runs=2)
    assert host_of_state(connection, "a.nl") == Host(known.id, 5, 2, False)


def test_a_run_that_ends_ends_the_operators_confirmation_too(connection: Connection) -> None:
    known = host_of_state(connection, "a.nl")
    keep_host(connection, known.id, complete_at=5, held_runs=1, confirmed=True)
    assert host_of_state(connection, "a.nl").confirmed
    keep_host(connection, known.id, complete_at=6, held_runs=0)
    assert not host_of_state(connection, "a.nl").confirmed


def test_a_file_is_made_once_and_begins_unread(connection: Connection) -> None:
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


def test_of_content_that_is_too_large_nothing_is_remembered(connection: Connection) -> None:
    key = robots(connection).id
    large = os.urandom(CONTENT_MAXSIZE + 1)
    keep_read(connection, key, etag='"e"', last_modified=None, digest=None, at=7, content=large)
    assert robots(connection).etag is None


def test_a_read_that_cannot_be_relied_on_is_forgotten(connection: Connection) -> None:
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


def test_all_sitemaps_that_were_ever_read_of_a_host_are_told(connection: Connection) -> None:
    robots(connection)
    ids = [sitemap_of(connection), sitemap_of(connection, name="s1.xml")]
    sitemap_of(connection, "b.nl")
    assert sitemap_ids(connection, host_of_state(connection, "a.nl").id) == ids


def test_a_forgotten_host_was_never_visited_and_the_others_stay(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(3))
    harvest(connection, sitemap_of(connection, "b.nl"), locs(2, "b.nl"))
    robots(connection)
    forget_host(connection, "a.nl")
    assert connection.execute(select(schema.hosts.c.host)).scalars().all() == ["b.nl"]
    assert connection.execute(select(schema.documents.c.loc)).scalars().all() == locs(2, "b.nl")
    assert connection.execute(select(schema.resources.c.url)).scalars().all() == ["https://b.nl/s0.xml"]


def test_forgetting_a_host_that_is_not_known_does_nothing(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(1))
    forget_host(connection, "b.nl")
    assert connection.execute(select(schema.hosts.c.host)).scalars().all() == ["a.nl"]
