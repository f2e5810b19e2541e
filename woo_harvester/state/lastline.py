"""Prepares a file for appending: one writer at a time, and a line end after the last line."""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from woo_harvester.utils.atomic import sync_folder
from woo_harvester.utils.inputs import LOCKED, WITHOUT_LOCKS, parse_json

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
    while True:
        file = FileIO(str(path), "a+")
        try:
            lock(file)
        except OSError:
            file.close()
            raise
        with suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(file.fileno())):
                return file
        file.close()  # another run has replaced the file (-O) before it was locked


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
        return move_aside(file, start)
    return None


def _is_json(line: bytes) -> bool:
    try:
        parse_json(line)
    except ValueError:
        return False
    return True


def move_aside(file: FileIO, start: int) -> MovedLine:
    """Move what is in a file from *start* on to ``FILE.truncated``: add it there first, then cut it off.

    It is durable on return. If the process is killed, the bytes are in one of the files or in both.
    """
    path = Path(str(file.name))
    aside = path.with_name(f"{path.name}.truncated")
    end = os.fstat(file.fileno()).st_size
    with FileIO(str(aside), "a+") as other:
        size = os.fstat(other.fileno()).st_size
        has_end = _read(file, end - 1, end) == b"\n"
        length = end - start + (not has_end)
        # An earlier run may have been killed after it had added them.
        if size < length or not is_same(file, start, other, size - length, end - start):
            try:
                if _read(other, max(0, size - 1), size) not in (b"", b"\n"):
                    _append(other, b"\n")
                for block in range(start, end, BLOCK):
                    _append(other, _read(file, block, min(block + BLOCK, end)))
                if not has_end:
                    _append(other, b"\n")
            except OSError:
                other.truncate(size)
                raise
    sync_folder(path.parent)
    file.truncate(start)
    os.fsync(file.fileno())
    return MovedLine(aside, end - start)


def is_same(file: FileIO, start: int, other: FileIO, other_start: int, length: int) -> bool:
    """Return whether two files have the same bytes, *length* of them from these places on."""
    return all(
        _read(file, start + at, start + min(at + BLOCK, length))
        == _read(other, other_start + at, other_start + min(at + BLOCK, length))
        for at in range(0, length, BLOCK)
    )


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
