"""One run at a time on a host of a state, and on a file that records are appended to."""

from __future__ import annotations

import errno
import fcntl
from abc import ABC, abstractmethod
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Self

#: Bytes of the lock file, each of which stands for the names with that hash; none of them is ever written.
RANGE = 2**60

#: What POSIX allows for "another process holds it".
HELD = frozenset({errno.EACCES, errno.EAGAIN})


class LockedError(Exception):
    """Another run works on one of the names; the message is that name and, where it is known, the run."""

    def __init__(self, name: str, owner: str | None = None) -> None:
        super().__init__(f"{name} ({owner})" if owner else name)


class Locks(ABC):
    """Locks on names, held by this process and given back when it ends, however it ends.

    A name is a host, or the place of an output. Runs on different hosts (shards) do not hinder each other.
    """

    heartbeat: ClassVar[float | None] = None
    """Seconds between two calls of :meth:`beat`; None where nobody waits for it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    @abstractmethod
    def acquire(self, names: Iterable[str]) -> None:
        """Lock all *names*, or none: raises :class:`LockedError` where another process holds one.

        Of runs that try at the same moment, at least one goes on.
        """

    @abstractmethod
    def try_acquire(self, name: str) -> bool:
        """Lock one name; False where another process holds it."""

    @abstractmethod
    def release_one(self, name: str) -> None:
        """Give one lock back."""

    @abstractmethod
    def release(self) -> None:
        """Give all locks back."""

    def beat(self) -> None:  # noqa: B027  # not all are seen by others
        """Show that the run still goes on."""


class FileLocks(Locks):
    """POSIX locks on single bytes of one file beside an SQLite state, which the kernel gives back.

    Raises OSError where the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")

    @classmethod
    def beside(cls, state: Path) -> Self:
        """The locks of the state in this file."""
        return cls(state.with_name(f"{state.name}.lock"))

    def acquire(self, names: Iterable[str]) -> None:
        """Lock them in one order, so that not each of two runs is refused for what the other has."""
        acquired: list[str] = []
        for name in sorted(names):
            if not self.try_acquire(name):
                for other in acquired:
                    self.release_one(other)
                raise LockedError(name)
            acquired.append(name)

    def try_acquire(self, name: str) -> bool:
        """Lock one byte."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number_of(name) % RANGE)
        except OSError as error:
            if error.errno in HELD:
                return False
            raise
        return True

    def release_one(self, name: str) -> None:
        """Unlock one byte."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number_of(name) % RANGE)

    def release(self) -> None:
        """Close the file."""
        self._file.close()


def number_of(name: str) -> int:
    """The number from 0 to 2**64 - 1 by which a name is locked."""
    return int.from_bytes(sha256(name.encode()).digest()[:8])
