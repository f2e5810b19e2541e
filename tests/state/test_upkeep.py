from __future__ import annotations

from sqlalchemy import Connection, select

from tests.state.knowledge import BEGUN, HARVESTED, harvest, list_in, locs, miss, see, sitemap_of
from woo_harvester.state import schema
from woo_harvester.state.documents import confirm_withdrawn, look_up, move
from woo_harvester.state.listings import CONFIRMED, listed_again
from woo_harvester.state.resources import end_read, host_of_state, keep_read, note_named_indexes, resource_of
from woo_harvester.state.sql import BATCH
from woo_harvester.state.upkeep import (
    HostSummary,
    confirm_withdrawals,
    forget_document,
    host_of_document,
    known_hosts,
    restore,
    summaries,
)


def remember(connection: Connection, *sitemaps: int) -> None:
    """Note a complete read of sitemaps."""
    for sitemap in sitemaps:
        keep_read(connection, sitemap, etag='"e"', last_modified=None, digest=b"d", at=HARVESTED)


def remembered(connection: Connection) -> set[int]:
    """Return the sitemaps that need not be read in full."""
    table = schema.resources.c
    return set(connection.execute(select(table.id).where(table.digest.is_not(None))).scalars())


def to_restore(connection: Connection) -> list[str]:
    table = schema.documents.c
    return sorted(connection.execute(select(table.loc).where(table.restore)).scalars())


