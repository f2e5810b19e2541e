"""Locks: one run at a time works on a host of a state, and on a file that it appends records to."""

from __future__ import annotations

import fcntl
from abc import ABC, abstractmethod
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Self

from woo_harvester.inputs import LOCKED

#: Size of the lock file in bytes. Each byte stands for the names with that hash; none is ever written.
_RANGE = 2**60


class LockedError(Exception):
    """Another run has locked one of the names. The message is the name and, if it is known, the run."""

    def __init__(self, name: str, owner: str | None = None) -> None:
        super().__init__(f"{name} ({owner})" if owner else name)


class Locks(ABC):
    """Locks of this process on names. They end with the process, however it ends.

    A name is a host, its entry pages of permits, or the path of an output. Runs on different hosts (shards)
    do not block each other, and neither do a run over documents and one over permits.
    """

    heartbeat: ClassVar[float | None] = None
    """Seconds between two calls of :meth:`beat`; None if these locks need none."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    @abstractmethod
    def acquire(self, names: Iterable[str]) -> None:
        """Lock all *names*, or none. Raises :class:`LockedError` if another process has locked one.

        Of runs that try at the same moment, at least one succeeds.
        """

    @abstractmethod
    def try_acquire(self, name: str) -> bool:
        """Lock one name; return False if another process has locked it."""

    @abstractmethod
    def release_one(self, name: str) -> None:
        """Release one lock."""

    @abstractmethod
    def release(self) -> None:
        """Release all locks."""

    def beat(self) -> None:  # noqa: B027  # locks on this machine only need no heartbeat
        """Record that the run is still active."""


class FileLocks(Locks):
    """POSIX locks on single bytes of a file beside an SQLite state. The kernel releases them.

    Raises OSError if the file cannot be created.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")

    @classmethod
    def beside(cls, state: Path) -> Self:
        """Return the locks of the state in the file *state*."""
        return cls(state.with_name(f"{state.name}.lock"))

    def acquire(self, names: Iterable[str]) -> None:
        """Lock *names* in sorted order, so that two runs with the same names cannot both fail."""
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
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number_of(name) % _RANGE)
        except OSError as error:
            if error.errno in LOCKED:
                return False
            raise
        return True

    def release_one(self, name: str) -> None:
        """Unlock one byte."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number_of(name) % _RANGE)

    def release(self) -> None:
        """Close the file."""
        self._file.close()


def entry_pages_lock(host: str) -> str:
    """Return the name of the lock on the entry pages of *host*.

    They have other tables than the documents of the host, so that both can be harvested at the same time.
    """
    return f"entry pages of {host}"


def number_of(name: str) -> int:
    """Return the number of the lock on a name: 0 to 2**64 - 1."""
    return int.from_bytes(sha256(name.encode()).digest()[:8])
