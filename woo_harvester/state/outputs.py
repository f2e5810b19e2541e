"""Files that records are appended to: what of them is durable, and cutting back what is not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select, update

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


def cut_back(connection: Connection) -> dict[Path, int]:
    """Cut files of runs that were killed back to what was durable; gives how many bytes went of which file.

    What is cut was never learned by the state, so the documents in it are harvested again.
    """
    cut = {}
    rows = connection.execute(select(outputs.c.path, outputs.c.durable).where(outputs.c.closed.is_(False)))
    for name, durable in rows.all():
        path = Path(name)
        if path.is_file() and (size := path.stat().st_size) > durable:
            with path.open("r+b") as file:
                file.truncate(durable)
                file.flush()
                os.fsync(file.fileno())
            cut[path] = size - durable
        connection.execute(update(outputs).where(outputs.c.path == name).values(closed=True))
    return cut
