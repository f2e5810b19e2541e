"""Prepares a file for what is appended to it: one writer at a time, and a last line that has its end."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from woo_harvester.inputs import LOCKED, WITHOUT_LOCKS, parse_json

#: Bytes that are read at once.
BLOCK = 1024 * 1024

#: A byte order mark alone is no line.
BLANK = b" \t\r\xef\xbb\xbf"


class WriterError(OSError):
    """Another process writes to the file; the message is its path."""


class QuotedCellError(ValueError):
    """A CSV file ends inside a quoted cell, so that nothing can follow; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A truncated line that was moved out of a file."""

    path: Path
    """The file that has it now."""
    size: int
    """Bytes of the line."""


def open_for_appending(path: Path) -> FileIO:
    """Open a file and lock it until it is closed, by whichever descriptor of this process.

    The file is made where there is none, with its folder. Raises :class:`WriterError` where another process
    has the lock, and OSError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:  # a file where a folder should be
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
    file = FileIO(str(path), "a+")
    try:
        lock(file)
    except OSError:
        file.close()
        raise
    return file


def lock(file: FileIO) -> None:
    """Lock a file for writing. Raises OSError; :class:`WriterError` where another process has the lock."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in LOCKED:
            raise WriterError(str(file.name)) from None
        if error.errno not in WITHOUT_LOCKS:  # then the lock of the state must do
            raise


def end_last_line(file: FileIO, *, is_csv: bool) -> Aside | None:
    """Give the last line of a file its end, so that the next one is not glued to it.

    A last line of JSON that is truncated is moved to the file of the same name with ``.truncated`` after it;
    returns where it is. All that is written is durable on return. A kill leaves the line in one of the files
    or in both. Raises :class:`QuotedCellError` and OSError; the file is as it was then.
    """
    size = os.fstat(file.fileno()).st_size
    start = _start_of_last_line(file, size)
    line = _read(file, start, size)
    if not line:
        return None
    if is_csv:
        _check_quotes(file, size)
        _append(file, b"\n" if line.endswith(b"\r") else b"\r\n")
    elif not line.strip(BLANK) and not line.endswith(b"\r"):
        return None  # white space before a record is no fault of it
    elif not line.strip(BLANK) or _is_json(line):
        _append(file, b"\n")
    else:
        return _move_aside(file, start, line)
    return None


def _is_json(line: bytes) -> bool:
    try:
        parse_json(line)
    except ValueError:
        return False
    return True


def _move_aside(file: FileIO, start: int, line: bytes) -> Aside:
    """Move the last line, first into the other file and then out of this one."""
    path = Path(str(file.name))
    aside = path.with_name(f"{path.name}.truncated")
    with FileIO(str(aside), "a+") as other:
        size = os.fstat(other.fileno()).st_size
        content = line + b"\n"
        if _read(other, max(0, size - len(content)), size) != content:  # else a kill came in between
            is_whole = _read(other, max(0, size - 1), size) in (b"", b"\n")
            _append(other, content if is_whole else b"\n" + content)
    with _folder(path.parent) as folder:
        os.fsync(folder)
    file.truncate(start)
    os.fsync(file.fileno())
    return Aside(aside, len(line))


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _append(file: FileIO, content: bytes) -> None:
    """Write durably at the end of a file. Raises OSError, and then leaves the file as it was."""
    size = os.fstat(file.fileno()).st_size
    try:
        left = memoryview(content)
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())
    except OSError:
        file.truncate(size)
        raise


def _start_of_last_line(file: FileIO, size: int) -> int:
    """Return where the last line begins: *size* where the file is empty or its last line has its end."""
    end = size
    while end:
        begin = max(0, end - BLOCK)
        found = _read(file, begin, end).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def _read(file: FileIO, start: int, end: int) -> bytes:
    """Read the bytes from *start* up to *end*."""
    parts = []
    while start < end and (part := os.pread(file.fileno(), min(BLOCK, end - start), start)):
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def _check_quotes(file: FileIO, size: int) -> None:
    """Raise QuotedCellError where a quote of a CSV file is not closed."""
    quotes = sum(_read(file, start, min(size, start + BLOCK)).count(b'"') for start in range(0, size, BLOCK))
    if quotes % 2:
        raise QuotedCellError(
            f"{file.name} ends inside a quoted cell: remove its last row, or give the run another file"
        )
