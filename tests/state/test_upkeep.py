from __future__ import annotations

from sqlalchemy import Connection, select

from tests.state.knowledge import (
    DAY,
    HARVESTED,
    harvest,
    list_in,
    locs,
    miss,
    read_before,
    see,
    sitemap_of,
)
from woo_harvester.state import schema
from woo_harvester.state.deliveries import Harvested, KnownFile
from woo_harvester.state.documents import confirm_harvested, confirm_withdrawn, look_up, move
from woo_harvester.state.listings import need
from woo_harvester.state.resources import gone_indexes, host_of_state, resource_of
from woo_harvester.state.sql import BATCH
from woo_harvester.state.upkeep import (
    HostSummary,
    confirm_withdrawals,
    forget_document,
    has_published_file,
    hosts_of_document,
    known_files,
    known_hosts,
    mark_document,
    mark_published,
    mark_withdrawn,
    summaries,
)


def remembered(connection: Connection) -> set[int]:
    """Return the sitemaps that need not be read in full."""
    table = schema.resources.c
    return set(connection.execute(select(table.id).where(table.digest.is_not(None))).scalars())


def marked(connection: Connection) -> list[str]:
    table = schema.documents.c
    return sorted(connection.execute(select(table.loc).where(table.again)).scalars())


def keep(connection: Connection, *digests: bytes | None) -> list[int]:
    """Add harvested documents with these files; return their ids."""
    sitemap = sitemap_of(connection)
    ids = see(connection, sitemap, locs(len(digests)))
    files = [KnownFile(sha256) if sha256 else None for sha256 in digests]
    made = (Harvested(key, 0, DAY, 0, sitemap, file=file) for key, file in zip(ids, files, strict=True))
    confirm_harvested(connection, made)
    return ids


def test_files_come_sorted_and_once_with_whether_a_document_needs_them(connection: Connection) -> None:
    keep(connection, None)
    assert (has_published_file(connection), list(known_files(connection, HARVESTED))) == (False, [])
    ids = keep(connection, *(bytes([number]) * 32 for number in (255, 1, 1, 2, 3)))
    moments = zip(ids[2:], (HARVESTED, HARVESTED, HARVESTED + 1), strict=True)
    confirm_withdrawn(connection, dict(moments))
    needed = [(sha256[0], needed) for sha256, needed in known_files(connection, HARVESTED)]
    assert needed == [(1, True), (2, False), (3, True), (255, True)]
    assert has_published_file(connection)


def test_a_summary_counts_all_sitemaps_of_a_host(connection: Connection) -> None:
    host_of_state(connection, "leeg.nl")
    elsewhere = sitemap_of(connection, "b.nl")
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = harvest(connection, one, locs(6))
    harvest(connection, two, ["https://a.nl/een.pdf"])
    list_in(connection, two, keys[:2])
    list_in(connection, elsewhere, keys[5:])  # so it is not pending
    (seen,) = see(connection, one, ["https://a.nl/gezien.pdf"])
    confirm_withdrawn(connection, {keys[4]: HARVESTED})
    miss(connection, {one: [*keys[:3], *keys[4:], seen], two: keys[:2]})
    assert list(summaries(connection)) == [
        HostSummary("a.nl", 6, 1, 3, False, HARVESTED),
        HostSummary("b.nl", 0, 0, 0, False, None),
        HostSummary("leeg.nl", 0, 0, 0, False, None),
    ]
    assert known_hosts(connection) == ["a.nl", "b.nl", "leeg.nl"]


def test_a_document_belongs_to_the_host_whose_entry_counts(connection: Connection) -> None:
    sitemap = sitemap_of(connection, "b.nl")
    (key,) = harvest(connection, sitemap, ["https://a.nl/d.pdf"])
    list_in(connection, sitemap_of(connection), [key])
    assert hosts_of_document(connection, "https://a.nl/d.pdf") == ["b.nl"]
    move(connection, [key], sitemap_of(connection))
    assert hosts_of_document(connection, "https://a.nl/d.pdf") == ["a.nl"]
    assert hosts_of_document(connection, "https://a.nl/x.pdf") == []


