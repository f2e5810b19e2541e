"""The cause of an exception in one line, for operators."""

from __future__ import annotations

import os


class ArgumentError(ValueError):
    """An argument is invalid; the message is one line with what was expected."""


class StartError(Exception):
    """The run cannot start; the message is one line that says why."""


class UnexpectedError(Exception):
    """A request failed for a reason that no publisher can cause, such as an exception in a middleware."""


def cause_of(error: BaseException) -> str:
    """Return the message of *error* in one line, with the name of the file or of the exception class."""
    if isinstance(error, UnexpectedError) and error.__cause__ is not None:
        return cause_of(error.__cause__)
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, StartError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror}"
    text = " ".join(str(error).split())
    if isinstance(error, ImportError | NameError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def usable_cores() -> int:
    """Return how many cores this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
