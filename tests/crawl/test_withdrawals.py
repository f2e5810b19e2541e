"""What is gone is withdrawn in time, and no mistake of a publisher withdraws anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.crawl.towns import INDEX, LIMITS, SECOND, Day, Towns, pdfs
from woo_harvester.state import NOWHERE
from woo_harvester.state.resources import forget_host
from woo_harvester.state.store import State

A, B = "a.nl", "b.nl"


@pytest.fixture(params=["sqlite-together", "sqlite-apart", "postgresql-apart"])
def towns(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Towns]:
    """Yield towns that are harvested in one run or in a run each, with a state in either database."""
    database, _, runs = str(request.param).partition("-")
    url = NOWHERE if database == "sqlite" else str(request.getfixturevalue("emptied_postgresql"))
    state = State.open(url)
    yield Towns(state, tmp_path, apart=runs == "apart")
    state.close()


Numbers = Sequence[int]
NOTHING: Numbers = ()
#: What a host lists on its first day, and on each later day with what is withdrawn then. Much at once is more
#: than three documents and more than a fifth of them, or all of five: it waits for the third complete read.
STORIES: dict[str, tuple[Numbers, list[tuple[Numbers, Numbers]]]] = {
    "one is withdrawn at once, and once": (range(2), [(range(1), [1]), (range(1), NOTHING)]),
    "three of four are not much": (range(4), [(range(3, 4), range(3)), (range(3, 4), NOTHING)]),
    "all of four are much": (range(4), [*[(NOTHING, NOTHING)] * 2, (NOTHING, range(4))]),
    "a fifth is not much": (range(20), [(range(4, 20), range(4))]),
    "more than a fifth is": (range(19), [*[(range(4, 19), NOTHING)] * 2, (range(4, 19), range(4))]),
    "each document waits for itself": (
        range(20),
        [
            *((range(8, 20), NOTHING), (range(12, 20), NOTHING), (range(13, 20), range(8))),
            *((range(13, 20), range(8, 12)), (range(13, 20), [12]), (range(13, 20), NOTHING)),
        ],
    ),
    "half a repair releases nothing": (
        range(20),
        [(range(8, 20), NOTHING), *[(range(2, 20), NOTHING)], (range(2, 20), range(2))],
    ),
    "what is back and missing again counts anew": (
        range(8),
        [(NOTHING, NOTHING), (range(8), NOTHING), *[(NOTHING, NOTHING)] * 2, (NOTHING, range(8))],
    ),
}


@pytest.mark.parametrize(("first", "later"), STORIES.values(), ids=STORIES)
def test_what_is_gone_is_withdrawn_in_time(
    towns: Towns, first: Numbers, later: list[tuple[Numbers, Numbers]]
) -> None:
    towns.publish(A, *pdfs(A, *first))
    assert towns.day() == Day()
    for number, (listed, withdrawn) in enumerate(later):
        towns.publish(A, *pdfs(A, *listed))
        assert towns.day().withdrawn == {*pdfs(A, *withdrawn)}, number


def test_all_of_five_wait_whatever_the_share(towns: Towns) -> None:
    towns.limits = replace(LIMITS, share=1.0)
    for host, count in ((A, 4), (B, 5)):
        towns.publish(host, *pdfs(host, *range(count)))
    towns.day()
    towns.publish(A)
    towns.publish(B)
    assert towns.days(3) == [{*pdfs(A, *range(4))}, set(), {*pdfs(B, *range(5))}]


def dropped_by_its_own_host(towns: Towns) -> set[str]:
    """Have b.nl drop six documents that a.nl goes on listing, for three days; return them."""
    six = pdfs(B, *range(6))
    towns.publish(A, *six, *pdfs(A, 1, 2))
    towns.publish(B, *six, *pdfs(B, *range(6, 30)))
    towns.day()
    towns.publish(B, *pdfs(B, *range(6, 30)))
    assert towns.days(3) == [set()] * 3
    return set(six)


def test_what_another_host_loses_at_once_waits_though_its_own_host_dropped_it_long_ago(towns: Towns) -> None:
    six = dropped_by_its_own_host(towns)
    towns.unreadable = {B}
    assert towns.day(B).withdrawn == set()
    towns.unreadable = set()
    towns.publish(A, *pdfs(A, 1, 2))
    first = towns.day(A)
    assert (first.withdrawn, {line["url"] for line in first.pending}) == (set(), six)
    assert first.seen("intrekking.massaal") == [(A, "6 van 8 documenten")]
    assert [towns.day(host).withdrawn for host in (B, A, B, A)] == [set(), set(), set(), six]


def test_a_mistake_that_is_repaired_was_never_a_withdrawal(towns: Towns) -> None:
    dropped_by_its_own_host(towns)
    towns.unreadable = {B}
    towns.publish(A, *pdfs(A, 1, 2))
    towns.day()
    towns.unreadable = set()
    towns.publish(A, *pdfs(B, *range(6)), *pdfs(A, 1, 2))
    day = towns.day()
    assert (day.withdrawn, day.seen("intrekking.massaal"), day.pending) == (set(), [], [])


def test_the_host_that_lost_much_is_named_and_not_the_one_that_did_not(towns: Towns) -> None:
    six = pdfs(B, *range(6))
    towns.publish(A, *six, *pdfs(A, 1))
    towns.publish(B, *six, *pdfs(B, *range(6, 40)))
    towns.day()
    towns.publish(A, *pdfs(A, 1))
    towns.publish(B, *pdfs(B, *range(6, 40)))
    towns.day()
    second = towns.day()
    assert second.seen("intrekking.massaal") == [(A, "6 van 7 documenten")]
    said = "bij a.nl zijn documenten misschien bij vergissing weg"
    assert second.seen("intrekking.onvolledig") == [(B, said)]
    assert towns.day().withdrawn == set(six)


def test_all_documents_that_move_to_another_host_are_no_finding_and_no_withdrawal(towns: Towns) -> None:
    moved = pdfs(A, *range(8))
    towns.publish(A, *moved)
    towns.publish(B, *pdfs(B, *range(40)))
    towns.day()
    towns.publish(B, *pdfs(B, *range(40)), *moved)
    towns.day(B)
    towns.publish(A)
    for _ in range(5):
        day = towns.day()
        assert (day.withdrawn, day.seen("intrekking.massaal"), day.pending) == (set(), [], [])
    towns.publish(B, *pdfs(B, *range(40)), *moved[1:])
    assert set().union(*towns.days(2)) == set(moved[:1]), "the old host is read once more first"


def test_a_clock_that_was_ahead_makes_no_older_read_of_another_own_host_suffice(towns: Towns) -> None:
    towns.bodies = {A: "one", B: "one"}
    towns.publish(A, *pdfs(A, 1, 2))
    towns.publish(B, *pdfs(B, 1))
    towns.now += timedelta(days=9)
    towns.day()
    towns.now -= timedelta(days=9)
    towns.publish(A, *pdfs(A, 1))
    towns.publish(B, *pdfs(B, 1), *pdfs(A, 2))
    assert towns.day(A).withdrawn == set()
    assert towns.days(4, B, A) == [set()] * 4


def test_what_a_host_lost_at_once_waits_when_the_new_host_drops_it_the_next_day(towns: Towns) -> None:
    moved = pdfs(A, *range(8))
    towns.publish(A, *moved)
    towns.publish(B, *moved, *pdfs(B, *range(100)))
    towns.day()
    towns.publish(A)
    assert towns.day().withdrawn == set()
    towns.publish(B, *pdfs(B, *range(100)))
    assert towns.day(B).withdrawn == set(), "8 of 108 is not much for the new host, 8 of 8 is for the old one"
    assert towns.days(2, A) == [set(), set(moved)]


def test_what_is_gone_while_an_entry_cannot_be_used_waits_for_the_third_complete_read(towns: Towns) -> None:
    towns.publish(A, *pdfs(A, 1, 2, 3))
    towns.publish(B, *pdfs(B, 1, 2))
    towns.day()
    towns.publish(A, *pdfs(A, 1, 2))
    towns.publish(B, *pdfs(B, 1))
    towns.unusable = {A}
    first = towns.day()
    assert first.withdrawn == {*pdfs(B, 2)}, "it holds nothing of another host back"
    seen = "1 van 3 documenten; vermeldingen zonder bruikbaar adres: 1"
    assert first.seen("intrekking.massaal") == [(A, seen)]
    assert [line["url"] for line in first.pending] == pdfs(A, 3)
    assert towns.days(3) == [set(), {*pdfs(A, 3)}, set()]
    assert towns.day() == Day(), "nothing is gone any more"


def test_a_day_that_is_not_read_completely_counts_for_nothing(towns: Towns) -> None:
    towns.publish(A, *pdfs(A, *range(8)))
    towns.day()
    towns.publish(A)
    for _ in range(2):
        assert towns.day().withdrawn == set()
        towns.unreadable = {A}
        assert towns.days(2) == [set(), set()]
        towns.unreadable = set()
    assert towns.day().withdrawn == {*pdfs(A, *range(8))}


def test_what_waits_for_its_index_counts_for_what_is_much(towns: Towns) -> None:
    """robots.txt names one of two indexes, and the one that it names lists nearly nothing."""
    first, second = pdfs(A, *range(10)), pdfs(A, *range(10, 60))
    towns.lists[A] = {INDEX: first, SECOND: second}
    towns.day()
    towns.lists[A] = {INDEX: first[3:]}
    for _ in range(2):
        day = towns.day()
        assert day.withdrawn == set()
        assert day.seen("intrekking.massaal") == [(A, "3 van 60 documenten")]
        assert day.seen("index.verdwenen") == [(A, "50 documenten")]
    assert towns.day().withdrawn == {*first[:3], *second}


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_an_index_that_is_gone_is_one_finding_if_nothing_else_is(towns: Towns, is_confirmed: bool) -> None:
    towns.lists[A] = {INDEX: pdfs(A, 1), SECOND: pdfs(A, *range(2, 10))}
    towns.day()
    towns.publish(A, *pdfs(A, 1))
    day = towns.day()
    assert (day.withdrawn, day.seen("index.verdwenen")) == (set(), [(A, "8 documenten")])
    assert day.seen("intrekking.massaal") == []
    gone = {*pdfs(A, *range(2, 10))}
    if is_confirmed:
        assert towns.confirm(A) == 8
    assert towns.days(2) == ([gone, set()] if is_confirmed else [set(), gone])


def test_a_run_that_is_killed_before_it_withdraws_has_noted_that_it_is_much(towns: Towns) -> None:
    towns.publish(A, *pdfs(A, *range(8)))
    towns.publish(B, *pdfs(B, 1, 2))
    towns.day()
    towns.publish(A)
    towns.publish(B, *pdfs(B, 1))
    assert towns.day(killed=True).withdrawn == set()
    assert towns.days(2) == [{*pdfs(B, 2)}, {*pdfs(A, *range(8))}]


def test_a_host_that_another_organisation_registers_is_the_same_host(towns: Towns) -> None:
    """Municipalities that merge or split take over each other's hosts."""
    (loc,) = pdfs(B, 1)
    towns.publish(A, loc, *pdfs(A, 1))
    towns.publish(B, loc, *pdfs(B, 2))
    towns.day()
    towns.bodies = {A: "Samen", B: "Samen"}
    assert towns.day() == Day()
    towns.publish(A, *pdfs(A, 1))
    towns.publish(B, *pdfs(B, 2))
    assert set().union(*towns.days(2)) == {loc}
    assert towns.day().pending == []


