"""Ends the servers that the tests started, and removes their folders, also if the tests are killed.

Each process of the tests has a guard: a process that reads from a pipe what is to be ended. The pipe ends
with the process of the tests, however that ended, and the guard ends what is left. It runs this file alone.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

#: Seconds between two looks at whether the process of the tests is there: a fork of it may have the pipe too.
_INTERVAL = 1.0
#: Seconds in which a server ends that is asked to. Then it is killed.
_PATIENCE = 20.0


class Server(subprocess.Popen[str]):
    """A process in a session of its own, which ends with the tests."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        super().__init__(command, **{**options, "start_new_session": True, "text": True})
        watch_process(self.pid)

    def poll(self) -> int | None:
        """Return its status if it has ended."""
        return self._noted(super().poll())

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        status = super().wait(timeout)
        self._noted(status)
        return status

    def _noted(self, status: int | None) -> int | None:
        if status is not None:
            unwatch(self.pid)
        return status


def watch_process(pid: int, number: int = signal.SIGKILL, users: Path | None = None) -> None:
    """End a server and its group with the tests.

    *users* is a file with the processes of the tests that use it, a number a line. It ends with the last.
    """
    _send(pid, number=int(number), users=str(users) if users else None)


def watch_folder(folder: Path, users: Path | None = None) -> None:
    """Remove a folder with the tests."""
    _send(str(folder), users=str(users) if users else None)


def unwatch(watched: int | Path) -> None:
    """Leave it, since it has ended or is gone."""
    _send(watched if isinstance(watched, int) else str(watched))


def _send(watched: int | str, **how: Any) -> None:
    os.write(_pipe(os.getpid()), f"{json.dumps([watched, how])}\n".encode())


@cache
def _pipe(parent: int) -> int:
    """Return the pipe to the guard of this process, which is closed when the process ends."""
    run = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else parent
    command = [sys.executable, "-I", __file__, str(parent), str(run)]
    reading, writing = os.pipe()
    guard = subprocess.Popen(command, stdin=reading, cwd="/", start_new_session=True)
    guard.returncode = 0  # nobody waits for it, since it ends last
    os.close(reading)
    return writing


def _watched(parent: int, run: int) -> dict[int | str, dict[str, Any]]:
    """Return what there is to end when the process of the tests has ended, and how.

    End that process if its test run has ended: a worker of xdist would first finish its test.
    """
    watched: dict[int | str, dict[str, Any]] = {}
    rest = b""
    while True:
        ready, _, _ = select.select([0], [], [], _INTERVAL)
        data = os.read(0, 65536) if ready else b""
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            key, how = json.loads(line)
            if how:
                watched[key] = how
            else:
                watched.pop(key, None)
        if not is_alive(run):
            with suppress(ProcessLookupError):
                os.kill(parent, signal.SIGKILL)
        if not data and (ready or os.getppid() != parent):
            return watched


def _is_left(users: str | None, parent: int) -> bool:
    """Wait until no other process of the tests uses a server; return whether none of them has ended it."""
    if users is None:
        return True
    while Path(users).exists():
        lines = Path(users).read_text(encoding="utf-8").splitlines()
        others = {int(line) for line in lines if line.isdecimal()} - {parent}
        if not any(map(is_alive, others)):
            return bool(lines)
        time.sleep(_INTERVAL)
    return True


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that nobody has waited for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _end(pid: int, number: int) -> None:
    """End a process, and then what is left of its group."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    end = time.monotonic() + _PATIENCE
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _main(parent: int, run: int) -> None:
    watched = _watched(parent, run)
    left = {key: how for key, how in watched.items() if _is_left(how["users"], parent)}
    for key, how in left.items():
        if isinstance(key, int):
            _end(key, how["number"])
    for key in left:
        if isinstance(key, str):
            shutil.rmtree(key, ignore_errors=True)


if __name__ == "__main__":
    _main(int(sys.argv[1]), int(sys.argv[2]))
