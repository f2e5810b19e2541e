"""A folder of kept files, each of which is there whole or not at all."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from time import time
from typing import IO

from woo_harvester.files.names import sha256_of

#: Bytes that are copied at a time.
CHUNK_SIZE = 1024 * 1024

#: Seconds after which a file that is not whole was left by a run that is no more: storing takes far less.
LEFT_AFTER = 24 * 60 * 60

#: In the store, and by that on the same file system, so that a rename is one step.
WORKSHOP = ".writing"

_PARTIAL = re.compile(r"[0-9a-f]{64}[.a-z]*\.[0-9a-f]{16}\.part")


class InUseError(Exception):
    """Another process works on the folder in a way that does not go together; the message is the folder."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of the folder; there are many, so what few are asked for is looked up then."""

    folder: Path
    name: str
    sha256: str
    """Of the document that it is, or is the text of."""

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.folder / self.name

    def size(self) -> int:
        """Bytes. Raises OSError where it is no longer there."""
        return self.path.stat().st_size


class Folder:
    """Files by their path in the folder. Raises OSError where it cannot be made or used.

    Runs may share it. ``.writing`` in it holds what is not whole yet, and the lock that keeps removal and
    runs apart.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._workshop = self.path / WORKSHOP
        self._workshop.mkdir(parents=True, exist_ok=True)
        self._lock = (self._workshop / "lock").open("ab")
        self._made: set[Path] = set()

    def close(self) -> None:
        """Give the lock back."""
        self._lock.close()

    def lock(self, *, alone: bool) -> None:
        """Keep those off who remove, or, *alone*, everybody, until it is closed. Raises InUseError."""
        try:
            fcntl.flock(self._lock, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InUseError(str(self.path)) from error

    def has(self, name: str, size: int | None = None) -> bool:
        """Whether the file is there, of so many bytes where that is known."""
        try:
            found = (self.path / name).stat()
        except FileNotFoundError:
            return False
        return size is None or found.st_size == size

    def write(self, name: str, file: IO[bytes]) -> None:
        """Keep what *file* holds, durably; whatever ends this, no part of it has that name.

        Reads a megabyte at a time. Raises OSError, and then nothing of it is left.
        """
        target = self.path / name
        partial = self._workshop / f"{target.name}.{token_hex(8)}.part"
        file.seek(0)
        try:
            with partial.open("xb") as copy:
                shutil.copyfileobj(file, copy, CHUNK_SIZE)
                copy.flush()
                os.fsync(copy.fileno())
            self._make(target.parent)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        _sync(target.parent)

    def read(self, name: str, maximum: int) -> bytes | None:
        """The bytes of a file; None where it is not there, or has more than *maximum*. Raises OSError."""
        try:
            with (self.path / name).open("rb") as file:
                content = file.read(maximum + 1)
        except FileNotFoundError:
            return None
        return content if len(content) <= maximum else None

    def clean(self) -> int:
        """Remove what killed runs have left of files that were not whole; how many that were."""
        left = [path for path in self._workshop.iterdir() if _PARTIAL.fullmatch(path.name)]
        count = 0
        for path in left:
            with suppress(FileNotFoundError):  # it is whole by now, or another run cleans too
                if path.stat().st_mtime < time() - LEFT_AFTER:
                    path.unlink()
                    count += 1
        return count

    def kept(self) -> Iterator[Kept]:
        """The files of this program, by their SHA-256; one folder in memory at a time."""
        for number in range(256):
            folder = self.path / f"{number:02x}"
            try:
                names = sorted(os.listdir(folder))  # noqa: PTH208 -- of a path, each would be a Path
            except FileNotFoundError:
                continue
            for name in names:
                sha256 = sha256_of(name)
                if sha256 and name.startswith(folder.name):
                    yield Kept(folder, name, sha256)

    def _make(self, folder: Path) -> None:
        if folder not in self._made:
            folder.mkdir(exist_ok=True)
            _sync(self.path)
            self._made.add(folder)


def existing(path: Path) -> Folder:
    """The folder at *path*, of which nothing is made but what is needed in it. Raises FileNotFoundError."""
    if not path.is_dir():
        raise FileNotFoundError(None, "there is no such folder", str(path))
    return Folder(path)


def unnamed(kept: Iterable[Kept], named: Iterable[bytes]) -> Iterator[Kept]:
    """Those of *kept* whose SHA-256 is not in *named*; both are in order, and none is held in memory."""
    names = (digest.hex() for digest in named)
    name = next(names, None)
    for file in kept:
        while name is not None and name < file.sha256:
            name = next(names, None)
        if name != file.sha256:
            yield file


def _sync(folder: Path) -> None:
    """Make durable which names are in a folder."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
