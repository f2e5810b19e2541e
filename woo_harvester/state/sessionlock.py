"""Locks of a state in PostgreSQL, for runs on any number of machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import time
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, bindparam, delete, func, insert, select, text, update

from woo_harvester.dates import iso_datetime
from woo_harvester.state.decision import moment_of
from woo_harvester.state.lock import LockedError, Locks, number_of
from woo_harvester.state.schema import locks

#: Held until the end of the transaction by who is taking locks: so that none sees half of what another takes.
TAKING = 7_796_331

#: Seconds after which what a killed run has left in the table is cleared away; nobody is told of it before.
FORGOTTEN = 24 * 3600

SECOND = 1_000_000

#: The names that could not be locked.
TAKE = text(
    "SELECT name FROM unnest(CAST(:names AS text[]), CAST(:keys AS bigint[])) AS wanted (name, key) "
    "WHERE NOT pg_try_advisory_lock(key)"
)
GIVE = text("SELECT pg_advisory_unlock(key) FROM unnest(CAST(:keys AS bigint[])) AS held (key)")

#: All rows whose lock somebody holds: what PostgreSQL shows of a lock on a bigint is its two halves.
HELD = text(
    "SELECT locks.owner, min(locks.since), max(locks.beat), array_agg(locks.name ORDER BY locks.name) "
    "FROM locks JOIN pg_locks AS held ON held.locktype = 'advisory' AND held.objsubid = 1 AND held.granted "
    "AND (held.classid::bigint << 32 | held.objid::bigint) = locks.key "
    "AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "GROUP BY locks.owner ORDER BY locks.owner"
)


class Holder(NamedTuple):
    """A run that holds locks."""

    owner: str
    since: int
    """Seconds since 1970; when it took the first."""
    beat: int
    """Seconds since 1970; when it showed last that it goes on."""
    names: list[str]


class Session(Protocol):
    """The session in which the state is written."""

    @property
    def transaction(self) -> Connection | None:
        """The transaction that goes on."""

    def begin(self) -> AbstractContextManager[Connection]:
        """A transaction of its own."""


class SessionLocks(Locks):
    """Advisory locks of the session in which the state is written.

    They are the server's to give back, when the session ends: a run that is killed holds nothing, and one
    that has lost its locks cannot write any more either. The table tells whose they are, to people only.
    """

    heartbeat = 30.0

    def __init__(self, state: Session, owner: str) -> None:
        self._state = state
        self._owner = owner
        self._names: set[str] = set()

    def acquire(self, names: Iterable[str]) -> None:
        """Lock all in one transaction, which others wait for. Raises LockedError, and StateError."""
        wanted = sorted(set(names) - self._names)
        with self._transaction() as connection:
            if refused := self._take(connection, wanted):
                raise LockedError(refused, _owner_of(connection, refused))

    def try_acquire(self, name: str) -> bool:
        """Lock one name. Raises StateError."""
        with self._transaction() as connection:
            return name in self._names or self._take(connection, [name]) is None

    def release_one(self, name: str) -> None:
        """Give one lock back. Raises StateError."""
        with self._transaction() as connection:
            self._give(connection, [name])

    def release(self) -> None:
        """Give all back, and have what was committed before on disk. Raises StateError."""
        with self._transaction() as connection:
            connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
            self._give(connection, sorted(self._names))

    def beat(self) -> None:
        """Tell that the run goes on; raises StateError where the connection is lost."""
        with self._transaction() as connection:
            connection.execute(update(locks).where(locks.c.owner == self._owner).values(beat=int(time())))

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """The one that is going on, else one of its own."""
        if (connection := self._state.transaction) is not None:
            yield connection
        else:
            with self._state.begin() as connection:
                yield connection

    def _take(self, connection: Connection, names: list[str]) -> str | None:
        """Lock *names*, or none of them; gives the first that another holds."""
        keys = [_key(name) for name in names]
        connection.execute(select(func.pg_advisory_xact_lock(TAKING)))
        refused = set(connection.execute(TAKE, {"names": names, "keys": keys}).scalars())
        if refused:
            got = [key for name, key in zip(names, keys, strict=True) if name not in refused]
            connection.execute(GIVE, {"keys": got})
            return str(min(refused))
        now = int(time())
        connection.execute(delete(locks).where(locks.c.beat < now - FORGOTTEN))
        connection.execute(delete(locks).where(locks.c.name == func.any(bindparam("names", names))))
        if names:
            values = {"owner": self._owner, "since": now, "beat": now}
            rows = [{"name": name, "key": key, **values} for name, key in zip(names, keys, strict=True)]
            connection.execute(insert(locks), rows)
        self._names.update(names)
        return None

    def _give(self, connection: Connection, names: list[str]) -> None:
        connection.execute(delete(locks).where(locks.c.name == func.any(bindparam("names", names))))
        connection.execute(GIVE, {"keys": [_key(name) for name in names]})
        self._names.difference_update(names)


def holders(connection: Connection) -> list[Holder]:
    """The runs that hold locks now; none for a database whose locks are not its own."""
    if connection.dialect.name != "postgresql":
        return []
    return [Holder._make(row) for row in connection.execute(HELD)]


def _owner_of(connection: Connection, name: str) -> str:
    """Who holds a lock; what is not in the table is held by a program that knows nothing of it."""
    row = connection.execute(select(locks.c.owner, locks.c.since).where(locks.c.name == name)).first()
    if row is None:
        return "whose, the state does not tell"
    return f"{row.owner}, since {iso_datetime(moment_of(row.since * SECOND))}"


def _key(name: str) -> int:
    """A bigint, which has a sign."""
    return number_of(name) - 2**63
