"""Complete reads: hosts of which the state has something to compare, and the others, which end together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, select, update

from tests.state.knowledge import (
    BEGUN,
    HARVESTED,
    harvest,
    list_in,
    locs,
    miss,
    see,
    sitemap_of,
)
from woo_harvester.state.documents import confirm_withdrawn
from woo_harvester.state.resources import (
    end_read,
    forget_read,
    host_of_state,
    keep_read,
    note_named_indexes,
    resource_of,
)
from woo_harvester.state.schema import documents, hosts
from woo_harvester.state.sql import BATCH
from woo_harvester.state.withdrawal import (
    CompleteRead,
    end_reads,
    hosts_with_differences,
    hosts_with_published,
)

INDEX = "https://a.nl/sitemapindex-diwoo.xml"


def number(connection: Connection, host: str = "a.nl") -> int:
    return host_of_state(connection, host).id


def was_read(connection: Connection, url: str, kind: str = "sitemap") -> int:
    """Note that a file was read; return its number."""
    index = INDEX if kind == "sitemap" else None
    key = resource_of(connection, number(connection), url, kind, index).id  # type: ignore[arg-type]
    keep_read(connection, key, etag=None, last_modified=None, digest=b"d", at=5)
    return key


def differs(connection: Connection, read: set[int], named: tuple[str, ...] = (INDEX,)) -> bool:
    """Return whether the state has something to compare with a complete read of the host."""
    reads = [CompleteRead(number(connection), named, read), CompleteRead(number(connection, "b.nl"), (), ())]
    return hosts_with_differences(connection, reads) == {number(connection)}


def usual_host(connection: Connection) -> int:
    """Add a host of which all was read before; return the number of its sitemap."""
    was_read(connection, "https://a.nl/robots.txt", "robots")
    was_read(connection, INDEX, "index")
    sitemap = was_read(connection, "https://a.nl/s0.xml")
    harvest(connection, sitemap, locs(2))
    number(connection, "b.nl")
    return sitemap


def test_a_host_that_lists_the_same_sitemaps_as_before_has_no_differences(connection: Connection) -> None:
    sitemap = usual_host(connection)
    new = sitemap_of(connection, name="s1.xml")
    see(connection, new, ["https://a.nl/new.pdf"])
    assert not differs(connection, {sitemap, new})


def one_was_missing_before(connection: Connection, sitemap: int) -> None:
    list_in(connection, sitemap, see(connection, sitemap_of(connection, "c.nl"), ["https://a.nl/x"]), 1)


def one_was_withdrawn_and_is_missing(connection: Connection, sitemap: int) -> None:
    (key,) = harvest(connection, sitemap, ["https://a.nl/gone.pdf"])
    miss(connection, {sitemap: [key]})
    confirm_withdrawn(connection, {key: HARVESTED})
    list_in(connection, sitemap, [key], 1)


def one_is_to_be_restored(connection: Connection, sitemap: int) -> None:
    connection.execute(update(documents).where(documents.c.loc == locs(2)[1]).values(restore=True))


def a_sitemap_with_documents_is_not_named(connection: Connection, sitemap: int) -> None:
    see(connection, sitemap_of(connection, name="gone.xml"), ["https://a.nl/x"])


def a_sitemap_that_was_read_is_not_named(connection: Connection, sitemap: int) -> None:
    was_read(connection, "https://a.nl/empty.xml")


def an_index_that_was_read_is_not_named(connection: Connection, sitemap: int) -> None:
    was_read(connection, "https://a.nl/sitemapindex-diwoo-infocat002.xml", "index")


def the_index_is_named_again(connection: Connection, sitemap: int) -> None:
    note_named_indexes(connection, number(connection), ())
    was_read(connection, INDEX, "index")


def a_sitemap_has_become_an_index(connection: Connection, sitemap: int) -> None:
    other = sitemap_of(connection, name="s1.xml")
    see(connection, other, ["https://a.nl/x"])
    resource_of(connection, number(connection), "https://a.nl/s1.xml", "index")


@pytest.mark.parametrize(
    "change",
    [
        one_was_missing_before,
        one_was_withdrawn_and_is_missing,
        one_is_to_be_restored,
        a_sitemap_with_documents_is_not_named,
        a_sitemap_that_was_read_is_not_named,
        an_index_that_was_read_is_not_named,
        the_index_is_named_again,
        a_sitemap_has_become_an_index,
    ],
)
def test_a_host_has_differences_if(connection: Connection, change: Callable[[Connection, int], None]) -> None:
    sitemap = usual_host(connection)
    change(connection, sitemap)
    assert differs(connection, {sitemap})


def test_an_index_that_is_no_longer_named_is_a_difference(connection: Connection) -> None:
    sitemap = usual_host(connection)
    forget_read(connection, was_read(connection, INDEX, "index"))
    assert not differs(connection, {sitemap})
    assert differs(connection, {sitemap}, named=("https://a.nl/other.xml",))


def test_hosts_without_differences_are_ended_together(connection: Connection) -> None:
    ids = [number(connection, f"{name}.nl") for name in "abc"]
    end_read(connection, ids[1], HARVESTED - 1, BEGUN - 1)
    end_reads(connection, ids[:2], HARVESTED, BEGUN)
    columns = hosts.c.complete_at, hosts.c.begun_at, hosts.c.complete, hosts.c.reads
    rows = connection.execute(select(*columns).order_by(hosts.c.id)).all()
    assert rows == [(HARVESTED, BEGUN, True, 1), (HARVESTED, BEGUN, True, 2), (None, None, False, None)]


def test_a_host_publishes_if_a_harvested_document_is_not_withdrawn(connection: Connection) -> None:
    names = ("published", "seen", "withdrawn", "empty")
    published, seen, withdrawn, empty = (number(connection, name) for name in names)
    harvest(connection, sitemap_of(connection, "published"), locs(2))
    see(connection, sitemap_of(connection, "seen"), ["https://a.nl/new.pdf"])
    (key,) = harvest(connection, sitemap_of(connection, "withdrawn"), ["https://a.nl/gone.pdf"])
    confirm_withdrawn(connection, {key: HARVESTED})
    assert hosts_with_published(connection, [published, seen, withdrawn, empty]) == {published}
    assert hosts_with_published(connection, [seen, withdrawn, empty]) == set()


def test_more_hosts_than_one_query_asks_for_are_compared(connection: Connection) -> None:
    connection.execute(hosts.insert(), [{"host": f"h{count}.nl"} for count in range(BATCH + 2)])
    last = number(connection, f"h{BATCH + 1}.nl")
    harvest(connection, sitemap_of(connection, f"h{BATCH + 1}.nl"), locs(1))
    ids = list(connection.execute(select(hosts.c.id)).scalars())
    reads = [CompleteRead(key, (), ()) for key in ids]
    assert hosts_with_differences(connection, reads) == hosts_with_published(connection, ids) == {last}
    end_reads(connection, ids, HARVESTED, BEGUN)
    assert set(connection.execute(select(hosts.c.complete)).scalars()) == {True}
