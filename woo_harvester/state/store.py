"""The state behind a URL: SQLite by default, the same code for other databases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool, StaticPool
from tenacity import retry, retry_if_exception_message, stop_after_delay, wait_fixed

from woo_harvester.state.lock import FileLocks, Locks
from woo_harvester.state.migrations import VersionError, prepare, version_of
from woo_harvester.state.sessionlock import SessionLocks

#: Seconds to wait for another process that writes.
BUSY_TIMEOUT = 60

#: Where nothing is to be kept: a database in memory.
NOWHERE = "sqlite://"

#: How a session with PostgreSQL is: what a run that lost its server, and a server that lost its run, notice
#: within two minutes; and as long a wait for others as SQLite's. A commit does not wait for the disk: a crash
#: of the server may cost the last ones, and then documents are harvested once more, as with SQLite.
SESSION: dict[str, str] = {
    "synchronous_commit": "off",
    "lock_timeout": f"{BUSY_TIMEOUT}s",
    "tcp_keepalives_idle": "60",
    "tcp_keepalives_interval": "15",
    "tcp_keepalives_count": "4",
}
CONNECTION: dict[str, Any] = {
    "application_name": "woo-harvester",
    "connect_timeout": 10,
    "keepalives_idle": 60,
    "keepalives_interval": 15,
    "keepalives_count": 4,
    "tcp_user_timeout": 120_000,
}

EXPECTED = (
    "WOO_STATE_URL: expected a URL such as sqlite:///state.sqlite or postgresql+psycopg://user@host/name"
)

NO_STATE = "there is no state at {}: the first run makes it (setting WOO_STATE_URL)"

NO_DRIVER = (
    "WOO_STATE_URL: PostgreSQL needs the extra postgresql: pip install 'woo-harvester[postgresql]' ({error})"
)

GOES_ON = "the next run goes on where this one ended"

MEND = "put a back-up in its place, or move the file away to begin anew, which harvests every document again"


class StateError(Exception):
    """The state cannot be used; the message is one line that says which, why, and what to do."""


class State:
    """An open state. One connection, used from one thread; ``begin()`` gives a transaction.

    SQLite runs in WAL mode: a process that is killed at any moment leaves a consistent file. A state on
    disk is made where there is none, brought up to date where it is older, and refused where it is newer
    or broken.
    """

    def __init__(self, engine: Engine, connection: Connection, name: str) -> None:
        self._engine = engine
        self._connection = connection
        self.name = name
        """The URL without password, for messages."""

    @classmethod
    def open(cls, url: str, *, make: bool = True) -> Self:
        """Open the state at *url*, such as ``sqlite:////var/lib/woo/state.sqlite``. Raises StateError."""
        try:
            if make:
                _make(url)
            engine = _engine(url)
        except (ArgumentError, NoSuchModuleError) as error:
            raise StateError(f"{EXPECTED} ({error})") from error
        except ImportError as error:
            raise StateError(NO_DRIVER.format(error=error)) from error
        except OSError as error:
            raise StateError(f"the folder of the state {sqlite_file(url)} cannot be made: {error}") from error
        name = engine.url.render_as_string(hide_password=True)
        try:
            connection = engine.connect()
            with connection.begin():
                if not make and version_of(connection) is None:
                    raise StateError(NO_STATE.format(name))
                prepare(connection)
        except VersionError as error:
            raise StateError(
                f"the state {name} was made by another version of the program: {error}; install that one"
            ) from error
        except SQLAlchemyError as error:
            raise StateError(_explain(name, error)) from error
        return cls(engine, connection, name)

    @classmethod
    def open_existing(cls, url: str) -> Self:
        """Open the state at *url*, which must be there. Raises StateError."""
        path = sqlite_file(url)
        if path is not None and not path.exists():
            raise StateError(NO_STATE.format(path))
        return cls.open(url, make=False)

    @property
    def place(self) -> str:
        """Where it is, for messages: the file, else the name."""
        return str(sqlite_file(str(self._engine.url)) or self.name)

    @property
    def is_shared(self) -> bool:
        """Whether runs on other machines may use it too."""
        return self._engine.dialect.name != "sqlite"

    @property
    def transaction(self) -> Connection | None:
        """The connection, while it is in a transaction."""
        return self._connection if self._connection.in_transaction() else None

    def locks(self, owner: str) -> Locks | None:
        """The locks of this state, for a run that others know as *owner*; None where nobody else has it.

        Raises StateError where the file for them cannot be made.
        """
        if self.is_shared:
            return SessionLocks(self, owner)
        file = sqlite_file(str(self._engine.url))
        try:
            return None if file is None else FileLocks.beside(file)
        except OSError as error:
            raise StateError(f"the lock of the state {file} cannot be used: {error}") from error

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction: committed when the block ends, undone when it raises. Raises StateError.

        A connection that was lost is not made anew: the locks went with it.
        """
        if self._connection.invalidated:
            raise StateError(f"the connection to the state {self.name} was lost: {GOES_ON}")
        try:
            with self._connection.begin():
                yield self._connection
        except SQLAlchemyError as error:
            raise StateError(_explain(self.name, error)) from error

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """For reading: the state as it is at one moment, whatever a run writes. Raises StateError."""
        with self.begin() as connection:
            if connection.dialect.name == "sqlite":
                # Python's module would read each row as it is by then.
                connection.exec_driver_sql("BEGIN")
            else:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield connection

    def close(self) -> None:
        """Give the connection back; what was committed stays."""
        self._connection.close()
        self._engine.dispose()


def sqlite_file(url: str) -> Path | None:
    """The file of an SQLite database; None for one in memory, another database, or no URL at all."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return None
    on_disk = parsed.get_backend_name() == "sqlite" and parsed.database not in (None, "", ":memory:")
    return Path(str(parsed.database)) if on_disk else None


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() == "postgresql":
        return _postgresql(parsed)
    if parsed.get_backend_name() != "sqlite":
        raise ArgumentError(f"got {parsed.get_backend_name()}")
    path = sqlite_file(url)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, poolclass=StaticPool, connect_args={"timeout": BUSY_TIMEOUT})
    event.listen(engine, "connect", _tune)
    return engine


