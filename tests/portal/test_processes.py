"""Processes that answer: they are started, replaced and stopped."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from woo_portal.engine import EngineError
from woo_portal.processes import Answerers

#: A process that writes its number and what it got to a file, says that it answers, and ends with its stdin.
ANSWERS = """\
import os, sys
with open({file!r}, "a") as file:
    file.write(f"{{os.getpid()}} {{sys.stdin.readline()}}")
print(flush=True)
sys.stdin.read()
"""
#: The same, but the first one ends at once.
ENDS_ONCE = ANSWERS.replace(
    "sys.stdin.read()", "open({file!r}).read().count(chr(10)) > 1 and sys.stdin.read()"
)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def stop() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def numbers(file: Path) -> list[int]:
    return [int(line.split()[0]) for line in file.read_text(encoding="utf-8").splitlines()]


def is_there(number: int) -> bool:
    return Path(f"/proc/{number}").exists()


def answerers(code: str, listener: socket.socket, file: Path, count: int, report: list[str]) -> Answerers:
    def note(line: str) -> None:
        report.append(line)
        stop()

    command = (sys.executable, "-c", code.format(file=str(file)))
    return Answerers(count, listener, {"name": "x"}, note, command)


def test_all_answer_before_it_is_said_and_none_is_left(listener: socket.socket, tmp_path: Path) -> None:
    file, report = tmp_path / "started", list[str]()
    seen: list[list[bool]] = []

    def started() -> None:
        seen.append([is_there(number) for number in numbers(file)])
        stop()

    before = signal.getsignal(signal.SIGTERM)
    answerers(ANSWERS, listener, file, 3, report).run(started)
    assert seen == [[True] * 3]
    assert [is_there(number) for number in numbers(file)] == [False] * 3
    assert f'{{"name": "x", "listener": {listener.fileno()}}}' in file.read_text(encoding="utf-8")
    assert report == []
    assert signal.getsignal(signal.SIGTERM) is before


def test_one_that_ends_is_replaced_and_reported(listener: socket.socket, tmp_path: Path) -> None:
    file, report = tmp_path / "started", list[str]()
    answerers(ENDS_ONCE, listener, file, 1, report).run(lambda: None)
    assert report == ["a process that answers ended (0), and is replaced"]
    assert len(numbers(file)) == 2


def test_one_that_cannot_start_ends_it_all(listener: socket.socket, tmp_path: Path) -> None:
    file, report = tmp_path / "started", list[str]()
    with pytest.raises(EngineError, match=r"could not start \(exit status 3\)"):
        answerers("raise SystemExit(3)", listener, file, 2, report).run(lambda: None)
    assert report == []
