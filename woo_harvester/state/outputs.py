"""Writes records to local files in steps, so that a kill leaves in them only what can be recognised.

Records that the state does not know yet are in ``FILE.unconfirmed``. From there they are added to the file
in one step, made durable, confirmed in the state, and removed from ``FILE.unconfirmed``. So a killed run
leaves a tail in the file only if it dies during that step of a few milliseconds. Just before the step, a last
line of ``FILE.unconfirmed`` claims it: which state, which file (device and inode), after how many bytes.

The next run of the same state cuts off a tail only if that claim names this state, this file and the number
of durable bytes that the state knows, and if the tail is byte for byte what was to be added, or a beginning
of that. Nothing weaker is evidence. A restored back-up of the state says of a run that ended well that it did
not, but such a run leaves no claim. Another run on the file replaces the claim. Whatever somebody else writes
in the file, after the tail or in its place, makes the bytes differ. Times and sizes would not show that:
nobody knows when a killed run wrote last. In any doubt nothing is cut, and one step of records comes twice.

A file that is to be replaced (``-O``) is written as ``FILE.<time>.unfinished``, and gets its name at the end.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from io import BufferedWriter, FileIO
from itertools import count
from os import fsync
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from woo_harvester.state.lastline import BLOCK, WriterError, is_same, lock, move_aside, open_for_appending
from woo_harvester.state.locks import Locks
from woo_harvester.state.schema import about, outputs
from woo_harvester.state.sql import insert_new
from woo_harvester.utils.atomic import make_like, sync_folder

#: Ends the name of the file with records that were not added to their file yet.
UNCONFIRMED = ".unconfirmed"
#: Ends the name of a file that is to replace another one.
UNFINISHED = ".unfinished"

#: Errors of a folder in which no file can be made beside the one that is there.
_NOTHING_BESIDE = frozenset({errno.EACCES, errno.EPERM, errno.ENAMETOOLONG})

#: A claim is shorter than this, in bytes.
_LONGEST_CLAIM = 65_536

_GONE = "somebody removed or replaced the file while the run wrote to it"

_NEEDS_FOLDER = (
    "a file is replaced by a new one beside it (-O), which cannot be made here: use -o, or another folder"
)


class Claim(NamedTuple):
    """The step that a run was about to take: what it adds, to which file, for which state."""

    state: str
    device: int
    inode: int
    size: int
    """Bytes of the file before the step."""
    length: int
    """Bytes that the step adds."""


class StagedFile(BufferedWriter):
    """The file that an exporter writes to: ``FILE.unconfirmed``, which :meth:`append` adds to the file.

    *target* is the locked file, *state* the name of the state. In a folder where no file can be made, what is
    not confirmed is in a temporary file; then nobody can recognise a tail of a killed run.
    """

    def __init__(self, target: FileIO, state: str) -> None:
        self.target = target
        self._state = state
        self._claimed = False
        self._size = os.fstat(target.fileno()).st_size
        self._path: Path | None = unconfirmed(Path(str(target.name)))
        mode = stat.S_IMODE(os.fstat(target.fileno()).st_mode)
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        except OSError as error:
            if error.errno not in _NOTHING_BESIDE:
                raise
            self._path = None
            with tempfile.TemporaryFile() as temporary:
                descriptor = os.dup(temporary.fileno())
        self._staged = FileIO(descriptor, "r+")
        self._staged.truncate(0)  # a killed run left it: what is in it comes again
        super().__init__(self._staged)

    @property
    def name(self) -> str:
        """The path of the file that records are added to."""
        return str(self.target.name)

    def tell(self) -> int:
        """Return the place in the file that the next byte will have."""
        return self._size + super().tell()

    def append(self) -> int:
        """Add to the file what was written since the last call, durably; return the size of the file.

        Raises OSError, and then leaves the file as it was.
        """
        self.flush()
        if length := super().tell():
            source, found = self._staged.fileno(), _found(self.target)
            claim = Claim(self._state, found.st_dev, found.st_ino, found.st_size, length)
            os.pwrite(source, b"\n" + json.dumps(claim).encode(), length)
            self._claimed = True
            try:
                _copy(source, length, self.target)
                fsync(self.target.fileno())
            except OSError:
                if os.fstat(self.target.fileno()).st_size <= found.st_size + length:  # nobody else wrote
                    self.target.truncate(found.st_size)
                    self._claimed = False
                raise
            self._size = found.st_size + length
        return self._size

    def confirmed(self) -> None:
        """Remove what was added: the state knows it."""
        self.seek(0)
        self.truncate(0)
        self._claimed = False

    def remove(self) -> None:
        """Close and remove ``FILE.unconfirmed``, unless the next run has to compare it with the state."""
        with suppress(OSError):  # a full disk: what is in the buffer comes again
            self.close()
        if self._path is not None and not self._claimed:
            self._path.unlink(missing_ok=True)


class RecordFile:
    """A local file of records, which is locked: a run adds to it, or *replaces* it.

    What was written is in the file *output*: that at *path*, or the one that is to replace it. Raises
    OSError, and :class:`~woo_harvester.state.lastline.WriterError` if another process writes to the file.
    """

    def __init__(self, path: Path, *, replaces: bool) -> None:
        self.path = self.output = path
        self.made = not os.path.lexists(path)
        self.replaces = replaces
        self._locked = [open_for_appending(path)]
        self._writer: BufferedWriter | None = None
        if replaces:
            try:
                self._locked.append(_make_beside(self._locked[0]))
            except OSError:
                self.close()
                raise
            self.output = Path(str(self._locked[-1].name))

    @property
    def is_empty(self) -> bool:
        """True if the file at *path*, which a run adds to or replaces, has no content."""
        return not os.fstat(self._locked[0].fileno()).st_size

    @property
    def target(self) -> FileIO:
        """The file that records are in once they are durable."""
        return self._locked[-1]

    def open(self, state: str, *, in_steps: bool) -> BufferedWriter:
        """Return the file for the exporter. A file that is replaced as one needs no steps."""
        if in_steps or not self.replaces:
            self._writer = StagedFile(self.target, state)
        else:
            self._writer = BufferedWriter(FileIO(os.dup(self.target.fileno()), "a"))
        return self._writer

    def append(self) -> int:
        """Make durable what was written; return the size of *output*. Raises OSError."""
        if isinstance(self._writer, StagedFile):
            return self._writer.append()
        if self._writer is not None:
            self._writer.flush()
        fsync(self.target.fileno())
        return _found(self.target).st_size

    def confirmed(self) -> None:
        """Note that the state knows what was made durable."""
        if isinstance(self._writer, StagedFile):
            self._writer.confirmed()

    def put_in_place(self) -> None:
        """Replace the file at *path* by what was written. Raises OSError."""
        make_like(self.target.fileno(), os.fstat(self._locked[0].fileno()))
        self.output.replace(self.path)
        sync_folder(self.path.parent)

    def discard(self) -> None:
        """Remove what was to replace the file."""
        self.output.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the files, and unlock them for other runs."""
        if isinstance(self._writer, StagedFile):
            self._writer.remove()
        elif self._writer is not None:
            with suppress(OSError):  # a full disk
                self._writer.close()
        for file in self._locked:
            file.close()

    def abandon(self) -> Path | None:
        """Close the files of a run that failed; return the file beside *path*, if it has content."""
        self.close()
        for path in {self.path, self.output} if self.made else {self.output} - {self.path}:
            with suppress(OSError):  # if it fails, the next run does it
                if not path.stat().st_size:
                    path.unlink()
        return self.output if self.replaces and self.output.exists() else None


