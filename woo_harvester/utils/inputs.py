"""Read files of others, so that every mistake in them raises ValueError or OSError."""

from __future__ import annotations

import csv
import errno
import fcntl
import io
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

#: Errors for "another process has the lock" (POSIX allows both).
LOCKED = frozenset({errno.EACCES, errno.EAGAIN})

#: Errors of a file system without locks.
WITHOUT_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


class NotRecordsError(ValueError):
    """A file or folder is no file of records. The message says what to type instead."""


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; bytes must be UTF-8, with or without a byte order mark.

    Raises ValueError for a text that is not JSON, is nested too deeply, or has half of a surrogate pair,
    which cannot be written in UTF-8.
    """
    try:
        # This takes a third of the time, and knows no half of a surrogate pair.
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return _parse_odd_json(text.decode("utf-8-sig") if isinstance(text, bytes) else text)


def _parse_odd_json(text: str) -> Any:
    """Return the value of a JSON text with a byte order mark or NaN, or raise ValueError with the reason."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if "\\u" in text and not _is_text(value):
        raise ValueError("it has half of a surrogate pair")
    return value


def parse_object(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object in a text. Raises ValueError for any other text."""
    value = parse_json(text)
    if isinstance(value, dict):
        return value
    raise ValueError("expected an object of JSON")


def read_columns(data: bytes, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number of each row of a CSV file, and its values in *columns* without space around.

    The file is UTF-8, with or without a byte order mark. Raises ValueError if it is not, if a column is
    missing, or if the CSV is broken.
    """
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        if missing := set(columns) - set(reader.fieldnames or ()):
            raise ValueError(
                f"expected the columns {','.join(columns)}; {' and '.join(sorted(missing))} is missing"
            )
        for row in reader:
            yield reader.line_num, [(row[name] or "").strip() for name in columns]
    except csv.Error as error:
        raise ValueError(str(error)) from None


def check_regular(path: Path) -> None:
    """Raise OSError for a path that cannot be read twice: a folder, a pipe, or a missing file."""
    if not path.is_file():
        path.stat()  # this raises the error for a missing file
        number = errno.EISDIR if path.is_dir() else errno.ESPIPE
        reason = os.strerror(number) if path.is_dir() else "expected a file, got a pipe or a device"
        raise OSError(number, reason, str(path))


def lock(file: IO[bytes], how: int) -> bool | None:
    """Lock a file with *how*; return False if another process has it, None without locks."""
    try:
        fcntl.flock(file, how)
    except OSError as error:
        if error.errno not in LOCKED | WITHOUT_LOCKS:
            raise
        return False if error.errno in LOCKED else None
    return True


def is_being_written(path: Path) -> bool:
    """Return whether somebody has locked the file, as a run does with its own file."""
    with path.open("rb") as file:
        return lock(file, fcntl.LOCK_SH | fcntl.LOCK_NB) is False


def _is_text(value: Any) -> bool:
    """Return whether a value of JSON can be written in UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
