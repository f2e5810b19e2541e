"""The standard streams of a command, which may lead to a full disk or a closed pipe."""

from __future__ import annotations

import logging
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from scrapy.utils.log import get_scrapy_root_handler

from woo_harvester.running.log import log_line

_STDOUT = "standard output"


def write_stderr(text: str, level: str = "INFO") -> None:
    """Write lines without secrets to stderr; if it is full or closed, ignore that, since nobody reads it."""
    with suppress(OSError):
        print(log_line(text, level), file=sys.stderr, flush=True)


def warn_always(logger: logging.Logger, line: str) -> None:
    """Log a warning about a file of the user. Write it to stderr if the log leaves out warnings."""
    logger.warning("%s", line)
    handler = get_scrapy_root_handler()
    if isinstance(handler, logging.NullHandler) or (handler is not None and handler.level > logging.WARNING):
        write_stderr(line, "WARNING")


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