def test_a_summary_counts_all_sitemaps_of_a_host(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = harvest(connection, one, locs(5))
    harvest(connection, two, ["https://a.nl/een.pdf"])
    list_in(connection, two, keys[:2])
    (seen,) = see(connection, one, ["https://a.nl/gezien.pdf"])
    confirm_withdrawn(connection, {keys[4]: HARVESTED})
    miss(connection, {one: [*keys[:3], keys[4], seen], two: keys[:2]})
    assert list(summaries(connection)) == [HostSummary("a.nl", 5, 1, 3, False, HARVESTED)]


def test_a_document_that_another_host_lists_is_not_pending(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    one, two = harvest(connection, here, locs(2))
    list_in(connection, there, [one])
    miss(connection, {here: [one, two]})
    assert [(host.host, host.pending) for host in summaries(connection)] == [("a.nl", 1), ("b.nl", 0)]


def test_hosts_come_sorted_and_those_without_documents_too(connection: Connection) -> None:
    host_of_state(connection, "leeg.nl")
    harvest(connection, sitemap_of(connection, "b.nl"), locs(1, "b.nl"))
    host_of_state(connection, "a.nl")
    assert [(one.host, one.documents) for one in summaries(connection)] == [
        ("a.nl", 0),
        ("b.nl", 1),
        ("leeg.nl", 0),
    ]
    assert known_hosts(connection) == ["a.nl", "b.nl", "leeg.nl"]


def test_a_document_belongs_to_the_host_whose_entry_counts(connection: Connection) -> None:
    sitemap = sitemap_of(connection, "b.nl")
    (key,) = harvest(connection, sitemap, ["https://a.nl/d.pdf"])
    list_in(connection, sitemap_of(connection), [key])
    assert host_of_document(connection, "https://a.nl/d.pdf") == "b.nl"
    move(connection, [key], sitemap_of(connection))
    assert host_of_document(connection, "https://a.nl/d.pdf") == "a.nl"
    assert host_of_document(connection, "https://a.nl/x.pdf") is None


def test_a_forgotten_document_is_gone_and_all_its_sitemaps_are_read_in_full(
    connection: Connection,
) -> None:
    sitemap, theirs, other = (
        sitemap_of(connection),
        sitemap_of(connection, "b.nl"),
        sitemap_of(connection, "c.nl"),
    )
    keys = harvest(connection, sitemap, locs(2))
    list_in(connection, theirs, keys)
    remember(connection, sitemap, theirs, other)
    forget_document(connection, locs(2)[0])
    assert look_up(connection, locs(2)).keys() == {locs(2)[1]}
    host, index = host_of_state(connection, "a.nl").id, "https://a.nl/sitemapindex-diwoo.xml"
    assert resource_of(connection, host, "https://a.nl/s0.xml", "sitemap", index).digest is None
    assert remembered(connection) == {other}
    left = connection.execute(select(schema.listings.c.document_id).distinct()).scalars().all()
    assert left == keys[1:]


def test_forgetting_a_document_that_is_not_known_does_nothing(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(1))
    forget_document(connection, "https://a.nl/x.pdf")
    assert len(look_up(connection, locs(1))) == 1


def test_only_pending_withdrawals_can_be_confirmed(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(3))
    assert confirm_withdrawals(connection, "a.nl") == 0
    assert confirm_withdrawals(connection, "b.nl") == 0
    miss(connection, {sitemap: keys[:2]})
    assert confirm_withdrawals(connection, "a.nl") == 2
    table = schema.listings.c
    found = connection.execute(select(table.misses).order_by(table.document_id)).scalars().all()
    assert found == [CONFIRMED, CONFIRMED, 0]


def test_a_host_is_confirmed_until_another_withdrawal_is_pending(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(4))
    miss(connection, {sitemap: keys[:2]})
    confirm_withdrawals(connection, "a.nl")
    assert [(host.pending, host.confirmed) for host in summaries(connection)] == [(2, True)]
    miss(connection, {sitemap: keys[:3]})
    assert [(host.pending, host.confirmed) for host in summaries(connection)] == [(3, False)]
    listed_again(connection, sitemap, keys[:3])
    assert [(host.pending, host.confirmed) for host in summaries(connection)] == [(0, False)]


def test_a_confirmation_does_not_cover_a_document_that_another_host_lists(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (key,) = harvest(connection, here, locs(1))
    list_in(connection, there, [key])
    miss(connection, {here: [key]})
    assert confirm_withdrawals(connection, "a.nl") == 0


def test_withdrawn_documents_of_a_host_are_restored_and_its_sitemaps_are_read_in_full(
    connection: Connection,
) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    withdrawn, _ = harvest(connection, sitemap, locs(2))
    (theirs,) = harvest(connection, other, locs(1, "b.nl"))
    confirm_withdrawn(connection, dict.fromkeys((withdrawn, theirs), HARVESTED))
    remember(connection, sitemap, other)
    assert restore(connection, "a.nl") == 1
    assert to_restore(connection) == locs(1)
    assert remembered(connection) == {other}


def test_a_document_on_the_host_is_restored_whoever_listed_it_last(connection: Connection) -> None:
    mine, theirs = sitemap_of(connection), sitemap_of(connection, "b.nl")
    host_loc, other_loc = "https://a.nl/d.pdf", "https://c.nl/d.pdf"
    like = ["https://a.nl.evil.nl/d.pdf", "https://axnl/d.pdf"]
    keys = harvest(connection, theirs, [host_loc, *like])
    (listed_last,) = harvest(connection, mine, [other_loc])
    list_in(connection, theirs, [listed_last])
    confirm_withdrawn(connection, dict.fromkeys([*keys, listed_last], HARVESTED))
    remember(connection, mine, theirs)
    assert restore(connection, "a.nl") == 2
    assert to_restore(connection) == [host_loc, other_loc]
    assert remembered(connection) == set()


def test_a_host_without_withdrawn_documents_has_none_to_restore(connection: Connection) -> None:
    harvest(connection, sitemap_of(connection), locs(1))
    assert restore(connection, "a.nl") == 0
    assert restore(connection, "onbekend.nl") == 0
    assert to_restore(connection) == []


def test_the_state_still_knows_which_indexes_of_a_restored_host_were_read(connection: Connection) -> None:
    sitemap_of(connection)
    host, url = host_of_state(connection, "a.nl").id, "https://a.nl/sitemapindex-diwoo.xml"
    index = resource_of(connection, host, url, "index").id
    remember(connection, index)
    restore(connection, "a.nl")
    assert note_named_indexes(connection, host, []) == [url]


def test_more_than_a_batch_is_restored_completely(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(BATCH + 2))
    confirm_withdrawn(connection, dict.fromkeys(keys, HARVESTED))
    end_read(connection, host_of_state(connection, "a.nl").id, HARVESTED, BEGUN)
    assert restore(connection, "a.nl") == BATCH + 2
    assert len(to_restore(connection)) == BATCH + 2
