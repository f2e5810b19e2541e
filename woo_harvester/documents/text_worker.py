"""A worker process, started by :mod:`woo_harvester.documents.text_workers`.

It reads requests from stdin, one line of JSON each. It writes answers in JSON to stdout, each after its
length in bytes. JSON is only data, so that a worker that a document has taken over cannot harm the crawl.
"""

from __future__ import annotations

import ctypes
import errno
import json
import math
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from woo_harvester.documents.extracted import LENGTH_BYTES, Limits, TextFailedError
from woo_harvester.documents.text import extract, prepare

#: Option of ``prctl`` (``linux/prctl.h``): the signal that this process gets when its parent ends.
_PR_SET_PDEATHSIG = 1

#: Flag of ``clone`` (``linux/sched.h``): make a thread of this process, not a process.
_CLONE_THREAD = 0x10000

#: System calls that are refused: network and services of this machine (a pair of sockets within the process
#: is allowed); programs and processes; access to other processes of the same user, since the memory of the
#: crawl has the password of the state.
_OUTSIDE = (
    *("socket", "execve", "execveat", "fork", "vfork", "kill", "tkill", "pidfd_send_signal", "pidfd_getfd"),
    *("ptrace", "process_vm_readv", "process_vm_writev"),
)
_WRITING = (
    *("unlink", "unlinkat", "rename", "renameat", "renameat2", "rmdir", "creat", "mkdir", "mkdirat", "mknod"),
    *("mknodat", "truncate", "link", "linkat", "symlink", "symlinkat", "chmod", "fchmodat", "chown"),
    *("fchownat",),
)
#: System calls whose arguments are in memory, where the filter cannot read them. Libraries work without
#: these.
_UNSEEN = ("clone3", "io_uring_setup", "openat2")

_Flags = tuple[int, Sequence[tuple[int, int]]]
"""The index of an argument, and the refused flags in it: pairs of a mask and the value under it."""

_WRITE_FLAGS = (
    *((os.O_ACCMODE, mode) for mode in (os.O_WRONLY, os.O_RDWR)),
    *((flag, flag) for flag in (os.O_CREAT, os.O_TRUNC)),
)
_PROCESS_CALLS: Mapping[str, _Flags] = {"clone": (0, [(_CLONE_THREAD, 0)])}
_WRITE_CALLS: Mapping[str, _Flags] = {"open": (1, _WRITE_FLAGS), "openat": (2, _WRITE_FLAGS)}


def end_with_parent() -> None:
    """Have the kernel end this process when its parent ends. Only on Linux; elsewhere its alarm ends it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def bound_memory(size: int) -> None:
    """Allow *size* bytes of the process's own memory (``RLIMIT_DATA``), and no core file, which has texts."""
    for kind, value in ((resource.RLIMIT_DATA, size), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)  # noqa: PLW2901
        resource.setrlimit(kind, (value, value))


def forbid_outside() -> bool:
    """Forbid network, programs and other processes.

    Return whether that works: only on Linux with libseccomp.
    """
    return _forbid(_OUTSIDE, _PROCESS_CALLS)


def forbid_writing() -> bool:
    """Forbid creating, changing and removing files. Return whether that works, as for forbid_outside."""
    return _forbid(_WRITING, _WRITE_CALLS)


def _forbid(calls: Iterable[str], by_flags: Mapping[str, _Flags]) -> bool:
    """Refuse *calls*, and calls of *by_flags* with those flags. Return whether that works."""
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
    """Return the library, or None if it or libseccomp is missing."""
    try:
        import pyseccomp  # type: ignore[import-untyped] # noqa: PLC0415 -- it fails where libseccomp is missing
    except (ImportError, RuntimeError):
        return None
    return pyseccomp


#: Seconds after the time limit at which a worker ends itself. Normally its parent ends it earlier.
_GRACE = 5


def main() -> None:
    """Answer requests until there are no more."""
    # An operator's Ctrl-C ends the crawl, which stops its workers itself.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)
    limits = Limits(**json.loads(sys.argv[1]))
    end_with_parent()
    answers = _answers()
    confined = forbid_outside()
    _load(limits)
    confined = forbid_writing() and confined
    bound_memory(limits.memory)
    _send(answers, {"confined": confined})
    for line in sys.stdin.buffer:
        # This works also without the parent, and while a library is in an endless loop.
        signal.alarm(math.ceil(limits.timeout) + _GRACE)
        _send(answers, _answer(json.loads(line), limits))
        signal.alarm(0)


def _load(limits: Limits) -> None:
    """Have the library unpack its files into a new folder, which has no files of others."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = os.environ["KREUZBERG_CACHE_DIR"] = folder
        prepare(limits)


def _answers() -> BinaryIO:
    """Return stdout for the answers, and discard what libraries print."""
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    os.close(nothing)
    return answers


def _answer(request: dict[str, str], limits: Limits) -> dict[str, Any]:
    try:
        return asdict(extract(Path(request["path"]), request["filetype"], limits))
    except TextFailedError as error:
        return {"error": str(error)}


def _send(answers: BinaryIO, answer: dict[str, Any]) -> None:
    content = json.dumps(answer, ensure_ascii=False).encode()
    answers.write(len(content).to_bytes(LENGTH_BYTES) + content)
    answers.flush()


if __name__ == "__main__":
    main()
