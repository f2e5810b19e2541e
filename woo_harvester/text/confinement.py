"""Takes away from a worker what reading a document does not need: network, programs, files to write.

The libraries are large, and the files come from strangers. A file that takes over the library finds itself in
a process that can only answer on its pipe. By seccomp, the kernel's filter of system calls, since that works
without root and within containers, where name spaces often do not.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import sys

#: Of ``linux/prctl.h``: the signal for this process when its parent is gone.
_PR_SET_PDEATHSIG = 1
#: A filter cannot look into the memory that these take their arguments from; the C library does without.
_UNSEEN = ("openat2", "io_uring_setup")
_FORBIDDEN = (
    # Network, and services of this machine. A pair of sockets within the process is allowed.
    "socket",
    # Programs.
    *("execve", "execveat"),
    # Other processes of the same user: the crawl, whose memory holds the way to the state.
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kill", "tkill", "pidfd_send_signal"),
    # Files: state, store and reports.
    *(
        "unlink",
        "unlinkat",
        "rename",
        "renameat",
        "renameat2",
        "rmdir",
        "mkdir",
        "mkdirat",
        "mknod",
        "mknodat",
    ),
    *(
        "link",
        "linkat",
        "symlink",
        "symlinkat",
        "truncate",
        "creat",
        "chmod",
        "fchmodat",
        "chown",
        "fchownat",
    ),
)
#: System calls that open a file, and the place of their flags.
_OPENING = {"open": 1, "openat": 2}
#: What of these flags means writing: a mask, and the value under it.
_WRITING = (
    *((os.O_ACCMODE, mode) for mode in (os.O_WRONLY, os.O_RDWR)),
    *((flag, flag) for flag in (os.O_CREAT, os.O_TRUNC)),
)


def confine(memory: int) -> bool:
    """Bound this process to *memory* bytes of its own, and let it read only.

    Returns whether the kernel forbids network, programs and writing from now on: on Linux with libseccomp.
    Elsewhere a worker only has a bound on memory, where the system knows it, and the time that it is given.
    """
    _bound(resource.RLIMIT_DATA, memory)
    _bound(resource.RLIMIT_CORE, 0)  # a core file would hold the document
    if sys.platform != "linux":
        return False
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    return _filter_calls()


def _bound(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _filter_calls() -> bool:
    try:
        import pyseccomp  # type: ignore[import-untyped] # noqa: PLC0415 -- it fails where libseccomp is missing
    except (ImportError, RuntimeError):
        return False
    try:
        rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
        for name in _UNSEEN:
            rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), name)
        for name in _FORBIDDEN:
            rules.add_rule(pyseccomp.ERRNO(errno.EPERM), name)
        for name, place in _OPENING.items():
            for mask, value in _WRITING:
                flags = pyseccomp.Arg(place, pyseccomp.MASKED_EQ, mask, value)
                rules.add_rule(pyseccomp.ERRNO(errno.EPERM), name, flags)
        rules.load()
    except OSError:  # an old libseccomp, or a kernel or container that lets nobody filter
        return False
    return True
