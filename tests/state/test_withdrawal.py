from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from tests.state.knowledge import harvest, locs, see, sitemap_of
from woo_harvester.state.documents import confirm_withdrawn, move
from woo_harvester.state.listed import Listed
from woo_harvester.state.resources import Host, host_of_state
from woo_harvester.state.withdrawal import Judgement, Limits, Missing, judge, missing

LIMITS = Limits()


def judged(
    gone: int,
    of: int,
    *,
    held_runs: int = 0,
    held: int | None = None,
    confirmed: bool = False,
    limits: Limits = LIMITS,
) -> Judgement:
    """The judgement; as many as are gone were held before, where *held* says nothing else."""
    host = Host(1, None, held_runs, confirmed, gone if held is None else held)
    return judge(Missing(list(range(gone)), [], of), host, limits)


def test_nothing_missing_is_nothing_to_do() -> None:
    assert judged(0, 100) is Judgement.NOTHING
    assert judge(Missing([], [1, 2], 0), Host(1, None, 0, False), LIMITS) is Judgement.NOTHING


@pytest.mark.parametrize(
    ("gone", "of", "expected"),
    [
        (50, 60, Judgement.WITHDRAW),  # not more than 50
        (51, 255, Judgement.WITHDRAW),  # 20%, which is not more than 20%
        (51, 254, Judgement.HOLD),
        (200, 1000, Judgement.WITHDRAW),
        (201, 1000, Judgement.HOLD),
        (9, 9, Judgement.WITHDRAW),  # all, but of fewer than ten
        (10, 10, Judgement.HOLD),
        (50, 50, Judgement.HOLD),
        (9, 10, Judgement.WITHDRAW),
        (1, 1, Judgement.WITHDRAW),
    ],
)
def test_more_than_a_fifth_and_more_than_fifty_or_all_of_ten_is_held_back(
    gone: int, of: int, expected: Judgement
) -> None:
    assert judged(gone, of) is expected


def test_in_the_third_complete_run_running_it_is_withdrawn() -> None:
    assert [judged(60, 100, held_runs=runs) for runs in range(4)] == [
        Judgement.HOLD,
        Judgement.HOLD,
        Judgement.WITHDRAW,
        Judgement.WITHDRAW,
    ]


def test_what_the_operator_confirms_is_withdrawn_at_once() -> None:
    assert judged(60, 100, held_runs=1, confirmed=True) is Judgement.WITHDRAW
    assert judged(10, 10, confirmed=True) is Judgement.WITHDRAW


def test_more_than_what_was_held_back_is_held_back_anew() -> None:
    assert judged(100, 100, held_runs=2, held=60) is Judgement.HOLD
    assert judged(100, 100, held_runs=1, held=60, confirmed=True) is Judgement.HOLD
    assert judged(55, 100, held_runs=2, held=60) is Judgement.WITHDRAW


def test_the_limits_are_settings() -> None:
    strict = Limits(share=0.0, documents=0, all_of=1, runs=2)
    assert judged(1, 1000, limits=strict) is Judgement.HOLD
    assert judged(1, 1000, held_runs=1, limits=strict) is Judgement.WITHDRAW
    assert judged(1, 1000, limits=Limits(runs=1, share=0, documents=0)) is Judgement.WITHDRAW


@given(st.integers(1, 300), st.integers(0, 300))
def test_never_is_everything_of_ten_or_more_withdrawn_in_one_run(gone: int, more: int) -> None:
    verdict = judged(gone, gone + more)
    if gone >= 10 and not more:
        assert verdict is Judgement.HOLD
    if gone <= 9 or (gone <= 50 and more):
        assert verdict is Judgement.WITHDRAW


def listed_of(*keys: int) -> Listed:
    listed = Listed()
    for key in keys:
        listed.add(key)
    return listed


def test_missing_is_what_was_harvested_and_is_not_listed(connection: Connection) -> None:
    one, two, three = harvest(connection, sitemap_of(connection), locs(3))
    host = host_of_state(connection, "a.nl").id
    assert missing(connection, host, listed_of(one, three), set()) == Missing([two], [], 3)
    assert missing(connection, host, listed_of(one, two, three), set()) == Missing([], [], 0)


def test_what_was_only_seen_is_told_apart(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (harvested,) = harvest(connection, sitemap, locs(1))
    (seen,) = see(connection, sitemap, ["https://a.nl/gezien.pdf"])
    host = host_of_state(connection, "a.nl").id
    assert missing(connection, host, listed_of(), set()) == Missing([harvested], [seen], 1)


def test_what_is_withdrawn_is_not_missing_again(connection: Connection) -> None:
    one, two = harvest(connection, sitemap_of(connection), locs(2))
    confirm_withdrawn(connection, {one: 5})
    host = host_of_state(connection, "a.nl").id
    assert missing(connection, host, listed_of(two), set()) == Missing([], [], 0)


def test_the_documents_of_an_unchanged_sitemap_are_there(connection: Connection) -> None:
    unchanged, read = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    harvest(connection, unchanged, locs(2))
    (gone,) = harvest(connection, read, ["https://a.nl/weg.pdf"])
    host = host_of_state(connection, "a.nl").id
    assert missing(connection, host, listed_of(), {unchanged}) == Missing([gone], [], 3)


def test_the_documents_of_a_sitemap_that_is_listed_no_more_are_missing(connection: Connection) -> None:
    kept, dropped = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    (there,) = harvest(connection, kept, locs(1))
    (gone,) = harvest(connection, dropped, ["https://a.nl/weg.pdf"])
    host = host_of_state(connection, "a.nl").id
    assert missing(connection, host, listed_of(there), set()) == Missing([gone], [], 2)


def test_a_document_that_another_host_listed_last_is_not_missing_here(connection: Connection) -> None:
    here, there = sitemap_of(connection), sitemap_of(connection, "b.nl")
    stays, moved = harvest(connection, here, locs(2))
    move(connection, [moved], there)
    host = host_of_state(connection, "a.nl").id
    assert missing(connection, host, listed_of(stays), set()) == Missing([], [], 0)
