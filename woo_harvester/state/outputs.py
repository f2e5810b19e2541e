"""Output files that records are appended to: how much of each is durable, and removal of the rest."""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import FileIO
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from woo_harvester.state.lastline import WriterError, lock
from woo_harvester.state.lock import Locks
from woo_harvester.state.schema import outputs

CUT_BACK = "Cut %d bytes off %s, where a run was killed"
ANOTHER_WRITER = "another run writes to {}: give each run a file of its own"


def lock_name(path: Path, node: str = "") -> str:
    """Return the name of the lock on the file at *path*; *node* is the machine that has the file."""
    return f"{node}:{path}" if node else str(path)


def open_output(connection: Connection, path: Path, size: int, node: str = "", *, made: bool = False) -> None:
    """Note that a run writes to *path*, of which *size* bytes are durable; *made*: it made the file."""
    if connection.dialect.name == "postgresql":
        # If a crash of the server lost this row, no later run would cut the file back.
        connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
    connection.execute(delete(outputs).where(*_is(path, node)))
    connection.execute(
        insert(outputs).values(node=node, path=str(path), durable=size, closed=False, made=made)
    )


def keep_durable(
    connection: Connection, sizes: Mapping[Path, int], node: str = "", *, closed: bool = False
) -> None:
    """Note how many bytes of each file are durable; *closed*: the run is done with them."""
    for path, size in sizes.items():
        statement = update(outputs).where(*_is(path, node))
        connection.execute(statement.values(durable=size, closed=closed))


def durable_size(connection: Connection, path: Path, node: str = "") -> int:
    """Return how many bytes of a file are durable; 0 for a file that no run has opened."""
    return connection.scalar(select(outputs.c.durable).where(*_is(path, node))) or 0


def cut_back(connection: Connection, locks: Locks | None, node: str = "") -> dict[Path, int]:
    """Cut the files of killed runs back to their durable bytes; return how many bytes each file lost.

    A file that such a run made is removed if it has no durable record.
    A file stays as it is if another process has locked its name or the file itself: a run on other hosts or
    on another state writes it. The state never confirmed the documents in the bytes that are cut, so they are
    harvested again. Only files of the machine *node* are cut.
    """
    cut = {}
    query = select(outputs.c.path, outputs.c.durable, outputs.c.made)
    rows = connection.execute(query.where(outputs.c.node == node, outputs.c.closed.is_(False)))
    for given, durable, made in rows.all():
        path = Path(given)
        name = lock_name(path, node)
        if locks is not None and not locks.try_acquire(name):
            continue
        try:
            if size := _cut(path, durable, made=made):
                cut[path] = size
            connection.execute(update(outputs).where(*_is(path, node)).values(closed=True))
        except WriterError:
            pass  # a run on another state writes it; a later run cuts it
        if locks is not None:
            locks.release_one(name)
    return cut


def _is(path: Path, node: str) -> tuple[ColumnElement[bool], ...]:
    return outputs.c.node == node, outputs.c.path == str(path)


def _cut(path: Path, durable: int, *, made: bool) -> int:
    """Cut the file at *path* to *durable* bytes; return how many bytes were cut off."""
    if not path.is_file():
        return 0
    size, is_removed = path.stat().st_size, made and not durable
    if size <= durable and not is_removed:
        return 0
    with FileIO(str(path), "r+") as file:
        lock(file)
        if is_removed:
            path.unlink()
        else:
            file.truncate(durable)
            os.fsync(file.fileno())
    return size - durable
