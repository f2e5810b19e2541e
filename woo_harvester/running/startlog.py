"""The standard streams of a command, which may be closed, or connected to a full disk or a closed pipe."""

from __future__ import annotations

import logging
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.log import get_scrapy_root_handler

from woo_harvester.running.causes import cause_of, exhaustion_in
from woo_harvester.utils.secrets import masked

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_MODES = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_closed_streams() -> None:
    """Open ``/dev/null`` as each standard stream that is closed.

    Otherwise the next file that is opened, such as the state, gets file descriptor 2, and a library would
    write its error messages into it.
    """
    for number, (name, mode) in enumerate(_MODES):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
            if null != number:
                os.dup2(null, number)
                os.close(null)
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 -- stays open


def write_stderr(text: str) -> None:
    """Write lines without secrets to stderr; if it is full or closed, ignore that, since nobody reads it."""
    with suppress(OSError):
        print(masked(text), file=sys.stderr, flush=True)


def flush_stdout() -> None:
    """Flush stdout.

    Raises OSError, and then drops the rest of the buffer: otherwise Python flushes it again at exit, and
    exits with status 120.
    """
    try:
        sys.stdout.flush()
    except OSError:
        _to_null(1)
        raise


_STDOUT = "standard output"


@contextmanager
def to_stdout() -> Iterator[None]:
    """Add the name "standard output" to an OSError from writing to stdout."""
    try:
        yield
        flush_stdout()
    except OSError as error:
        raise OSError(error.errno, error.strerror, _STDOUT) from error


def is_unread(error: Exception) -> bool:
    """Return whether *error* is that the reader of stdout, such as ``head``, has closed the pipe."""
    if not isinstance(error, BrokenPipeError) or error.filename == _STDOUT:
        return isinstance(error, BrokenPipeError)
    stdout = select.poll()
    stdout.register(1, 0)  # without events to wait for, it reports only a pipe that nobody reads
    return bool(stdout.poll(0))


def flush_stderr() -> None:
    """Flush stderr; drop what it cannot write, with which Python would exit with status 120."""
    try:
        sys.stderr.flush()
    except OSError:
        _to_null(2)


def _to_null(number: int) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


#: The loggers that write many lines at the start of a run; lines of other loggers are written at once.
_NAMES = ("scrapy", "woo_harvester")

#: The attribute of a log record whose text is also the last line that the command prints.
IN_LAST_LINE = "woo_in_last_line"

#: The attribute of a log record that is written also if the run does not start.
_ALWAYS = "woo_always"


def warn_always(logger: logging.Logger, line: str) -> None:
    """Log a warning about a file of the user. Write it to stderr if the log leaves out warnings."""
    logger.warning("%s", line, extra={_ALWAYS: True})
    handler = get_scrapy_root_handler()
    if isinstance(handler, logging.NullHandler) or (handler is not None and handler.level > logging.WARNING):
        write_stderr(line)


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
        """Discard the kept records, except those of :func:`warn_always`, and stop keeping records."""
        for record in self._end():
            if hasattr(record, _ALWAYS):
                logging.root.callHandlers(record)

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


class FolderLog(logging.FileHandler):
    """Writes the log of a run on a terminal to its folder; the terminal gets only errors."""

    def __init__(self, path: Path, crawler: Crawler) -> None:
        super().__init__(path, "w", encoding="utf-8", delay=True, errors="backslashreplace")
        self._crawler = crawler
        self.setLevel(logging.INFO)
        settings = crawler.settings
        self.setFormatter(logging.Formatter(settings["LOG_FORMAT"], settings["LOG_DATEFORMAT"]))
        if (terminal := get_scrapy_root_handler()) is not None:
            terminal.addFilter(lambda record: not hasattr(record, IN_LAST_LINE))
        logging.root.addHandler(self)

    def _open(self) -> TextIOWrapper:
        """Open the file for its owner alone: a log may name what others should not know."""
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        return os.fdopen(descriptor, "w", encoding=self.encoding, errors=self.errors)

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, and count it: Scrapy counts those of the terminal only."""
        if record.levelno < logging.ERROR:
            self._crawler.stats.inc_value(f"log_count/{record.levelname}")
        try:
            super().emit(record)
        except OSError:  # the file cannot be opened
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 -- the name of logging's method
        """Stop writing at the first error of the disk, with one line on stderr."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        write_stderr(f"{self.baseFilename}: {cause_of(error)}: the rest of the log is not kept")
        logging.root.removeHandler(self)


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
