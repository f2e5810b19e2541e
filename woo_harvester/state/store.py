"""The state: a database by its URL, with the locks that a run has in it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Self

from sqlalchemy import URL, Connection, Engine, create_engine, func, insert, inspect, make_url, select
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from woo_harvester.kinds import others
from woo_harvester.state.locks import FileLocks, LockedError, Locks, SessionLocks
from woo_harvester.state.migration import MIGRATED, migrate
from woo_harvester.state.outputs import Outputs
from woo_harvester.state.schema import PREPARING, STATE_VERSION, about, metadata
from woo_harvester.state.sql import engine_of
from woo_harvester.utils.atomic import sync_folder
from woo_harvester.utils.program import to_install

_EXPECTED = (
    "WOO_STATE_URL: expected a URL such as sqlite:///state.sqlite or postgresql+psycopg://user@host/name"
)

_NO_STATE = "there is no state at {}: the first run makes it (setting WOO_STATE_URL)"

_NO_DRIVER = "WOO_STATE_URL: PostgreSQL needs the package psycopg: {} ({})"

_FOREIGN = (
    "WOO_STATE_URL: {} is a database of another program, with the table {} and none of a state: "
    "name a file that is a state or does not exist"
)

_OTHER_VERSION = (
    "the state {} was made by another version of the program: it has version {}, and this program knows "
    "version {}, to which it migrates version {}"
)

_CONTINUES = "the next run goes on where this one ended"

_RECOVERY = (
    "put a back-up in its place, or move the file away to begin anew, which harvests every document again"
)


class StateError(Exception):
    """The state cannot be used. The message is one line: which state, why, and what to do."""


class NoStateError(StateError):
    """There is no state yet."""


class StateSettingError(StateError):
    """``WOO_STATE_URL`` names nothing that can be a state."""


class State:
    """An open state: one connection, for one thread. :meth:`begin` opens a transaction.

    A run opens it with :meth:`open_for_run`. Its hosts are then locked against other runs.

    SQLite runs in WAL mode, so a process that is killed at any moment leaves a consistent file. Opening
    creates a state that is not there, migrates one of the version before, and refuses one that is damaged or
    older.
    """

    def __init__(self, engine: Engine, connection: Connection, name: str) -> None:
        self._engine = engine
        self._connection = connection
        self.name = name
        """The URL without password, for messages."""
        self._locks: Locks | None = None
        self.outputs = Outputs(self.begin, "")
        """The files that runs on this machine write records to."""

    @classmethod
    def open(cls, url: str, *, make: bool = True) -> Self:
        """Open the state at *url*, such as ``sqlite:////var/lib/woo/state.sqlite``.

        *make* creates it if it is not there. Raises StateError.
        """
        try:
            _refuse_foreign(url)
            if make:
                _make(url)
            engine = engine_of(url)
        except (ArgumentError, NoSuchModuleError) as error:
            raise StateSettingError(f"{_EXPECTED} ({error})") from error
        except ValueError as error:  # the message of which may have a part of a password
            raise StateSettingError(f"{_EXPECTED} (it cannot be parsed)") from error
        except ImportError as error:
            raise StateError(_NO_DRIVER.format(to_install("postgresql"), error)) from error
        except OSError as error:
            raise StateError(f"the folder of the state {sqlite_file(url)} cannot be made: {error}") from error
        name = engine.url.render_as_string(hide_password=True)
        try:
            connection = engine.connect()
            with connection.begin():
                if not make and _version(connection) is None:
                    raise NoStateError(_NO_STATE.format(name))
                _create_tables(connection)
                _migrate(connection)
                version = _version(connection)
        except SQLAlchemyError as error:
            raise StateError(_explain(name, error)) from error
        if version != STATE_VERSION:
            raise StateError(_OTHER_VERSION.format(name, version, STATE_VERSION, MIGRATED))
        return cls(engine, connection, name)

    @classmethod
    def open_existing(cls, url: str) -> Self:
        """Open the state at *url*. Raises StateError, also if there is none."""
        path = sqlite_file(url)
        if path is not None and not path.exists():
            raise NoStateError(_NO_STATE.format(path))
        return cls.open(url, make=False)

    @classmethod
    def open_for_run(cls, url: str, node: str, hosts: Sequence[str]) -> Self:
        """Open the state at *url* for a run on the machine *node*, and lock *hosts*. Raises StateError."""
        state = cls.open(url)
        try:
            state.begin_locking(f"process {os.getpid()} on {node}", node)
            state.lock_hosts(hosts)
        except StateError:
            with suppress(StateError):  # the first error says what is wrong
                state.release()
            state.close()
            raise
        return state

    @property
    def place(self) -> str:
        """The path of an SQLite file, else the URL without password; for messages."""
        return str(sqlite_file(self._engine.url) or self.name)

    @property
    def is_shared(self) -> bool:
        """True if runs on other machines can use the state too."""
        return self._engine.dialect.name != "sqlite"

    @property
    def transaction(self) -> Connection | None:
        """The connection while a transaction is open, else None."""
        return self._connection if self._connection.in_transaction() else None

    def locks(self, owner: str) -> Locks | None:
        """Return the locks of this state; None for a state in memory, which needs none.

        *owner* is the name of this run for other runs. Raises StateError if the lock file cannot be created.
        """
        if self.is_shared:
            return SessionLocks(self, owner)
        file = sqlite_file(self._engine.url)
        try:
            return None if file is None else FileLocks.beside(file)
        except OSError as error:
            raise StateError(f"the lock of the state {file} cannot be used: {error}") from error

    def begin_locking(self, owner: str, node: str) -> Locks | None:
        """Open and return the locks of a run on the machine *node*.

        None for a state in memory. *owner* is the name of the run for other runs. Raises StateError.
        """
        self.outputs = Outputs(self.begin, node if self.is_shared else "")
        self._locks = self.locks(owner)
        return self._locks

    def lock_hosts(self, hosts: Sequence[str]) -> None:
        """Lock hosts, or raise StateError if another run works on one of them."""
        if self._locks is None:
            return
        try:
            self._locks.acquire(hosts)
        except LockedError as error:
            raise StateError(
                f"another run works on {error} with the state {self.place}: wait until it ends"
            ) from error
        except OSError as error:
            raise StateError(f"hosts of the state {self.place} cannot be locked: {error}") from error

    def recover(self, *, keep: bool = False) -> list[str]:
        """Finish the files of runs that died, as :meth:`Outputs.recover` does. Raises StateError."""
        try:
            return list(self.outputs.recover(keep=keep))
        except OSError as error:
            raise StateError(f"a file of a run that was killed cannot be finished: {error}") from error

    @property
    def heartbeat(self) -> float | None:
        """The seconds between two calls of :meth:`beat`; None if no other run waits for it."""
        return None if self._locks is None else self._locks.heartbeat

    def beat(self) -> None:
        """Show other runs that this run goes on."""
        if self._locks is not None:
            self._locks.beat()

    def release(self) -> None:
        """Release the locks. Raises StateError."""
        if self._locks is not None:
            self._locks.release()

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Open a transaction: committed at the end of the block, rolled back if it raises. Raises StateError.

        A lost connection is not opened again, because the locks were lost with it.
        """
        if self._connection.invalidated:
            raise StateError(f"the connection to the state {self.name} was lost: {_CONTINUES}")
        try:
            with self._connection.begin():
                yield self._connection
        except SQLAlchemyError as error:
            raise StateError(_explain(self.name, error)) from error

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Open a transaction for reading that sees the state of one moment. Raises StateError."""
        with self.begin() as connection:
            if connection.dialect.name == "sqlite":
                # Without BEGIN, Python's sqlite3 reads each row as it is at that moment.
                connection.exec_driver_sql("BEGIN")
            else:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield connection

    def close(self) -> None:
        """Close the connection, without releasing the locks."""
        self._connection.close()
        self._engine.dispose()


def _create_tables(connection: Connection) -> None:
    """Create the tables of a state that has none."""
    if _version(connection) is not None:
        return
    _lock(connection)  # also because a kill must not leave half of the tables
    if _version(connection) is None:
        list(others("tables"))  # imports them
        metadata.create_all(connection)
        connection.execute(insert(about).values(name="version", value=str(STATE_VERSION)))


def _migrate(connection: Connection) -> None:
    """Migrate a state of the version before."""
    if _version(connection) != MIGRATED:
        return
    _lock(connection)
    if _version(connection) == MIGRATED:
        migrate(connection)


def _lock(connection: Connection) -> None:
    """Let this transaction alone change the tables. Other runs may begin at the same time."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(select(func.pg_advisory_xact_lock(PREPARING)))


