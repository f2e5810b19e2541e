"""The standard streams of a command, which may be closed, or connected to a full disk or a closed pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

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
    """Write lines to stderr; if it is full or closed, ignore that, since nobody reads it."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


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
        raise OSError(error.errno, error.strerror, "standard output") from error


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
