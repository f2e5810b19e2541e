"""A file of lines that several processes append to in turns, as one run."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile

from woo_harvester.inputs import LOCKED, WITHOUT_LOCKS
from woo_harvester.state.lastline import WriterError, lock

#: The processes of a run lock the bytes before this one together. The process that started them has the rest.
_SHARED = 2**59


class Turns:
    """The turns of processes at some files, in a file without a name that forked processes inherit.

    Each file has a number. A byte of it says whether a process of this run has begun it.
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(buffering=0)  # noqa: SIM115 -- open as long as the processes run

    def close(self) -> None:
        """Close the file in this process."""
        self._file.close()

    @contextmanager
    def turn(self, number: int) -> Iterator[None]:
        """Wait for this process's turn at a file. The turn of a killed process ends with it."""
        fcntl.lockf(self._file, fcntl.LOCK_EX, 1, number)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)

    def is_begun(self, number: int) -> bool:
        """Return whether a process of this run has begun a file."""
        return os.pread(self._file.fileno(), 1, number) == b"\1"

    def begin(self, number: int) -> None:
        """Note that a process has begun a file."""
        os.pwrite(self._file.fileno(), b"\1", number)


def reserve(path: Path) -> FileIO:
    """Open a file for the processes of one run, and keep all others from writing to it. Make it if needed.

    The lock lasts until the returned file, or any other descriptor of it in this process, is closed. Raises
    WriterError if another process writes to it, and OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = FileIO(str(path), "a+")
    try:
        lock(file)
        with suppress(OSError):  # a file system without locks
            fcntl.lockf(file, fcntl.LOCK_UN, _SHARED, 0)
    except OSError:
        file.close()
        raise
    return file


def join(path: Path) -> FileIO:
    """Open a file that the process which started this one has reserved. Raises WriterError and OSError."""
    file = FileIO(str(path), "a+")
    try:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, _SHARED, 0)
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            file.close()
            raise (WriterError(str(path)) if error.errno in LOCKED else error) from None
    return file


def append(file: FileIO, size: int, blocks: Iterable[bytes]) -> int:
    """Cut a file to *size* bytes, append blocks durably, and return its new size.

    What is cut off was left by a process that was killed. Raises OSError, and then leaves *size* bytes.
    """
    if os.fstat(file.fileno()).st_size != size:
        file.truncate(size)
    try:
        for block in blocks:
            left = memoryview(block)
            while left:
                left = left[file.write(left) :]
        os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):  # the next process does it
            file.truncate(size)
        raise
    return os.fstat(file.fileno()).st_size
