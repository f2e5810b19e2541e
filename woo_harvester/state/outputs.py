"""Files that records are appended to: what of them is durable, and cutting back what is not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select, update

from woo_harvester.state.lock import Locks
from woo_harvester.state.schema import outputs


def open_output(connection: Connection, path: Path, size: int) -> None:
    """Note that a run writes to *path*, which holds *size* durable bytes."""
    connection.execute(delete(outputs).where(outputs.c.path == str(path)))
    connection.execute(insert(outputs).values(path=str(path), durable=size, closed=False))


def keep_durable(connection: Connection, sizes: Mapping[Path, int], *, closed: bool = False) -> None:
    """Note up to where files are durable."""
    for path, size in sizes.items():
        statement = update(outputs).where(outputs.c.path == str(path))
        connection.execute(statement.values(durable=size, closed=closed))


def cut_back(connection: Connection, locks: Locks | None) -> dict[Path, int]:
    """Cut files of runs that were killed back to what was durable; gives how many bytes went of which file.

    A file whose name another process has locked is being written by a run on other hosts, and stays as it
    is. What is cut was never learned by the state, so the documents in it are harvested again.
    """
    cut = {}
    rows = connection.execute(select(outputs.c.path, outputs.c.durable).where(outputs.c.closed.is_(False)))
    for name, durable in rows.all():
        if locks is not None and not locks.try_acquire(name):
            continue
        if size := _cut(Path(name), durable):
            cut[Path(name)] = size
        connection.execute(update(outputs).where(outputs.c.path == name).values(closed=True))
        if locks is not None:
            locks.release_one(name)
    return cut


def _cut(path: Path, durable: int) -> int:
    """How many bytes were cut off."""
    if not path.is_file() or (size := path.stat().st_size) <= durable:
        return 0
    with path.open("r+b") as file:
        file.truncate(durable)
        file.flush()
        os.fsync(file.fileno())
    return size - durable
