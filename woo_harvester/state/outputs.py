"""Files that records are appended to: what of them is durable, and cutting back what is not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import FileIO
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from woo_harvester.state.lastline import WriterError, lock
from woo_harvester.state.lock import Locks
from woo_harvester.state.schema import outputs

ANOTHER_WRITER = "another run writes to {}: give each run a file of its own"


def lock_name(path: Path, node: str = "") -> str:
    """By which the file at *path* is locked; *node* is the machine that has it."""
    return f"{node}:{path}" if node else str(path)


def open_output(connection: Connection, path: Path, size: int, node: str = "") -> None:
    """Note that a run writes to *path*, which holds *size* durable bytes."""
    if connection.dialect.name == "postgresql":
        # A crash of the server must not make it forget the file, or nobody would cut it back.
        connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
    connection.execute(delete(outputs).where(*_is(path, node)))
    connection.execute(insert(outputs).values(node=node, path=str(path), durable=size, closed=False))


def keep_durable(
    connection: Connection, sizes: Mapping[Path, int], node: str = "", *, closed: bool = False
) -> None:
    """Note up to where files are durable."""
    for path, size in sizes.items():
        statement = update(outputs).where(*_is(path, node))
        connection.execute(statement.values(durable=size, closed=closed))


def cut_back(connection: Connection, locks: Locks | None, node: str = "") -> dict[Path, int]:
    """Cut files of runs that were killed back to what was durable; gives how many bytes went of which file.

    A file that another process has locked, by its name or itself, is written by a run on other hosts or on
    another state, and stays as it is. What is cut was never learned by the state, so the documents in it are
    harvested again. Files of other machines than *node* are left to those.
    """
    cut = {}
    query = select(outputs.c.path, outputs.c.durable)
    rows = connection.execute(query.where(outputs.c.node == node, outputs.c.closed.is_(False)))
    for given, durable in rows.all():
        path = Path(given)
        name = lock_name(path, node)
        if locks is not None and not locks.try_acquire(name):
            continue
        try:
            if size := _cut(path, durable):
                cut[path] = size
            connection.execute(update(outputs).where(*_is(path, node)).values(closed=True))
        except WriterError:
            pass  # a run on another state; a run after it cuts the file
        if locks is not None:
            locks.release_one(name)
    return cut


def _is(path: Path, node: str) -> tuple[ColumnElement[bool], ...]:
    return outputs.c.node == node, outputs.c.path == str(path)


def _cut(path: Path, durable: int) -> int:
    """How many bytes were cut off."""
    if not path.is_file() or (size := path.stat().st_size) <= durable:
        return 0
    with FileIO(str(path), "r+") as file:
        lock(file)
        file.truncate(durable)
        os.fsync(file.fileno())
    return size - durable
