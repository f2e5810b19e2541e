"""The processes that answer for a portal whose own process fills the index and looks for new records.

Each is started by :data:`COMMAND`, and accepts connections at the same socket. It gets what it needs as one
line of JSON on its stdin, and prints a line when it answers. Its stdin stays open for as long as the process
that started it lives, so that it ends with it, however that one ends.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Event, Thread
from typing import Any

from woo_portal.engine import EngineError

#: How a process that answers is started.
COMMAND = (sys.executable, "-m", "woo_portal.server")
#: The seconds between two looks at the processes, and those after which one that does not stop is killed.
_LOOK, _KILL = 0.5, 15.0


class Answerers:
    """A number of processes that answer. Each that ends is replaced until they are stopped."""

    def __init__(
        self,
        count: int,
        listener: socket.socket,
        given: Mapping[str, Any],
        report: Callable[[str], None],
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._listener, self._report, self._command = listener, report, command
        self._line = json.dumps({**given, "listener": listener.fileno()}, default=str).encode() + b"\n"
        self._stopped = Event()
        self._count = count
        self._processes: list[Popen[bytes]] = []

    def run(self, started: Callable[[], None]) -> None:
        """Run until SIGTERM or Ctrl-C; call *started* once all answer. Raises EngineError if one cannot."""
        with self._signals():
            try:
                self._processes += [self._start() for _ in range(self._count)]
                for process in self._processes:
                    self._wait_until_ready(process)
                started()
                while not self._stopped.wait(_LOOK):
                    self._replace_ended()
            finally:
                self._stop()

    def _start(self) -> Popen[bytes]:
        # A session of its own: Ctrl-C reaches this process, which stops the others.
        process = Popen(  # noqa: S603 -- it is this Python
            self._command,
            stdin=PIPE,
            stdout=PIPE,
            pass_fds=(self._listener.fileno(),),
            start_new_session=True,
        )
        assert process.stdin is not None  # noqa: S101 -- for the type checker
        process.stdin.write(self._line)
        process.stdin.flush()
        return process

    def _wait_until_ready(self, process: Popen[bytes]) -> None:
        assert process.stdout is not None  # noqa: S101 -- for the type checker
        if not process.stdout.readline() and not self._stopped.is_set():
            raise EngineError(f"a process that answers could not start (exit status {process.wait()})")

    def _replace_ended(self) -> None:
        for number, process in enumerate(self._processes):
            if process.poll() is not None and not self._stopped.is_set():
                self._report(f"a process that answers ended ({process.returncode}), and is replaced")
                _close(process)
                self._processes[number] = self._start()
                self._wait_until_ready(self._processes[number])

    def _stop(self) -> None:
        """Let each process answer what it was asked, and end."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(_KILL)
            except TimeoutExpired:
                process.kill()
                process.wait()
            _close(process)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def stop(number: int, frame: object) -> None:
            self._stopped.set()

        earlier = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in earlier.items():
                signal.signal(each, handler)


def _close(process: Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def given_to_this() -> dict[str, Any]:
    """Return what this process was given, which ends with the one that started it."""
    given: dict[str, Any] = json.loads(sys.stdin.readline())
    Thread(target=_end_with_parent, name="portal-parent", daemon=True).start()
    return given


def _end_with_parent() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)