def _postgresql(url: URL) -> Engine:
    """One connection, with psycopg 3, the only driver whose errors and speed are tested."""
    session = " ".join(f"-c {name}={value}" for name, value in SESSION.items())
    given = url.query.get("options", "")
    options = f"{session} {given if isinstance(given, str) else ' '.join(given)}".strip()
    return create_engine(
        url.set(drivername="postgresql+psycopg").difference_update_query(["options"]),
        poolclass=NullPool,
        connect_args={**CONNECTION, "options": options},
    )


def _make(url: str) -> None:
    """Make a state on disk where there is none.

    It is made aside and gets its name when it is whole: so an empty file is never one that a killed run has
    just begun, but one that has lost what it had.
    """
    path = sqlite_file(url)
    if path is None or str(path).startswith("file:"):
        return
    if path.exists():
        if path.is_file() and not path.stat().st_size:
            raise StateError(f"the state {path} is damaged (it is empty): {MEND}")
        return
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    engine = _engine(make_url(url).set(database=str(aside)).render_as_string(hide_password=False))
    try:
        with engine.begin() as connection:
            prepare(connection)
        engine.dispose()
        with suppress(FileExistsError):  # another run has made it meanwhile
            path.hardlink_to(aside)
    except SQLAlchemyError as error:
        raise StateError(_explain(str(path), error)) from error
    finally:
        aside.unlink(missing_ok=True)


def _tune(connection: Any, _: Any) -> None:
    """Set what a process that may be killed needs.

    WAL lets readers be and survives a killed writer. With NORMAL a power cut may cost the last transactions,
    and then documents are harvested once more, but it never costs the file.
    """
    _write_ahead(connection)
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "cache_size=-16384"):
        connection.execute(f"PRAGMA {pragma}")


@retry(
    retry=retry_if_exception_message(match="database is locked"),
    stop=stop_after_delay(BUSY_TIMEOUT),
    wait=wait_fixed(0.05),
    reraise=True,
)
def _write_ahead(connection: Any) -> None:
    """Only this pragma does not wait by itself while another process makes the same new file."""
    connection.execute("PRAGMA journal_mode=WAL")


def _explain(name: str, error: SQLAlchemyError) -> str:
    cause = " ".join(str(getattr(error, "orig", None) or error).split())
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return f"the connection to the state {name} was lost ({cause}): {GOES_ON}"
    if isinstance(error, DatabaseError) and any(word in cause for word in ("malformed", "not a database")):
        return f"the state {name} is damaged ({cause}): {MEND}"
    return f"the state {name} cannot be used: {cause}"
