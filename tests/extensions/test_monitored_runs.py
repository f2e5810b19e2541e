from __future__ import annotations

import errno
import json
import os
import shutil
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.extensions.runs import BOUNDS, NOW, account, write_run
from woo_harvester.extensions.monitored_runs import Runs, read_run, read_runs, spiders
from woo_harvester.findings import Severity
from woo_harvester.report.accounts import PermitAccount
from woo_harvester.report.run_folder import AUDIT, ReportsFolder, RunFolder

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def read(reports: Path, count: int = 5, now: datetime = NOW) -> Runs:
    return read_runs(ReportsFolder(reports), "woo", count, now, BOUNDS.age)


def killed(reports: Path, began: datetime, *, wrote: datetime | None = None) -> Path:
    """Make the folder of a run that began and wrote last at these moments, and was killed."""
    folder = reports / f"woo-{began.astimezone():%Y-%m-%dT%H-%M-%S.%f}"
    folder.mkdir(parents=True)
    (folder / "findings.jsonl").write_text('{"code": "loc.on')
    return touch(folder, wrote or began)


def touch(folder: Path, at: datetime) -> Path:
    for path in (*folder.iterdir(), folder):
        os.utime(path, (at.timestamp(), at.timestamp()))
    return folder


def test_the_last_runs_of_a_spider_are_read_oldest_first(tmp_path: Path) -> None:
    folders = [write_run(tmp_path, account(listed=day), ended=NOW + day * DAY) for day in range(4)]
    write_run(tmp_path, ended=NOW + 9 * DAY, spider="vergunningen")
    runs = read(tmp_path, 3)
    assert runs.last is not None
    found = [*runs.before, runs.last]
    assert [run.name for run in found] == [folder.name for folder in folders[1:]]
    assert [run.accounts["www.a.nl"].listed for run in found] == [1, 2, 3]
    assert spiders(ReportsFolder(tmp_path)) == ["vergunningen", "woo"]


def test_what_no_run_made_does_not_count(tmp_path: Path) -> None:
    for name in ("history", "woo-kladblok", "woo-2026-11-21T05-15-00.000000"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notities.txt").touch()
    (tmp_path / "woo-2026-11-21T05-16-00.000000").symlink_to(tmp_path / "history")
    with pytest.raises(ValueError, match=r"no run of woo in .* has ended: expected one a day"):
        read(tmp_path)
    assert spiders(ReportsFolder(tmp_path / "elders")) == []


def test_an_audit_does_not_count(tmp_path: Path) -> None:
    harvest = write_run(tmp_path, ended=NOW)
    write_run(tmp_path, ended=NOW + DAY)
    assert len(read(tmp_path).before) == 1
    write_run(tmp_path, ended=NOW + 2 * DAY, stats={AUDIT: 1})
    dead = killed(tmp_path, NOW + 3 * DAY)
    (dead / "stats.json").write_text(json.dumps({AUDIT: 1}))
    now = NOW + 4 * DAY
    runs = read(tmp_path, now=now)
    assert (len(runs.before), runs.unended) == (1, [])
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / f"{harvest.name}.json.gz").touch()
    runs = read(tmp_path, now=now)
    assert runs == Runs(read_run(RunFolder(harvest)), [], [])


def test_whatever_a_killed_run_left_it_is_reported_as_not_ended(tmp_path: Path) -> None:
    good = write_run(tmp_path, account(), ended=NOW - DAY)
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / f"{good.name}.json.gz").touch()
    stats = {"finish_time": NOW.isoformat(), "finish_reason": "finished"}
    left: dict[str, tuple[dict[str, str], str]] = {
        "nothing": ({}, "it has no stats.json"),
        "findings": ({"findings.jsonl": '{"code'}, "it has no stats.json"),
        "accounts cut off": ({"findings.jsonl": "", "hosts.jsonl": '{"ho'}, "it has no stats.json"),
        "no reason": (
            {"stats.json": json.dumps({"finish_time": NOW.isoformat()})},
            "KeyError: 'finish_reason'",
        ),
        "no report": ({"stats.json": json.dumps(stats), "hosts.jsonl": ""}, "it has no report.json"),
        "stats cut off": ({"stats.json": '{"finish_'}, "holds no statistics of a run"),
        "broken accounts": (
            {"stats.json": json.dumps(stats), "hosts.jsonl": '{"ho'},
            "expected an account of",
        ),
    }
    for what, (files, problem) in left.items():
        folder = tmp_path / f"woo-{NOW.astimezone():%Y-%m-%dT%H-%M-%S.%f}"
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        touch(folder, NOW)
        in_history = tmp_path / "history" / f"{folder.name}.json.gz"
        if "stats.json" in files and what != "no report":
            in_history.touch()
        runs = read(tmp_path, now=NOW + HOUR)
        (run,) = runs.unended
        assert (run.name, run.last_write) == (folder.name, NOW), what
        assert problem in run.problem, what
        assert runs.last is not None, what
        assert runs.last.name == good.name, what
        shutil.rmtree(folder)
        in_history.unlink(missing_ok=True)


