"""A file of lines that the processes of a run append to in turns."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from woo_harvester.state.lastline import WriterError, open_for_appending
from woo_harvester.state.shared_file import Turns, append, join, reserve


def in_other_process(path: Path, how: str) -> bool:
    """Return whether another process may write to the file."""
    pid = os.fork()
    if not pid:
        try:
            {"run": open_for_appending, "reserve": reserve, "join": join}[how](path)
        except WriterError:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_reserved_file_is_for_the_processes_of_one_run(tmp_path: Path) -> None:
    path = tmp_path / "new" / "woo.jsonl"
    file = reserve(path)
    assert in_other_process(path, "join")
    assert not in_other_process(path, "run")
    assert not in_other_process(path, "reserve")
    file.close()
    assert in_other_process(path, "run")


def test_a_job_that_outlives_its_run_keeps_other_runs_away(tmp_path: Path) -> None:
    path = tmp_path / "woo.jsonl"
    reserve(path).close()
    job = join(path)
    assert not in_other_process(path, "run")
    assert not in_other_process(path, "reserve")
    job.close()


def test_what_a_killed_job_has_left_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "woo.jsonl"
    path.write_bytes(b'{"a":1}\n{"trunc')
    with join(path) as file:
        assert append(file, 8, [b'{"b":2}\n']) == 16
    assert path.read_bytes() == b'{"a":1}\n{"b":2}\n'


def test_a_failed_append_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "woo.jsonl"
    path.write_bytes(b"one\n")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with join(path) as file:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            append(file, 4, [b"two\n"])
    assert path.read_bytes() == b"one\n"


def test_the_turn_of_a_killed_process_ends() -> None:
    with closing(Turns()) as turns:
        assert_turn_ends(turns)


def assert_turn_ends(turns: Turns) -> None:
    """A turn comes although the process that had it was killed."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        with turns.turn(3):
            turns.begin(3)
            os.write(writing, b".")
            os.kill(os.getpid(), 9)
    assert os.read(reading, 1) == b"."
    with turns.turn(3):
        assert turns.is_begun(3)
        assert not turns.is_begun(2)
    os.waitpid(pid, 0)
    os.close(reading)
    os.close(writing)
