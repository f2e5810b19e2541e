"""A folder of kept files, each of which is there whole or not at all."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from time import time
from typing import IO

from woo_harvester.stores.names import sha256_of

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


class Partial:
    """A file under a temporary name, until it is whole, durable and renamed."""

    def __init__(self, path: str, target: str) -> None:
        self.path = path
        self.target = target
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        self._is_named = False

    def write(self, content: bytes) -> None:
        """Add *content*, which the system writes when it likes. Raises OSError."""
        left = memoryview(content)
        while left:
            left = left[os.write(self.descriptor, left) :]

    def copy(self, file: IO[bytes]) -> None:
        """Add all that *file* holds, durably, a megabyte at a time. Raises OSError."""
        file.seek(0)
        while content := file.read(CHUNK_SIZE):
            self.write(content)
        os.fsync(self.descriptor)

    def rename(self) -> None:
        """Give it its own name. Raises OSError."""
        os.replace(self.path, self.target)  # noqa: PTH105 -- a Path for each would take as long
        self._is_named = True

    def close(self) -> None:
        """Give back what it holds; what has not its own name by now is removed."""
        os.close(self.descriptor)
        if not self._is_named:
            with suppress(OSError):
                os.unlink(self.path)  # noqa: PTH108 -- as above


class Folder:
    """Files by their path in the folder. Raises OSError where it cannot be made or used.

    A file is kept in four steps, so that no part of it ever has its name and many files wait for the disk
    together: :meth:`begin` and what it gives, :meth:`sync`, :meth:`rename`, :meth:`sync_names`. Only the
    two that wait for the disk may be done in another thread.

    Runs may share it. ``.writing`` in it holds what is not whole yet, and the lock that keeps removal and
    runs apart.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._workshop = self.path / WORKSHOP
        self._workshop.mkdir(parents=True, exist_ok=True)
        self._lock = (self._workshop / "lock").open("ab")
        self._opened: dict[str, int] = {}
        """Folders of this one whose names were made durable, by their path; at most 257."""

    def close(self) -> None:
        """Give the lock back."""
        while self._opened:
            os.close(self._opened.popitem()[1])
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
            found = os.stat(f"{self.path}/{name}")  # noqa: PTH116 -- for each document, a Path takes longer
        except FileNotFoundError:
            return False
        return size is None or found.st_size == size

    def begin(self, name: str) -> Partial:
        """An empty file that is to have that name; who takes it closes it. Raises OSError."""
        last = name.rpartition("/")[2]
        return Partial(f"{self._workshop}/{last}.{token_hex(8)}.part", f"{self.path}/{name}")

    def sync(self, partials: Iterable[Partial]) -> None:
        """Make durable what they hold. Raises OSError."""
        for partial in partials:
            os.fsync(partial.descriptor)

    def rename(self, partials: Iterable[Partial]) -> set[int]:
        """Give them their names, and their folders for :meth:`sync_names`. Raises OSError."""
        folders = set()
        for partial in partials:
            path = partial.target.rpartition("/")[0]
            if path not in self._opened:
                Path(path).mkdir(exist_ok=True)
                folders.add(self._open(str(self.path)))
            folders.add(self._open(path))
            partial.rename()
        return folders

    def sync_names(self, folders: Iterable[int]) -> None:
        """Make durable which names are in them. Raises OSError."""
        for folder in folders:
            os.fsync(folder)

    def _open(self, path: str) -> int:
        if path not in self._opened:
            self._opened[path] = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        return self._opened[path]

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
