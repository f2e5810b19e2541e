"""The files that runs write records to. Each run has files of its own, and only those are ever cut.

When a run ends, its file is added to the file of the user (``-o``), takes its place (``-O``), or stays where
it is. Until then the state has a row for it: how many of its bytes are durable, and what it is added to. The
run locks its file, so that others see whether it goes on. If it died, the next run of the state finishes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from fcntl import LOCK_EX, LOCK_NB
from io import BufferedWriter, FileIO
from mmap import ACCESS_READ, mmap
from os import fsync
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, delete, insert, select, update

from woo_harvester.state.schema import outputs
from woo_harvester.utils.atomic import append, sync_folder
from woo_harvester.utils.inputs import lock, parse_json

#: Ends the name of a run's own file that is to be added to another one, or to take its place.
UNFINISHED = ".unfinished"

_ADDED = "Added to %s what a run that died had delivered"
LEFT_UNFINISHED = "A run with -O ended before it could: the records that it delivered are in %s"
_NO_RECORD = "The last line of %s was no record: it is as it was, and the new records are below it"


class Outputs:
    """The rows of a state about files of runs on the machine *node*. Each method raises OSError."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Connection]], node: str) -> None:
        self._begin = begin
        self._node = node

    def open(self, path: Path, target: Path | None, form: str) -> BufferedWriter:
        """Make and lock the file *path* of a run, which is to be added to *target*.

        *form* is its format if it has a record a line, else empty.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("xb")
        lock(file, LOCK_EX)
        sync_folder(path.parent)
        row = {"target": target and str(target), "form": form, "durable": 0}
        with self._begin() as connection:
            connection.execute(insert(outputs).values(node=self._node, path=str(path), **row))
        return file

    def keep_durable(self, connection: Connection, file: IO[bytes]) -> None:
        """Note that all that was written to a file is durable."""
        connection.execute(update(outputs).where(*self._is(file.name)).values(durable=file.tell()))

    def close(self, path: Path) -> None:
        """Forget a file: it is where it belongs."""
        with self._begin() as connection:
            connection.execute(delete(outputs).where(*self._is(path)))

    def add(self, path: Path) -> Iterator[str]:
        """Add a run's file to its target, durably, and remove it. Yield what an operator is to know.

        After a kill, what the target has already is not added again.
        """
        with self._begin() as connection:
            row = connection.execute(select(outputs).where(*self._is(path))).one()
        with suppress(OSError):  # the file is there, or this file system has no hard links
            os.link(path, row.target)
            path.unlink()
            sync_folder(path.parent)
            return
        with path.open("rb") as own, Path(row.target).open("a+b", buffering=0) as file:
            lock(file, LOCK_EX)  # another run may add to it
            if (base := row.base) is None:
                if row.form and not _end_last_line(file, row.form):
                    yield _NO_RECORD % row.target
                base = file.seek(0, os.SEEK_END)
                with self._begin() as connection:
                    connection.execute(update(outputs).where(*self._is(path)).values(base=base))
            file.seek(0)
            header = own.readline() if base and row.form.startswith("csv") else b""
            own.seek(begin := len(header) if header == file.readline() else 0)
            file.seek(base)
            while (there := file.read(1024 * 1024)) and own.read(len(there)) == there:
                pass
            if there:  # others wrote there since
                own.seek(begin)
            append(own, file)
        path.unlink()

    def recover(self, *, keep: bool) -> Iterator[str]:
        """Cut the files of runs that died to what is durable, and add them to their targets.

        Yield what an operator is to know. With *keep*, a file without a target stays as it is.
        """
        with self._begin() as connection:
            rows = connection.execute(select(outputs).where(outputs.c.node == self._node)).all()
        for row in rows:
            path = Path(row.path)
            # A file that is not there is in its place: the run was killed just then.
            with suppress(FileNotFoundError), path.open("r+b") as file:
                # Without a name, another run has just finished it; with two, the run was killed just then.
                if not lock(file, LOCK_EX | LOCK_NB) or not (names := os.fstat(file.fileno()).st_nlink):
                    continue
                size = file.seek(0, os.SEEK_END)
                if names == 1 and not (keep and row.target is None):
                    size = file.truncate(min(row.durable, size))
                    fsync(file.fileno())
                if not size or names > 1:
                    path.unlink()
                elif row.target is not None:
                    yield _ADDED % row.target
                    yield from self.add(path)
                elif path.name.endswith(UNFINISHED):
                    yield LEFT_UNFINISHED % path
            self.close(path)

    def _is(self, path: Path | str) -> tuple[Any, ...]:
        return outputs.c.node == self._node, outputs.c.path == str(path)


def _end_last_line(file: FileIO, form: str) -> bool:
    """Add the end of a last line that has none. Return False if it is no record of JSON Lines."""
    if not file.seek(0, os.SEEK_END):
        return True
    with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        last = content[content.rfind(b"\n") + 1 :]
    if last:
        file.write(b"\n")
    with suppress(ValueError):
        return form.startswith("csv") or not last.strip() or parse_json(last) is not None
    return False
