"""Each command that reads files, given files of wrong content: one line of error, and the exit status."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.commands.state_shell import record
from tests.utils.command import DATA, REPORTS, run_scrapy
from woo_harvester.state.store import State

pytestmark = pytest.mark.integration

#: The monitor fails for a run that ended more than a day ago.
END = {"finish_time": datetime.now(UTC).isoformat(), "finish_reason": "finished"}
FINDING = {"code": "ipm.datum-nu", "severity": "warning", "host": "a.nl", "at": "2026-11-22T08:00:00+01:00"}
RUN = "2026-11-21T08-00-00.000001"


def deep(path: Path) -> None:
    path.write_text("[" * 100_000 + "\n")


def deep_object(path: Path) -> None:
    path.write_text('{"a":' * 100_000 + "1" + "}" * 100_000 + "\n")


def large_number(path: Path) -> None:
    path.write_text("9" * 6000 + "\n")


def lone_surrogate(path: Path) -> None:
    path.write_text('{"id": "\\ud800"}\n')


def zeros(path: Path) -> None:
    path.write_bytes(bytes(1000) + b"\n")


def binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 50)


def long_line(path: Path) -> None:
    path.write_bytes(b'"' + b"x" * 20_000_000 + b'"\n')


def other_encoding(path: Path) -> None:
    path.write_bytes(f"{json.dumps(END)}\n".encode("utf-16"))


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


Make = Callable[[Path], None]
HOSTILE: tuple[Make, ...] = (
    *(deep, deep_object, large_number, lone_surrogate, zeros),
    *(binary, long_line, other_encoding, folder, pipe),
)


def fails_in_lines(args: list[str], cwd: Path, status: int = 1) -> list[str]:
    """Run a command that must fail; the lines with which it says why."""
    done = run_scrapy(args, cwd)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith(f"scrapy {args[0]}: error: ")]
    assert lines, done.stderr
    assert max(map(len, lines)) < 1000
    return lines


@pytest.mark.parametrize("make", HOSTILE)
@pytest.mark.parametrize("args", [["state", "latest"], ["state", "check"]], ids=" ".join)
def test_a_hostile_file_of_records(args: list[str], make: Make, tmp_path: Path) -> None:
    if args[1] == "check":
        State.open(f"sqlite:///{tmp_path / DATA / 'woo-state.sqlite'}").close()
    path = tmp_path / "file.jsonl"
    make(path)
    if path.is_file():  # a file without any record is refused as a whole
        path.write_bytes(f"{record('https://a.nl/1.pdf')}\n".encode() + path.read_bytes())
    lines = fails_in_lines([*args, "file.jsonl"], tmp_path, 2 if make is folder else 1)
    assert all(" file.jsonl" in line for line in lines)
    assert len(lines) == 1 or make in (binary, other_encoding)


def write_run(cwd: Path, spider: str) -> Path:
    """Make the folder of a run in which nothing is wrong."""
    made = cwd / REPORTS / f"{spider}-{RUN}"
    made.mkdir(parents=True)
    (made / "stats.json").write_text(json.dumps(END))
    (made / "findings.jsonl").write_text(json.dumps(FINDING) + "\n")
    (made / "hosts.jsonl").write_text('{"host": "a.nl"}\n')
    (made / "report.json").touch()
    return made


#: What reads the folders of runs, and the spider whose run it reads.
READERS = {"monitor": "woo", "inventory": "vergunningen", "merge-reports": "woo"}


def reading(command: str, made: Path, output: str) -> list[str]:
    """Return the arguments of a command that reads this folder of a run."""
    given = {
        "monitor": [],
        "inventory": ["--from", "2026-11-20", "--until", "2026-11-22"],
        "merge-reports": [str(made), "--output", output],
    }
    return [command, *given[command]]


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Check that each command reads the folder of a run in which nothing is wrong."""
    for command, spider in READERS.items():
        cwd = tmp_path_factory.mktemp(command)
        good = run_scrapy(reading(command, write_run(cwd, spider), "goed"), cwd)
        assert good.returncode == 0, good.stderr


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize("make", HOSTILE)
@pytest.mark.parametrize(
    ("command", "name"),
    [
        *[("inventory", name) for name in ("stats.json", "findings.jsonl")],
        *[("merge-reports", name) for name in ("stats.json", "findings.jsonl", "hosts.jsonl")],
    ],
)
def test_a_hostile_file_in_the_folder_of_a_run(command: str, name: str, make: Make, tmp_path: Path) -> None:
    made = write_run(tmp_path, READERS[command])
    (made / name).unlink()
    make(made / name)
    (line,) = fails_in_lines(reading(command, made, "fout"), tmp_path)
    assert name in line
    assert not (tmp_path / "fout").exists()


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize("make", HOSTILE)
@pytest.mark.parametrize("name", ["stats.json", "hosts.jsonl"])
def test_for_the_monitor_a_run_with_a_hostile_file_did_not_end(name: str, make: Make, tmp_path: Path) -> None:
    made = write_run(tmp_path, READERS["monitor"])
    (made / name).unlink()
    make(made / name)
    done = run_scrapy(["monitor"], tmp_path)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    told = [line for line in f"{done.stdout}{done.stderr}".splitlines() if f"{made.name} did not end" in line]
    assert [name in line for line in told] == [True], done.stdout + done.stderr
    assert max(map(len, told)) < 1000


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize("make", HOSTILE)
def test_for_the_monitor_a_run_with_a_hostile_register_may_be_of_any_shard(
    make: Make, tmp_path: Path
) -> None:
    made = write_run(tmp_path, READERS["monitor"])
    make(made / "organisations.json")
    done = run_scrapy(["monitor"], tmp_path)
    assert done.returncode == 0, done.stderr
