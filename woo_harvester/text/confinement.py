"""Takes away from a worker what reading a document does not need: network, programs, files to write.

The libraries are large, and the files come from strangers. A file that takes over the library finds itself in
a process that can only answer on its pipe. By seccomp, the kernel's filter of system calls, since that works
without root and within containers, where name spaces often do not. Once forbidden, nothing is allowed again.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: Of ``linux/prctl.h``: the signal for this process when its parent is gone.
_PR_SET_PDEATHSIG = 1

#: Of ``linux/sched.h``: what is made is a thread of this process.
_CLONE_THREAD = 0x10000

#: System calls that are refused. Network, and services of this machine; a pair of sockets within the process
#: is allowed. Programs and processes. Other processes of the same user: the crawl's memory holds the way to
#: the state.
_OUTSIDE = (
    *("socket", "execve", "execveat", "fork", "vfork", "kill", "tkill", "pidfd_send_signal", "pidfd_getfd"),
    *("ptrace", "process_vm_readv", "process_vm_writev"),
)
_WRITING = (
    *("unlink", "unlinkat", "rename", "renameat", "renameat2", "rmdir", "creat", "mkdir", "mkdirat", "mknod"),
    *("mknodat", "truncate", "link", "linkat", "symlink", "symlinkat", "chmod", "fchmodat", "chown"),
    *("fchownat",),
)
#: Their arguments stand in memory, where the filter cannot see them; libraries go on without these.
_UNSEEN = ("clone3", "io_uring_setup", "openat2")

_Flags = tuple[int, Sequence[tuple[int, int]]]
"""The place of an argument, and what is refused in it: a mask with the value under it."""

_WRITE_FLAGS = (
    *((os.O_ACCMODE, mode) for mode in (os.O_WRONLY, os.O_RDWR)),
    *((flag, flag) for flag in (os.O_CREAT, os.O_TRUNC)),
)
_PROCESS_CALLS: Mapping[str, _Flags] = {"clone": (0, [(_CLONE_THREAD, 0)])}
_WRITE_CALLS: Mapping[str, _Flags] = {"open": (1, _WRITE_FLAGS), "openat": (2, _WRITE_FLAGS)}


def end_with_parent() -> None:
    """Have the kernel end this process when its parent is gone, on Linux; others are ended by their alarm."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def bound_memory(size: int) -> None:
    """Allow *size* bytes of its own memory (``RLIMIT_DATA``), and no core file, which would hold texts."""
    for kind, value in ((resource.RLIMIT_DATA, size), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)  # noqa: PLW2901
        resource.setrlimit(kind, (value, value))


def forbid_outside() -> bool:
    """Forbid network, programs and other processes; returns whether the kernel does.

    It does on Linux with libseccomp.
    """
    return _forbid(_OUTSIDE, _PROCESS_CALLS)


def forbid_writing() -> bool:
    """Forbid to make, change and remove files; returns whether the kernel does."""
    return _forbid(_WRITING, _WRITE_CALLS)


def _forbid(calls: Iterable[str], by_flags: Mapping[str, _Flags]) -> bool:
    """Refuse *calls*, and those of *by_flags* that have such flags."""
    seccomp = _seccomp()
    if seccomp is None:
        return False
    refused, missing = seccomp.ERRNO(errno.EPERM), seccomp.ERRNO(errno.ENOSYS)
    try:
        rules = seccomp.SyscallFilter(seccomp.ALLOW)
        for name in calls:
            rules.add_rule(refused, name)
        for name in _UNSEEN:
            rules.add_rule(missing, name)
        for name, (place, flags) in by_flags.items():
            for mask, value in flags:
                rules.add_rule(refused, name, seccomp.Arg(place, seccomp.MASKED_EQ, mask, value))
        rules.load()
    except OSError:  # an old libseccomp, or a kernel or container that lets nobody filter
        return False
    return True


def _seccomp() -> Any:
    """The library, or None where it or the system's part of it is missing."""
    try:
        import pyseccomp  # type: ignore[import-untyped] # noqa: PLC0415 -- it fails where libseccomp is missing
    except (ImportError, RuntimeError):
        return None
    return pyseccomp
