"""Reads what others wrote so that any mistake in it is a ValueError or an OSError, and never a traceback."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from pathlib import Path
from typing import Any

#: What POSIX allows for "another process has the lock".
LOCKED = frozenset({errno.EACCES, errno.EAGAIN})

#: What a file system says that has no locks.
WITHOUT_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; bytes must be UTF-8, with or without a byte order mark.

    Raises ValueError for text that is not JSON, that is nested too deeply to be read, or that has half of a
    surrogate pair, which no file in UTF-8 can hold.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if "\\u" in text and not _is_text(value):
        raise ValueError("it has half of a surrogate pair")
    return value


def parse_object(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object that a text holds. Raises ValueError for anything else."""
    value = parse_json(text)
    if isinstance(value, dict):
        return value
    raise ValueError("expected an object of JSON")


def check_regular(path: Path) -> None:
    """Raise OSError for what cannot be read twice: a folder, a pipe, or a file that is not there."""
    if not path.is_file():
        path.stat()  # which raises the error of a file that is not there
        number = errno.EISDIR if path.is_dir() else errno.ESPIPE
        reason = os.strerror(number) if path.is_dir() else "expected a file, got a pipe or a device"
        raise OSError(number, reason, str(path))


def is_being_written(path: Path) -> bool:
    """Return whether another process has locked the file for writing, as a run does with its output."""
    with path.open("rb") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in LOCKED | WITHOUT_LOCKS:
                raise
            return error.errno in LOCKED
    return False


def _is_text(value: Any) -> bool:
    """Return whether a value of JSON can be written in UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
