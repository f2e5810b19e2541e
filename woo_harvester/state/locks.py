"""Locks: one run at a time works on a host of a state."""

from __future__ import annotations

import fcntl
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from pathlib import Path
from time import time
from typing import ClassVar, NamedTuple, Protocol, Self

from sqlalchemy import Connection, bindparam, delete, func, insert, select, text, update

from woo_harvester.state.schema import locks
from woo_harvester.utils.dates import from_microseconds, iso_datetime
from woo_harvester.utils.inputs import LOCKED

#: Size of the lock file in bytes. Each byte stands for the names with that hash; none is ever written.
_RANGE = 2**60


class LockedError(Exception):
    """Another run has locked one of the names. The message is the name and, if it is known, the run."""

    def __init__(self, name: str, owner: str | None = None) -> None:
        super().__init__(f"{name} ({owner})" if owner else name)


class Locks(ABC):
    """Locks of this process on names. They end with the process, however it ends.

    A name is a host, or its files of another kind. Runs on different hosts (shards) do not block each other,
    and neither do runs over different kinds of records.
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


def number_of(name: str) -> int:
    """Return the number of the lock on a name: 0 to 2**64 - 1."""
    return int.from_bytes(sha256(name.encode()).digest()[:8])


#: Number of the lock on acquiring locks, until the end of the transaction: so that no run sees half of what
#: another is acquiring.
_ACQUIRING = 7_796_331

#: Seconds after which the rows that a killed run left in the table are removed.
FORGET_AFTER = 24 * 3600

_SECOND = 1_000_000  # microseconds

# Locks names; returns those that another session has locked.
_LOCK = text(
    "SELECT name FROM unnest(CAST(:names AS text[]), CAST(:keys AS bigint[])) AS wanted (name, key) "
    "WHERE NOT pg_try_advisory_lock(key)"
)
_UNLOCK = text("SELECT pg_advisory_unlock(key) FROM unnest(CAST(:keys AS bigint[])) AS locked (key)")

# All rows whose advisory lock is in force. PostgreSQL shows the bigint of a lock as its two halves.
_OWNERS = text(
    "SELECT locks.owner, min(locks.since), max(locks.beat), array_agg(locks.name ORDER BY locks.name) "
    "FROM locks JOIN pg_locks AS one ON one.locktype = 'advisory' AND one.objsubid = 1 AND one.granted "
    "AND (one.classid::bigint << 32 | one.objid::bigint) = locks.key "
    "AND one.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "GROUP BY locks.owner ORDER BY locks.owner"
)


class LockOwner(NamedTuple):
    """A run that has locks."""

    owner: str
    since: int
    """Moment of its first lock, in seconds since 1970."""
    beat: int
    """Its last heartbeat, in seconds since 1970."""
    names: list[str]


class _Session(Protocol):
    """The database session that writes the state."""

    @property
    def transaction(self) -> Connection | None:
        """The transaction that is open; None if there is none."""

    def begin(self) -> AbstractContextManager[Connection]:
        """Open a transaction for the block."""


class SessionLocks(Locks):
    """PostgreSQL advisory locks of the session that writes the state.

    The server releases them when the session ends. So a killed run leaves no lock, and a run that has lost
    its locks can no longer write either. The table ``locks`` names the owners, for people only.
    """

    heartbeat = 30.0

    def __init__(self, state: _Session, owner: str) -> None:
        self._state = state
        self._owner = owner
        self._names: set[str] = set()

    def acquire(self, names: Iterable[str]) -> None:
        """Lock all *names* in one transaction; other runs wait for it. Raises LockedError and StateError."""
        wanted = sorted(set(names) - self._names)
        with self._transaction() as connection:
            if refused := self._lock(connection, wanted):
                raise LockedError(refused, _owner_of(connection, refused))

    def try_acquire(self, name: str) -> bool:
        """Lock one name. Raises StateError."""
        with self._transaction() as connection:
            return name in self._names or self._lock(connection, [name]) is None

    def release_one(self, name: str) -> None:
        """Release one lock. Raises StateError."""
        with self._transaction() as connection:
            self._unlock(connection, [name])

    def release(self) -> None:
        """Release all locks, after everything committed is on disk. Raises StateError."""
        with self._transaction() as connection:
            connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
            self._unlock(connection, sorted(self._names))

    def beat(self) -> None:
        """Record that the run is still going. Raises StateError if the connection is lost."""
        with self._transaction() as connection:
            connection.execute(update(locks).where(locks.c.owner == self._owner).values(beat=int(time())))

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """Use the open transaction, or open one for the block."""
        if (connection := self._state.transaction) is not None:
            yield connection
        else:
            with self._state.begin() as connection:
                yield connection

    def _lock(self, connection: Connection, names: list[str]) -> str | None:
        """Lock all *names* or none; return the first that another session has locked, or None."""
        keys = [_key(name) for name in names]
        connection.execute(select(func.pg_advisory_xact_lock(_ACQUIRING)))
        refused = set(connection.execute(_LOCK, {"names": names, "keys": keys}).scalars())
        if refused:
            locked = [key for name, key in zip(names, keys, strict=True) if name not in refused]
            connection.execute(_UNLOCK, {"keys": locked})
            return str(min(refused))
        now = int(time())
        connection.execute(delete(locks).where(locks.c.beat < now - FORGET_AFTER))
        connection.execute(delete(locks).where(locks.c.name == func.any(bindparam("names", names))))
        if names:
            values = {"owner": self._owner, "since": now, "beat": now}
            rows = [{"name": name, "key": key, **values} for name, key in zip(names, keys, strict=True)]
            connection.execute(insert(locks), rows)
        self._names.update(names)
        return None

    def _unlock(self, connection: Connection, names: list[str]) -> None:
        connection.execute(delete(locks).where(locks.c.name == func.any(bindparam("names", names))))
        connection.execute(_UNLOCK, {"keys": [_key(name) for name in names]})
        self._names.difference_update(names)


def lock_owners(connection: Connection) -> list[LockOwner]:
    """Return the runs that have locks now; an empty list for SQLite, whose locks name no owner."""
    if connection.dialect.name != "postgresql":
        return []
    return [LockOwner._make(row) for row in connection.execute(_OWNERS)]


def _owner_of(connection: Connection, name: str) -> str:
    """Return who locked *name*, for a message. A program that adds no row to the table may have."""
    row = connection.execute(select(locks.c.owner, locks.c.since).where(locks.c.name == name)).first()
    if row is None:
        return "owner unknown"
    return f"{row.owner}, since {iso_datetime(from_microseconds(row.since * _SECOND))}"


def _key(name: str) -> int:
    """Return the number of the lock on *name* as a signed bigint."""
    return number_of(name) - 2**63