def unconfirmed(path: Path) -> Path:
    """Return the path of the file with the records that were not added to the file at *path* yet."""
    return path.with_name(f"{path.name}{UNCONFIRMED}")


def cut_tail(path: Path, durable: int, state: str, *, made: bool) -> int:
    """Move what a killed run added after *durable* bytes to ``FILE.truncated``; return the number of bytes.

    Remove ``FILE.unconfirmed``, and a file without content that the run *made*. Raises OSError, and
    :class:`~woo_harvester.state.lastline.WriterError` if another process writes to the file.
    """
    staged = unconfirmed(path)
    if not path.is_file():
        _remove_staged(staged, state)
        return 0
    with FileIO(str(path), "r+") as file:
        lock(file)
        size = os.fstat(file.fileno()).st_size
        is_cut = size > durable and _is_claimed(file, durable, size, staged, state)
        if is_cut:
            move_aside(file, durable)
        _remove_staged(staged, state)
        if made and not os.fstat(file.fileno()).st_size:
            path.unlink()
    return size - durable if is_cut else 0


def _is_claimed(file: FileIO, durable: int, size: int, staged: Path, state: str) -> bool:
    """Return whether the bytes after *durable* are what a killed run of the state was about to add."""
    if (claim := _read_claim(staged)) is None:
        return False
    found = os.fstat(file.fileno())
    if claim[:4] != (state, found.st_dev, found.st_ino, durable) or size - durable > claim.length:
        return False
    with FileIO(str(staged)) as source:
        return is_same(file, durable, source, 0, size - durable)


