"""The command as cron runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.operating.runs import account, folder_of, write_run
from tests.utils.command import REPORTS, Run, environment, in_project, run_scrapy

HOUR = timedelta(hours=1)


def monitor(folder: Path, *args: str, **settings: object) -> Run:
    return run_scrapy(["monitor", *args], folder, settings=settings)


def runs(folder: Path, now: int) -> Path:
    """Make an installation with runs of yesterday and today; one host of two lists *now* documents today."""
    at = datetime.now(UTC)
    for ago, listed in ((25, 12), (1, now)):
        hosts = account(listed=500), account("www.b.nl", listed)
        write_run(folder / REPORTS, *hosts, ended=at - ago * HOUR)
    return folder


def test_a_good_run_is_status_0(tmp_path: Path) -> None:
    done = monitor(runs(tmp_path, 12))
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("woo-20")
    assert rest == [
        "  ok       a run each day",
        "  ok       hosts can be reached from here",
        "  ok       the run came to its end",
        "  ok       the harvester itself made no error",
        "  ok       no drop in documents",
        "  ok       no host is suddenly empty",
        "  ok       no rise in errors",
        "  ok       no rise in warnings",
    ]
    assert monitor(tmp_path, "--quiet").stdout == ""


def test_a_problem_is_status_1_and_stands_below_its_check(tmp_path: Path) -> None:
    done = monitor(runs(tmp_path, 0), "woo", "--quiet")
    assert (done.returncode, done.stderr) == (1, "")
    _, name, problem = done.stdout.splitlines()
    assert name == "  FAILED   no host is suddenly empty"
    assert problem.strip().endswith("Most of it: www.b.nl (12 to 0).")


def test_the_limits_are_settings(tmp_path: Path) -> None:
    runs(tmp_path, 0)
    write_run(tmp_path / REPORTS, account(listed=90, findings={"loc.ongeldig": 40}), ended=datetime.now(UTC))
    wide = {"WOO_MONITOR_DROP": 0.9, "WOO_MONITOR_RISE": 99, "WOO_MONITOR_AGE": 1}
    assert monitor(tmp_path, **wide).returncode == 1, "it had no errors, so any percentage is too many"
    narrow = monitor(tmp_path, "--quiet", **{**wide, "WOO_MONITOR_DROP": 0.1, "WOO_MONITOR_AGE": 0})
    failed = [line.strip() for line in narrow.stdout.splitlines() if "FAILED" in line]
    assert failed == [
        "FAILED   a run each day",
        "FAILED   no drop in documents",
        "FAILED   no rise in errors",
    ]


def test_a_spider_that_cannot_be_checked_keeps_no_other_from_being_checked(tmp_path: Path) -> None:
    nothing = monitor(tmp_path)
    assert nothing.returncode == 1
    assert nothing.stderr.startswith("scrapy monitor: error: no run in ")
    folder_of(runs(tmp_path, 0) / REPORTS, datetime.now(UTC), "vergunningen")  # it goes on
    done = monitor(tmp_path, "--quiet")
    assert done.returncode == 1
    assert done.stderr.endswith(
        f"no run of vergunningen in {tmp_path / REPORTS} has ended: expected one a day\n"
    )
    assert "  FAILED   no host is suddenly empty" in done.stdout


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["wo"], "no run of a spider wo in"),
        (["--quit"], "unknown option --quit: scrapy monitor -h"),
    ],
)
def test_a_wrong_argument_is_one_line_and_status_2(tmp_path: Path, args: list[str], line: str) -> None:
    done = monitor(runs(tmp_path, 12), *args)
    assert done.returncode == 2
    assert done.stderr.startswith(f"scrapy monitor: error: {line}")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_ends_it_without_a_line(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-u", "-m", "scrapy", *in_project(["monitor"], runs(tmp_path, 12))],
        cwd=tmp_path,
        env=environment(None),
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")
