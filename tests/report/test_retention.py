from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from woo_harvester.report.retention import Left, Removal, prune_reports
from woo_harvester.report.run_folder import ReportsFolder, RunFolder

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
FILES = {
    *("findings.jsonl", "pending.jsonl", "refused.jsonl", "hosts.jsonl", "stats.json"),
    "run.log",
    *("report.json", "report.csv", "index.html", "organisations.json", "coverage.html"),
    *("coverage-dead.csv", "coverage-no-index.csv", "coverage-no-location.csv", "coverage-no-robots.csv"),
}


@pytest.fixture
def reports(tmp_path: Path) -> ReportsFolder:
    return ReportsFolder(tmp_path / "reports")


def make(reports: ReportsFolder, name: str, *files: str) -> Path:
    """Make the folder of a run, with its findings and these files."""
    folder = reports.path / name
    folder.mkdir(parents=True)
    for each in {"findings.jsonl", *files}:
        path = folder / each
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    return folder


def daily(reports: ReportsFolder, days: int, *files: str, spider: str = "woo") -> list[Path]:
    """Make a run at noon of each of so many days until now, in the order of time."""
    moments = [NOW - timedelta(days=days_ago) for days_ago in reversed(range(days))]
    return [make(reports, f"{spider}-{at:%Y-%m-%dT%H-%M-%S.%f}", *files) for at in moments]


def prune(reports: ReportsFolder, days: float, *, dry_run: bool = False) -> list[Removal | Left]:
    return list(prune_reports(reports, NOW - timedelta(days=days), dry_run=dry_run))


def names(reports: ReportsFolder) -> list[str]:
    return sorted(path.name for path in reports.path.iterdir())


def keep_in_history(reports: ReportsFolder, *names: str) -> None:
    reports.history.mkdir(exist_ok=True)
    for name in names:
        (reports.history / f"{name}.json.gz").write_text("x")


def test_reports_that_are_old_are_removed_with_all_that_a_run_writes(reports: ReportsFolder) -> None:
    *old, last = daily(reports, 4, *FILES, "hosts/www.a.nl.html", "hosts/www.b.nl_3a8443.html")
    removed = prune(reports, 0.5)
    assert removed == [Removal("report", path, len(FILES) + 2, len(FILES) + 2) for path in old]
    assert names(reports) == [last.name]


def test_reports_that_are_not_old_stay(reports: ReportsFolder) -> None:
    runs = daily(reports, 10, "stats.json")
    assert [each.path for each in prune(reports, 6.5)] == runs[:3]
    assert names(reports) == [path.name for path in runs[3:]]


def test_a_dry_run_says_the_same_and_removes_nothing(reports: ReportsFolder) -> None:
    runs = daily(reports, 5, "stats.json", "hosts/a.nl.html")
    expected = prune(reports, 1, dry_run=True)
    assert names(reports) == [path.name for path in runs]
    assert prune(reports, 1) == expected
    assert names(reports) != [path.name for path in runs]


def test_the_newest_report_of_each_spider_stays_whatever_its_age(reports: ReportsFolder) -> None:
    *_, woo = daily(reports, 3)
    make(reports, "vergunningen-2020-01-01T05-15-00.000000")
    make(reports, "vergunningen-2020-01-02")
    prune(reports, 0)
    assert names(reports) == ["vergunningen-2020-01-02", woo.name]


def test_after_killed_runs_and_audits_the_newest_harvest_with_a_report_stays(reports: ReportsFolder) -> None:
    first, harvest, audit, killed = daily(reports, 4)
    for path in (first, harvest, audit):
        (path / "report.json").write_text("x")
    keep_in_history(reports, first.name, harvest.name)
    prune(reports, 0)
    assert names(reports) == ["history", harvest.name, audit.name, killed.name]


