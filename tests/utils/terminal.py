"""Commands on a pseudo-terminal, and what a person would see there."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import sys
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from runpy import run_path
from select import select
from time import monotonic

import pyte

from tests.utils.command import environment, in_project
from tests.utils.forked_runs import Forked

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
    script: Path | None = None,
    watch: Callable[[Terminal], None] = lambda terminal: None,
    timeout: float = 120,
) -> Terminal:
    """Run ``scrapy <args>`` as :func:`tests.utils.command.run_scrapy` does, on a terminal of its own.

    *script* is a Python program that is run in place of that, with *args*. *watch* is called with the
    terminal each time that something was written to it.
    """
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    plain = dict.fromkeys(("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"), "")
    given = {key: value for key, value in environment(ca, env).items() if key not in plain}
    argv = in_project(args, cwd, settings)
    run = Forked(
        argv if script is None else args,
        cwd,
        {**given, "TERM": "xterm-256color", **(env or {})},
        before=partial(_on_terminal, os.ttyname(follower), script),
    )
    terminal = Terminal()
    deadline = monotonic() + timeout
    try:
        for data in _written(leader, follower, run):
            terminal.feed(data)
            watch(terminal)
            assert monotonic() < deadline, terminal.shown
        terminal.returncode = run.done(timeout).returncode
    finally:
        run.process.kill()
        run.process.join()
        os.close(leader)
    return terminal


def _on_terminal(name: str, script: Path | None) -> None:
    """Have this process begin a session on a terminal, and run the script if there is one."""
    os.setsid()
    terminal = os.open(name, os.O_RDWR)  # the first that a session opens is the one that controls it
    for number in range(3):
        os.dup2(terminal, number)
    os.close(terminal)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 -- stays open
    assert isinstance(sys.stdout, TextIOWrapper)
    sys.stdout.reconfigure(line_buffering=True)  # as in an interpreter that starts on a terminal
    if script is not None:
        sys.argv[0] = str(script)
        run_path(str(script), run_name="__main__")
        sys.exit()


def _written(leader: int, follower: int, run: Forked) -> Iterator[bytes]:
    """Yield what is written to the terminal, until the run has ended and all of it was read."""
    try:
        while leader in select([leader, run.process.sentinel], [], [])[0]:
            yield os.read(leader, 65536)
    finally:
        os.close(follower)
    with suppress(OSError):  # so Linux says that nobody has the other end open any more
        while data := os.read(leader, 65536):
            yield data
