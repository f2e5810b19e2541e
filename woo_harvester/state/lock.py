"""One run at a time on a host of a state."""

from __future__ import annotations

import fcntl
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Self

#: Bytes of the lock file, each of which stands for the hosts with that hash; none of them is ever written.
RANGE = 2**60


class LockedError(Exception):
    """Another run works on one of the hosts; the message names it."""


class HostLocks:
    """Locks on hosts, held by this process and given back by the kernel when it ends, however it ends.

    POSIX locks on single bytes of one file beside the state: two runs on different hosts (shards) do not
    hinder each other.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def acquire(self, hosts: Iterable[str]) -> None:
        """Lock all *hosts*. Raises :class:`LockedError` at the first that another process holds."""
        for host in hosts:
            place = int.from_bytes(sha256(host.encode()).digest()[:8]) % RANGE
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except OSError as error:
                raise LockedError(host) from error

    def release(self) -> None:
        """Give all locks back."""
        self._file.close()
