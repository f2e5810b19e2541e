from __future__ import annotations

import errno
import json
import os
import shutil
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.extensions.runs import BOUNDS, NOW, account, run, write_run
from woo_harvester.extensions import monitored_runs
from woo_harvester.extensions.monitored_runs import EndedRun, Runs, UnendedRun, read_run, read_runs, spiders
from woo_harvester.findings import Severity
from woo_harvester.report.accounts import PermitAccount
from woo_harvester.report.funnel import Account
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


@pytest.mark.parametrize(("hours", "problems"), [(1, 0), (30, 0), (31, 1)])
def test_a_day_and_a_bit_without_a_run_is_a_problem(hours: float, problems: int) -> None:
    assert len(monitored_runs.age(run(hours_ago=hours), NOW, BOUNDS)) == problems
    (line,) = monitored_runs.age(run(hours_ago=50), NOW, BOUNDS)
    assert line.startswith("no run has ended for 50 hours: expected one in 30 hours; the last was woo-2026")


def test_a_run_that_ended_early_is_a_problem() -> None:
    assert monitored_runs.ended(run()) == []
    (line,) = monitored_runs.ended(run(reason="shutdown"))
    assert "expected the reason finished, got shutdown" in line


def test_each_run_that_did_not_end_is_named_with_its_last_moment() -> None:
    killed = [UnendedRun(f"woo-{number}", NOW, "it has no stats.json") for number in range(7)]
    first, *_, last = monitored_runs.ended(run(), killed)
    assert first == (
        "woo-0 did not end: it was killed, or its machine stopped. It wrote last at 2026-11-21 13:00; "
        "it has no stats.json. The next run makes up for it."
    )
    assert last == "2 more before these did not end."
    assert len(monitored_runs.ended(run(reason="shutdown"), killed[:1])) == 2
    assert monitored_runs.ended(None, killed[:1]) == [first]
    assert monitored_runs.age(None, NOW, BOUNDS) == ["no run has ended: expected one in 30 hours."]
    assert monitored_runs.connected(None) == []


def test_a_host_that_was_well_and_is_empty_is_named() -> None:
    before = [run(account(listed=12_034))]
    (line,) = monitored_runs.emptied(run(account(listed=0)), before, BOUNDS)
    assert line.startswith(
        "1 host listed documents the last time and none now: www.a.nl (12,034 documents before)."
    )


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (account(listed=9), account(listed=0)),  # too few to be sure
        (account(listed=0), account(listed=0)),  # empty already
        (account(listed=100), account(listed=1)),  # not empty
        (account(listed=100), account(listed=0, complete=None)),  # the run ended before it was read
        (account("www.b.nl", listed=100), account(listed=0)),  # never seen before
    ],
)
def test_no_other_host_counts_as_suddenly_empty(then: Account, now: Account) -> None:
    assert monitored_runs.emptied(run(now), [run(then)], BOUNDS) == []


def test_an_unreadable_host_is_compared_with_the_last_run_that_read_it() -> None:
    before = [run(account(listed=100)), run(account(listed=0, complete=None)), run(account("www.b.nl"))]
    assert len(monitored_runs.emptied(run(account(listed=0)), before, BOUNDS)) == 1


def test_at_most_ten_hosts_are_named() -> None:
    before = [run(*(account(f"www.{number:02}.nl") for number in range(12)))]
    now = run(*(account(f"www.{number:02}.nl", listed=0) for number in range(12)))
    (line,) = monitored_runs.emptied(now, before, BOUNDS)
    assert line.startswith("12 hosts listed documents")
    assert "www.09.nl (100 documents before) and 2 more." in line


@pytest.mark.parametrize(("listed", "problems"), [(180, 0), (179, 1), (400, 0)])
def test_a_drop_of_more_than_a_tenth_is_a_problem(listed: int, problems: int) -> None:
    now = run(account(listed=listed - 100), account("www.b.nl"))
    before = [run(account(listed=100), account("www.b.nl", listed=100))]
    assert len(monitored_runs.dropped(now, before, BOUNDS)) == problems
    (line,) = monitored_runs.dropped(run(account(listed=500)), [run(account(listed=1000))], BOUNDS)
    assert line.startswith("500 documents are listed, and the same hosts listed 1,000 the last time (-50%)")
    assert monitored_runs.dropped(now, [run(account("www.c.nl", listed=90_000))], BOUNDS) == []


def test_a_rise_above_the_most_there_was_is_a_problem() -> None:
    hosts = account("www.a.nl"), account("www.b.nl")
    before = [run(*hosts, a=100, b=2), run(*hosts, a=10, b=10)]
    assert monitored_runs.risen(run(*hosts, a=155, b=10), before, BOUNDS) == []
    (line,) = monitored_runs.risen(run(*hosts, a=100, b=80), before, BOUNDS)
    assert line.startswith("180 findings are errors, and the same hosts had 110 at most: expected")
    assert line.endswith("Most of it: www.b.nl (10 to 80).")


@pytest.mark.parametrize(
    ("now", "before", "problems"),
    [
        (run(account(), a=20), run(account(), a=0), 0),
        (run(account(), a=21), run(account(), a=0), 1),
        (run(account("www.new.nl"), new=900), run(account(), a=0), 0),
        (run(a=90), run(a=10), 1),
    ],
    ids=["a few", "more than a few", "of a new host", "of a spider without accounts"],
)
def test_only_many_findings_of_the_same_hosts_rise(now: EndedRun, before: EndedRun, problems: int) -> None:
    assert len(monitored_runs.risen(now, [before], BOUNDS)) == problems


def test_a_field_that_fewer_records_have_than_usual_is_a_problem() -> None:
    def made(lastmods: int) -> Account:
        return account(harvested={"aanlevering": 200}, fields={"lastmod": lastmods})

    before = [run(made(200)), run(made(180))]
    assert monitored_runs.covered(run(made(160)), before, BOUNDS) == []
    (line,) = monitored_runs.covered(run(made(100)), before, BOUNDS)
    assert line.startswith("50% of 200 records have lastmod from their publisher, and 95% is usual")


def test_coverage_of_a_few_records_says_nothing() -> None:
    few = account(harvested={"wijziging": 99})
    many = account(harvested={"aanlevering": 900}, fields={"lastmod": 900})
    assert monitored_runs.covered(run(few), [run(many)], BOUNDS) == []
    assert monitored_runs.covered(run(many), [run(few)], BOUNDS) == []
