"""The standard streams of a command, which whoever starts it may have closed, or connected to a full disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_MODES = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_closed_streams() -> None:
    """Open ``/dev/null`` in the place of each standard stream that is closed.

    Otherwise the next file that is opened gets its number, and what a library writes to number 2 would end up
    in the state.
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
    """Write lines to stderr; where that is full or closed nobody reads them, and the command goes on."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def flush_stdout() -> None:
    """Write what stdout has in its buffer.

    Raises OSError. What is left of the buffer is dropped then: at its end Python would try again, and end
    with status 120.
    """
    try:
        sys.stdout.flush()
    except OSError:
        _to_null(1)
        raise


@contextmanager
def to_stdout() -> Iterator[None]:
    """Name standard output in the OSError of what is written there."""
    try:
        yield
        flush_stdout()
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from error


def flush_stderr() -> None:
    """Drop what stderr cannot write. Python would end with status 120 because of it."""
    try:
        sys.stderr.flush()
    except OSError:
        _to_null(2)


def _to_null(number: int) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)
