"""The files that runs write records to. Each run has files of its own, and only those are ever cut.

When a run ends, its file is added to the file of the user (``-o``), takes its place (``-O``), or stays where
it is. Until then the state has a row for it: how many of its bytes are durable, and what it is added to. The
run locks its file, so that others see whether it goes on. If it died, the next run of the state finishes it.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from io import BufferedRandom, BufferedWriter
from mmap import ACCESS_READ, mmap
from os import fsync
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Any, Protocol

from sqlalchemy import Connection, Row, delete, insert, select, update

from woo_harvester.state.schema import outputs
from woo_harvester.utils.atomic import make_like, sync_folder
from woo_harvester.utils.inputs import LOCKED, WITHOUT_LOCKS, parse_json

#: Ends the name of a run's own file that is to be added to another one, or to take its place.
UNFINISHED = ".unfinished"

ADDED = "Added to %s what a run that died had delivered"
LEFT_UNFINISHED = (
    "A run that was to replace a file (-O) ended before it could: the records that it delivered are in %s, "
    "and the old file is as it was"
)
_NO_RECORD = "The last line of %s was no record: it is as it was, and the new records are below it"
_GONE = "somebody removed or replaced the file while the run wrote to it"

_BLOCK = 1024 * 1024


def make_own(path: Path) -> BufferedWriter:
    """Make the file of a run, and lock it. Raises OSError, also if the file is there."""
    with suppress(FileExistsError):  # a file of that name is in its place: opening reports it
        path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("xb")
    _lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    sync_folder(path.parent)
    return file


def sync(file: BufferedWriter) -> int:
    """Make durable what was written to the file of a run; return its size.

    Raises OSError, also if the file has no name any more: nobody could read it.
    """
    file.flush()
    if not os.fstat(file.fileno()).st_nlink:
        raise OSError(errno.ENOENT, _GONE, str(file.name))
    fsync(file.fileno())
    return file.tell()


@contextmanager
def locked(path: Path) -> Iterator[BufferedRandom]:
    """Open the file of a user, and make it if it is not there; wait for other runs that end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with path.open("a+b") as file:
            _lock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_nlink:  # else another run has replaced it meanwhile
                yield file
                return


def replace(own: IO[bytes], file: IO[bytes]) -> None:
    """Put the file of a run in the place of a file of the user, which is locked. Raises OSError."""
    make_like(own.fileno(), os.fstat(file.fileno()))
    Path(str(own.name)).replace(str(file.name))


def bare(line: bytes) -> bytes:
    """Return a header of CSV without what a spreadsheet changes: byte order mark, quotes and line end."""
    return line.removeprefix(b"\xef\xbb\xbf").replace(b'"', b"").strip()


def _lock(file: IO[bytes], how: int) -> bool:
    """Lock a file with *how*; return False if another process has locked it, or nobody can.

    A lock of ``flock`` belongs to this open file: two crawls in one process exclude each other too.
    """
    try:
        fcntl.flock(file, how)
    except OSError as error:
        if error.errno not in LOCKED | WITHOUT_LOCKS:
            raise
        return False
    return True


class _Session(Protocol):
    def begin(self) -> AbstractContextManager[Connection]:
        """Open a transaction of the state for the block."""