def _read_claim(staged: Path) -> Claim | None:
    """Return the claim at the end of ``FILE.unconfirmed``; None if it has none."""
    if staged.is_symlink() or not staged.is_file():
        return None
    with FileIO(str(staged)) as file:
        size = os.fstat(file.fileno()).st_size
        start = max(0, size - _LONGEST_CLAIM)
        before, end, last = os.pread(file.fileno(), size - start, start).rpartition(b"\n")
    try:
        claim = Claim(*json.loads(last))
    except (TypeError, ValueError):  # a run was killed before it had written the claim
        return None
    return claim if end and claim.length == start + len(before) else None


def _remove_staged(staged: Path, state: str) -> None:
    """Remove ``FILE.unconfirmed``, unless a run of another state has a claim in it."""
    claim = _read_claim(staged)
    if (claim is None or claim.state == state) and not staged.is_symlink() and staged.is_file():
        staged.unlink()


def _make_beside(old: FileIO) -> FileIO:
    """Make and lock an empty file that is to replace *old*; it has a name of its own. Raises OSError."""
    path, moment = Path(str(old.name)), datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    for number in count():
        name = f"{path.name}.{moment}{f'-{number}' if number else ''}{UNFINISHED}"
        try:
            file = FileIO(str(path.with_name(name)), "x+")
        except FileExistsError:
            continue
        except OSError as error:
            if error.errno in _NOTHING_BESIDE:
                raise OSError(error.errno, _NEEDS_FOLDER, str(path)) from error
            raise
        os.fchmod(file.fileno(), stat.S_IMODE(os.fstat(old.fileno()).st_mode))
        lock(file)
        return file
    raise AssertionError  # count() does not end


def _found(file: FileIO) -> os.stat_result:
    """Return the status of an open file. Raises OSError if it has no name any more: nobody could read it."""
    found = os.fstat(file.fileno())
    if not found.st_nlink:
        raise OSError(errno.ENOENT, _GONE, str(file.name))
    return found


def _copy(source: int, length: int, target: FileIO) -> None:
    """Add the first *length* bytes of the file *source* to the end of *target*."""
    start = 0
    while start < length:
        block = memoryview(os.pread(source, min(BLOCK, length - start), start))
        if not block:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(target.name))
        start += len(block)
        while block:
            block = block[target.write(block) :]


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
    :mod:`~woo_harvester.state.outputs` says what evidence it takes. A file stays as it is if another process
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