def test_what_each_of_two_hosts_lost_at_once_is_confirmed_for_each(towns: Towns) -> None:
    documents = pdfs(A, *range(8))
    for listed in (documents, []):
        towns.publish(A, *listed)
        towns.publish(B, *listed)
        assert towns.day().withdrawn == set()
    for host, withdrawn in ((A, set()), (B, set(documents))):
        assert towns.confirm(host) == 8
        assert towns.day().withdrawn == withdrawn


def test_what_waits_for_another_host_of_its_organisation_is_not_confirmed(towns: Towns) -> None:
    towns.bodies = {A: "Samen", B: "Samen"}
    towns.publish(A, *pdfs(A, *range(12)))
    towns.publish(B, *pdfs(B, 1))
    towns.day()
    towns.unreadable = {B}
    towns.publish(A, *pdfs(A, *range(11)))
    assert (towns.day().withdrawn, towns.confirm(A)) == (set(), 0)
    towns.publish(A)
    assert (towns.day().withdrawn, towns.confirm(A)) == (set(), 11)
    towns.unreadable = set()
    assert set().union(*towns.days(2)) == {*pdfs(A, *range(12))}


def test_what_was_never_harvested_is_forgotten_and_is_no_part_of_much(towns: Towns) -> None:
    seen = [f"https://{A}/gezien{number}.pdf" for number in range(20)]
    towns.publish(A, *pdfs(A, 1, 2, 3), *seen)
    towns.day()
    towns.publish(A, *pdfs(A, 1, 2))
    day = towns.day()
    assert (day.withdrawn, day.findings, day.pending) == ({*pdfs(A, 3)}, [], [])


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_what_a_host_lists_that_the_register_lacks_stays_until_that_is_confirmed_or_forgotten(
    towns: Towns, caplog: pytest.LogCaptureFixture, is_forgotten: bool
) -> None:
    (loc,) = pdfs(B, 1)
    towns.publish(B, loc, *pdfs(B, 2))
    towns.day()
    towns.publish(A, loc, *pdfs(A, 1))
    towns.day()
    towns.publish(B, *pdfs(B, 2))
    towns.unregistered = {A}
    assert towns.days(5) == [set()] * 5
    assert "a.nl is not in the register" in caplog.text
    if is_forgotten:
        with towns.state.begin() as connection:
            forget_host(connection, A)
    else:
        assert towns.confirm(A) == 2
    assert towns.days(2) == [{loc} if is_forgotten else {loc, *pdfs(A, 1)}, set()]
