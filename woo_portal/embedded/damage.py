"""What is wrong with the files of an index: they are gone, cut off, or not what was written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

from woo_portal.engine import EngineError
from woo_portal.question import QuestionError

#: The file by which a commit becomes visible.
META = "meta.json"
#: The files of each segment, beside one with its deletions.
_PARTS = ("idx", "pos", "term", "store", "fast", "fieldnorm")
#: The end of each file: JSON with the checksum of what stands before it, the size of that, and this number.
_MAGIC, _NUMBER = 1337, 4
_BLOCK = 4 * 1024 * 1024


class UnreadableError(EngineError):
    """The index cannot be read; the message is one line."""


@contextmanager
def reading() -> Iterator[None]:
    """Turn what the index raises if its files are not as it wrote them into UnreadableError."""
    try:
        yield
    except QuestionError:
        raise
    except BaseException as error:
        # A panic of the index is no Exception.
        if isinstance(error, (OSError, ValueError)) or type(error).__module__ == "pyo3_runtime":
            raise UnreadableError(f"the index cannot be read: {' '.join(str(error).split())}") from error
        raise


def may_be_damage(error: Exception) -> bool:
    """Return whether damage of the files may be the cause of an error."""
    return isinstance(error, UnreadableError) or not isinstance(error, EngineError | QuestionError)


def damage(folder: Path, *, with_content: bool = False) -> str:
    """Return what is wrong with the index in a folder; empty if nothing is.

    It takes a look at the ends of the files, and *with_content* compares all of them with their checksums.
    Raises OSError if they cannot be read for another reason, such as a right that is missing.
    """
    before, found = b"", ""
    while True:
        try:
            seen = (folder / META).read_bytes()
            names = [*_files_of(json.loads(seen))]
        except (FileNotFoundError, NotADirectoryError):
            return found or f"{META} is gone"
        except (AttributeError, LookupError, TypeError, ValueError):
            return f"{META} cannot be read"
        if seen == before:  # else something was merged meanwhile, and removed
            return found
        faults = (_fault(folder / name, with_content=with_content) for name in names)
        before, found = seen, next(filter(None, faults), "")
        if not found:
            return ""


def _files_of(meta: Any) -> Iterator[str]:
    """Yield the names of the files that a commit consists of."""
    for segment in meta["segments"]:
        name = segment["segment_id"].replace("-", "")
        yield from (f"{name}.{part}" for part in _PARTS)
        if deletes := segment["deletes"]:
            yield f"{name}.{deletes['opstamp']}.del"


def _fault(path: Path, *, with_content: bool) -> str:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 2 * _NUMBER))
            end = file.read()
            length, magic = int.from_bytes(end[:_NUMBER], "little"), int.from_bytes(end[_NUMBER:], "little")
            rest = size - 2 * _NUMBER - length
            if magic != _MAGIC or rest < 0:
                return f"{path.name} is cut off"
            file.seek(rest)
            try:
                expected = json.loads(file.read(length))["crc"]
            except (LookupError, TypeError, ValueError):
                return f"{path.name} is damaged"
            if not with_content:
                return ""
            file.seek(0)
            found = 0
            while rest and (block := file.read(min(rest, _BLOCK))):
                found, rest = crc32(block, found), rest - len(block)
            return "" if found == expected else f"{path.name} is damaged"
    except FileNotFoundError:
        return f"{path.name} is gone"
