"""Documents that all their hosts lack, those whose withdrawal waits, and hosts of which nothing is gone."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, select

from tests.state.knowledge import (
    BEGUN,
    HARVESTED,
    harvest,
    list_in,
    locs,
    miss,
    read_before,
    see,
    sitemap_of,
)
from woo_harvester.state import listings
from woo_harvester.state.documents import confirm_withdrawn
from woo_harvester.state.resources import (
    ResourceKind,
    forget_host,
    host_of_state,
    note_unregistered,
    resource_of,
)
from woo_harvester.state.schema import hosts
from woo_harvester.state.sql import BATCH
from woo_harvester.state.upkeep import confirm_withdrawals
from woo_harvester.state.withdrawal import (
    CompleteRead,
    Gone,
    Missing,
    PendingAt,
    UnregisteredHost,
    WithdrawalLimits,
    end_reads,
    exceeds_limits,
    gone_documents,
    hosts_with_differences,
    hosts_with_published,
    missing_documents,
    unregistered_hosts,
)

INDEX = "https://a.nl/sitemapindex-diwoo.xml"
#: How many are gone, of how many, and whether that is much at once, by default.
MUCH = [
    (0, 100, False),
    (50, 60, False),  # not more than 50
    (51, 255, False),  # 20%, which is not more than 20%
    (51, 254, True),
    (200, 1000, False),
    (201, 1000, True),
    (9, 9, False),  # all, but of fewer than ten
    (10, 10, True),
    (50, 50, True),
    (9, 10, False),
    (60, 10, True),  # more than are published: some were withdrawn meanwhile
]


def test_more_than_a_fifth_and_fifty_or_all_of_ten_are_much() -> None:
    for count, of, expected in MUCH:
        assert exceeds_limits(count, of, WithdrawalLimits()) is expected, (count, of)
    assert exceeds_limits(1, 1000, WithdrawalLimits(share=0.0, documents=0, all_of=1))
    assert not exceeds_limits(900, 1000, WithdrawalLimits(share=0.9))
    assert not exceeds_limits(99, 100, WithdrawalLimits(documents=99))
    assert not exceeds_limits(40, 40, WithdrawalLimits(all_of=41))


def number(connection: Connection, host: str = "a.nl") -> int:
    return host_of_state(connection, host).id


def lost(connection: Connection, lacking: dict[int, list[int]], needed: int = 1, host: str = "a.nl") -> None:
    """Have a complete read of a host lack documents, of which so many reads are needed."""
    miss(connection, lacking, host)
    listings.need(connection, number(connection, host), needed)


def missing_of(connection: Connection, host: str = "a.nl") -> list[Missing]:
    return list(missing_documents(connection, number(connection, host)))


def test_a_document_that_a_complete_read_lacks_is_missing(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    one, two, withdrawn = harvest(connection, sitemap, locs(3))
    (seen,) = see(connection, sitemap, ["https://a.nl/gezien.pdf"])
    assert missing_of(connection) == []
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    lost(connection, {sitemap: [two, withdrawn, seen]})
    a = frozenset({"a.nl"})
    assert missing_of(connection) == [
        Missing(two, locs(2)[1], True, 1, BEGUN, a, ()),
        Missing(seen, "https://a.nl/gezien.pdf", False, 1, BEGUN, a, ()),
    ]
    lost(connection, {sitemap: [one, two, seen]})
    assert [(each.id, each.misses) for each in missing_of(connection)] == [(one, 1), (two, 2), (seen, 2)]


#: For the row of a document on a.nl and that on b.nl: its misses (0: listed) and the reads it needs. Then the
#: hosts that it waits for, or None if it is not missing; and its misses.
ROWS: list[tuple[tuple[int, int], tuple[int, int], set[str] | None, int]] = [
    ((1, 1), (0, 1), None, 0),
    ((9, 1), (0, 1), None, 0),
    ((1, 1), (1, 1), set(), 1),
    ((3, 1), (2, 1), set(), 2),
    ((1, 3), (1, 1), {"a.nl"}, 1),
    ((1, 3), (2, 3), {"a.nl", "b.nl"}, 1),
    ((3, 3), (2, 3), {"b.nl"}, 2),
    ((3, 3), (4, 3), set(), 3),
]


def test_a_document_is_gone_when_each_row_has_as_many_misses_as_it_needs(connection: Connection) -> None:
    for at, (here, there, waits, count) in enumerate(ROWS):
        sitemaps = {host: sitemap_of(connection, host, f"s{at}.xml") for host in ("a.nl", "b.nl")}
        (key,) = harvest(connection, sitemaps["a.nl"], [f"https://a.nl/{at}.pdf"])
        list_in(connection, sitemaps["b.nl"], [key])
        for (host, sitemap), (misses, needed) in zip(sitemaps.items(), (here, there), strict=True):
            for _ in range(misses):
                listings.missed(connection, number(connection, host), range(1000), {sitemap: [key]}, BEGUN)
            listings.need(connection, number(connection, host), needed)
        pending = [PendingAt(name, f"https://{name}/sitemapindex-diwoo.xml") for name in sorted(waits or ())]
        for host in sitemaps:
            found = {one.id: (list(one.pending), one.misses) for one in missing_of(connection, host)}
            assert found.get(key) == (None if waits is None else (pending, count)), at
    forget_host(connection, "b.nl")
    assert len(missing_of(connection)) == len(ROWS), "a host that was forgotten holds nothing back"


def test_documents_in_more_than_one_batch_are_each_missing_once(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = sorted(harvest(connection, one, locs(BATCH + 2)))
    list_in(connection, two, keys)
    miss(connection, {one: keys, two: keys})
    assert [each.id for each in missing_of(connection)] == keys
    found = gone_documents(connection, keys, number(connection))
    assert sorted(one_gone.id for one_gone in found) == keys


def test_a_withdrawal_comes_once_with_a_sitemap_of_the_host_that_is_asked_for(connection: Connection) -> None:
    loc = locs(1)[0]
    (key,) = harvest(connection, sitemap_of(connection), [loc])
    list_in(connection, sitemap_of(connection, name="s1.xml"), [key], misses=1)
    list_in(connection, sitemap_of(connection, "b.nl"), [key], misses=1)
    for host in ("a.nl", "b.nl"):
        index = f"https://{host}/sitemapindex-diwoo.xml"
        gone = Gone(key, loc, "2024-04-02", HARVESTED, f"https://{host}/s0.xml", index)
        assert list(gone_documents(connection, [key], number(connection, host))) == [gone]
    assert list(gone_documents(connection, [key], number(connection, "c.nl"))) == []


def test_what_a_host_lists_that_the_register_lacks_stays_until_it_is_confirmed(
    connection: Connection,
) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    one, two = harvest(connection, here, locs(2))
    list_in(connection, there, [two])
    read_before(connection, here)
    assert unregistered_hosts(connection) == []
    note_unregistered(connection, {"b.nl"}.__contains__)
    assert unregistered_hosts(connection) == [UnregisteredHost(number(connection), "a.nl", 2)]
    assert confirm_withdrawals(connection, "a.nl") == 1, "b.nl lists the other one"
    assert unregistered_hosts(connection) == [UnregisteredHost(number(connection), "a.nl", 0)]
    assert [(each.id, each.pending, each.since) for each in missing_of(connection)] == [(one, (), 0)]
    assert resource_of(connection, number(connection), "https://a.nl/s0.xml", "sitemap").digest is None
    note_unregistered(connection, {"a.nl", "b.nl"}.__contains__)
    assert unregistered_hosts(connection) == []


def differs(connection: Connection, read: set[int], named: tuple[str, ...] = (INDEX,)) -> bool:
    """Return whether the state has something that a complete read of the host did not find."""
    reads = [CompleteRead(number(connection), named, read), CompleteRead(number(connection, "b.nl"), (), ())]
    return hosts_with_differences(connection, reads) == {number(connection)}


def was_read(connection: Connection, url: str, kind: ResourceKind = "sitemap") -> int:
    """Note that a file was read; return its number."""
    index = INDEX if kind == "sitemap" else None
    key = resource_of(connection, number(connection), url, kind, index).id
    read_before(connection, key)
    return key


def usual_host(connection: Connection) -> int:
    """Add a host of which all was read before; return the number of its sitemap."""
    was_read(connection, "https://a.nl/robots.txt", "robots")
    was_read(connection, INDEX, "index")
    sitemap = was_read(connection, "https://a.nl/s0.xml")
    harvest(connection, sitemap, locs(2))
    return sitemap


def test_a_host_that_lists_what_it_listed_before_has_no_differences(connection: Connection) -> None:
    sitemap = usual_host(connection)
    new = sitemap_of(connection, name="s1.xml")
    see(connection, new, ["https://a.nl/new.pdf"])
    assert not differs(connection, {sitemap, new})
    assert differs(connection, {sitemap, new}, named=("https://a.nl/other.xml",))


#: What is done with a host and its sitemap, so that the state has something that a read does not find.
CHANGES: dict[str, Callable[[Connection, int], object]] = {
    "a document is missing": lambda connection, sitemap: list_in(
        connection, sitemap, harvest(connection, sitemap, ["https://a.nl/gone.pdf"]), 1
    ),
    "a sitemap with documents is not named": lambda connection, _: see(
        connection, sitemap_of(connection, name="gone.xml"), ["https://a.nl/x"]
    ),
    "a sitemap that was read is not named": lambda connection, _: was_read(
        connection, "https://a.nl/empty.xml"
    ),
    "an index that was read is not named": lambda connection, _: was_read(
        connection, "https://a.nl/sitemapindex-diwoo-infocat002.xml", "index"
    ),
}


def test_a_host_has_differences_if(connection: Connection) -> None:
    for case, change in CHANGES.items():
        undo = connection.begin_nested()
        sitemap = usual_host(connection)
        change(connection, sitemap)
        assert differs(connection, {sitemap}), case
        undo.rollback()


def test_more_hosts_than_one_query_asks_for_are_compared_and_ended(connection: Connection) -> None:
    connection.execute(hosts.insert(), [{"host": f"h{count}.nl"} for count in range(BATCH + 2)])
    last = number(connection, f"h{BATCH + 1}.nl")
    harvest(connection, sitemap_of(connection, f"h{BATCH + 1}.nl"), locs(1))
    see(connection, sitemap_of(connection, "h1.nl"), ["https://a.nl/new.pdf"])
    (key,) = harvest(connection, sitemap_of(connection, "h2.nl"), ["https://a.nl/gone.pdf"])
    confirm_withdrawn(connection, {key: HARVESTED})
    ids = list(connection.execute(select(hosts.c.id)).scalars())
    reads = [CompleteRead(one, (), ()) for one in ids]
    listing = {number(connection, "h1.nl"), number(connection, "h2.nl"), last}
    assert hosts_with_differences(connection, reads) == listing
    assert hosts_with_published(connection, ids) == {last}
    end_reads(connection, ids, HARVESTED, BEGUN)
    assert set(connection.execute(select(hosts.c.complete, hosts.c.begun_at))) == {(True, BEGUN)}
