"""Detect the format of bytes, and measure what that costs, for the tests of content."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from typing import BinaryIO

from woo_harvester.documents.content import DetectedFormat, detect_format
from woo_harvester.documents.formats import FileType, file_types


class Counted(io.BytesIO):
    """A file that counts the bytes that are read."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


def detected(data: bytes) -> tuple[list[str], str | None]:
    """Return the codes of the types that the bytes may be, and the unlisted type."""
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
    """Return the peak memory while the format is detected, in bytes."""
    detect_format(file)  # what is kept for good is not counted
    tracemalloc.start()
    try:
        detect_format(file)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
