"""Days of publishers' mistakes, of runs that are stopped or killed, and of hosts that share documents.

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

from tests.simulation.play import EXAMPLES, UNTIL
from tests.utils.command import ROOT
from tests.utils.postgresql import new_database, postgresql_server

__all__ = ["postgresql_server"]
#: Histories in ``make test``: each has some twenty runs.
FEW = 3


def _play(**given: object) -> None:
    """Play histories in a process of their own, which has its reactor and its servers."""
    names = {f"WOO_SIMULATE_{name.upper()}": str(value) for name, value in given.items()}
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation.documents"],
        cwd=ROOT,
        env=os.environ | names | {"PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.simulation
def test_documents() -> None:
    _play(examples=EXAMPLES if "WOO_SIMULATE_EXAMPLES" in os.environ else FEW)


@pytest.mark.simulation
@pytest.mark.slow
def test_documents_in_postgresql(postgresql_server: str) -> None:
    seed = randbits(32) if UNTIL else 1
    while True:
        with new_database(postgresql_server) as url:  # an empty one for each history
            _play(seed=seed, state=url)
        if time.time() >= UNTIL:
            return
        seed += 1
