"""The limits of the monitors are read from the settings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from scrapy.settings import Settings

from tests.extensions.runs import account, write_run
from tests.utils.command import REPORTS, run_scrapy
from woo_harvester.commands.monitor import bounds
from woo_harvester.extensions.monitored_runs import Bounds


def test_each_bound_has_its_setting() -> None:
    given = {"AGE": 7, "WELL": 3, "DROP": 0.25, "RISE": 0.75, "COVERAGE": 0.05, "RECORDS": 11}
    settings = Settings({f"WOO_MONITOR_{name}": value for name, value in given.items()})
    expected = Bounds(age=timedelta(hours=7), well=3, drop=0.25, rise=0.75, coverage=0.05, records=11)
    assert bounds(settings) == expected


@pytest.mark.parametrize(("runs", "status"), [(2, 1), (1, 0)])
def test_a_run_is_compared_with_as_many_runs_as_are_set(tmp_path: Path, runs: int, status: int) -> None:
    now = datetime.now(UTC)
    for hours, host in [
        (50, account(listed=100)),
        (25, account(listed=0, complete=None)),
        (1, account(listed=0)),
    ]:
        write_run(tmp_path / REPORTS, host, ended=now - timedelta(hours=hours))
    done = run_scrapy(["monitor"], tmp_path, settings={"WOO_MONITOR_RUNS": runs})
    assert done.returncode == status, done.stdout + done.stderr
