from __future__ import annotations

from sqlalchemy import Connection, select

from tests.state.knowledge import harvest, list_in, locs, miss, sitemap_of
from woo_harvester.state import listings, schema
from woo_harvester.state.resources import host_of_state, is_named, keep_read, note_named_indexes, resource_of

GENERAL, OTHER = "https://a.nl/sitemapindex-diwoo.xml", "https://a.nl/sitemapindex-diwoo-infocat002.xml"


def host(connection: Connection, name: str = "a.nl") -> int:
    return host_of_state(connection, name).id


def sitemap_in(connection: Connection, index: str, name: str) -> int:
    """Return the id of a sitemap that an index lists."""
    return resource_of(connection, host(connection), f"https://a.nl/{name}", "sitemap", index).id


def read_index(connection: Connection, url: str) -> None:
    """Note that an index was read."""
    key = resource_of(connection, host(connection), url, "index").id
    keep_read(connection, key, etag=None, last_modified=None, digest=b"d", at=5, content=b"x")


def marked(connection: Connection) -> set[int]:
    """Return the sitemaps whose index is no longer named."""
    table = schema.resources
    query = select(table.c.id).where(table.c.kind == "sitemap", ~is_named())
    return set(connection.execute(query).scalars())


def test_the_sitemaps_of_an_index_are_marked_while_it_is_not_named(connection: Connection) -> None:
    sitemap_in(connection, GENERAL, "s0.xml")
    ours = {sitemap_in(connection, OTHER, "s1.xml"), sitemap_in(connection, OTHER, "s2.xml")}
    sitemap_of(connection, "b.nl")
    note_named_indexes(connection, host(connection), {GENERAL, OTHER})
    assert marked(connection) == set()
    note_named_indexes(connection, host(connection), {GENERAL})
    assert marked(connection) == ours
    ours.add(sitemap_in(connection, OTHER, "s3.xml"))
    note_named_indexes(connection, host(connection), {GENERAL})
    assert marked(connection) == ours
    note_named_indexes(connection, host(connection), {GENERAL, OTHER})
    assert marked(connection) == set()


def test_a_sitemap_that_another_index_lists_now_is_not_marked(connection: Connection) -> None:
    sitemap_in(connection, OTHER, "s1.xml")
    note_named_indexes(connection, host(connection), {GENERAL})
    sitemap_in(connection, GENERAL, "s1.xml")
    note_named_indexes(connection, host(connection), {GENERAL})
    assert marked(connection) == set()


def test_an_index_that_was_read_before_is_returned_once_when_it_is_no_longer_named(
    connection: Connection,
) -> None:
    for url in (GENERAL, OTHER):
        read_index(connection, url)
    never_read = "https://a.nl/oud/sitemapindex-diwoo.xml"
    resource_of(connection, host(connection), never_read, "index")
    assert note_named_indexes(connection, host(connection), {GENERAL, OTHER}) == []
    assert note_named_indexes(connection, host(connection, "b.nl"), {}) == []
    assert note_named_indexes(connection, host(connection), {GENERAL}) == [OTHER]
    assert note_named_indexes(connection, host(connection), {GENERAL}) == []
    read_index(connection, OTHER)
    assert note_named_indexes(connection, host(connection), {}) == sorted([GENERAL, OTHER])


def test_a_missing_document_has_the_index_of_each_sitemap_if_that_is_gone(connection: Connection) -> None:
    one, two = sitemap_in(connection, GENERAL, "s0.xml"), sitemap_in(connection, OTHER, "s1.xml")
    (key,) = harvest(connection, one, locs(1))
    list_in(connection, two, [key])
    miss(connection, {one: [key], two: [key]})
    note_named_indexes(connection, host(connection), {GENERAL})
    assert [row.index_gone for row in listings.known_by(connection, [key])] == [None, OTHER]
