"""What SQLite and PostgreSQL do differently: their connections, and some SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    URL,
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Engine,
    Insert,
    Table,
    Text,
    Update,
    any_,
    bindparam,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool, StaticPool
from tenacity import retry, retry_if_exception_message, stop_after_delay, wait_fixed

#: Seconds to wait for another process that writes.
_BUSY_TIMEOUT = 60

# Settings of the session and the connection with PostgreSQL. With the keepalives, a run that lost its server
# and a server that lost its run notice it within two minutes. Locks time out as with SQLite. No commit waits
# for the disk: a crash of the server may lose the last commits, and then documents are harvested once
# more, as with SQLite.
_SESSION_SETTINGS: dict[str, str] = {
    "synchronous_commit": "off",
    "lock_timeout": f"{_BUSY_TIMEOUT}s",
    "tcp_keepalives_idle": "60",
    "tcp_keepalives_interval": "15",
    "tcp_keepalives_count": "4",
}
_CONNECTION_SETTINGS: dict[str, Any] = {
    "application_name": "woo-harvester",
    "connect_timeout": 10,
    "keepalives_idle": 60,
    "keepalives_interval": 15,
    "keepalives_count": 4,
    "tcp_user_timeout": 120_000,
}


def engine_of(url: str) -> Engine:
    """Return the engine of the database at *url*. Raises ArgumentError for another kind of database."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "postgresql":
        return _postgresql(parsed)
    if parsed.get_backend_name() != "sqlite":
        raise ArgumentError(f"got {parsed.get_backend_name()}")
    engine = create_engine(url, poolclass=StaticPool, connect_args={"timeout": _BUSY_TIMEOUT})
    event.listen(engine, "connect", _tune)
    return engine


def _postgresql(url: URL) -> Engine:
    """Return an engine with psycopg 3, the only driver whose errors and speed are tested."""
    session = " ".join(f"-c {name}={value}" for name, value in _SESSION_SETTINGS.items())
    of_url = url.query.get("options", "")
    options = f"{session} {of_url if isinstance(of_url, str) else ' '.join(of_url)}".strip()
    return create_engine(
        url.set(drivername="postgresql+psycopg").difference_update_query(["options"]),
        poolclass=NullPool,
        connect_args={**_CONNECTION_SETTINGS, "options": options},
    )


def _tune(connection: Any, _: Any) -> None:
    """Set the pragmas of an SQLite connection for a process that may be killed.

    WAL does not block readers and survives a killed writer. With NORMAL a power cut may lose the last
    transactions, and then documents are harvested once more, but it never damages the file.
    """
    _write_ahead(connection)
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


@retry(
    retry=retry_if_exception_message(match="database is locked"),
    stop=stop_after_delay(_BUSY_TIMEOUT),
    wait=wait_fixed(0.05),
    reraise=True,
)
def _write_ahead(connection: Any) -> None:
    """Switch to WAL. Retry, since SQLite's own timeout does not cover this pragma on a new file."""
    connection.execute("PRAGMA journal_mode=WAL")


def is_one_writer(connection: Connection) -> bool:
    """Return whether the database lets one transaction write at a time, so that row locks are not needed."""
    return connection.dialect.name == "sqlite"


def insert_new(dialect: str, table: Table) -> Insert:
    """Return an INSERT that skips rows whose key exists."""
    if dialect == "sqlite":
        return sqlite.insert(table).on_conflict_do_nothing()
    return postgresql.insert(table).on_conflict_do_nothing()


def insert_or_update(dialect: str, table: Table, key: Sequence[Column[Any]], *names: str) -> Insert:
    """Return an INSERT that updates the columns *names* if a row with the same *key* exists."""
    if dialect == "sqlite":
        lite = sqlite.insert(table)
        changes = {name: lite.excluded[name] for name in names}
        return lite.on_conflict_do_update(index_elements=key, set_=changes)
    statement = postgresql.insert(table)
    changes = {name: statement.excluded[name] for name in names}
    return statement.on_conflict_do_update(index_elements=key, set_=changes)


def is_one_of(dialect: str, column: Column[Any], name: str) -> ColumnElement[bool]:
    """Return the condition that *column* has one of the values of the parameter *name*.

    PostgreSQL gets them as one array: to parse a thousand parameters takes longer than the query.
    """
    if dialect == "sqlite":
        return column.in_(bindparam(name, expanding=True))
    sql_type = Text() if isinstance(column.type, Text) else BigInteger()
    return column == any_(bindparam(name, type_=postgresql.ARRAY(sql_type)))


def write_rows(connection: Connection, statement: Insert | Update, rows: Sequence[Mapping[str, Any]]) -> None:
    """Execute a statement for each of *rows*, which have the same keys; do nothing without rows.

    ``Connection.execute`` does the same, but takes longer to look up each parameter of each row than the
    database takes to write it. The statement must be a constant: its compiled form is kept. Raises ValueError
    if the rows lack a column with a default.
    """
    if not rows:
        return
    prepared = _prepare(statement, connection.dialect, tuple(rows[0]))
    values = [prepared.values(row) for row in rows]
    if prepared.names:
        connection.exec_driver_sql(prepared.sql, list(map(itemgetter(*prepared.names), values)))
    else:
        connection.exec_driver_sql(prepared.sql, values)


class _Prepared(NamedTuple):
    """A statement as the driver of the database takes it."""

    sql: str
    names: tuple[str, ...]
    """The names of its parameters in their order; empty if the driver takes them by name."""
    constants: dict[str, Any]
    """The parameters that the statement has itself."""
    processors: dict[str, Callable[[Any], Any]]
    """The functions that make a value of the column's type into one of the database, by parameter."""

    def values(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters for one row."""
        values = {**self.constants, **row}
        for name, process in self.processors.items():
            if values[name] is not None:
                values[name] = process(values[name])
        return values


@lru_cache(maxsize=32)
def _prepare(statement: Insert | Update, dialect: Dialect, keys: tuple[str, ...]) -> _Prepared:
    compiled = statement.inline().compile(dialect=dialect, column_keys=list(keys))
    if lacking := compiled.insert_prefetch:
        raise ValueError(f"Rows without a value for {', '.join(column.name for column in lacking)}")
    types = {name: bind.type.dialect_impl(dialect) for bind, name in compiled.bind_names.items()}
    processors = {name: kind.bind_processor(dialect) for name, kind in types.items()}
    return _Prepared(
        compiled.string,
        tuple(compiled.positiontup or ()),
        {name: value for name, value in compiled.params.items() if name not in keys},
        {name: process for name, process in processors.items() if process is not None},
    )


_Item = TypeVar("_Item")

#: Rows in one query: databases limit the number of parameters, and larger batches are no faster.
BATCH = 1000


def batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Yield *items* in lists of at most ``BATCH``."""
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch
