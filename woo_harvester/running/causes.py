"""The cause of an exception in one line, for operators."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import dropwhile
from linecache import getline
from traceback import extract_tb, walk_tb
from types import FrameType

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.statscollectors import MemoryStatsCollector

from woo_harvester.running.setting import shown

#: The error numbers for no more memory or files. EAGAIN is not here, because a lock also raises it.
_EXHAUSTED = frozenset({errno.ENOMEM, errno.EMFILE, errno.ENFILE})

#: Python's message when it cannot start a thread.
_NO_THREAD = "can't start new thread"


#: What the methods of Scrapy's settings expect of the value of a setting.
_EXPECTED = {
    "getbool": "True or False",
    "getint": "a whole number",
    "getfloat": "a number",
    "getdict": "a JSON object",
    "getlist": "a list, or a text with commas",
}

#: What a value of the wrong kind raises where it is used.
_WRONG_VALUE = (AttributeError, ImportError, LookupError, TypeError, ValueError)

#: The name of a setting, in code that reads it.
_NAME = re.compile(r"[A-Z][A-Z0-9_]{3,}")


class ArgumentError(ValueError):
    """An argument is invalid; the message is one line with what was expected."""


class StartError(Exception):
    """The run cannot start; the message is one line that says why."""


def cause_of(error: BaseException) -> str:
    """Return the message of *error* in one line, with the name of the file or of the exception class."""
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, StartError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror}"
    text = " ".join(str(error).split())
    if isinstance(error, RuntimeError) and _NO_THREAD in text:
        return f"{_NO_THREAD}: too little memory, or too many processes"
    if isinstance(error, ImportError | NameError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def exhaustion_in(error: BaseException) -> BaseException | None:
    """Return the first of *error* and its causes that is a lack of memory, threads or files, or None."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        if _is_exhaustion(current):
            return current
        seen.add(id(current))
        current = current.__cause__ or current.__context__
    return None


def is_exhausted(error: BaseException) -> bool:
    """Return whether *error* or one of its causes is a lack of memory, threads or files."""
    return exhaustion_in(error) is not None


def _is_exhaustion(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _EXHAUSTED
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and _NO_THREAD in str(error))


def wrong_setting(error: BaseException) -> str | None:
    """Return which setting Scrapy could not read, what was expected and what came; None for another error.

    Scrapy's own message does not name the setting. Whatever reads a setting decides what it accepts, so
    this looks for the failed call in the traceback, rather than check all settings beforehand. That is a
    method of the settings, or else the code that the exception comes from has the name of the setting.
    """
    for frame, _ in walk_tb(error.__traceback__):
        settings, expected = frame.f_locals.get("self"), _EXPECTED.get(frame.f_code.co_name)
        if expected is not None and isinstance(settings, BaseSettings):
            name = frame.f_locals["name"]
            return f"{name}: expected {expected}, got {shown(settings.get(name))}"
    name = _setting_in_code(error) if isinstance(error, _WRONG_VALUE) else None
    return None if name is None else f"{name}: {cause_of(error)}"


def _setting_in_code(error: BaseException) -> str | None:
    """Return the one setting that was given and is named in the code from which *error* comes, or None.

    That is the statement which called the standard library or a tool of Scrapy, such as ``load_object()``. Or
    an earlier statement of the same function, if the error repeats the value of the setting.
    """
    frames = zip(walk_tb(error.__traceback__), extract_tb(error.__traceback__), strict=True)
    for (frame, _), place in dropwhile(lambda each: _is_tool(each[0][0]), reversed(list(frames))):
        given = _given_settings(frame)
        first, last = place.lineno or 0, place.end_lineno or 0
        if named := _named_in(place.filename, range(first, last + 1), given):
            return named.pop() if len(named) == 1 else None
        if frame.f_code.co_name.startswith("<"):  # a comprehension is a part of the code around it
            continue
        seen = {name for name, value in given.items() if _is_repeated(value, str(error))}
        named = _named_in(place.filename, range(frame.f_code.co_firstlineno, first), seen)
        return named.pop() if len(named) == 1 else None
    return None


def _named_in(path: str, lines: Iterable[int], names: Collection[str]) -> set[str]:
    return {name for number in lines for name in _NAME.findall(getline(path, number)) if name in names}


def _is_repeated(value: object, text: str) -> bool:
    return repr(value) in text or str(value) in text.split()


def _is_tool(frame: FrameType) -> bool:
    """Return whether a frame is of the standard library or of Scrapy's tools, and has no settings at hand."""
    module = str(frame.f_globals.get("__name__"))
    is_tool = module.startswith("scrapy.utils.") or module.partition(".")[0] in sys.stdlib_module_names
    return is_tool and not _given_settings(frame)


def _given_settings(frame: FrameType) -> dict[str, object]:
    """Return the settings that a function has at hand, except those with Scrapy's default."""
    for owner in map(frame.f_locals.get, ("settings", "self", "crawler")):
        settings = owner if isinstance(owner, BaseSettings) else getattr(owner, "settings", None)
        if isinstance(settings, BaseSettings):
            return {str(name): settings[name] for name in settings if settings.getpriority(name)}
    return {}


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


class RunStats(MemoryStatsCollector):
    """Scrapy's collector of statistics in memory, several times faster.

    Each use of a method of Scrapy's collector first looks for a version of it that warns of the old argument
    ``spider``. A document counts in a dozen statistics, so this took as long as reading its metadata.
    """

    __getattribute__ = object.__getattribute__


def usable_cores() -> int:
    """Return how many cores this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
