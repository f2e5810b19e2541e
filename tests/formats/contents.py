"""What the tests of content share: what is told of some bytes, and what that costs."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from typing import BinaryIO

from woo_harvester.formats import DetectedFormat, FileType, detect_format, file_types


class Counted(io.BytesIO):
    """Counts the bytes that are read."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


def told(data: bytes) -> tuple[list[str], str | None]:
    """Codes of the types that the bytes may be, and what else they are."""
    return codes(detect_format(io.BytesIO(data)))


def codes(content: DetectedFormat) -> tuple[list[str], str | None]:
    return [filetype.code for filetype in content.may_be], content.unlisted


def type_of(code: str) -> FileType:
    return next(filetype for filetype in file_types() if filetype.code == code)


def zipped(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def peak_of(file: BinaryIO) -> int:
    """Most memory in use while the content is read, in bytes."""
    detect_format(file)  # what is kept for good is not counted
    tracemalloc.start()
    try:
        detect_format(file)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
