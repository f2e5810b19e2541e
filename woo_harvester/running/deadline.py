"""The deadline of a stopped process: it ends in time, even if a thread hangs."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from time import monotonic

from woo_harvester.running.streams import flush_stderr, flush_stdout, write_stderr

logger = logging.getLogger(__name__)

OVERDUE = (
    "the run was stopped and did not end within WOO_STOP_TIMEOUT ({seconds:g} s), so it was ended; "
    "what is not confirmed comes again in the next run"
)

#: Seconds to write the last line to the log, whose disk may hang too.
_LAST_LINE = 1.0


class Deadline:
    """Ends the process at a given time from its own threads, because a disk or database may block the others.

    The threads start immediately. Later there may be no memory for them, and Python's ``Thread.start`` might
    then wait for ever.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        """The exit status, or None as long as the command has not finished its work."""
        self._line = ""
        self._at: float | None = None
        self._changed = threading.Condition()
        for later, act in ((0.0, self._end), (_LAST_LINE, self._exit)):
            threading.Thread(target=self._wait, args=(later, act), name="deadline", daemon=True).start()

    def start(self, seconds: float, line: str) -> None:
        """End the process after *seconds*; *line* is the error. An earlier deadline stays."""
        at = monotonic() + seconds
        with self._changed:
            if self._at is None or at < self._at:
                self._at, self._line = at, line
                self._changed.notify_all()

    def _wait(self, later: float, act: Callable[[], None]) -> None:
        with self._changed:
            while self._at is None or (left := self._at + later - monotonic()) > 0:
                self._changed.wait(None if self._at is None else left)
        act()

    def _end(self) -> None:
        if self.status is None:
            logger.error(self._line)
            write_stderr(f"scrapy: error: {self._line}")
        self._exit()

    def _exit(self) -> None:
        status = 1 if self.status is None else self.status
        try:
            flush_stdout()
        except OSError:
            status = status or 1
        flush_stderr()
        os._exit(status)
