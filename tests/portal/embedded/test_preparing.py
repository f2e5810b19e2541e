from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.portal.embedded.records import all_of, opened, record, titles, write
from tests.utils.guard import is_alive
from tests.utils.waiting import wait_until
from woo_harvester.kinds import WOO
from woo_portal.embedded import preparing
from woo_portal.embedded.preparing import day_of, prepared
from woo_portal.engine import EngineError
from woo_portal.question import Question


def test_a_day_is_one_in_the_netherlands() -> None:
    for given, expected in [
        ("2026-06-01", date(2026, 6, 1)),
        ("2026-06-01T23:30:00Z", date(2026, 6, 2)),
        ("2026-06-01T00:30:00+02:00", date(2026, 6, 1)),
    ]:
        assert day_of(given) == expected.toordinal(), given


def test_what_is_no_date_has_no_day() -> None:
    for given in ["gisteren", "2026-13-01", "0000-00-00", 5, None]:
        assert day_of(given) is None, given


def test_the_newest_of_a_record_is_prepared_and_each_mistake_has_its_reason() -> None:
    given = [record(1, "Nieuw", second=2), record(1, "Oud", second=1), record(2, "Ander")]
    lines = [json.dumps(each).encode() for each in given]
    found = prepared([*lines, b"", b"  ", None, b"geen json"])
    assert [each.id for each in found.records] == [given[0]["id"], given[2]["id"]]
    assert [each.documents[0]["exact0"] for each in found.records] == ["nieuw", "ander"]
    assert found.mistakes == ["a line is too long", "Expecting value: line 1 column 1 (char 0)"]


def test_a_value_that_no_index_keeps_is_no_value_of_a_facet(tmp_path: Path) -> None:
    long, other = record(1, "Lang"), record(2, "Kort")
    long["document"]["publisher"] = {"id": "https://o.example/1", "label": "L" * 70_000}
    other["document"]["publisher"] = {"id": "https://o.example/2", "label": "K" * 8000}
    with opened(tmp_path / "portal") as engine:
        assert engine.fill([write(tmp_path / "a.jsonl", [long, other])]).written == 2
        answer = engine.search(Question(WOO))
        assert answer.total == 2
        assert [each.value.value for each in answer.counts["publisher"]] == ["https://o.example/2"]


@pytest.fixture
def in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "_MANY_BYTES", 0)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr("woo_portal.embedded.lines._BATCH", 20)


@pytest.mark.integration
def test_other_processes_make_the_same_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = [
        record(number % 150, f"Titel {number}", second=number % 60, text="water") for number in range(300)
    ]
    path = write(tmp_path / "a.jsonl", some)
    with path.open("ab") as file:
        file.write(b"geen json\n" + json.dumps(record(999, "Laatste")).encode() + b"\n")
    with opened(tmp_path / "alone") as engine:
        expected = engine.fill([path])
        contents, hits = all_of(engine), sorted(titles(engine, "water"))
    monkeypatch.setattr(preparing, "_MANY_BYTES", 0)
    monkeypatch.setattr("woo_portal.embedded.lines._BATCH", 20)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with opened(tmp_path / "together") as engine:
        done = engine.fill([path])
        assert (done.lines, done.broken, done.messages) == (302, 1, expected.messages)
        assert (all_of(engine), sorted(titles(engine, "water"))) == (contents, hits)


@pytest.mark.integration
@pytest.mark.usefixtures("in_processes")
def test_a_fill_goes_on_after_one_whose_processes_were_killed(tmp_path: Path) -> None:
    # What a process prepares at a time is more than a pipe holds: it is killed while it writes, or before.
    some = [record(number, text=f"water{number} " * 800) for number in range(3000)]
    path = write(tmp_path / "a.jsonl", some)
    with opened(tmp_path / "portal") as engine:
        with pytest.raises(EngineError, match="a process that prepares records for the index was ended"):
            engine.fill([path], lambda done: kill_all_below(os.getpid()))
        engine.fill([path])
        assert len(titles(engine)) == 3000


def kill_all_below(parent: int) -> None:
    for pid in processes_below(parent):
        os.kill(pid, signal.SIGKILL)


def processes_below(parent: int) -> list[int]:
    """Return the processes that a process started to prepare records."""
    listed = subprocess.run(
        ["ps", "-wwAo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout
    rows = (line.split(None, 2) for line in listed.splitlines()[1:])
    return [int(pid) for pid, above, command in rows if int(above) == parent and "spawn_main" in command]


@pytest.mark.integration
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_processes_end_with_the_one_that_started_them(tmp_path: Path, sent: signal.Signals) -> None:
    path = write(tmp_path / "a.jsonl", [record(number, text="water " * 200) for number in range(3000)])
    command = [
        sys.executable,
        "-m",
        "tests.portal.embedded.fill_files",
        "--in-processes",
        str(tmp_path / "portal"),
    ]
    with subprocess.Popen(
        [*command, str(path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        started = processes_below(process.pid)
        assert started
        os.killpg(process.pid, sent) if sent is signal.SIGINT else process.send_signal(sent)
    wait_until(lambda: not any(map(is_alive, started)), "they have ended")
