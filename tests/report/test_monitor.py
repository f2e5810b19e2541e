"""The checks of ``monitor``, over the folders that runs left."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.operating.runs import NOW, account, folder_of, write_run
from woo_harvester.findings.common_cause import OWN_FAULT
from woo_harvester.permits.account import PermitAccount
from woo_harvester.report.coverage import RunRegister
from woo_harvester.report.funnel import Account
from woo_harvester.report.monitor import CHECKS, EARLIER_RUNS, Limits, Runs, read_run, read_runs, spiders
from woo_harvester.report.run_folder import AUDIT, FILTERED, OWN_ERROR_FIRST, ReportsFolder, RunFolder

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
MINUTE = timedelta(minutes=1)
DROP, EMPTY, ERRORS = "no drop in documents", "no host is suddenly empty", "no rise in errors"
A, B, C = "www.a.nl", "www.b.nl", "www.c.nl"
LIMITS = Limits(age=30 * HOUR, drop=0.1, rise=0.5)

Hosts = tuple[Account, ...]
Files = Mapping[str, str]

#: What a killed run has written.
FINDINGS: Files = {"findings.jsonl": '{"code": "loc.on'}


def read(reports: Path, now: datetime = NOW) -> Runs:
    (runs,) = read_runs(ReportsFolder(reports), "woo", now, LIMITS)
    return runs


def found(runs: Runs) -> dict[str, str]:
    """Return the problems by check."""
    problems = {check.name: check.problems(runs) for check in CHECKS}
    return {name: "\n".join(lines) for name, lines in problems.items() if lines}


def killed(reports: Path, began: datetime, *, wrote: datetime | None = None, files: Files = FINDINGS) -> Path:
    """Make the folder of a run that was killed, with these files."""
    folder = folder_of(reports, began)
    for name, text in files.items():
        (folder / name).write_text(text)
    for path in (*folder.iterdir(), folder):
        os.utime(path, ((wrote or began).timestamp(),) * 2)
    return folder


def test_the_last_runs_that_ended_are_compared_newest_first(tmp_path: Path) -> None:
    folders = [write_run(tmp_path, account(listed=day), ended=NOW + day * DAY) for day in range(18)]
    write_run(tmp_path, ended=NOW + 30 * DAY, spider="vergunningen")
    (tmp_path / "history").mkdir()
    assert spiders(ReportsFolder(tmp_path)) == ["vergunningen", "woo"]
    runs = read(tmp_path)
    assert runs.last == read_run(RunFolder(folders[-1]))
    assert [run.name for run in runs.before] == [folder.name for folder in folders[-2:2:-1]]
    assert len(runs.before) == EARLIER_RUNS
    with pytest.raises(ValueError, match=r"no run of woo in .* has ended: expected one a day"):
        read(tmp_path / "elders")


def test_an_audit_and_a_choice_of_entries_do_not_count(tmp_path: Path) -> None:
    harvest = write_run(tmp_path, account(), ended=NOW)
    choice = write_run(tmp_path, account(), ended=NOW + DAY)
    assert len(read(tmp_path).before) == 1
    write_run(tmp_path, ended=NOW + 2 * DAY, stats={AUDIT: 1})
    killed(tmp_path, NOW + 3 * DAY, files={"findings.jsonl": "", "stats.json": json.dumps({AUDIT: 1})})
    (folder_of(tmp_path, NOW + 4 * DAY) / "notes").write_text("of somebody else")
    runs = read(tmp_path, NOW + 5 * DAY)
    assert runs.last == read_run(RunFolder(choice))
    assert runs.killed == []
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / f"{harvest.name}.json.gz").touch()
    runs = read(tmp_path, NOW + 5 * DAY)
    assert (runs.last, runs.before, runs.killed) == (read_run(RunFolder(harvest)), [], [])


STATS = json.dumps({"finish_time": NOW.isoformat(), "finish_reason": "finished"})


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"findings.jsonl": '{"code'}, "it has no stats.json"),
        ({"stats.json": '{"finish_'}, "holds no statistics of a run"),
        ({"stats.json": json.dumps({"finish_time": NOW.isoformat()})}, "KeyError: 'finish_reason'"),
        ({"stats.json": '{"finish_time": 1, "finish_reason": "finished"}'}, "holds no statistics of a run"),
        ({"stats.json": STATS, "hosts.jsonl": ""}, "it has no report.json"),
        ({"stats.json": STATS, "hosts.jsonl": '{"ho', "report.json": ""}, "expected an account of"),
    ],
)
def test_whatever_a_killed_run_left_it_did_not_end(tmp_path: Path, files: Files, problem: str) -> None:
    good = write_run(tmp_path, account(), ended=NOW - DAY)
    dead = killed(tmp_path, NOW - HOUR, files=files)
    runs = read(tmp_path)
    assert runs.last == read_run(RunFolder(good))
    (line,) = runs.killed
    assert line.startswith(
        f"{dead.name} did not end: it was killed, or its machine stopped. It wrote last at 2026-11-21 12:00; "
    )
    assert problem in line
    assert found(runs) == {"the run came to its end": line}


def test_a_run_that_goes_on_is_not_reported_as_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(tmp_path, ended=NOW - DAY)
    folder = RunFolder(killed(tmp_path, NOW - 9 * HOUR))
    with folder.lock():
        assert read(tmp_path).killed == []
    assert len(read(tmp_path).killed) == 1
    assert read(tmp_path, NOW - 9 * HOUR + HOUR / 1200).killed == [], "it may not have its lock yet"

    def none(*args: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("woo_harvester.report.run_folder.fcntl.flock", none)
    assert read(tmp_path).killed == [], "without locks, it may go on for as long as runs may stay away"
    assert len(read(tmp_path, NOW + LIMITS.age).killed) == 1


def test_a_killed_run_is_reported_until_a_run_that_began_after_it_has_finished(tmp_path: Path) -> None:
    killed(tmp_path, NOW - 72 * HOUR, wrote=NOW - 70 * HOUR)
    write_run(tmp_path, ended=NOW - 71 * HOUR)  # another shard, which began while it ran
    write_run(tmp_path, ended=NOW - 48 * HOUR, reason="shutdown")
    assert len(read(tmp_path).killed) == 1
    write_run(tmp_path, ended=NOW - 24 * HOUR)
    assert read(tmp_path).killed == []
    killed(tmp_path, NOW - HOUR)
    assert len(read(tmp_path).killed) == 1


def over(folder: Path, shard: tuple[int, int]) -> Path:
    """Let the run in a folder be one over a shard of the register; return the folder."""
    RunRegister([shard], []).write(RunFolder(folder).register)
    return folder


def test_each_shard_is_checked_apart(tmp_path: Path) -> None:
    over(write_run(tmp_path, account(C), ended=NOW - 3 * DAY), (3, 3))  # when there were three shards
    for number, host in enumerate((A, B), 1):
        over(write_run(tmp_path, account(host), ended=NOW - DAY + number * MINUTE), (number, 2))
    second = over(write_run(tmp_path, account(B, 0), ended=NOW - 3 * MINUTE), (2, 2))
    over(write_run(tmp_path, account(A), ended=NOW - 2 * MINUTE), (1, 2))
    write_run(tmp_path, account(B), ended=NOW - MINUTE, stats={FILTERED: 1})
    assert problems_of_shards(tmp_path) == {(1, 2): set(), (2, 2): {DROP, EMPTY}}
    shutil.rmtree(second)
    assert problems_of_shards(tmp_path) == {(1, 2): set(), (2, 2): set()}
    assert problems_of_shards(tmp_path, NOW + 7 * HOUR) == {(1, 2): set(), (2, 2): {"a run each day"}}
    dead = over(killed(tmp_path, NOW - HOUR), (2, 2))
    for path in (*dead.iterdir(), dead):
        os.utime(path, ((NOW - HOUR).timestamp(),) * 2)
    assert problems_of_shards(tmp_path) == {(1, 2): set(), (2, 2): {"the run came to its end"}}


def test_a_run_of_an_unknown_shard_may_be_of_any(tmp_path: Path) -> None:
    for number in (1, 2):
        over(write_run(tmp_path, ended=NOW - number * HOUR), (number, 2))
    write_run(tmp_path, ended=NOW - MINUTE, reason="cannot_start")
    early = {"the run came to its end"}
    assert problems_of_shards(tmp_path) == {(1, 2): early, (2, 2): early}


def problems_of_shards(reports: Path, now: datetime = NOW) -> dict[tuple[int, int], set[str]]:
    """Return the names of the checks that fail, by shard."""
    runs = read_runs(ReportsFolder(reports), "woo", now, LIMITS)
    return {each.shard: {*found(each)} for each in runs}


@pytest.mark.parametrize(
    ("hours", "reason", "stats", "check", "problem"),
    [
        (31, "finished", {}, "a run each day", "no run has ended for 31 hours: expected one in 30 hours; "),
        (1, "shutdown", {}, "the run came to its end", "expected the reason finished, got shutdown"),
        (1, "finished", {f"woo/findings/{OWN_FAULT}": 1}, "hosts can be reached from here", OWN_FAULT),
        (
            1,
            "finished",
            {OWN_ERROR_FIRST: "https://a.nl/b: KeyError"},
            "the harvester itself made no error",
            "failed, first on https://a.nl/b: KeyError",
        ),
    ],
)
def test_a_run_that_was_not_as_it_should_be_fails_one_check(
    tmp_path: Path, hours: int, reason: str, stats: dict[str, object], check: str, problem: str
) -> None:
    write_run(tmp_path, ended=NOW - 30 * HOUR)
    assert found(read(tmp_path)) == {}
    write_run(tmp_path / "2", ended=NOW - hours * HOUR, reason=reason, stats=stats)
    ((name, line),) = found(read(tmp_path / "2")).items()
    assert name == check
    assert problem in line


def test_without_a_run_that_ended_only_what_a_run_left_is_checked(tmp_path: Path) -> None:
    killed(tmp_path, NOW - HOUR)
    runs = read(tmp_path)
    assert runs.title == "no run ended"
    assert found(runs).keys() == {"a run each day", "the run came to its end"}
    assert [check.name for check in CHECKS if check.problems(runs) is None] == [
        "no drop in documents",
        "no host is suddenly empty",
        "no rise in errors",
        "no rise in warnings",
    ]


def errors(host: str, count: int) -> Account:
    """Return the account of a host with a number of errors, and a code that this version does not know."""
    return account(host, findings={"loc.ongeldig": count, "lastmod.ontbreekt": 999, "uit.de-toekomst": 999})


@pytest.mark.parametrize(
    ("before", "now", "failed"),
    [
        # A drop of more than a tenth, over the hosts that were read before.
        ([(account(A), account(B))], (account(A, 80), account(B)), set()),
        ([(account(A), account(B))], (account(A, 79), account(B)), {DROP}),
        ([(account(A), account(B))], (account(A, 300), account(B)), set()),
        ([(account(B, 90_000),)], (account(A),), set()),
        # The last run that read the host counts, not one before it or one that ended before it was read.
        ([(account(A, 70),), (account(A, 100),)], (account(A, 70),), {DROP}),
        ([(account(A, 100),), (account(A, 70),)], (account(A, 70),), set()),
        ([(account(A, 100),), (account(A, 0, complete=None),)], (account(A, 70),), {DROP}),
        ([(account(A, 100),)], (account(A, 0, complete=None),), set()),
        # A host that lists nothing any more, unless it listed too little to be sure.
        ([(account(A, 10), account(B, 900))], (account(A, 0), account(B, 900)), {EMPTY}),
        ([(account(A, 9), account(B, 900))], (account(A, 0), account(B, 900)), set()),
        ([(account(A, 0), account(B, 900))], (account(A, 0), account(B, 900)), set()),
        ([(account(A, 10), account(B, 900))], (account(A, 1), account(B, 900)), set()),
        # More errors than the most that each host had, by half and by more than twenty.
        (
            [(errors(A, 100), errors(B, 2)), (errors(A, 10), errors(B, 10))],
            (errors(A, 155), errors(B, 10)),
            set(),
        ),
        (
            [(errors(A, 100), errors(B, 2)), (errors(A, 10), errors(B, 10))],
            (errors(A, 156), errors(B, 10)),
            {ERRORS},
        ),
        ([(errors(A, 0),)], (errors(A, 20),), set()),
        ([(errors(A, 0),)], (errors(A, 21),), {ERRORS}),
        ([(errors(A, 0),)], (errors(A, 0), errors(B, 900)), set()),
    ],
)
def test_hosts_are_compared_with_the_runs_that_read_them(
    tmp_path: Path, before: list[Hosts], now: Hosts, failed: set[str]
) -> None:
    for day, hosts in enumerate([*before, now], -len(before)):
        write_run(tmp_path, *hosts, ended=NOW + day * DAY)
    assert found(read(tmp_path)).keys() == failed


def test_a_problem_names_the_hosts_that_changed_most(tmp_path: Path) -> None:
    hosts = [f"www.{number:02}.nl" for number in range(12)]
    write_run(tmp_path, *(errors(host, 0) for host in hosts), ended=NOW - DAY)
    write_run(
        tmp_path,
        *(account(host, 80 - number, findings={"loc.ongeldig": number}) for number, host in enumerate(hosts)),
        ended=NOW,
    )
    problems = found(read(tmp_path))
    named = ", ".join(f"www.{number:02}.nl (100 to {80 - number})" for number in range(11, 1, -1))
    assert problems[DROP] == (
        f"12 hosts with 1,200 listed before and 894 now: expected at most 10% less. Most of it: {named}."
    )
    assert problems[ERRORS].startswith(
        "12 hosts with 0 errors before and 66 now: expected at most 50% more. Most of it: www.11.nl (0 to 11)"
    )


def test_a_run_of_permits_is_compared_by_its_files(tmp_path: Path) -> None:
    for day, listed in enumerate((20, 3)):
        permits = PermitAccount(A, listed=listed, complete=True, entry_pages={"complete": 1})
        write_run(tmp_path, permits, ended=NOW - DAY + day * DAY, spider="vergunningen")
    (runs,) = read_runs(ReportsFolder(tmp_path), "vergunningen", NOW, LIMITS)
    assert found(runs).keys() == {DROP}
