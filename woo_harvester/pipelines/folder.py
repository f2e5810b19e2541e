"""The folder of stored documents: its complete files, and its lock."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from time import time
from typing import IO

from woo_harvester.pipelines.stored import sha256_of

#: The bytes that are copied at a time.
_CHUNK_SIZE = 1024 * 1024

#: The seconds after which an incomplete file was abandoned by a run that was killed: storing takes far less.
ABANDONED_AFTER = 24 * 60 * 60

#: The folder of incomplete files. It lies in the store, so on the same file system: a rename is one step.
WRITING = ".writing"

_PARTIAL = re.compile(r"[0-9a-f]{64}[.a-z]*\.[0-9a-f]{16}\.part")


class InUseError(Exception):
    """Another process uses the folder in a way that excludes this one; the message is the folder."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A complete file of the folder. There are many, so its path is made only when needed."""

    folder: Path
    name: str
    sha256: str
    """The SHA-256 of the document."""

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.folder / self.name


class DurableFolder:
    """The files of a folder by their path in it. Raises OSError if the folder cannot be made or used.

    Runs may share the folder. Its subfolder ``.writing`` has the incomplete files, and the lock that keeps
    runs and removal apart.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._writing = self.path / WRITING
        self._writing.mkdir(parents=True, exist_ok=True)
        self._lock = (self._writing / "lock").open("ab")

    @classmethod
    def existing(cls, path: Path) -> DurableFolder:
        """Return the folder at *path*, which is not made. Raises FileNotFoundError."""
        if not path.is_dir():
            raise FileNotFoundError(None, "there is no such folder", str(path))
        return cls(path)

    def close(self) -> None:
        """Release the lock."""
        self._lock.close()

    def lock(self, *, alone: bool) -> None:
        """Exclude processes that remove files, or all others if *alone*, until close(). Raises InUseError."""
        try:
            fcntl.flock(self._lock, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InUseError(str(self.path)) from error

    def has(self, name: str, size: int | None = None) -> bool:
        """Return whether the file is there, with *size* bytes if that is given."""
        try:
            found = os.stat(f"{self.path}/{name}")  # noqa: PTH116 -- a Path for each document takes longer
        except FileNotFoundError:
            return False
        return size is None or found.st_size == size

    def write(self, name: str, file: IO[bytes]) -> None:
        """Write a file completely and durably, or not at all. Raises OSError.

        It is written under a temporary name and waits for the disk; then it is renamed, and its name waits.
        """
        target = self.path / name
        partial = self._writing / f"{target.name}.{token_hex(8)}.part"
        try:
            with partial.open("xb") as written:
                file.seek(0)
                shutil.copyfileobj(file, written, _CHUNK_SIZE)
                written.flush()
                os.fsync(written.fileno())
            target.parent.mkdir(exist_ok=True)
            partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        for folder in (target.parent, self.path):  # the second one, as the first one may be new
            _sync_names(folder)

    def remove_abandoned(self) -> int:
        """Remove the incomplete files of runs that were killed, and return their number."""
        left = [path for path in self._writing.iterdir() if _PARTIAL.fullmatch(path.name)]
        count = 0
        for path in left:
            with suppress(FileNotFoundError):  # it is complete by now, or another run removes it too
                if path.stat().st_mtime < time() - ABANDONED_AFTER:
                    path.unlink()
                    count += 1
        return count

    def files(self) -> Iterator[StoredFile]:
        """Return documents in the order of their SHA-256; one folder is in memory at a time."""
        for number in range(256):
            folder = self.path / f"{number:02x}"
            try:
                names = sorted(os.listdir(folder))  # noqa: PTH208 -- iterdir() makes a Path of each
            except FileNotFoundError:
                continue
            for name in names:
                sha256 = sha256_of(name)
                if sha256 and name.startswith(folder.name):
                    yield StoredFile(folder, name, sha256)


def _sync_names(folder: Path) -> None:
    """Wait until the names in a folder are on the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
