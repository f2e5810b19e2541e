"""Days of publishers' mistakes, strangers, and runs that are stopped or killed: of documents, and of permits.

Real runs over HTTPS on loopback, and commands. ``make simulate`` plays them for an hour; each failure prints
what happened, day by day.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from secrets import randbits

import pytest

from tests.simulation.play import EXAMPLES, SEED, UNTIL
from tests.utils.command import ROOT
from tests.utils.postgresql import new_database, postgresql_server

__all__ = ["postgresql_server"]
SIMULATIONS = ("documents", "permits")
#: Histories in ``make test``: each has some twenty runs.
FEW = 3


def _play(name: str, **given: object) -> None:
    """Play histories in a process of their own, which has its reactor and its servers."""
    names = {f"WOO_SIMULATE_{name.upper()}": str(value) for name, value in given.items()}
    done = subprocess.run(
        [sys.executable, "-m", f"tests.simulation.{name}"],
        cwd=ROOT,
        env=os.environ | names | {"PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.simulation
@pytest.mark.parametrize("name", SIMULATIONS)
def test_what_is_promised_holds(name: str) -> None:
    _play(name, examples=EXAMPLES if "WOO_SIMULATE_EXAMPLES" in os.environ else FEW)


@pytest.mark.simulation
@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATIONS)
def test_what_is_promised_holds_with_a_state_in_postgresql(name: str, postgresql_server: str) -> None:
    seed = int(SEED or (randbits(32) if UNTIL else 1))
    while True:
        with new_database(postgresql_server) as url:  # an empty one for each history
            _play(name, seed=seed, state=url)
        if time.time() >= UNTIL:
            return
        seed += 1