class Outputs:
    """The rows of a state about files of runs on the machine *node*. Each method raises OSError."""

    def __init__(self, state: _Session, node: str) -> None:
        self._state = state
        self._node = node

    def open(self, path: Path, target: Path | None, form: str) -> None:
        """Note that a run writes to its file *path*, which is to be added to *target*.

        *form* is its format if it has a record a line, else empty.
        """
        to = None if target is None else str(target)
        with self._durably() as connection:
            connection.execute(
                insert(outputs).values(node=self._node, path=str(path), target=to, form=form, durable=0)
            )

    def keep_durable(self, connection: Connection, sizes: Mapping[Path, int]) -> None:
        """Note how many bytes of each file are durable."""
        for path, size in sizes.items():
            connection.execute(update(outputs).where(*self._is(path)).values(durable=size))

    def close(self, path: Path) -> None:
        """Forget a file: it is where it belongs."""
        with self._state.begin() as connection:
            connection.execute(delete(outputs).where(*self._is(path)))

    def add(self, path: Path) -> str | None:
        """Add a run's file to its target, durably, and remove it; return what an operator is to know.

        After a kill, what the target has already is not added again.
        """
        with self._state.begin() as connection:
            row = connection.execute(select(outputs).where(*self._is(path))).one()
        target, line = Path(row.target), None
        with path.open("rb") as own, locked(target) as file:
            if file.seek(0, os.SEEK_END):
                line = self._begin(row, own, file)
                _copy(own, file)
                file.flush()
                fsync(file.fileno())
                path.unlink()
            else:
                replace(own, file)
        sync_folder(path.parent)
        self.close(path)
        return line

    def _begin(self, row: Row[Any], own: IO[bytes], file: BufferedRandom) -> str | None:
        """Go to where *own* is to be added to *file* from. Note in the state where the file ended before.

        Return the line about a last line that is no record.
        """
        header, length = _header(row, own, file), own.seek(0, os.SEEK_END)
        if row.base is not None:
            added = min(file.seek(0, os.SEEK_END) - row.base, length - header)
            if _is_same(own, header, file, row.base, added):
                own.seek(header + added)
                return None
        line = _end_last_line(file, Path(row.target), row.form) if row.form else None
        size = file.seek(0, os.SEEK_END)
        with self._durably() as connection:
            connection.execute(update(outputs).where(*self._is(Path(row.path))).values(base=size))
        own.seek(header)
        return line

    def recover(self, *, keep: bool) -> Iterator[str]:
        """Cut the files of runs that died to what is durable, and add them to their targets.

        Yield what an operator is to know. With *keep*, a file without a target stays as it is.
        """
        with self._state.begin() as connection:
            rows = connection.execute(select(outputs).where(outputs.c.node == self._node)).all()
        for row in rows:
            path = Path(row.path)
            try:
                file = path.open("r+b")
            except (FileNotFoundError, NotADirectoryError):  # it was added or renamed just before the kill
                self.close(path)
                continue
            with file:
                if _lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB) and os.fstat(file.fileno()).st_nlink:
                    yield from self._recover(row, path, file, keep=keep)

    def _recover(self, row: Row[Any], path: Path, file: BufferedRandom, *, keep: bool) -> Iterator[str]:
        size = file.seek(0, os.SEEK_END)
        if row.target is not None or not keep:
            size = file.truncate(min(row.durable, size))
            fsync(file.fileno())
        if size and row.target is not None:
            yield ADDED % row.target
            if line := self.add(path):
                yield line
            return
        if not size:
            path.unlink()
        elif path.name.endswith(UNFINISHED):
            yield LEFT_UNFINISHED % path
        self.close(path)

    def _is(self, path: Path) -> tuple[Any, ...]:
        return outputs.c.node == self._node, outputs.c.path == str(path)

    @contextmanager
    def _durably(self) -> Iterator[Connection]:
        """Open a transaction that is on disk at its end. A run's others in PostgreSQL need not be."""
        with self._state.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
            yield connection


def _header(row: Row[Any], own: IO[bytes], file: IO[bytes]) -> int:
    """Return the length of the header of CSV in *own*, if *file* has the same one."""
    if not row.form.startswith("csv"):
        return 0
    own.seek(0)
    file.seek(0)
    header = own.readline()
    return len(header) if bare(header) == bare(file.readline()) else 0


def _is_same(own: IO[bytes], start: int, file: IO[bytes], base: int, length: int) -> bool:
    """Return whether two files have the same *length* bytes from these places on."""
    own.seek(start)
    file.seek(base)
    sizes = (min(_BLOCK, length - at) for at in range(0, length, _BLOCK))
    return length >= 0 and all(own.read(size) == file.read(size) for size in sizes)


def _copy(own: IO[bytes], file: IO[bytes]) -> None:
    """Add the rest of *own* to *file*."""
    copyfileobj(own, file, _BLOCK)


def _end_last_line(file: BufferedRandom, path: Path, form: str) -> str | None:
    """Add the end of a last line that has none; return the line about it if it is no record."""
    with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        last = content[content.rfind(b"\n") + 1 :]
    if last:
        file.write(b"\n")
        file.flush()
        if not form.startswith("csv") and last.strip(b" \t\r\xef\xbb\xbf"):
            try:
                parse_json(last)
            except ValueError:
                return _NO_RECORD % path
    return None
