"""The time in which documents of a host may be requested."""

from __future__ import annotations

import pytest

from woo_harvester.crawl import host as capacity
from woo_harvester.crawl.host import Budget


class Clock:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(capacity, "monotonic", made)
    return made


def test_half_of_the_time_is_left_for_what_is_new_or_changed(clock: Clock) -> None:
    budget = Budget(10)
    found = []
    for now in (1000, 1004.9, 1005, 1009.9, 1010):
        clock.now = now
        found.append((budget.is_over(supply=True), budget.is_over()))
    assert found == [(False, False), (False, False), (True, False), (True, False), (True, True)]


def test_without_a_bound_it_is_over_when_it_is_given_up(clock: Clock) -> None:
    budget = Budget(None)
    clock.now += 10**9
    assert not budget.is_over(supply=True)
    assert not budget.is_over()
    budget.give_up()
    assert budget.is_over(supply=True)
    assert budget.is_over()
