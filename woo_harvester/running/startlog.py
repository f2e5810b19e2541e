"""The log of a run that has not made its first request yet."""

from __future__ import annotations

import logging
from collections.abc import Callable

from woo_harvester.running.causes import cause_of, exhaustion_in

#: The loggers that have much to say at the start of each run; what others say is written at once.
_NAMES = ("scrapy", "woo_harvester")

#: The attribute of a record that says no more than the last line of the command does.
IN_LAST_LINE = "woo_said_at_end"


class StartLog(logging.Handler):
    """Keeps the log back until it is clear whether the run starts, since one line says why it does not.

    An error that is not that line is never kept back: it is written at once, after what was kept. What is
    written to stderr by anything but these loggers, such as a traceback, goes its usual way.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[logging.LogRecord] = []
        self._loggers = [logging.getLogger(name) for name in _NAMES]
        for logger in self._loggers:
            logger.addHandler(self)
            logger.propagate = False

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the record; before an error that is said nowhere else, write those that were kept."""
        if record.levelno >= logging.ERROR and not hasattr(record, IN_LAST_LINE):
            self.write_kept()  # the record itself goes on to the root logger after this
        else:
            self._kept.append(record)

    def write_kept(self) -> None:
        """Write what was kept, and keep nothing more."""
        kept = self._end()
        for record in kept:
            logging.root.callHandlers(record)

    def forget(self) -> None:
        """Forget what was kept, and keep nothing more."""
        self._end()

    def close(self) -> None:
        """Write what was kept: the process ends, or somebody configures logging anew."""
        self.write_kept()
        super().close()

    def _end(self) -> list[logging.LogRecord]:
        for logger in self._loggers:
            logger.removeHandler(self)
            logger.propagate = True
        kept, self._kept = self._kept, []
        return kept


class FirstErrors(logging.Handler):
    """Remembers why the first errors were logged: Scrapy, Twisted and asyncio log exceptions and go on."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.first: str | None = None
        """The first exception, in one line."""
        self.exhausted: str | None = None
        """The first one that was a lack of memory, threads or files."""
        self.on_exhausted: Callable[[str], None] | None = None
        """Called with that, in the thread that logs it."""
        logging.root.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Remember the exception of the record."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return
        self.first = self.first or cause_of(error)
        if self.exhausted is None and (lack := exhaustion_in(error)) is not None:
            self.exhausted = cause_of(lack)
            if self.on_exhausted is not None:
                self.on_exhausted(self.exhausted)

    def close(self) -> None:
        """Remember nothing more."""
        logging.root.removeHandler(self)
        super().close()
