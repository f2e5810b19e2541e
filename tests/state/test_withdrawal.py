"""Documents that all their hosts lack, and those of them whose withdrawal waits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, update

from tests.state.knowledge import BEGUN, HARVESTED, harvest, list_in, locs, miss, see, sitemap_of
from woo_harvester.state import listings
from woo_harvester.state.documents import confirm_withdrawn, move
from woo_harvester.state.listings import HostListing
from woo_harvester.state.resources import ReadCounts, begin_reads, forget_host, host_of_state
from woo_harvester.state.schema import resources
from woo_harvester.state.sql import BATCH
from woo_harvester.state.upkeep import confirm_withdrawals
from woo_harvester.state.withdrawal import (
    GoneIndex,
    Missing,
    Registration,
    WithdrawalLimits,
    exceeds_limits,
    listed_elsewhere,
    missing_documents,
    missing_everywhere,
    note_massive,
)

LIMITS = WithdrawalLimits()
LOC = "https://a.nl/d/0.pdf"


@pytest.mark.parametrize(
    ("count", "of", "expected"),
    [
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
        (1, 1, False),
        (60, 10, True),  # more than are published: some were withdrawn meanwhile
    ],
)
def test_more_than_a_fifth_and_fifty_or_all_of_ten_are_much(count: int, of: int, expected: bool) -> None:
    assert exceeds_limits(count, of, LIMITS) is expected


def test_the_limits_are_settings() -> None:
    strict = WithdrawalLimits(share=0.0, documents=0, all_of=1)
    assert exceeds_limits(1, 1000, strict)
    assert not exceeds_limits(900, 1000, WithdrawalLimits(share=0.9))
    assert not exceeds_limits(99, 100, WithdrawalLimits(documents=99))
    assert not exceeds_limits(40, 40, WithdrawalLimits(all_of=41))


@given(st.integers(1, 300), st.integers(0, 300))
def test_all_of_ten_or_more_always_exceed_the_limits_and_a_few_never_do(count: int, more: int) -> None:
    if count >= 10 and not more:
        assert exceeds_limits(count, count, LIMITS)
    if count <= 9 or (count <= 50 and more):
        assert not exceeds_limits(count, count + more, LIMITS)


def pending(connection: Connection, host: str = "a.nl") -> set[int]:
    """Return the documents that are marked after a read of a host, because much is gone from it."""
    key = host_of_state(connection, host).id
    note_massive(connection, key, LIMITS)
    rows = listings.known_by(connection, listings.missing(connection, key))
    return {row.document_id for row in rows if row.massive and row.host == host}


@pytest.mark.parametrize("count", [9, 10, 11, 12])
def test_what_is_missing_is_compared_with_what_the_host_published(connection: Connection, count: int) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(count))
    see(connection, sitemap, ["https://a.nl/gezien.pdf"])
    harvest(connection, sitemap_of(connection, "b.nl"), locs(3, "b.nl"))
    miss(connection, {sitemap: keys[:11]})
    assert pending(connection) == (set(keys) if count in (10, 11) else set())


def test_what_others_list_counts_too_since_they_may_stop_doing_so(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    keys = harvest(connection, here, locs(10))
    list_in(connection, there, keys[1:])
    miss(connection, {here: keys})
    assert pending(connection) == set(keys)
    assert [one.id for one in missing_of(connection)] == keys[:1]


def test_what_was_lacked_for_long_counts_no_more_and_confirmed_does(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(20))
    host = host_of_state(connection, "a.nl").id
    for _ in range(3):
        miss(connection, {sitemap: keys[:11]})
    assert listings.count_lacking(connection, host, 3) == 11
    miss(connection, {sitemap: keys[:11]})
    assert (
        listings.count_lacking(connection, host, 3),
        listings.count_listed_before(connection, host, 3),
    ) == (0, 9)
    miss(connection, {sitemap: keys[:19]})
    assert pending(connection) == set(), "8 of 9 are fewer than ten"
    miss(connection, {sitemap: [*keys[:11], *keys[19:]]})
    confirm_withdrawals(connection, "a.nl")
    for _ in range(3):
        miss(connection, {sitemap: keys})
        assert listings.count_lacking(connection, host, 3) == 20
    miss(connection, {sitemap: keys})
    assert listings.count_lacking(connection, host, 3) == 0


def test_the_mark_of_a_document_stays_until_it_was_listed_three_times(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(10))
    miss(connection, {sitemap: keys})
    assert pending(connection) == set(keys)
    listings.listed_again(connection, sitemap, keys[:5])
    miss(connection, {sitemap: keys[5:]})
    assert pending(connection) == set(keys[5:])
    listings.all_listed_again(connection, sitemap)
    miss(connection, {sitemap: keys[8:]})
    assert pending(connection) == {*keys[8:]}
    miss(connection, {sitemap: keys[8:]})
    miss(connection, {sitemap: keys[7:]})
    assert pending(connection) == {*keys[7:]}, "listed for two reads"
    miss(connection, {sitemap: keys[6:]})
    assert pending(connection) == {*keys[7:]}, "listed for three"


def on(host: str, misses: int, *, complete: bool = True, massive: bool = False) -> HostListing:
    """Return the listing of the document on a host."""
    return HostListing(1, LOC, host, 1, misses, complete, massive, missing_since=BEGUN if misses else None)


def registered(host: str) -> bool:
    return host not in {"weg.nl", "zoek.nl"}


#: Each of these hosts was read completely so often since the register lacks the host.
REGISTRATION = Registration(
    registered,
    ReadCounts({"a.nl": 9, "b.nl": 9}, {"weg.nl": {"a.nl": 6, "b.nl": 6}, "zoek.nl": {"a.nl": 7, "b.nl": 6}}),
)


def outcome(*rows: HostListing, limits: WithdrawalLimits = LIMITS) -> tuple[int, bool] | None:
    """Return how many reads lacked the document and whether it waits; None if a host may still list it."""
    found = missing_everywhere(rows, REGISTRATION, limits)
    return None if found is None or not found.is_gone else (found.misses, bool(found.massive))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([on("a.nl", 1)], (1, False)),
        ([on("a.nl", 0)], None),
        ([on("a.nl", 1, complete=False)], None),
        # Every host that listed it must have been read completely, and lack it.
        ([on("a.nl", 5), on("b.nl", 0)], None),
        ([on("a.nl", 5), on("b.nl", 1, complete=False)], None),
        ([on("a.nl", 5), on("b.nl", 2)], (2, False)),
        # Two sitemaps of one host.
        ([on("a.nl", 5), on("a.nl", 0)], None),
        ([on("a.nl", 5), on("a.nl", 1)], (1, False)),
        # A host that left the register does not count, whatever it listed.
        ([on("a.nl", 1), on("weg.nl", 0)], (1, False)),
        ([on("a.nl", 4), on("weg.nl", 1, complete=False, massive=True)], (4, False)),
        ([on("a.nl", 0), on("weg.nl", 9)], None),
        ([on("weg.nl", 9)], None),
        # Unless it left no longer than two complete reads ago of a host that lacks the document.
        ([on("a.nl", 9), on("zoek.nl", 0)], None),
        ([on("a.nl", 9), on("zoek.nl", 9)], None),
        ([on("b.nl", 1), on("zoek.nl", 0)], (1, False)),
        ([on("b.nl", 1), on("a.nl", 1), on("zoek.nl", 0)], None),
        ([on("a.nl", listings.CONFIRMED), on("zoek.nl", 0)], (listings.CONFIRMED, False)),
    ],
)
def test_a_document_is_gone_when_each_host_that_listed_it_was_read_and_lacks_it(
    rows: list[HostListing], expected: tuple[int, bool] | None
) -> None:
    assert outcome(*rows) == expected
    assert outcome(*reversed(rows)) == expected


def test_a_withdrawal_waits_for_the_third_complete_read_if_much_is_gone() -> None:
    waits = [outcome(on("a.nl", count, massive=True)) for count in range(1, 5)]
    assert waits == [(1, True), (2, True), (3, False), (4, False)]
    assert outcome(on("a.nl", listings.CONFIRMED, massive=True)) == (listings.CONFIRMED, False)
    assert outcome(on("a.nl", 1, massive=True), limits=WithdrawalLimits(runs=1)) == (1, False)


def test_a_withdrawal_waits_if_much_is_gone_from_one_of_the_hosts() -> None:
    assert outcome(on("a.nl", 9), on("b.nl", 1, massive=True)) == (1, True)
    assert outcome(on("a.nl", 1), on("b.nl", 9, massive=True)) == (1, False)
    both = missing_everywhere(
        [on("a.nl", 1, massive=True), on("b.nl", 1, massive=True)], REGISTRATION, LIMITS
    )
    assert both is not None
    assert both.massive == {"a.nl", "b.nl"}


def on_gone_index(host: str, misses: int, *, massive: bool = False) -> HostListing:
    """Return the listing of the document in a sitemap whose index is no longer named."""
    return on(host, misses, massive=massive)._replace(index_gone=f"https://{host}/i.xml")


def test_a_withdrawal_waits_for_the_third_complete_read_if_its_index_is_no_longer_named() -> None:
    rows = [[on_gone_index("a.nl", count)] for count in range(1, 5)]
    found = [missing_everywhere(each, REGISTRATION, LIMITS) for each in rows]
    assert [one and one.waits_for_index for one in found] == [True, True, False, False]
    assert {one and one.indexes for one in found} == {frozenset({GoneIndex("a.nl", "https://a.nl/i.xml")})}


def test_a_withdrawal_waits_for_the_index_of_any_registered_host_that_listed_it() -> None:
    def waits(*rows: HostListing) -> bool | None:
        found = missing_everywhere(rows, REGISTRATION, LIMITS)
        return None if found is None else found.waits_for_index

    assert waits(on("a.nl", 9), on_gone_index("b.nl", 1)) is True
    assert waits(on("a.nl", 1), on_gone_index("b.nl", 3)) is False
    assert waits(on("a.nl", 1), on_gone_index("weg.nl", 1)) is False
    assert waits(on("a.nl", 0), on_gone_index("b.nl", 1)) is None


def test_what_waits_for_an_index_does_not_also_wait_because_much_is_gone() -> None:
    assert outcome(on_gone_index("a.nl", 1, massive=True)) == (1, False)
    assert outcome(on_gone_index("a.nl", 1, massive=True), on("b.nl", 1, massive=True)) == (1, True)


def test_documents_of_an_index_that_is_not_named_are_part_of_what_is_gone(connection: Connection) -> None:
    named, gone = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = harvest(connection, named, locs(12))
    others = harvest(connection, gone, [f"https://a.nl/weg/{number}.pdf" for number in range(48)])
    connection.execute(update(resources).where(resources.c.id == gone).values(index_gone=True))
    miss(connection, {named: keys[:2]})
    assert pending(connection) == set()
    miss(connection, {named: keys[:3]})
    assert pending(connection) == {*keys[:3], *others}


def missing_of(
    connection: Connection, host: str = "a.nl", limits: WithdrawalLimits = LIMITS
) -> list[Missing]:
    key = host_of_state(connection, host).id
    return list(missing_documents(connection, key, REGISTRATION, limits))


def test_a_document_that_a_complete_read_lacks_is_missing(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    one, two, withdrawn = harvest(connection, sitemap, locs(3))
    (seen,) = see(connection, sitemap, ["https://a.nl/gezien.pdf"])
    assert missing_of(connection) == []
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    miss(connection, {sitemap: [two, withdrawn, seen]})
    assert missing_of(connection) == [
        Missing(two, locs(2)[1], 1, massive=frozenset(), since=BEGUN, hosts=frozenset({"a.nl"})),
        Missing(seen, "https://a.nl/gezien.pdf", 1, frozenset(), BEGUN, frozenset({"a.nl"})),
    ]
    miss(connection, {sitemap: [one, two, seen]})
    assert [(each.id, each.misses) for each in missing_of(connection)] == [(one, 1), (two, 2), (seen, 2)]


def test_four_sitemaps_that_are_empty_in_turn_never_cost_a_document(connection: Connection) -> None:
    """The 60 documents that were missing only on the third day were once withdrawn."""
    sitemaps = [sitemap_of(connection, name=f"s{number}.xml") for number in range(4)]
    names = locs(240)
    lists = {
        sitemap: harvest(connection, sitemap, names[60 * place : 60 * place + 60])
        for place, sitemap in enumerate(sitemaps)
    }
    host = host_of_state(connection, "a.nl").id
    for day in range(9):
        empty = sitemaps[day % 4]
        for sitemap in sitemaps:
            if sitemap != empty:
                listings.all_listed_again(connection, sitemap)
        miss(connection, {sitemap: lists[sitemap] if sitemap == empty else [] for sitemap in sitemaps})
        note_massive(connection, host, LIMITS)
        assert [each.massive for each in missing_of(connection)] == [{"a.nl"}] * 60
    for _ in range(2):
        miss(connection, {sitemap: lists[sitemap] if sitemap == empty else [] for sitemap in sitemaps})
    assert [(each.misses, each.massive) for each in missing_of(connection)] == [(3, frozenset())] * 60


def test_what_one_host_drops_and_another_lists_is_missing_from_neither(connection: Connection) -> None:
    """A hostile host lists the documents of another host and then drops them."""
    victim, hostile = sitemap_of(connection, "a.nl"), sitemap_of(connection, "b.nl")
    keys = harvest(connection, victim, locs(3))
    list_in(connection, hostile, keys)
    move(connection, keys, hostile)
    miss(connection, {hostile: keys}, "b.nl")
    assert missing_of(connection, "b.nl") == missing_of(connection) == []
    miss(connection, {victim: keys[:1]})
    for host in ("a.nl", "b.nl"):
        assert [each.id for each in missing_of(connection, host)] == keys[:1]


def test_what_one_host_drops_waits_until_the_other_can_be_read(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (key,) = harvest(connection, one, locs(1))
    list_in(connection, two, [key])
    miss(connection, {two: [key]}, "b.nl")
    begin_reads(connection, [host_of_state(connection, "b.nl").id])
    miss(connection, {one: [key]})
    assert [(each.unread, each.is_gone) for each in missing_of(connection)] == [(frozenset({"b.nl"}), False)]
    miss(connection, {two: [key]}, "b.nl")
    assert [(each.id, each.is_gone) for each in missing_of(connection)] == [(key, True)]


def test_a_host_that_left_the_register_or_was_forgotten_no_longer_counts(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    one, two = harvest(connection, sitemap, locs(2))
    list_in(connection, sitemap_of(connection, "weg.nl"), [one])
    list_in(connection, sitemap_of(connection, "b.nl"), [two])
    miss(connection, {sitemap: [one, two]})
    assert [each.id for each in missing_of(connection)] == [one]
    forget_host(connection, "b.nl")
    assert [each.id for each in missing_of(connection)] == [one, two]


def test_documents_in_more_than_one_batch_are_each_missing_once(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = sorted(harvest(connection, one, locs(BATCH + 2)))
    list_in(connection, two, keys)
    miss(connection, {one: keys, two: keys})
    assert [each.id for each in missing_of(connection)] == keys


def test_a_host_that_long_lacked_a_document_counts_no_more(connection: Connection) -> None:
    here, there = sitemap_of(connection, "b.nl"), sitemap_of(connection, "weg.nl")
    both, only, recent = harvest(connection, here, locs(3))
    list_in(connection, there, [both, recent])
    host = host_of_state(connection, "b.nl").id
    for lacking in ([both, only], [both, only], [both, only, recent]):
        assert listed_elsewhere(connection, host, lambda host: True, LIMITS) == []
        miss(connection, {here: lacking}, "b.nl")
    assert listed_elsewhere(connection, host, lambda host: True, LIMITS) == [both]
    assert listed_elsewhere(connection, host, registered, LIMITS) == []
    listings.drop(connection, host, [both])
    assert [row.host for row in listings.known_by(connection, [both])] == ["weg.nl"]
    assert listings.ids_of(connection, here) == [only, recent]


def test_the_host_of_the_loc_always_counts(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    keys = harvest(connection, here, locs(1))
    list_in(connection, there, keys)
    for _ in range(5):
        miss(connection, {here: keys})
    assert listed_elsewhere(connection, host_of_state(connection, "a.nl").id, registered, LIMITS) == []
