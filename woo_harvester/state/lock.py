"""One run at a time on a host of a state, and on a file that records are appended to."""

from __future__ import annotations

import errno
import fcntl
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Self

#: Bytes of the lock file, each of which stands for the names with that hash; none of them is ever written.
RANGE = 2**60

#: What POSIX allows for "another process holds it".
HELD = frozenset({errno.EACCES, errno.EAGAIN})


class LockedError(Exception):
    """Another run works on one of the names; the message is that name."""


class Locks:
    """Locks on names, held by this process and given back by the kernel when it ends, however it ends.

    A name is a host or the path of an output. POSIX locks on single bytes of one file beside the state: two
    runs on different hosts (shards) do not hinder each other. Raises OSError where the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    @classmethod
    def beside(cls, state: Path) -> Self:
        """The locks of the state in this file."""
        return cls(state.with_name(f"{state.name}.lock"))

    def acquire(self, names: Iterable[str]) -> None:
        """Lock all *names*. Raises :class:`LockedError` at the first that another process holds."""
        for name in names:
            if not self.try_acquire(name):
                raise LockedError(name)

    def try_acquire(self, name: str) -> bool:
        """Lock one name; False where another process holds it."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(name))
        except OSError as error:
            if error.errno in HELD:
                return False
            raise
        return True

    def release_one(self, name: str) -> None:
        """Give one lock back."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _place(name))

    def release(self) -> None:
        """Give all locks back."""
        self._file.close()


def _place(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8]) % RANGE
