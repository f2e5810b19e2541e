"""What a container does every day: ``deploy/daily.sh``, and the pod of permits in ``deploy/kubernetes``."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.conftest import ROOT
from tests.utils.command import environment, read_lines
from tests.utils.vergunningen import FOLDER, Permits, about, publish
from tests.utils.waiting import STUCK, wait_until
from woo_harvester.demo.site import Site

pytestmark = pytest.mark.integration

DAILY = ROOT / "deploy" / "daily.sh"
#: A zone in which it is about noon now, so that no test runs over midnight.
NOON = f"NOON{datetime.now(UTC).hour - 12:+d}"


@contextmanager
def _started(
    command: Sequence[str], folder: Path, environ: Mapping[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """Start a command; at the end, end all that it started, also if the test fails."""
    with subprocess.Popen(
        command, cwd=folder, env=environ, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


class Container:
    """A folder in which daily.sh runs commands, with shell scripts for some programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.stamp = folder / "state" / "daily-woo"
        (folder / "bin").mkdir()

    def program(self, name: str, text: str) -> Path:
        """Make a program that comes before that of the system."""
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    @contextmanager
    def start(self, at: str, minutes: int, command: str, **more: str) -> Iterator[subprocess.Popen[str]]:
        """Start the script with a shell script as its command."""
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        given = {
            "PATH": path,
            "TZ": NOON,
            "WOO_DATA_DIR": str(self.stamp.parent),
            "LOG": str(self.log),
            **more,
        }
        argv = ["sh", str(DAILY), "woo", at, str(minutes), str(self.program("command", command))]
        with _started(argv, self.folder, given) as script:
            yield script

    def lines(self) -> list[str]:
        """Return the lines of the log."""
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    def day(self, ago: int = 0) -> str:
        """Return a day in the zone of the container."""
        here = datetime.now(UTC) - timedelta(hours=int(NOON[4:]))
        return f"{here - timedelta(days=ago):%Y-%m-%d}"


@pytest.fixture
def container(tmp_path: Path) -> Container:
    return Container(tmp_path)


def test_each_day_the_command_starts_at_another_moment_within_the_minutes_that_are_given(
    container: Container,
) -> None:
    container.program("sleep", 'echo "$1" >> "$LOG"')  # a night in no time
    count = '[ "$(wc -l < "$LOG")" -lt 12 ] || { kill -TERM "$PPID"; exec /bin/sleep 600; }'
    before = datetime.now(UTC)
    with container.start("23:30", 240, count) as script:
        assert script.wait(STUCK) == 143
    took = (datetime.now(UTC) - before).total_seconds()
    waits = [int(line) for line in container.lines()]
    here = before - timedelta(hours=int(NOON[4:]))
    due = (here.replace(hour=23, minute=30, second=0) - here).total_seconds()
    assert len(waits) == 12
    assert all(due - took - 1 <= wait <= due + 240 * 60 + 1 for wait in waits)
    assert len(set(waits)) > 1


def test_a_container_that_is_new_or_has_run_today_waits_until_tomorrow(container: Container) -> None:
    waits = container.folder / "waits"
    container.program("sleep", f'echo "$1" >> {waits}; exec /bin/sleep 600')
    for _ in range(2):
        waits.unlink(missing_ok=True)
        with container.start("06:30", 0, 'echo ran >> "$LOG"') as script:
            wait_until(lambda: waits.exists() and waits.read_text().endswith("\n"), "it sleeps")
            assert 12 * 3600 < int(waits.read_text()) < 24 * 3600
            assert container.stamp.read_text() == container.day() + "\n"
            script.terminate()
            assert script.wait(STUCK) == 143
    assert container.lines() == []


def test_a_container_that_starts_before_its_hour_does_not_lose_the_day_by_a_restart(
    container: Container,
) -> None:
    container.program("sleep", 'echo sleeps >> "$LOG"; exec /bin/sleep 600')
    with container.start("23:30", 0, "true") as script:
        wait_until(container.lines, "it sleeps")
        script.terminate()
        assert script.wait(STUCK) == 143
    assert container.stamp.read_text() == container.day(ago=1) + "\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_stopped_ends_by_itself_and_the_script_with_it(
    container: Container, number: signal.Signals
) -> None:
    container.stamp.parent.mkdir()
    container.stamp.write_text(container.day(ago=1) + "\n")
    run = 'trap \'echo ended >> "$LOG"; exit 0\' TERM; echo begun >> "$LOG"; while :; do sleep 0.1; done'
    with container.start("06:30", 0, run) as script:
        wait_until(container.lines, "the run has begun")
        script.send_signal(number)
        assert script.wait(STUCK) == 0
    assert container.lines() == ["begun", "ended"]


def test_the_figures_of_a_run_go_to_a_pushgateway_where_there_is_one(container: Container) -> None:
    container.stamp.parent.mkdir()
    container.stamp.write_text(container.day(ago=1) + "\n")
    container.program("python", 'echo "$1" >> "$LOG"')
    with container.start("06:30", 0, 'echo ran >> "$LOG"', PUSHGATEWAY_URL="http://gateway") as script:
        wait_until(lambda: container.lines() == ["ran", f"{DAILY.parent}/push.py"], "the figures are sent")
        script.terminate()
        assert script.wait(STUCK) == 143


def pod(folder: Path, spread: int, **given: str) -> AbstractContextManager[subprocess.Popen[str]]:
    """Start the command of the pod of permits in a folder."""
    manifest = YAML(typ="safe", pure=True).load(ROOT / "deploy" / "kubernetes" / "permits.yaml")
    (container,) = manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    entries = {"ENTRIES": str(folder / "entries.csv"), "SPREAD": str(spread)}
    return _started([*container["command"], *container["args"]], folder, {**os.environ, **entries, **given})


def test_a_pod_of_permits_harvests_the_entry_pages_of_its_file(
    site: Site, tmp_path: Path, ca_bundle: Path
) -> None:
    publish(site, {"1.xml": about(1), "2.xml": about(2)})
    (tmp_path / "entries.csv").write_text(f"organisatie,url\nVoorbeeldstad,{site.url(FOLDER)}\n")
    register = Permits(tmp_path, ca_bundle).arguments("")[5].removeprefix("register=")
    given = environment(
        ca_bundle,
        {
            "SCRAPY_SETTINGS_MODULE": "woo_harvester.settings",
            "PATH": f"{ROOT}/.venv/bin:{os.environ['PATH']}",
            "WOO_ALLOW_PRIVATE_HOSTS": "1",
            "WOO_REGISTER": register,
            "WOO_STATE_URL": f"sqlite:///{tmp_path}/state.sqlite",
        },
    )
    for _ in range(2):  # the second day there is nothing new
        with pod(tmp_path, 0, **given) as started:
            _, stderr = started.communicate(timeout=STUCK)
        assert started.returncode == 0, stderr
        records = sorted(tmp_path.glob("permits/records/vergunningen-*.jsonl"))
        assert sum(len(read_lines(path)) for path in records) == 2


def test_a_pod_that_is_stopped_while_it_waits_does_not_count_as_done(tmp_path: Path) -> None:
    (tmp_path / "entries.csv").write_text("organisatie,url\n")
    sleeping = Container(tmp_path).program("sleep", 'echo "$1" > slept; exec /bin/sleep 600')
    with pod(tmp_path, 14400, PATH=f"{sleeping.parent}:{os.environ['PATH']}") as started:
        wait_until((tmp_path / "permits" / "slept").exists, "it waits")
        started.terminate()
        assert started.wait(STUCK) == 143
    assert 0 <= int((tmp_path / "permits" / "slept").read_text()) <= 14400