def test_a_run_that_goes_on_is_not_reported_as_killed(tmp_path: Path) -> None:
    write_run(tmp_path, ended=NOW - DAY)
    folder = RunFolder(killed(tmp_path, NOW - 9 * HOUR))
    with folder.lock():
        assert read(tmp_path).unended == []
    assert len(read(tmp_path).unended) == 1
    shutil.rmtree(folder.path)
    new = killed(tmp_path, NOW - HOUR / 1200)  # it may not have its lock yet
    assert read(tmp_path).unended == []
    (new / "findings.jsonl").unlink()
    assert read(tmp_path).unended == []
    assert len(read(tmp_path, now=NOW + HOUR).unended) == 1


def test_without_locks_a_run_may_go_on_as_long_as_runs_may_stay_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*args: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("woo_harvester.report.run_folder.fcntl.flock", none)
    write_run(tmp_path, ended=NOW - DAY)
    killed(tmp_path, NOW - HOUR)
    assert read(tmp_path).unended == []
    assert len(read(tmp_path, now=NOW + BOUNDS.age).unended) == 1


def test_a_killed_run_is_reported_until_a_run_that_began_after_it_has_finished(tmp_path: Path) -> None:
    dead = killed(tmp_path, NOW - 72 * HOUR, wrote=NOW - 70 * HOUR)
    write_run(tmp_path, ended=NOW - 71 * HOUR)  # another shard, which began while it ran
    write_run(tmp_path, ended=NOW - 48 * HOUR, reason="shutdown")
    assert [run.name for run in read(tmp_path).unended] == [dead.name]
    write_run(tmp_path, ended=NOW - 24 * HOUR)
    assert read(tmp_path).unended == []
    later = killed(tmp_path, NOW - HOUR)
    assert [run.name for run in read(tmp_path).unended] == [later.name]


def test_findings_are_counted_by_host_and_severity(tmp_path: Path) -> None:
    folder = write_run(
        tmp_path,
        account("www.a.nl:8443", findings={"loc.geen-https": 3, "loc.ongeldig": 2}),
        account("www.b.nl", findings={"lastmod.ontbreekt": 7, "uit.de-toekomst": 1}),
        account("www.c.nl"),
        ended=NOW,
    )
    assert read_run(RunFolder(folder)).findings == {
        "www.a.nl:8443": Counter({Severity.ERROR: 5}),
        "www.b.nl": Counter({Severity.INFO: 8}),
    }


def test_a_run_of_permits_has_accounts_of_files(tmp_path: Path) -> None:
    permits = PermitAccount("www.a.nl", listed=3, findings={"ipm.schema": 2}, entry_pages={"complete": 1})
    run = read_run(RunFolder(write_run(tmp_path, permits, ended=NOW, spider="vergunningen")))
    assert run.accounts == {"www.a.nl": permits}
    assert (run.kind, run.noun) == ("vergunningen", "files")
    assert run.findings == {"www.a.nl": Counter({Severity.ERROR: 2})}


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"finish_time": 1, "finish_reason": "finished"}', "[" * 100_000, "\0", "9" * 5000),
        '{"finish_time": "2026-11-22T08:00:00", "finish_reason": "finished"}',
    ],
    ids=lambda text: text[:12],
)
def test_statistics_that_are_none_are_named(tmp_path: Path, text: str) -> None:
    folder = write_run(tmp_path, ended=NOW)
    (folder / "stats.json").write_text(text)
    with pytest.raises(ValueError, match=r"stats\.json holds no statistics of a run"):
        read_run(RunFolder(folder))
