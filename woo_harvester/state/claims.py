"""Sets of document numbers that several processes share, so that one of them delivers a document."""

from __future__ import annotations

import fcntl
import os
from tempfile import TemporaryFile
from typing import IO


class Claims:
    """Sets of document numbers in a file without a name, which forked processes inherit.

    A document takes a byte, of which a set has one bit. The file is sparse, and gone with the last process.
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(buffering=0)  # noqa: SIM115 -- open as long as the processes run

    def of_bit(self, number: int) -> ClaimSet:
        """Return the set with this number, from 0 to 7."""
        return ClaimSet(self._file, 1 << number)

    def close(self) -> None:
        """Close the file in this process."""
        self._file.close()


class ClaimSet:
    """One set of document numbers. Of two processes that add a number at the same moment, one succeeds."""

    def __init__(self, file: IO[bytes], bit: int) -> None:
        self._file = file  # which stays open as long as the set
        self._descriptor = file.fileno()
        self._bit = bit

    def add(self, number: int) -> bool:
        """Add a number; return False if the set already had it."""
        # The kernel releases the lock of a process that is killed.
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 1, number)
        try:
            known = self._read(number)
            if known & self._bit:
                return False
            os.pwrite(self._descriptor, bytes([known | self._bit]), number)
            return True
        finally:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, number)

    def __contains__(self, number: int) -> bool:
        return bool(self._read(number) & self._bit)

    def _read(self, number: int) -> int:
        found = os.pread(self._descriptor, 1, number)
        return found[0] if found else 0
