"""Runs of the command in processes that are forked from a server.

The server has imported the packages already, so that to start a run costs a tenth of what it costs otherwise.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from functools import cache
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from tempfile import mkstemp

from scrapy.cmdline import execute

_PRELOAD = "tests.utils.preload"

Before = Callable[[], None]
"""Called in the process of the run before the command begins; must be a function of a module."""


class Forked:
    """The process of a run, which does what ``scrapy <args>`` does when it is typed in a folder."""

    def __init__(
        self, args: Sequence[str], folder: Path, environ: Mapping[str, str], before: Before | None = None
    ) -> None:
        self.args = args
        self._logs = _new_log(folder, "stdout"), _new_log(folder, "stderr")
        self.process = fork(_command, args, folder, environ, self._logs, before)

    def done(self, timeout: float) -> subprocess.CompletedProcess[str]:
        """Wait until it has ended; return what it wrote. Raises TimeoutExpired, and then kills it."""
        self.process.join(timeout)
        status = self.process.exitcode
        if status is None:
            self.process.kill()
            raise subprocess.TimeoutExpired(list(self.args), timeout, self.stdout, self.stderr)
        return subprocess.CompletedProcess(self.args, status, self.stdout, self.stderr)

    def send(self, number: signal.Signals) -> None:
        """Send the process a signal."""
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    @property
    def ended(self) -> bool:
        """Return whether it has ended."""
        return self.process.exitcode is not None

    @property
    def stdout(self) -> str:
        """Return what it has written to stdout until now."""
        return self._logs[0].read_text(encoding="utf-8")

    @property
    def stderr(self) -> str:
        """Return what it has written to stderr until now."""
        return self._logs[1].read_text(encoding="utf-8")


def fork(target: Callable[..., None], *args: object) -> ForkServerProcess:
    """Start a process that calls *target*, a function of a module."""
    process = _server().Process(target=_call, args=(target, *args))
    process.start()
    return process


def _call(target: Callable[..., None], *args: object) -> None:
    """Call the function. Raises the ImportError of the preload, which the server passes over."""
    if _PRELOAD not in sys.modules:
        import_module(_PRELOAD)
        raise ImportError(f"the server has not loaded {_PRELOAD}")
    target(*args)


def become(
    argv: Sequence[str], folder: Path, environ: Mapping[str, str], before: Before | None = None
) -> None:
    """Be the command of these arguments, the first of which is its name, as if it was typed in *folder*."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    sys.argv = [*argv]
    sys.path[:0] = [str(folder), *environ.get("PYTHONPATH", "").split(os.pathsep)]
    if before is not None:
        before()
    execute()


@cache
def _server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([_PRELOAD])
    # The first test may have gone to another folder, and the server imports from the one it starts in.
    with chdir(Path(__file__).parents[2]):
        forkserver.ensure_running()
    return context


def _new_log(folder: Path, name: str) -> Path:
    """Return a new file beside the folder, which may be a full disk."""
    logs = folder.with_name(f"{folder.name}-logs")
    logs.mkdir(exist_ok=True)
    descriptor, path = mkstemp(dir=logs, prefix=f"{name}-", suffix=".txt")
    os.close(descriptor)
    return Path(path)


def _command(
    args: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    logs: Sequence[Path],
    before: Before | None,
) -> None:
    """Run the command in this process, with its output to files."""
    for number, path in enumerate(logs, start=1):
        os.dup2(os.open(path, os.O_WRONLY), number)
    become(["scrapy", *args], folder, environ, before)
