"""``scrapy prune`` as a timer runs it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.operating.runs import account, write_run
from tests.utils.command import DATA, REPORTS, Run, run_scrapy

NOW = datetime.now(UTC)


def prune(folder: Path, *args: str, **settings: object) -> Run:
    return run_scrapy(["prune", *args], folder, settings=settings)


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """Return an installation with runs of 100, 80 and 0 days ago, and record files."""
    for ago in (100, 80, 0):
        folder = write_run(tmp_path / REPORTS, account(), ended=NOW - timedelta(days=ago))
        (folder / "findings.jsonl").touch()
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "woo-2020-01-01T05-15-00.000000.jsonl").touch()
    (tmp_path / DATA).mkdir()
    (tmp_path / DATA / "woo-state.sqlite.lock").touch()
    return tmp_path


def left(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_what_is_older_than_the_setting_or_the_option_is_removed_and_counted(installation: Path) -> None:
    before = left(installation)
    first = prune(installation)
    assert (first.returncode, first.stderr) == (0, "")
    counts = "1 report: 4 files, 0.0 MB.\n"
    assert first.stdout == f"Removed {counts}"
    gone = before - left(installation)
    assert {Path(path).name for path in gone} == {
        *("findings.jsonl", "hosts.jsonl", "report.json", "stats.json")
    }
    assert prune(installation, "--keep", "79d").stdout.startswith("Removed 1 report: 4 files")
    assert prune(installation, "--keep", "0d").stdout == "Removed nothing.\n"


def test_a_dry_run_lists_what_would_be_removed_and_removes_nothing(installation: Path) -> None:
    before = left(installation)
    done = prune(installation, "--dry-run", "--keep", "14d", WOO_KEEP_DAYS=1000)
    assert left(installation) == before | {"scrapy.cfg"}
    *lines, total = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [["would", "remove"]] * 2
    assert total == "Would remove 2 reports: 8 files, 0.0 MB."


def test_quiet_prints_nothing_if_all_went_well_also_not_what_is_left(installation: Path) -> None:
    folder = write_run(installation / REPORTS, account(), ended=NOW - timedelta(days=200))
    (folder / "findings.jsonl").touch()
    (folder / "aantekening.txt").touch()
    assert prune(installation, "--dry-run").stdout.count(f"left {folder}: no run wrote aantekening.txt") == 1
    done = prune(installation, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (
            ["--keep", "90 dagen"],
            "--keep: expected a number of days such as 90d, got 90 dagen",
        ),
        (["--keep=-1d"], "--keep: expected a number of days such as 90d, got -1d"),
        (["--keep", "9" * 12], f"--keep: {'9' * 12} is longer than there are dates"),
        (["reports"], "unexpected argument reports: expected [--keep 90d] [options]"),
        (["--kep", "9d"], "unknown option --kep: scrapy prune -h shows the options"),
    ],
)
def test_a_wrong_argument_is_one_line(tmp_path: Path, args: list[str], line: str) -> None:
    done = prune(tmp_path, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == f"scrapy prune: error: {line}"


def test_without_any_run_there_is_nothing_to_remove(tmp_path: Path) -> None:
    assert prune(tmp_path).stdout == "Removed nothing.\n"
