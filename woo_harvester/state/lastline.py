"""Prepares a file for appending: one writer at a time, and a line end after the last line."""

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

#: Bytes per read.
BLOCK = 1024 * 1024

#: White space and the bytes of a byte order mark: a line of only these has no record.
_BLANK = b" \t\r\xef\xbb\xbf"


class WriterError(OSError):
    """Another process writes to the file; the message is its path."""


class QuotedCellError(ValueError):
    """A CSV file ends inside a quoted cell, so no row can be appended. The message says what to do."""


@dataclass(frozen=True, slots=True)
class MovedLine:
    """A truncated line that was moved to another file."""

    path: Path
    """The file that the line is in now."""
    size: int
    """Length of the line in bytes."""


def open_for_appending(path: Path) -> FileIO:
    """Open a file for appending and lock it. Create the file and its folder if they are not there.

    POSIX ends the lock as soon as this process closes any descriptor of the file. Raises
    :class:`WriterError` if another process has the lock, and OSError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:  # a file of that name is in its place
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
    file = FileIO(str(path), "a+")
    try:
        lock(file)
    except OSError:
        file.close()
        raise
    return file


def lock(file: FileIO) -> None:
    """Lock a file for writing. Raises OSError, and :class:`WriterError` if another process has the lock."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in LOCKED:
            raise WriterError(str(file.name)) from None
        if error.errno not in WITHOUT_LOCKS:  # without file locks, the lock of the state has to suffice
            raise


def end_last_line(file: FileIO, *, is_csv: bool) -> MovedLine | None:
    """Add the missing line end to the last line of a file, so that the next record starts a new line.

    Move a truncated last line of JSON to the file with ``.truncated`` after its name, and return where it is.
    Everything is durable on return. If the process is killed, the line is in one of the files or in both.
    Raises :class:`QuotedCellError` and OSError, and then leaves the file unchanged.
    """
    size = os.fstat(file.fileno()).st_size
    start = _start_of_last_line(file, size)
    line = _read(file, start, size)
    if not line:
        return None
    if is_csv:
        _check_quotes(file, size)
        _append(file, b"\n" if line.endswith(b"\r") else b"\r\n")
    elif not line.strip(_BLANK) and not line.endswith(b"\r"):
        return None  # white space before a record is valid JSON
    elif not line.strip(_BLANK) or _is_json(line):
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


def _move_aside(file: FileIO, start: int, line: bytes) -> MovedLine:
    """Move the last line: add it to the other file first, then cut it off this one."""
    path = Path(str(file.name))
    aside = path.with_name(f"{path.name}.truncated")
    with FileIO(str(aside), "a+") as other:
        size = os.fstat(other.fileno()).st_size
        content = line + b"\n"
        # An earlier run may have been killed after it had added the line.
        if _read(other, max(0, size - len(content)), size) != content:
            is_complete = _read(other, max(0, size - 1), size) in (b"", b"\n")
            _append(other, content if is_complete else b"\n" + content)
    with _folder(path.parent) as folder:
        os.fsync(folder)
    file.truncate(start)
    os.fsync(file.fileno())
    return MovedLine(aside, len(line))


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _append(file: FileIO, content: bytes) -> None:
    """Append durably to a file. Raises OSError, and then leaves the file unchanged."""
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
    """Return the offset of an unfinished last line; *size* if the file is empty or ends in a line end."""
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
    """Raise QuotedCellError if a quoted cell of a CSV file is not closed."""
    quotes = sum(_read(file, start, min(size, start + BLOCK)).count(b'"') for start in range(0, size, BLOCK))
    if quotes % 2:
        raise QuotedCellError(
            f"{file.name} ends inside a quoted cell: remove its last row, or give the run another file"
        )
