"""The files that runs write records to. Each run has files of its own, and only those are ever cut.

When a run ends, its file is added to the file of the user (``-o``), takes its place (``-O``), or stays where
it is. Until then the state has a row for it: how many of its bytes are durable, and what it is added to. The
run locks its file, so that others see whether it goes on. If it died, the next run of the state finishes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from io import BufferedReader, BufferedWriter, FileIO
from mmap import ACCESS_READ, mmap
from os import fsync
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, delete, insert, select, update

from woo_harvester.state.schema import outputs
from woo_harvester.utils.atomic import move_to, sync_folder
from woo_harvester.utils.inputs import LOCKED, WITHOUT_LOCKS, parse_json

#: Ends the name of a run's own file that is to be added to another one, or to take its place.
UNFINISHED = ".unfinished"

_ADDED = "Added to %s what a run that died had delivered"
LEFT_UNFINISHED = (
    "A run that was to replace a file (-O) ended before it could: the records that it delivered are in %s, "
    "and the old file is as it was"
)
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
        _lock(file, LOCK_EX)
        sync_folder(path.parent)
        to = None if target is None else str(target)
        row = insert(outputs).values(node=self._node, path=str(path), target=to, form=form, durable=0)
        with self._begin() as connection:
            connection.execute(row)
        return file

    def keep_durable(self, connection: Connection, sizes: Mapping[Path, int]) -> None:
        """Note how many bytes of each file are durable."""
        for path, size in sizes.items():
            connection.execute(update(outputs).where(*self._is(path)).values(durable=size))

    def close(self, path: Path) -> None:
        """Forget a file: it is where it belongs."""
        with self._begin() as connection:
            connection.execute(delete(outputs).where(*self._is(path)))

    def add(self, path: Path) -> Iterator[str]:
        """Add a run's file to its target, durably, and remove it. Yield what an operator is to know.

        After a kill, what the target has already is not added again. If there is no room, nothing is added.
        """
        with self._begin() as connection:
            row = connection.execute(select(outputs).where(*self._is(path))).one()
        with path.open("rb") as own, _locked(Path(row.target)) as file:
            if not file.seek(0, os.SEEK_END):
                move_to(path, Path(row.target))
                return
            if (base := row.base) is None:
                if not _end_last_line(file, row.form):
                    yield _NO_RECORD % row.target
                base = file.seek(0, os.SEEK_END)
                with self._begin() as connection:
                    connection.execute(update(outputs).where(*self._is(path)).values(base=base))
            file.seek(0)
            header = own.readline() if base and row.form.startswith("csv") else b""
            own.seek(begin := len(header) if header and header == file.readline() else 0)
            file.seek(base)
            while (there := file.read(1024 * 1024)) and own.read(len(there)) == there:
                pass
            if there:  # others wrote there since
                own.seek(begin)
            size = file.seek(0, os.SEEK_END)
            try:
                append(own, file)
                fsync(file.fileno())
            except OSError:
                file.truncate(size)
                raise
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
                # Without a name, another run has just finished it.
                if not _lock(file, LOCK_EX | LOCK_NB) or not os.fstat(file.fileno()).st_nlink:
                    continue
                size = file.seek(0, os.SEEK_END)
                if row.target is not None or not keep:
                    size = file.truncate(min(row.durable, size))
                    fsync(file.fileno())
                if not size:
                    path.unlink()
                elif row.target is not None:
                    yield _ADDED % row.target
                    yield from self.add(path)
                elif path.name.endswith(UNFINISHED):
                    yield LEFT_UNFINISHED % path
            self.close(path)

    def _is(self, path: Path) -> tuple[Any, ...]:
        return outputs.c.node == self._node, outputs.c.path == str(path)


@contextmanager
def _locked(path: Path) -> Iterator[FileIO]:
    """Open the file of a user to add to it, and make it if it is not there; wait for other runs that end."""
    while True:
        with path.open("a+b", buffering=0) as file:
            _lock(file, LOCK_EX)
            if os.fstat(file.fileno()).st_nlink:  # else another run has put its own in its place meanwhile
                yield file
                return


def _lock(file: IO[bytes], how: int) -> bool:
    """Lock a file with *how*; return False if another run has it, or the file system has no locks."""
    try:
        flock(file, how)
    except OSError as error:
        if error.errno not in LOCKED | WITHOUT_LOCKS:
            raise
        return False
    return True


def append(own: BufferedReader, file: FileIO) -> None:
    """Write the rest of a run's own file to another one. Without room, nothing of it stays in a buffer."""
    while block := memoryview(own.read(1024 * 1024)):
        while block:
            block = block[file.write(block) :]


def _end_last_line(file: FileIO, form: str) -> bool:
    """Add the end of a last line that has none. Return False if it is no record of JSON Lines."""
    if not form or not file.seek(0, os.SEEK_END):
        return True
    with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        last = content[content.rfind(b"\n") + 1 :]
    if last:
        file.write(b"\n")
    with suppress(ValueError):
        return form.startswith("csv") or not last.strip() or parse_json(last) is not None
    return False
