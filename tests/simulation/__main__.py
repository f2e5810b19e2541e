"""Simulates days until the time is up, each time with new seeds.

::

    python -m tests.simulation SECONDS

Prints the seed of each round; ends with status 1 at the first failure. To play a failure again, run the round
with its seed: ``python -m tests.simulation SECONDS SEED``.
"""

from __future__ import annotations

import sys
from secrets import randbelow
from time import monotonic

from hypothesis import seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.simulation.test_documents import PROFILE, Documents

MACHINES: tuple[type[RuleBasedStateMachine], ...] = (Documents,)
#: Examples of each machine in a round.
ROUND = 50


def main(seconds: float, given: int | None) -> None:
    """Simulate for so many seconds."""
    end = monotonic() + seconds
    rounds = 0
    while monotonic() < end:
        number = given if given is not None else randbelow(2**32)
        for machine in MACHINES:
            print(f"{machine.__name__}: {ROUND} examples with seed {number}", flush=True)
            test = seed(number)(machine)
            run_state_machine_as_test(test, settings=settings(PROFILE, max_examples=ROUND, database=None))
        rounds += 1
    print(f"{rounds} rounds of {ROUND} examples, and nothing was found")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