def test_the_reports_that_the_links_of_both_spiders_lead_to_stay(reports: ReportsFolder) -> None:
    woo, _, last = daily(reports, 3)
    first = make(reports, "vergunningen-2020-01-01T05-15-00.000000")
    newest = make(reports, "vergunningen-2020-01-02T05-15-00.000000")
    for path in (woo, first):
        reports.lead_to(RunFolder(path))
    prune(reports, 0)
    kept = {"latest", "latest_vergunningen", woo.name, last.name, first.name, newest.name}
    assert set(names(reports)) == kept


def test_a_run_that_goes_on_keeps_its_folder(reports: ReportsFolder) -> None:
    first, last = daily(reports, 2)
    with closing(RunFolder(first).lock()):
        assert prune(reports, 0) == [Left(first, "its run goes on")]
        assert names(reports) == [first.name, last.name]
    assert prune(reports, 0) == [Removal("report", first, 1, 1)]


def test_what_no_run_wrote_is_not_removed(reports: ReportsFolder) -> None:
    first, *_ = daily(reports, 2, "stats.json")
    (first / "aantekening.txt").write_text("van mij")
    (first / "hosts").mkdir()
    (first / "hosts" / "foto.png").write_text("van mij")
    assert prune(reports, 0) == [
        Removal("report", first, 2, 2),
        Left(first, "no run wrote aantekening.txt"),
    ]
    assert sorted(path.name for path in first.rglob("*") if path.is_file()) == ["aantekening.txt", "foto.png"]


@pytest.mark.parametrize(
    "name",
    ["foto's-2020-01-01", "woo-2020-13-99T05-15-00.000000", "woo", "woo-2020-01-01T05-15", "backup.part"],
)
def test_a_folder_that_is_not_of_a_run_is_left_alone(reports: ReportsFolder, name: str) -> None:
    daily(reports, 1)
    folder = reports.path / name
    folder.mkdir()
    (folder / ("stats.json" if name.startswith("foto") else "findings.jsonl.bak")).write_text("van mij")
    assert prune(reports, 0) == []
    assert len(list(folder.iterdir())) == 1


def test_symbolic_links_are_neither_followed_nor_removed(reports: ReportsFolder, tmp_path: Path) -> None:
    elsewhere = make(ReportsFolder(tmp_path / "elders"), "woo-2020-01-01T05-15-00.000000", "hosts/a.nl.html")
    first, *_ = daily(reports, 2)
    (reports.path / elsewhere.name).symlink_to(elsewhere)
    (first / "stats.json").symlink_to(elsewhere / "findings.jsonl")
    (first / "hosts").symlink_to(elsewhere / "hosts")
    assert prune(reports, 0) == [
        Removal("report", first, 1, 1),
        Left(first, "no run wrote hosts"),
    ]
    assert len([path for path in elsewhere.rglob("*") if path.is_file()]) == 2
    assert (first / "stats.json").is_symlink()
    assert (reports.path / elsewhere.name).is_symlink()


def test_a_prune_that_was_killed_is_completed_by_the_next(reports: ReportsFolder) -> None:
    half, empty, last = daily(reports, 3)
    (empty / "findings.jsonl").unlink()
    assert [each.path for each in prune(reports, 0)] == [half, empty]
    assert names(reports) == [last.name]


def test_history_that_a_later_report_reads_stays(reports: ReportsFolder) -> None:
    runs = [f"woo-{NOW - timedelta(days=ago):%Y-%m-%dT%H-%M-%S.%f}" for ago in reversed(range(40))]
    daily(reports, 1)
    keep_in_history(reports, *runs, "vergunningen-2020-01-01T05-15-00.000000")
    removed = prune(reports, 5)
    assert [each.path.name.removesuffix(".json.gz") for each in removed] == runs[:10]
    assert prune(reports, 5) == []


def test_what_cannot_be_removed_is_reported(reports: ReportsFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_ = daily(reports, 2)

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert prune(reports, 0) == [Left(first, "Permission denied", is_error=True)]


def test_without_reports_there_is_nothing_to_prune(reports: ReportsFolder) -> None:
    assert prune(reports, 0) == []