def test_a_forgotten_document_is_gone_and_its_sitemaps_are_read_in_full(connection: Connection) -> None:
    sitemap, theirs, other = (sitemap_of(connection, host) for host in ("a.nl", "b.nl", "c.nl"))
    keys = harvest(connection, sitemap, locs(2))
    list_in(connection, theirs, keys)
    read_before(connection, sitemap, theirs, other)
    forget_document(connection, "https://a.nl/x.pdf")
    assert remembered(connection) == {sitemap, theirs, other}
    forget_document(connection, locs(2)[0])
    assert look_up(connection, locs(2)).keys() == {locs(2)[1]}
    assert remembered(connection) == {other}
    left = connection.execute(select(schema.listings.c.document_id).distinct()).scalars().all()
    assert left == keys[1:]


def test_a_host_is_confirmed_until_another_withdrawal_is_pending(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(4))
    miss(connection, {sitemap: keys[:2]})
    confirm_withdrawals(connection, "a.nl")
    assert [(host.pending, host.confirmed) for host in summaries(connection)] == [(2, True)]
    miss(connection, {sitemap: keys[:3]})
    need(connection, host_of_state(connection, "a.nl").id, 3)
    assert [(host.pending, host.confirmed) for host in summaries(connection)] == [(3, False)]
    list_in(connection, sitemap, keys[:3])
    assert [(host.pending, host.confirmed) for host in summaries(connection)] == [(0, False)]


def test_a_confirmation_counts_what_its_host_may_lack_by_a_mistake(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys, host = harvest(connection, sitemap, locs(3)), host_of_state(connection, "a.nl").id
    for lacking, reads in ((keys[:1], 1), (keys[:2], 3)):
        miss(connection, {sitemap: lacking})
        need(connection, host, reads)
    assert confirm_withdrawals(connection, "a.nl") == 1, "the first waits for another host"
    assert [(host.pending, host.confirmed) for host in summaries(connection)] == [(2, False)]
    list_in(connection, sitemap, keys[:1])
    assert [(host.pending, host.confirmed) for host in summaries(connection)] == [(1, True)]
    for _ in range(3):
        miss(connection, {sitemap: keys[2:]})
        need(connection, host, 3)
    assert confirm_withdrawals(connection, "a.nl") == 1, "the third has been missed three times"


def test_a_document_of_the_host_is_restored_whoever_listed_it_last(connection: Connection) -> None:
    mine, theirs, third = (sitemap_of(connection, host) for host in ("a.nl", "b.nl", "c.nl"))
    host, url = host_of_state(connection, "a.nl").id, "https://a.nl/sitemapindex-diwoo.xml"
    index = resource_of(connection, host, url, "index").id
    on_host, elsewhere = "https://a.nl/d.pdf", "https://c.nl/d.pdf"
    keys = harvest(connection, theirs, [on_host, "https://a.nl.evil.nl/d.pdf", "https://axnl/d.pdf"])
    listed_last, _ = harvest(connection, mine, [elsewhere, *locs(1)])
    list_in(connection, theirs, [listed_last])
    assert [mark_withdrawn(connection, name) for name in ("a.nl", "onbekend.nl")] == [0, 0]
    confirm_withdrawn(connection, dict.fromkeys([*keys, listed_last], HARVESTED))
    read_before(connection, mine, theirs, third, index)
    assert mark_withdrawn(connection, "a.nl") == 2
    assert marked(connection) == [on_host, elsewhere]
    assert remembered(connection) == {third, index}, "the others are read in full"
    assert gone_indexes(connection, host, []) == [url], "the state still knows which indexes were read"


def test_more_than_a_batch_is_restored_completely(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(BATCH + 2))
    confirm_withdrawn(connection, dict.fromkeys(keys, HARVESTED))
    assert mark_withdrawn(connection, "a.nl") == BATCH + 2
    assert len(marked(connection)) == BATCH + 2


def test_published_documents_are_marked_to_come_again(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    one, gone = harvest(connection, sitemap, locs(2))
    see(connection, sitemap, ["https://a.nl/gezien.pdf"])
    list_in(connection, other, [one])
    confirm_withdrawn(connection, {gone: HARVESTED})
    for mark, what, count in (
        (mark_published, "b.nl", 0),
        (mark_document, locs(2)[1], 0),
        (mark_document, locs(1)[0], 1),
        (mark_published, "a.nl", 1),
    ):
        read_before(connection, sitemap, other)
        assert mark(connection, what) == count
        if count:
            assert (marked(connection), remembered(connection)) == (locs(1), set())
        else:
            assert marked(connection) == []
