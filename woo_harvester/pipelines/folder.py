"""Waits until what was written is on the disk: file by file, or once for a file system."""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from time import monotonic, time
from typing import IO

from woo_harvester.pipelines.stored import sha256_of

#: Fewer files are faster one by one.
_FEW = 4

#: Seconds after which waiting for a file system takes too long: other programs write much to it.
_TOO_LONG = 2.0

#: File systems of local disks on which syncfs() waits for all that fsync() waits for. For others, such as
#: those of a network, that is not sure.
_KNOWN = frozenset({"ext4", "xfs"})

#: The first Linux whose syncfs() reports that something could not be written.
_REPORTING = (5, 8)

_MOUNTS = Path("/proc/self/mountinfo")


class Disk:
    """The disk under a file that stays open, such as a lock.

    Many files wait for it together where that is as sure as to wait for each one: a wait takes a change of
    threads, which takes longer than the rest of storing a document. It then waits for files of other programs
    too. Once that has taken long, each file is waited for alone.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._at_once = _syncs_at_once(descriptor)

    def sync(self, descriptors: Sequence[int]) -> None:
        """Make the content of open files durable, and the names in open folders. Raises OSError."""
        if not self._at_once or len(descriptors) < _FEW:
            for descriptor in descriptors:
                os.fsync(descriptor)
            return
        started = monotonic()
        sync_file_system(self._descriptor)
        self._at_once = monotonic() - started < _TOO_LONG


def sync_file_system(descriptor: int) -> None:
    """Make all durable that is written to the file system of an open file. Raises OSError."""
    if ctypes.CDLL(None, use_errno=True).syncfs(descriptor):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _syncs_at_once(descriptor: int) -> bool:
    """Return whether one call is as sure as one for each file."""
    release = re.match(r"(\d+)\.(\d+)", platform.release())
    if platform.system() != "Linux" or release is None or tuple(map(int, release.groups())) < _REPORTING:
        return False
    return hasattr(ctypes.CDLL(None), "syncfs") and _file_system(descriptor) in _KNOWN


def _file_system(descriptor: int) -> str | None:
    """Return the type of the file system of an open file; None if it is not known."""
    device = os.fstat(descriptor).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for fields in map(str.split, mounts):  # man 5 proc_pid_mountinfo: "-" ends the optional fields
        if fields[2] == number:
            return fields[fields.index("-", 6) + 1]
    return None


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
    """The SHA-256 of the document; a text has that of the document that it was read from."""

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.folder / self.name


class PartialFile:
    """A file with a temporary name, until it is complete, durable and renamed."""

    def __init__(self, path: str, target: str) -> None:
        self.path = path
        self.target = target
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        self._is_renamed = False

    def write(self, content: bytes) -> None:
        """Add *content*, without waiting for the disk. Raises OSError."""
        left = memoryview(content)
        while left:
            left = left[os.write(self.descriptor, left) :]

    def copy(self, file: IO[bytes]) -> None:
        """Add the content of *file* durably, a megabyte at a time. Raises OSError."""
        file.seek(0)
        while content := file.read(_CHUNK_SIZE):
            self.write(content)
        os.fsync(self.descriptor)

    def rename(self) -> None:
        """Rename the file to its own name. Raises OSError."""
        os.replace(self.path, self.target)  # noqa: PTH105 -- making a Path would take as long
        self._is_renamed = True

    def close(self) -> None:
        """Close the file, and remove it if it does not have its own name by now."""
        os.close(self.descriptor)
        if not self._is_renamed:
            with suppress(OSError):
                os.unlink(self.path)  # noqa: PTH108 -- as above


class DurableFolder:
    """The files of a folder by their path in it. Raises OSError if the folder cannot be made or used.

    A file is stored in four steps: :meth:`begin` and writing, :meth:`sync`, :meth:`rename`, and :meth:`sync`
    for the folder with its name. So no incomplete file ever has its own name, and many files can wait for the
    disk together. Only waiting for the disk may be done in another thread.

    Runs may share the folder. Its subfolder ``.writing`` has the incomplete files, and the lock that keeps
    runs and removal apart.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._writing = self.path / WRITING
        self._writing.mkdir(parents=True, exist_ok=True)
        self._lock = (self._writing / "lock").open("ab")
        self._disk = Disk(self._lock.fileno())
        self._opened: dict[str, int] = {}
        """The descriptors of its folders by path, to make their names durable; at most 257."""

    @classmethod
    def existing(cls, path: Path) -> DurableFolder:
        """Return the folder at *path*, which is not made. Raises FileNotFoundError."""
        if not path.is_dir():
            raise FileNotFoundError(None, "there is no such folder", str(path))
        return cls(path)

    def close(self) -> None:
        """Release the lock, and close the folders."""
        while self._opened:
            os.close(self._opened.popitem()[1])
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

    def begin(self, name: str) -> PartialFile:
        """Return an empty file that is to have this name; the caller closes it. Raises OSError."""
        last = name.rpartition("/")[2]
        return PartialFile(f"{self._writing}/{last}.{token_hex(8)}.part", f"{self.path}/{name}")

    def sync(self, partials: Iterable[PartialFile], folders: Iterable[int]) -> None:
        """Make the content of files durable, and the names in folders. Raises OSError."""
        self._disk.sync([*(partial.descriptor for partial in partials), *folders])

    def rename(self, partials: Iterable[PartialFile]) -> set[int]:
        """Rename files to their own names; return the folders for :meth:`sync`. Raises OSError."""
        folders = set()
        for partial in partials:
            path = partial.target.rpartition("/")[0]
            if path not in self._opened:
                Path(path).mkdir(exist_ok=True)
                folders.add(self._open(str(self.path)))
            folders.add(self._open(path))
            partial.rename()
        return folders

    def _open(self, path: str) -> int:
        if path not in self._opened:
            self._opened[path] = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        return self._opened[path]

    def read(self, name: str, maximum: int) -> bytes | None:
        """Return the content of a file; None if it is not there or larger than *maximum*. Raises OSError."""
        try:
            with (self.path / name).open("rb") as file:
                content = file.read(maximum + 1)
        except FileNotFoundError:
            return None
        return content if len(content) <= maximum else None

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
        """Return documents and texts in the order of their SHA-256; one folder is in memory at a time."""
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
