from __future__ import annotations

from sqlalchemy import Connection, func, select

from tests.state.knowledge import harvest, list_in, locs, miss, sitemap_of
from woo_harvester.sitemaps.facts import OtherEntry
from woo_harvester.state import repeated, schema
from woo_harvester.state.documents import forget
from woo_harvester.state.repeated import Key, StoredEntry
from woo_harvester.state.resources import forget_host, host_of_state, resource_of
from woo_harvester.state.sql import BATCH

INDEX = "https://a.nl/sitemapindex-diwoo.xml"


def host(connection: Connection, name: str = "a.nl") -> int:
    return host_of_state(connection, name).id


def entry(sitemap: int, document: int, place: int = 0, lastmod: int | None = 10) -> StoredEntry:
    return StoredEntry(sitemap, document, place, lastmod, 20, b"digest", 5, b"metadata")


def kept(connection: Connection) -> set[Key]:
    """Return the keys of all entries."""
    columns = (schema.repeated.c.sitemap_id, schema.repeated.c.document_id, schema.repeated.c.place)
    return {Key(*row) for row in connection.execute(select(*columns))}


def two_sitemaps(connection: Connection) -> tuple[int, int, list[int]]:
    """Return two sitemaps that list the same three documents."""
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = harvest(connection, one, locs(3))
    list_in(connection, two, keys)
    return one, two, keys


def test_the_entries_of_a_document_come_with_their_sitemaps(connection: Connection) -> None:
    one, two, (first, second, _) = two_sitemaps(connection)
    repeated.keep(connection, [entry(two, first, 1, None), entry(one, first), entry(two, first)])
    repeated.keep(connection, [entry(one, second)])
    found = repeated.find(connection, host(connection), [first])
    s0, s1 = "https://a.nl/s0.xml", "https://a.nl/s1.xml"
    assert found == {
        first: [
            OtherEntry(one, 0, s0, INDEX, 10, 20, 5, b"digest"),
            OtherEntry(two, 0, s1, INDEX, 10, 20, 5, b"digest"),
            OtherEntry(two, 1, s1, INDEX, None, 20, 5, b"digest"),
        ]
    }
    assert repeated.metadata_of(connection, Key(two, first, 1)) == b"metadata"
    assert repeated.metadata_of(connection, Key(one, first, 1)) is None
    assert repeated.find(connection, host(connection, "b.nl"), [first]) == {}


def test_the_sitemaps_of_a_host_come_with_its_repeated_documents(connection: Connection) -> None:
    one, two, (first, second, _) = two_sitemaps(connection)
    resource_of(connection, host(connection), "https://a.nl/robots.txt", "robots")
    elsewhere = sitemap_of(connection, "b.nl")
    assert repeated.sitemaps_and_documents(connection, host(connection)) == ({one, two}, set())
    repeated.keep(connection, [entry(one, first), entry(two, first, 1), entry(two, first)])
    repeated.keep(connection, [entry(one, second)])
    found = repeated.sitemaps_and_documents(connection, host(connection))
    assert found == ({one, two}, {first, second})
    assert repeated.sitemaps_and_documents(connection, host(connection, "b.nl")) == ({elsewhere}, set())
    assert repeated.sitemaps_and_documents(connection, host(connection, "c.nl")) == (set(), set())


def test_an_entry_that_is_kept_again_replaces_itself(connection: Connection) -> None:
    one, _, (first, *_) = two_sitemaps(connection)
    repeated.keep(connection, [entry(one, first)])
    repeated.keep(connection, [entry(one, first, lastmod=11), entry(one, first, lastmod=12)])
    assert [each.lastmod for each in repeated.find(connection, host(connection), [first])[first]] == [12]


def test_an_entry_that_is_missing_does_not_count(connection: Connection) -> None:
    one, two, keys = two_sitemaps(connection)
    repeated.keep(connection, [entry(one, keys[0]), entry(two, keys[0])])
    miss(connection, {one: [], two: keys})
    found = repeated.find(connection, host(connection), keys)
    assert [each.sitemap_id for each in found[keys[0]]] == [one]


def test_the_source_of_a_version_is_its_sitemap_while_that_lists_it(connection: Connection) -> None:
    one, _, keys = two_sitemaps(connection)
    assert repeated.sources(connection, keys[:2]) == dict.fromkeys(keys[:2], "https://a.nl/s0.xml")
    miss(connection, {one: keys[:1]})
    assert repeated.sources(connection, keys[:2]) == {keys[1]: "https://a.nl/s0.xml"}


def test_later_entries_in_one_sitemap_are_known(connection: Connection) -> None:
    one, two, keys = two_sitemaps(connection)
    repeated.keep(connection, [entry(one, keys[0]), entry(one, keys[1], 1), entry(two, keys[2], 1)])
    assert repeated.listed_twice(connection, one) == [keys[1]]
    repeated.forget(connection, [Key(one, keys[1], 1), Key(one, keys[1], 0)])
    assert kept(connection) == {Key(one, keys[0], 0), Key(two, keys[2], 1)}


def test_after_a_complete_read_only_what_is_listed_more_than_once_is_kept(connection: Connection) -> None:
    one, two, (both, only, twice) = two_sitemaps(connection)
    gone = sitemap_of(connection, name="weg.xml")
    list_in(connection, gone, [both])
    other = sitemap_of(connection, "b.nl")
    list_in(connection, other, [only])
    rows = [entry(sitemap, both) for sitemap in (one, two, gone)]
    rows += [entry(one, only), entry(two, twice), entry(two, twice, 1), entry(other, only)]
    repeated.keep(connection, rows)
    miss(connection, {one: [twice], two: [only]})
    repeated.forget_unlisted(connection, host(connection), {one, two})
    assert kept(connection) == {
        Key(one, both, 0),
        Key(two, both, 0),
        Key(two, twice, 0),
        Key(two, twice, 1),
        Key(other, only, 0),
    }


def test_a_document_or_host_that_is_forgotten_takes_its_entries_along(connection: Connection) -> None:
    one, two, (first, second, _) = two_sitemaps(connection)
    elsewhere = sitemap_of(connection, "b.nl")
    repeated.keep(connection, [entry(one, first), entry(two, second), entry(elsewhere, second)])
    forget(connection, [first])
    assert kept(connection) == {Key(two, second, 0), Key(elsewhere, second, 0)}
    forget_host(connection, "a.nl")
    assert kept(connection) == set()


def test_many_documents_are_found_in_batches(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = harvest(connection, one, locs(BATCH + 2))
    repeated.keep(connection, [entry(one, key) for key in keys])
    assert len(repeated.find(connection, host(connection), keys)) == len(keys)
    assert len(repeated.sources(connection, keys)) == len(keys)
    repeated.forget_unlisted(connection, host(connection), {two})
    assert connection.scalar(select(func.count()).select_from(schema.repeated)) == 0
