"""The end of a process that was told to stop, whatever hangs in it."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress

from woo_harvester.running.streams import flush_stderr, flush_stdout, write_stderr

logger = logging.getLogger(__name__)

OVERDUE = (
    "the run was told to stop and did not end within WOO_STOP_TIMEOUT ({seconds:g} s), so it was ended; "
    "what is not confirmed comes again in the next run"
)

#: Seconds that the log gets for the last line.
LOG_SECONDS = 1.0


class Deadline:
    """Ends the process after so many seconds, from a thread: a disk or a database may block the others."""

    def __init__(self) -> None:
        self.status: int | None = None
        """The exit status, once the command has done all that it does."""
        self._timer: threading.Timer | None = None

    def start(self, seconds: float) -> None:
        """Give the process so many seconds from now."""
        if self._timer is not None:
            self._timer.cancel()
        timer = threading.Timer(seconds, self._end, (seconds,))
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError as error:
            logger.warning("The time that the stop takes is not bounded: %s", error)
        else:
            self._timer = timer

    def _end(self, seconds: float) -> None:
        status = self.status
        if status is None:
            status = 1
            _say(OVERDUE.format(seconds=seconds))
        try:
            flush_stdout()
        except OSError:
            status = status or 1
        flush_stderr()
        os._exit(status)


def _say(line: str) -> None:
    """Write the line to the log and to stderr; a log that hangs too is not waited for."""
    with suppress(RuntimeError):  # where there is no thread to be had
        logs = threading.Thread(target=logger.error, args=(line,), daemon=True)
        logs.start()
        logs.join(LOG_SECONDS)
    write_stderr(f"scrapy: error: {line}")
