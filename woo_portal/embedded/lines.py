"""The lines of a file of records that were not read before.

A file grows while a run writes it, is replaced by a run that begins anew, or is cut off after a kill. The
position in a file therefore says how far it was read, and by what the file is recognised.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, NamedTuple, cast

#: The longest line that is read, in bytes: a record with the text of its document.
MAX_LINE = 256 * 1024 * 1024

#: The bytes before a position by which the file is recognised.
_RECOGNISED = 512

_BLOCK = 1024 * 1024
#: The lines of a batch, and their size in bytes, at most; a longer line is a batch of its own.
_BATCH, _BATCH_BYTES = 200, 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file, after its last line that was read."""

    offset: int = 0
    """The number of bytes before it; in a compressed file, of its content."""
    inode: int = 0
    before: str = ""
    """A digest of the bytes before the place, and of the first ones of the file."""
    size: int = 0
    """The size of a compressed file when it was read; 0 for another."""
    changed: int = 0
    """The moment of the last change of a compressed file, in nanoseconds."""


class Batch(NamedTuple):
    """Lines that are read together, with the place after them. A line that is too long is None."""

    lines: list[bytes | None]
    size: int
    """The bytes of the lines."""
    position: Position


class NewLines:
    """The complete lines of a file after a position; iterate over it once, and close it.

    It yields each line without its end, or None for a line that is too long. A file that is not the one of
    the position, or not any more, is read from its beginning. A last line without a line end waits until it
    has one. Raises OSError if the file cannot be opened or read.
    """

    def __init__(self, path: Path, after: Position | None = None, *, max_line: int = MAX_LINE) -> None:
        self._path = path
        self._max_line = max_line
        self._is_packed = path.suffix == ".gz"
        self._file = _opened(path)
        self._stat = path.stat() if self._is_packed else os.fstat(self._file.fileno())
        self._offset = 0
        self.fault: str | None = None
        """Why the rest of a compressed file cannot be read; None if nothing is wrong."""
        if after is not None and self._is_same(after):
            self._offset = after.offset
        self._file.seek(self._offset)

    @property
    def position(self) -> Position:
        """The place after the last line that was yielded."""
        if not self._is_packed:
            return Position(self._offset, self._stat.st_ino, self._digest(self._offset))
        return Position(self._offset, self._stat.st_ino, "", self._stat.st_size, self._stat.st_mtime_ns)

    @property
    def unread(self) -> int:
        """The number of bytes of the file after that place; of a compressed one it may be less."""
        return max(0, self._stat.st_size - self._offset)

    def batches(self) -> Iterator[Batch]:
        """Yield all lines in batches."""
        batch: list[bytes | None] = []
        size = 0
        for line in self:
            batch.append(line)
            size += len(line or b"")
            if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                yield Batch(batch, size, self.position)
                batch, size = [], 0
        yield Batch(batch, size, self.position)

    def __iter__(self) -> Iterator[bytes | None]:
        try:
            while line := self._file.readline(self._max_line + 1):
                if line.endswith(b"\n"):
                    self._offset += len(line)
                    yield line[:-1]
                elif len(line) > self._max_line:
                    if not (rest := self._skip_line()):
                        return
                    self._offset += len(line) + rest
                    yield None
                else:
                    return
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            self.fault = f"{self._path}: {error}"

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _skip_line(self) -> int:
        """Return the number of bytes of the rest of a line; 0 if it has no end yet."""
        size = 0
        while part := self._file.readline(_BLOCK):
            size += len(part)
            if part.endswith(b"\n"):
                return size
        return 0

    def _is_same(self, after: Position) -> bool:
        """Return whether the file is the one of a position, and has all that was read of it."""
        stat = self._stat
        if self._is_packed:
            return (after.inode, after.size, after.changed) == (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        is_there = after.inode == stat.st_ino and after.offset <= stat.st_size
        return is_there and after.before == self._digest(after.offset)

    def _digest(self, offset: int) -> str:
        """Return a digest of the first bytes of the file, and of those before *offset*."""
        descriptor = self._file.fileno()
        first = os.pread(descriptor, min(_RECOGNISED, offset), 0)
        begin = max(0, offset - _RECOGNISED)
        return sha256(first + os.pread(descriptor, offset - begin, begin)).hexdigest()


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return path.open("rb", buffering=_BLOCK)
