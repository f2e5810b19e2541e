"""Replaces files and links in one step, since someone may be reading the old one."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

#: What _unfinished() adds to the name of a file. A process that is killed leaves such a file.
TEMPORARY = re.compile(r"\.\d+\.tmp$")


def replace_file(path: Path, content: bytes) -> None:
    """Write a file. Raises OSError."""
    unfinished = _unfinished(path)
    unfinished.write_bytes(content)
    unfinished.replace(path)


def replace_link(path: Path, target: str) -> None:
    """Make *path* a symbolic link to a folder; *target* is relative to the folder that *path* is in.

    Raises OSError if the file system has no symbolic links, or if *path* is there and no link.
    """
    if os.path.lexists(path) and not path.is_symlink():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    unfinished = _unfinished(path)
    unfinished.unlink(missing_ok=True)  # of a process with the same number that was killed
    unfinished.symlink_to(target, target_is_directory=True)
    unfinished.replace(path)


def _unfinished(path: Path) -> Path:
    """Return the name under which this process makes a file; runs may end at the same time."""
    return path.with_name(f"{path.name}.{os.getpid()}.tmp")
