"""Jobs that are killed or stopped: no document is lost, delivered twice, or withdrawn wrongly."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.integration.stopping import STOP, both_signals
from tests.utils.command import run_scrapy
from tests.utils.daily import FIRST, NEWER, numbered, publish
from tests.utils.disturbed_runs import (
    POINTS,
    SOON,
    Fallible,
    GatedSite,
    KillAt,
    Started,
    errors,
    harvested,
    jobs_of,
    latest,
    lines,
)
from tests.utils.waiting import wait_until
from woo_harvester.demo.certificates import Authority

JOBS = "--jobs", "3", "-o", "all.jsonl"
HOSTS, DOCUMENTS = 6, 30
#: Small, so that a run of a second comes to many commits.
OFTEN: dict[str, Any] = {"WOO_DURABLE_RECORDS": 4, "WOO_DURABLE_INTERVAL": 0.05}
SEEDS = int(os.environ.get("KILL_SEEDS", "2"))


@pytest.fixture
def sites(ca: Authority) -> Iterator[list[GatedSite]]:
    with ExitStack() as stack:
        made = [stack.enter_context(GatedSite(ca)) for _ in range(HOSTS)]
        for site in made:
            publish(site, numbered(DOCUMENTS // 2), {f"b{each}": FIRST for each in range(DOCUMENTS // 2)})
        yield made


@pytest.fixture
def installation(sites: list[GatedSite], tmp_path: Path, ca_bundle: Path) -> Fallible:
    return Fallible(tmp_path, ca_bundle, list(sites))


def run_of(started: Started) -> int:
    """Return the process id of a run that was started."""
    assert started.process.pid is not None
    return started.process.pid


def has_three_jobs(started: Started) -> bool:
    """Return whether a run that was started has its three jobs."""
    return len(jobs_of(run_of(started))) == 3


def gone(pids: list[int]) -> bool:
    """Return whether none of these processes runs any more."""
    return not any(Path(f"/proc/{pid}/stat").exists() and not is_zombie(pid) for pid in pids)


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def all_records(installation: Fallible) -> list[str]:
    """Return the documents in the file of all days; no line of it is truncated."""
    path = installation.folder / "all.jsonl"
    return [line["document"]["weblocatie"] for line in lines([path])] if path.exists() else []


def assert_agrees(installation: Fallible) -> None:
    """The state and the file have the same documents."""
    done = run_scrapy(["state", "check", "all.jsonl"], installation.folder)
    assert done.returncode == 0, done.stdout + done.stderr


def assert_each_once(installation: Fallible, count: int = HOSTS * DOCUMENTS) -> None:
    found = Counter(all_records(installation))
    assert [loc for loc, times in found.items() if times > 1] == []
    assert len(found) == count == len(harvested(installation.folder))
    assert_agrees(installation)


def wait_for_records(started: Started, installation: Fallible, count: int) -> None:
    """Return when the state knows so many records, or the run has ended."""
    with suppress(AssertionError):
        started.wait_until(lambda: len(harvested(installation.folder, missing_ok=True)) >= count, "records")


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("victim", ["one job", "the run", "all"])
def test_a_kill_at_any_moment_loses_and_repeats_nothing(
    victim: str, seed: int, installation: Fallible
) -> None:
    chance = Random(f"{victim} {seed}")
    for _ in range(3):
        started = installation.start(*JOBS, **OFTEN)
        started.wait_until(partial(has_three_jobs, started), "three jobs")
        pids = jobs_of(run_of(started))
        wait_for_records(started, installation, chance.randint(0, HOSTS * DOCUMENTS))
        time.sleep(chance.uniform(0, 0.02))
        assert started.process.pid is not None
        targets = {"one job": [chance.choice(pids)], "the run": [started.process.pid]}
        for pid in targets.get(victim, [started.process.pid, *pids]):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        started.status()
        wait_until(partial(gone, pids), "the jobs end")
    assert installation.run(*JOBS).returncode == 0
    assert_each_once(installation)


@pytest.mark.parametrize("point", list(POINTS))
def test_a_kill_of_a_job_between_its_output_and_the_state_repeats_nothing(
    point: str, installation: Fallible
) -> None:
    run = installation.run(*JOBS, fault=KillAt(point, 4), **OFTEN)
    assert run.returncode == 1
    assert "was ended by signal 9" in run.stderr
    assert installation.run(*JOBS).returncode == 0
    assert_each_once(installation)


def test_when_a_job_is_killed_the_others_end_well_and_nothing_is_withdrawn(
    installation: Fallible, sites: list[GatedSite]
) -> None:
    assert installation.run(*JOBS).returncode == 0
    for site in sites:
        publish(site, {**numbered(DOCUMENTS // 2), "doc1": NEWER}, {"b1": FIRST})
    sites[0].gates.add("/s1.xml")
    started = installation.start(*JOBS, **SOON)
    started.wait_until(lambda: "/s1.xml" in sites[0].waiting, "the host is being read")
    # The gate keeps its job from its end, and the others wait for it before they withdraw.
    changed = {site.url("/d/doc1.pdf") for site in sites}

    def is_delivered() -> bool:
        text = (installation.folder / "all.jsonl").read_bytes()
        complete = text[: text.rfind(b"\n") + 1].splitlines()  # another line may be on its way
        times = Counter(json.loads(line)["document"]["weblocatie"] for line in complete)
        return all(times[loc] == 2 for loc in changed)

    started.wait_until(is_delivered, "what has changed is there")
    (victim,) = [pid for pid in jobs_of(run_of(started)) if str(sites[0].port) in remote_ports(pid)]
    os.kill(victim, signal.SIGKILL)
    run = started.wait()
    assert run.returncode == 1
    (line,) = errors(run)
    assert "with 2 hosts was ended by signal 9: what it did not finish comes again in the next run" in line
    assert "finish_reason" not in run.stats
    sites[0].gates.clear()
    causes = Counter((r["versies"][0]["oorzaak"]) for r in lines([installation.folder / "all.jsonl"]))
    assert causes["wijziging"] == len(changed)
    complete = {line["host"] for line in run.hosts if line["complete"]}
    assert len(complete) == HOSTS - 2
    assert causes["intrekking"] == len(complete) * (DOCUMENTS // 2 - 1)
    rest = installation.run(*JOBS)
    assert rest.returncode == 0
    after = Counter((r["versies"][0]["oorzaak"]) for r in lines([installation.folder / "all.jsonl"]))
    assert after["intrekking"] == HOSTS * (DOCUMENTS // 2 - 1)
    assert after["aanlevering"] == HOSTS * DOCUMENTS
    assert len(latest([installation.folder / "all.jsonl"])) == HOSTS * DOCUMENTS
    assert_agrees(installation)


def remote_ports(pid: int) -> set[str]:
    """Return the ports to which a process has connections."""
    sockets = set()
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            sockets.add(str(each.readlink()))
    found = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if f"socket:[{fields[9]}]" in sockets:
            found.add(str(int(fields[2].rpartition(":")[2], 16)))
    return found


@both_signals
@pytest.mark.parametrize("everyone", [False, True])
def test_a_stop_ends_all_jobs_and_loses_nothing(
    everyone: bool, number: signal.Signals, installation: Fallible, sites: list[GatedSite]
) -> None:
    for site in sites[:3]:
        site.gates.add("/s1.xml")
    started = installation.start(*JOBS, **STOP)
    started.wait_until(lambda: all("/s1.xml" in site.waiting for site in sites[:3]), "hosts hang")
    pids = jobs_of(run_of(started))
    assert len(pids) == 3
    for pid in pids if everyone else ():  # as a service manager does
        os.kill(pid, number)
    started.send(number)
    run = started.wait()
    assert (run.returncode, run.stats["finish_reason"]) == (0, "shutdown"), run.stderr
    assert "Traceback" not in run.stderr
    assert gone(pids)
    assert set(all_records(installation)) == harvested(installation.folder)
    assert run.report is not None
    assert (run.report / "report.json").exists()
    assert not [code for code in run.codes if "onbereikbaar" in code or "afgebroken" in code]
    for site in sites:
        site.gates.clear()
    assert installation.run(*JOBS).returncode == 0
    assert_each_once(installation)


def test_a_second_signal_ends_the_jobs_at_once(installation: Fallible, sites: list[GatedSite]) -> None:
    sites[0].gates.add("/s1.xml")
    started = installation.start(*JOBS, WOO_STOP_TIMEOUT=600, **SOON)
    started.wait_until(lambda: "/s1.xml" in sites[0].waiting, "a host hangs")
    pids = jobs_of(run_of(started))
    started.send(signal.SIGTERM)
    started.wait_until(lambda: "a second signal ends them at once" in started.stderr, "it stops")
    started.send(signal.SIGTERM)
    run = started.wait()
    assert run.returncode == 1
    assert gone(pids)
    assert "was ended by signal 9" in run.stderr
    sites[0].gates.clear()
    assert installation.run(*JOBS).returncode == 0
    assert_each_once(installation)


def test_the_jobs_of_a_killed_run_stop_by_themselves(installation: Fallible, sites: list[GatedSite]) -> None:
    sites[0].gates.add("/s1.xml")
    started = installation.start(*JOBS, **STOP)
    started.wait_until(lambda: "/s1.xml" in sites[0].waiting, "a host hangs")
    pids = jobs_of(run_of(started))
    assert started.kill(after=0)
    wait_until(lambda: gone(pids), "the jobs end")
    sites[0].gates.clear()
    assert installation.run(*JOBS).returncode == 0
    assert_each_once(installation)


def test_a_second_run_on_the_same_hosts_is_refused_before_it_reads_one(
    installation: Fallible, sites: list[GatedSite]
) -> None:
    sites[0].gates.add("/s1.xml")
    started = installation.start(*JOBS, **SOON)
    started.wait_until(lambda: "/s1.xml" in sites[0].waiting, "a host hangs")
    for args in (("--jobs", "2"), ()):
        second = installation.run(*args)
        assert second.returncode == 1
        assert "another run works on" in errors(second)[-1]
        assert len(errors(second)) == 1
    other = installation.run(
        "--jobs", "2", "-o", "all.jsonl", WOO_STATE_URL=f"sqlite:///{installation.folder}/b.db"
    )
    assert other.returncode == 1
    assert "another run writes to" in errors(other)[-1]
    sites[0].gates.clear()
    assert started.wait().returncode == 0
    assert_each_once(installation)


def test_a_job_that_cannot_start_is_named_once_and_leaves_nothing(
    installation: Fallible, tmp_path: Path
) -> None:
    run = installation.run(*JOBS, DUPEFILTER_CLASS="woo_harvester.nergens.Niets")
    assert run.returncode == 2
    (line,) = errors(run)
    assert "DUPEFILTER_CLASS" in line
    assert not list(tmp_path.glob("reports/*"))
    assert not (tmp_path / "all.jsonl").exists()
    assert installation.run(*JOBS).returncode == 0
    assert_each_once(installation)
