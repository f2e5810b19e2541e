"""Output files that records are added to: how much of each the state knows, and what killed runs left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from woo_harvester.state.dialects import insert_new
from woo_harvester.state.lastline import WriterError
from woo_harvester.state.lock import Locks
from woo_harvester.state.schema import about, outputs
from woo_harvester.state.staged import UNFINISHED, cut_tail

#: The name of the row of ``about`` that has the name of the state.
_NAME = "name"

CUT_BACK = (
    "Moved %d bytes from the end of %s to %s.truncated, where a run was killed: the state does not know "
    "them, and their records come again"
)
LEFT_UNFINISHED = (
    "A run that was to replace a file (-O) ended before it could: the records that it delivered are in %s, "
    "and the old file is as it was"
)
ANOTHER_WRITER = "another run writes to {}: give each run a file of its own"


def lock_name(path: Path, node: str = "") -> str:
    """Return the name of the lock on the file at *path*; *node* is the machine that has the file."""
    return f"{node}:{path}" if node else str(path)


def open_output(connection: Connection, path: Path, size: int, node: str = "", *, made: bool = False) -> str:
    """Note that a run writes to *path*, of which *size* bytes are durable; *made*: it made the file.

    Return the name of the state for the claims of the run.
    """
    if connection.dialect.name == "postgresql":
        # If a crash of the server lost this row, no later run would cut the file back.
        connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
    connection.execute(delete(outputs).where(*_is(path, node)))
    connection.execute(
        insert(outputs).values(node=node, path=str(path), durable=size, closed=False, made=made)
    )
    if (name := _name_of(connection)) is None:
        new = insert_new(connection.dialect.name, about)
        connection.execute(new.values(name=_NAME, value=uuid4().hex))
        name = _name_of(connection)
    return name or ""


def _name_of(connection: Connection) -> str | None:
    """Return the name of this state, which stays if the state is moved or restored; None without one."""
    return connection.scalar(select(about.c.value).where(about.c.name == _NAME))


def keep_durable(
    connection: Connection, sizes: Mapping[Path, int], node: str = "", *, closed: bool = False
) -> None:
    """Note how many bytes of each file are durable; *closed*: the run is done with them."""
    for path, size in sizes.items():
        statement = update(outputs).where(*_is(path, node))
        connection.execute(statement.values(durable=size, closed=closed))


class Repaired(NamedTuple):
    """What killed runs left."""

    cut: dict[Path, int]
    """How many bytes were moved from the end of a file to ``FILE.truncated``."""
    unfinished: list[Path]
    """Files with content that were to replace another one."""

    def lines(self) -> Iterator[str]:
        """Yield what an operator is to know of it."""
        for path, size in self.cut.items():
            yield CUT_BACK % (size, path, path)
        for path in self.unfinished:
            yield LEFT_UNFINISHED % path


def cut_back(connection: Connection, locks: Locks | None, node: str = "") -> Repaired:
    """Cut off the files of killed runs what they added and the state does not know.

    The state never confirmed the documents in the bytes that are cut, so they are harvested again.
    :mod:`~woo_harvester.state.staged` says what evidence it takes. A file stays as it is if another process
    has locked its name or the file itself: a run on other hosts or on another state writes it. Only files of
    the machine *node* are cut.
    """
    repaired = Repaired({}, [])
    state = _name_of(connection) or ""
    query = select(outputs.c.path, outputs.c.durable, outputs.c.made)
    rows = connection.execute(query.where(outputs.c.node == node, outputs.c.closed.is_(False)))
    for given, durable, made in rows.all():
        path = Path(given)
        name = lock_name(path, node)
        if locks is not None and not locks.try_acquire(name):
            continue
        try:
            if size := cut_tail(path, durable, state, made=made):
                repaired.cut[path] = size
            if path.name.endswith(UNFINISHED) and path.is_file():
                repaired.unfinished.append(path)
            connection.execute(update(outputs).where(*_is(path, node)).values(closed=True))
        except WriterError:
            pass  # a run on another state writes it; a later run cuts it
        if locks is not None:
            locks.release_one(name)
    return repaired


def _is(path: Path, node: str) -> tuple[ColumnElement[bool], ...]:
    return outputs.c.node == node, outputs.c.path == str(path)