def _version(connection: Connection) -> int | None:
    """Return the version of the tables; None if there are no tables."""
    if not inspect(connection).has_table(about.name):
        return None
    return int(connection.scalar(select(about.c.value).where(about.c.name == "version")) or 0)


def sqlite_file(url: str | URL) -> Path | None:
    """Return the file of an SQLite database; None for one in memory, another database, or an invalid URL."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        return None
    on_disk = parsed.get_backend_name() == "sqlite" and parsed.database not in (None, "", ":memory:")
    return Path(str(parsed.database)) if on_disk else None


def _refuse_foreign(url: str) -> None:
    """Raise StateError for an SQLite file of another program, before anything of it changes."""
    path = sqlite_file(url)
    if path is None or not path.is_file():
        return
    tables: set[str] = set()
    # What cannot be read is reported when the state is opened.
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file,
    ):
        tables.update(name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))
    if tables and about.name not in tables:
        raise StateSettingError(_FOREIGN.format(path, min(tables)))


def _make(url: str) -> None:
    """Create the SQLite file of a state if there is none.

    It is created under another name, and linked to its own when all of it is on the disk. So an empty file
    under the real name was not left by a killed run: it has lost its content.
    """
    path = sqlite_file(url)
    if path is None or str(path).startswith("file:"):
        return
    if path.exists():
        if path.is_file() and not path.stat().st_size:
            raise StateError(f"the state {path} is damaged (it is empty): {_RECOVERY}")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    # Not in WAL mode, whose last step, to write the tables from the WAL to the file, fails without an error.
    engine = create_engine(make_url(url).set(database=str(aside)), poolclass=NullPool)
    try:
        with engine.begin() as connection:
            _create_tables(connection)
        with suppress(FileExistsError):  # another run has created it meanwhile
            path.hardlink_to(aside)
        sync_folder(path.parent)
    except SQLAlchemyError as error:
        raise StateError(_explain(str(path), error)) from error
    finally:
        for end in ("", "-journal"):
            aside.with_name(aside.name + end).unlink(missing_ok=True)


def _explain(name: str, error: SQLAlchemyError) -> str:
    cause = " ".join(str(getattr(error, "orig", None) or error).split())
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return f"the connection to the state {name} was lost ({cause}): {_CONTINUES}"
    if isinstance(error, DatabaseError) and any(word in cause for word in ("malformed", "not a database")):
        return f"the state {name} is damaged ({cause}): {_RECOVERY}"
    return f"the state {name} cannot be used: {cause}"
