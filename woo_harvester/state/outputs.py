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
from woo_harvester.utils.program import program

#: Ends the name of a run's own file that is to be added to another one, or to take its place.
UNFINISHED = ".unfinished"

ADDED = "Added to %s what a run that died had delivered"
LOST = (
    "%s is gone, and with it records that a run that died had delivered: %s state again delivers documents "
    "once more"
)
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


def replace(own: Path, file: IO[bytes]) -> None:
    """Put the file of a run in the place of a file of the user, which is locked. Raises OSError."""
    with own.open("rb") as new:
        make_like(new.fileno(), os.fstat(file.fileno()))
    own.replace(str(file.name))
    sync_folder(own.parent)


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
        with self._state.begin() as connection:
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
        line = None
        with path.open("rb") as own, locked(Path(row.target)) as file:
            if file.seek(0, os.SEEK_END):
                begin = _header(row, own, file)
                added = _added(own, begin, file, row.base)
                if not added:
                    line = None if _end_last_line(file, row.form) else _NO_RECORD % row.target
                    self.note_end(path, file.seek(0, os.SEEK_END))
                own.seek(begin + added)
                copyfileobj(own, file)
                file.flush()
                fsync(file.fileno())
                path.unlink()
                sync_folder(path.parent)
            else:
                self.note_end(path, 0)
                replace(path, file)
        return line

    def note_end(self, path: Path, base: int) -> None:
        """Note that a run's file goes to *base* in its target: it may be gone from now on."""
        with self._state.begin() as connection:
            connection.execute(update(outputs).where(*self._is(path)).values(base=base))

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
            except (FileNotFoundError, NotADirectoryError):
                if row.durable and row.base is None:  # else it was added or renamed just before the kill
                    yield LOST % (path, program())
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
        elif not size:
            path.unlink()
        elif path.name.endswith(UNFINISHED):
            yield LEFT_UNFINISHED % path
        self.close(path)

    def _is(self, path: Path) -> tuple[Any, ...]:
        return outputs.c.node == self._node, outputs.c.path == str(path)


def _header(row: Row[Any], own: IO[bytes], file: IO[bytes]) -> int:
    """Return the length of the header of CSV in *own*, if *file* has the same one."""
    file.seek(0)
    header = own.readline() if row.form.startswith("csv") else b""
    return len(header) if bare(header) == bare(file.readline()) else 0


def _added(own: IO[bytes], begin: int, file: IO[bytes], base: int | None) -> int:
    """Return how many bytes of *own* from *begin* on *file* has at *base*: 0 if others wrote there."""
    if base is None:
        return 0
    own.seek(begin)
    file.seek(base)
    count = 0
    while (there := file.read(_BLOCK)) and (expected := own.read(len(there))):
        if not there.startswith(expected):
            return 0
        count += len(expected)
    return count


def _end_last_line(file: BufferedRandom, form: str) -> bool:
    """Add the end of a last line that has none. Return whether it is a record of JSON Lines, or of CSV."""
    with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        last = content[content.rfind(b"\n") + 1 :] if form else b""
    if last:
        file.write(b"\n")
        file.flush()
    if form.startswith("csv") or not last.strip(b" \t\r\xef\xbb\xbf"):
        return True
    try:
        parse_json(last)
    except ValueError:
        return False
    return True
