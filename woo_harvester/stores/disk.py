"""Waits until what was written is on the disk: file by file, or once for a file system."""

from __future__ import annotations

import ctypes
import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

#: Fewer files are faster one by one.
_FEW = 4

#: Seconds after which waiting for a file system takes too long: other programs write much to it.
_TOO_LONG = 2.0

#: File systems of local disks on which syncfs() waits for all that fsync() waits for. For others, such as
#: those of a network, that is not sure.
_KNOWN = frozenset({"ext4", "xfs"})

#: The first Linux whose syncfs() reports that something could not be written.
_REPORTING = (5, 8)

_MOUNTS = Path("/proc/self/mountinfo")


class Disk:
    """The disk under a file that stays open, such as a lock.

    Many files wait for it together where that is as sure as to wait for each one: a wait takes a change of
    threads, which takes longer than the rest of storing a document. It then waits for files of other programs
    too. Once that has taken long, each file is waited for alone.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._at_once = _syncs_at_once(descriptor)

    def sync(self, descriptors: Sequence[int]) -> None:
        """Make the content of open files durable, and the names in open folders. Raises OSError."""
        if not self._at_once or len(descriptors) < _FEW:
            for descriptor in descriptors:
                os.fsync(descriptor)
            return
        started = monotonic()
        sync_file_system(self._descriptor)
        self._at_once = monotonic() - started < _TOO_LONG


def sync_file_system(descriptor: int) -> None:
    """Make all durable that is written to the file system of an open file. Raises OSError."""
    if ctypes.CDLL(None, use_errno=True).syncfs(descriptor):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _syncs_at_once(descriptor: int) -> bool:
    """Return whether one call is as sure as one for each file."""
    release = re.match(r"(\d+)\.(\d+)", platform.release())
    if platform.system() != "Linux" or release is None or tuple(map(int, release.groups())) < _REPORTING:
        return False
    return hasattr(ctypes.CDLL(None), "syncfs") and _file_system(descriptor) in _KNOWN


def _file_system(descriptor: int) -> str | None:
    """Return the type of the file system of an open file; None if it is not known."""
    device = os.fstat(descriptor).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for fields in map(str.split, mounts):  # man 5 proc_pid_mountinfo: "-" ends the optional fields
        if fields[2] == number:
            return fields[fields.index("-", 6) + 1]
    return None
