from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.report.test_inventory import finding, run
from tests.utils.command import REPORTS, run_scrapy


def test_all_three_are_written_beside_the_reports_and_shown(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding())
    done = run_scrapy(["inventory", "--from", "2026-04-01", "--until", "2026-04-30"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "1 run of vergunningen from 2026-04-01 until 2026-04-30:\ngemeente Amsterdam\n  ipm.schema"
        in done.stdout
    )
    folder = tmp_path / REPORTS / "inventory-2026-04-01-2026-04-30"
    assert {path.name for path in folder.iterdir()} == {"inventory.html", "inventory.csv", "inventory.json"}


def test_one_goes_to_a_file_or_to_standard_output(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding())
    period = ["--from", "2026-04-01", "--until", "2026-04-30"]
    done = run_scrapy(["inventory", *period, "--format", "json"], tmp_path)
    assert json.loads(done.stdout)["rondes"] == 1
    run_scrapy(["inventory", *period, "--output=fouten.csv"], tmp_path)
    assert (tmp_path / "fouten.csv").read_bytes().startswith(b"\xef\xbb\xbforganisatie,naam,code")


def test_without_runs_there_is_nothing_to_fix(tmp_path: Path) -> None:
    done = run_scrapy(["inventory"], tmp_path)
    assert (done.returncode, "nothing is to be mended" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["gm0363"], "takes no arguments"),
        (["--from", "gisteren"], "--from: expected a date such as 2026-04-01, got gisteren"),
        (["--from", "2026-05-01", "--until", "2026-04-01"], "expected a period"),
        (["-O", "fouten.pdf"], "expected a file that ends in .html, .csv or .json"),
        (["--format", "pdf"], "expected csv or html or json"),
    ],
)
def test_what_makes_no_sense_ends_the_command(args: list[str], line: str, tmp_path: Path) -> None:
    done = run_scrapy(["inventory", *args], tmp_path)
    assert (done.returncode, line in done.stderr + done.stdout) == (2, True)
