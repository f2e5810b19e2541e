"""Writes files and links in one step: whoever reads one sees the old one or the complete new one."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from secrets import token_hex
from typing import IO

#: The end of the name of what is not complete, and may be left by a killed process.
_TEMPORARY = ".woo-tmp"


def is_temporary(path: Path) -> bool:
    """Return whether this is a file or link that a killed process left."""
    return path.name.endswith(_TEMPORARY)


@contextmanager
def replacing(path: Path, *, durable: bool = False) -> Iterator[IO[bytes]]:
    """Open *path* for writing. A regular file is replaced at the end of the block, and not if it raises.

    The block writes to a file beside it, which gets the mode and owner of the old one. Symbolic links are
    followed. Anything else, such as a device or a pipe, is opened and written as it is. With *durable*, the
    content survives a power cut. Of two processes that write one file, the last one counts. Raises OSError.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        found = None
    if found is not None and not is_replaceable(found):
        with _open_as_is(path, found) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    if found is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    target.parent.stat()  # an error names the folder
    aside = _aside(target)
    try:
        with aside.open("xb") as file:
            if found is not None:
                make_like(file.fileno(), found)
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        aside.replace(target)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(target.parent)


def replace_file(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Write a file, as :func:`replacing` does. Raises OSError."""
    with replacing(path, durable=durable) as file:
        file.write(content)


def move_to(path: Path, target: Path) -> None:
    """Put a file in the place of *target*, durably; it gets the mode and owner of what is there."""
    with suppress(FileNotFoundError):
        found = target.stat()
        with path.open("rb") as file:
            make_like(file.fileno(), found)
    path.replace(target)
    sync_folder(path.parent)


def append(source: IO[bytes], file: FileIO) -> None:
    """Add the rest of *source* to a file, durably; without room for all of it, nothing is added."""
    size = file.seek(0, os.SEEK_END)
    try:
        while block := memoryview(source.read(1024 * 1024)):
            while block:
                block = block[file.write(block) :]
        os.fsync(file.fileno())
    except OSError:
        file.truncate(size)
        raise


def replace_link(path: Path, target: str) -> None:
    """Make *path* a symbolic link to a folder; *target* is relative to the folder that *path* is in.

    Raises OSError if the file system has no symbolic links, or if *path* is there and no link.
    """
    if os.path.lexists(path) and not path.is_symlink():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    unfinished = _aside(path)
    unfinished.symlink_to(target, target_is_directory=True)
    unfinished.replace(path)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, if the file system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def is_replaceable(found: os.stat_result) -> bool:
    """Return whether this is a regular file, and not one that is a standard stream, such as /dev/stdout."""
    return stat.S_ISREG(found.st_mode) and _stream(found) is None


def _stream(found: os.stat_result) -> int | None:
    """Return the descriptor of standard output or error if it writes to this file, or None."""
    for descriptor in (1, 2):
        with suppress(OSError):
            if os.path.samestat(found, os.fstat(descriptor)):
                return descriptor
    return None


def _open_as_is(path: Path, found: os.stat_result) -> IO[bytes]:
    """Open a device or a pipe; a standard stream goes on where it is, since others write to it too."""
    descriptor = _stream(found)
    if descriptor is None:
        return path.open("wb")
    sys.stdout.flush()
    return os.fdopen(os.dup(descriptor), "wb")


def _aside(path: Path) -> Path:
    """Return a name beside *path* that no other process has."""
    return path.with_name(f".{token_hex(8)}{_TEMPORARY}")


def make_like(descriptor: int, found: os.stat_result) -> None:
    """Give a new file the owner and the mode of the old one, as far as this user may."""
    with suppress(OSError):
        os.fchown(descriptor, found.st_uid, found.st_gid)
    with suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(found.st_mode))
