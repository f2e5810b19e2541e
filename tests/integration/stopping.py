"""How a run is stopped, and what must be true after that."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from tests.utils.command import Run
from tests.utils.daily import Harvester
from tests.utils.disturbed_runs import SOON, Fallible, Started, harvested
from woo_harvester.demo.server import Page

#: A quarter of this is for what is under way, and the rest for closing: far more than that takes, but far
#: less than the time-outs of what hangs, which are 60 seconds at least.
STOP: dict[str, Any] = {"WOO_STOP_TIMEOUT": 12, **SOON}
PDF = Page(b"%PDF-1.7", content_type="application/pdf")

both_signals = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])


def stopped(started: Started, number: signal.Signals = signal.SIGTERM) -> Run:
    """Stop a run, and wait for its end."""
    started.send(number)
    return started.wait()


def assert_ended_well(run: Run, installation: Harvester) -> None:
    """The outputs, the state and the report are closed, and no publisher gets a finding of the stop."""
    assert (run.returncode, run.stats["finish_reason"]) == (0, "shutdown"), run.stderr
    assert "Traceback" not in run.stderr
    assert not [code for code in run.codes if "onbereikbaar" in code or "afgebroken" in code]
    assert harvested(installation.folder) == set(run.locs)
    assert run.report is not None
    assert (run.report / "report.json").exists()


def assert_next_run_has_the_rest(run: Run, installation: Fallible, *args: str, count: int) -> None:
    """Each document is there once in the end."""
    rest = installation.run(*args)
    assert rest.stats["finish_reason"] == "finished", rest.stderr
    assert len({*run.locs, *rest.locs}) == len(run.locs) + len(rest.locs) == count
