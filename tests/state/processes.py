"""Other processes, which have locks and are killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.conftest import ROOT


@contextmanager
def running(code: str, *args: object) -> Iterator[subprocess.Popen[str]]:
    """Start a process that runs *code*, wait for its first line, and kill it at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


LOCKING = """
import sys, time
from pathlib import Path
from woo_harvester.state.locks import FileLocks
locks = FileLocks.beside(Path(sys.argv[1]))
locks.acquire(sys.argv[2:])
print("locked", flush=True)
time.sleep(60)
"""

#: The same on any state, by its URL.
LOCKING_STATE = """
import sys, time
from woo_harvester.state.store import State
state = State.open(sys.argv[1])
locks = state.locks("process 1 on elders")
locks.acquire(sys.argv[2:])
print("locked", flush=True)
time.sleep(60)
"""

#: Locks a file for writing, as a run does with its own file.
WRITING = """
import fcntl, sys, time
file = open(sys.argv[1], "ab")
fcntl.flock(file, fcntl.LOCK_EX)
print("ready", flush=True)
time.sleep(60)
"""
