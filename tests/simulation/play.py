"""How histories are played: for how long, with which seeds, and with runs that are killed.

``WOO_SIMULATE_EXAMPLES`` says how many histories are tried (of each kind), ``WOO_SIMULATE_SECONDS`` for how
long at least; ``WOO_SIMULATE_SEED`` plays the histories of one seed again. Without a time the seed is always
the same, so that a change to the code is what makes a test fail; with one, each call has another.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import randbits

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test
from sqlalchemy import event

from woo_harvester.state.store import State

EXAMPLES = int(os.environ.get("WOO_SIMULATE_EXAMPLES", "40"))
SECONDS = float(os.environ.get("WOO_SIMULATE_SECONDS", "0"))
STEPS = 12


class KilledError(Exception):
    """Ends a run as a kill would: nothing in the core catches it."""


@dataclass(frozen=True)
class Kill:
    """When a run is killed: before the statement or the record with this number, from 0."""

    what: str
    number: int


class Killer:
    """Counts the statements and records of a run, and ends it before one of them."""

    def __init__(self, kill: Kill | None) -> None:
        self.kill = kill
        self._seen = 0

    def statement(self, *_: object) -> None:
        self._count("statement")

    def record(self) -> None:
        self._count("record")

    def _count(self, what: str) -> None:
        if self.kill is not None and self.kill.what == what:
            self._seen += 1
            if self._seen > self.kill.number:
                raise KilledError


@contextmanager
def counted(state: State, killer: Killer) -> Iterator[None]:
    """Count the statements of a state for a killer, while the block runs."""
    with state.begin() as connection:
        engine = connection.engine
    event.listen(engine, "before_cursor_execute", killer.statement)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", killer.statement)


def simulate(machine: type[RuleBasedStateMachine], examples: int, steps: int = STEPS) -> None:
    """Try histories of so many steps until the budget is spent."""
    profile = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    until = time.monotonic() + SECONDS
    number = int(os.environ.get("WOO_SIMULATE_SEED", randbits(32) if SECONDS else 1))
    while True:
        try:
            run_state_machine_as_test(seed(number)(machine), settings=profile)
        except Exception as error:
            # The order of sets differs between processes, and with it the statement that a kill hits.
            error.add_note(
                f"@reproduce_failure plays it again; WOO_SIMULATE_SEED={number} "
                f"WOO_SIMULATE_EXAMPLES={EXAMPLES} may, with the same PYTHONHASHSEED"
            )
            raise
        if time.monotonic() >= until:
            return
        number += 1
