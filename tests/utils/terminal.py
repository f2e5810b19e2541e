"""Commands on a pseudo-terminal, and what a person would see there."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import pyte

from tests.utils.command import environment, in_project

COLUMNS, LINES = 80, 24


@dataclass
class Terminal:
    """A terminal of 80 columns by 24 lines: all that was written to it, and what it shows now."""

    screen: pyte.HistoryScreen = field(
        default_factory=lambda: pyte.HistoryScreen(COLUMNS, LINES, history=10_000, ratio=1)
    )
    raw: bytes = b""
    returncode: int | None = None

    def __post_init__(self) -> None:
        self._stream = pyte.ByteStream(self.screen)

    def feed(self, data: bytes) -> None:
        """More of what the command wrote."""
        self.raw += data
        self._stream.feed(data)

    @property
    def shown(self) -> list[str]:
        """The lines on the screen, without white space at their ends; empty ones left out."""
        return [line.rstrip() for line in self.screen.display if line.strip()]

    @property
    def all_lines(self) -> list[str]:
        """The lines that went off at the top, and those on the screen."""
        gone = ("".join(line[column].data for column in range(COLUMNS)) for line in self.screen.history.top)
        return [line.rstrip() for line in (*gone, *self.screen.display) if line.strip()]


def run_on_terminal(
    args: Sequence[str],
    cwd: Path,
    ca: Path | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    env: Mapping[str, str] | None = None,
    command: Sequence[str] = (),
    watch: Callable[[Terminal], None] = lambda terminal: None,
    timeout: float = 120,
) -> Terminal:
    """Run ``scrapy <args>`` as :func:`tests.utils.command.run_scrapy` does, on a terminal of its own.

    *command*, a Python script with its arguments, is run in place of that. *watch* is called with the
    terminal each time that something was written to it.
    """
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    plain = dict.fromkeys(("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"), "")
    given = {key: value for key, value in environment(ca, env).items() if key not in plain}
    whole = [sys.executable, "-m", "scrapy", *in_project(args, cwd, settings)]
    process = subprocess.Popen(
        [sys.executable, *command] if command else whole,
        cwd=cwd,
        env={**given, "TERM": "xterm-256color", **(env or {})},
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    )
    os.close(follower)
    terminal = Terminal()
    deadline = monotonic() + timeout
    try:
        while data := _read(leader):
            terminal.feed(data)
            watch(terminal)
            assert monotonic() < deadline, terminal.shown
        terminal.returncode = process.wait(timeout)
    finally:
        process.kill()
        process.wait()
        os.close(leader)
    return terminal


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:  # so Linux says that nobody has the other end open any more
        return b""
