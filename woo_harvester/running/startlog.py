"""The log of a run before its first request, and its first errors."""

from __future__ import annotations

import logging
from collections.abc import Callable

from woo_harvester.running.causes import cause_of, exhaustion_in

#: The loggers that write many lines at the start of a run; lines of other loggers are written at once.
_NAMES = ("scrapy", "woo_harvester")

#: The attribute of a log record whose text is also the last line that the command prints.
IN_LAST_LINE = "woo_in_last_line"


class StartLog(logging.Handler):
    """Keeps the log back until the run starts, because one line is enough for a run that does not start.

    Any other error is written at once, after the records that were kept. Other loggers, and what is written
    to stderr without a logger, are not affected.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[logging.LogRecord] = []
        self._loggers = [logging.getLogger(name) for name in _NAMES]
        for logger in self._loggers:
            logger.addHandler(self)
            logger.propagate = False

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the record; but before an error that the last line does not repeat, write all kept records."""
        if record.levelno >= logging.ERROR and not hasattr(record, IN_LAST_LINE):
            self.write_kept()  # the record itself goes on to the root logger after this
        else:
            self._kept.append(record)

    def write_kept(self) -> None:
        """Write the kept records, and stop keeping records."""
        kept = self._end()
        for record in kept:
            logging.root.callHandlers(record)

    def forget(self) -> None:
        """Discard the kept records, and stop keeping records."""
        self._end()

    def close(self) -> None:
        """Write the kept records, because the process ends or logging is configured again."""
        self.write_kept()
        super().close()

    def _end(self) -> list[logging.LogRecord]:
        for logger in self._loggers:
            logger.removeHandler(self)
            logger.propagate = True
        kept, self._kept = self._kept, []
        return kept


class FirstErrors(logging.Handler):
    """Stores the causes of the first logged exceptions: Scrapy, Twisted and asyncio log them and go on."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.first: str | None = None
        """The cause of the first exception, in one line."""
        self.exhausted: str | None = None
        """The cause of the first exception that was a lack of memory, threads or files."""
        self.on_exhausted: Callable[[str], None] | None = None
        """Called with that cause, in the thread that logs it."""
        logging.root.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Store the cause of the record's exception, if it is the first."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return
        self.first = self.first or cause_of(error)
        if self.exhausted is None and (lack := exhaustion_in(error)) is not None:
            self.exhausted = cause_of(lack)
            if self.on_exhausted is not None:
                self.on_exhausted(self.exhausted)

    def close(self) -> None:
        """Remove the handler from the root logger."""
        logging.root.removeHandler(self)
        super().close()
