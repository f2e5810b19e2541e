"""Writes files and links in one step: whoever reads one sees the old one or the complete new one."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from secrets import token_hex
from typing import IO

_BEGIN, _END = ".", ".woo-tmp"
#: The longest name of a file, in bytes.
_LONGEST_NAME = 255
#: Errors of a write, which do not name the file.
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
#: Names of what a killed process may have left; the second form is of a link.
_TEMPORARY = re.compile(rf"{re.escape(_BEGIN)}(.+?)(?:\.[0-9a-f]{{16}})?{re.escape(_END)}|(.+)\.\d+\.tmp")


def made_for(name: str) -> str | None:
    """Return the name of the file that a temporary file with this name was made for; None for another one."""
    match = _TEMPORARY.fullmatch(name)
    return (match[1] or match[2]) if match else None


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
    aside = _aside(target)
    with _naming(path, aside):
        file = aside.open("xb")
        try:
            if found is not None:
                make_like(file.fileno(), found)
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
            aside.replace(target)
        except BaseException:
            aside.unlink(missing_ok=True)
            with suppress(OSError):  # what could not be written cannot be written now
                file.close()
            raise
        file.close()
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
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    unfinished.unlink(missing_ok=True)  # of a process with the same number that was killed
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


@contextmanager
def _naming(path: Path, aside: Path) -> Iterator[None]:
    """Let an error of the file system name *path*, as the user gave it, and not the file beside it."""
    try:
        yield
    except OSError as error:
        if error.filename == str(aside) or (error.filename is None and error.errno in _FULL):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _aside(path: Path) -> Path:
    """Return a name beside *path* that no other process has."""
    end = f".{token_hex(8)}{_END}"
    longest = _LONGEST_NAME - len(_BEGIN) - len(end)
    return path.with_name(_BEGIN + os.fsdecode(os.fsencode(path.name)[-longest:]) + end)


def make_like(descriptor: int, found: os.stat_result) -> None:
    """Give a new file the owner and the mode of the old one, as far as this user may."""
    with suppress(OSError):
        os.fchown(descriptor, found.st_uid, found.st_gid)
    with suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(found.st_mode))
