"""The cause of an exception in one line, for operators."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from woo_harvester.running.setting import shown

#: What the methods of Scrapy's settings expect of the value of a setting.
_EXPECTED = {
    "getbool": "True or False",
    "getint": "a whole number",
    "getfloat": "a number",
    "getdict": "a JSON object",
    "getlist": "a list, or a text with commas",
}


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


def wrong_setting(error: BaseException) -> str | None:
    """Return which setting Scrapy could not read, what was expected and what came; None for another error.

    Scrapy's own message does not name the setting. Whatever reads a setting decides what it accepts, so
    this looks for the failed call in the traceback, rather than check all settings beforehand.
    """
    for frame, _ in walk_tb(error.__traceback__):
        settings, expected = frame.f_locals.get("self"), _EXPECTED.get(frame.f_code.co_name)
        if expected is not None and isinstance(settings, BaseSettings):
            name = frame.f_locals["name"]
            return f"{name}: expected {expected}, got {shown(settings.get(name))}"
    return None


@contextmanager
def naming(setting: str) -> Iterator[None]:
    """Turn exceptions about a wrong value of *setting* into a UsageError that names the setting."""
    try:
        yield
    except (UsageError, MemoryError):
        raise
    except Exception as error:
        line = wrong_setting(error) or f"{setting}: {cause_of(error)}"
        raise UsageError(line, print_help=False) from error


def usable_cores() -> int:
    """Return how many cores this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
