"""The names of stored files: the SHA-256 of a document and nothing else."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from weakref import WeakValueDictionary

import msgspec

from woo_harvester.documents.extracted import Extracted, Limits

#: The end of the name of the file with a document's text, which lies beside the document.
_TEXT_SUFFIX = ".text.json"

_SHA256 = re.compile(r"[0-9a-f]{64}")


def path_of(sha256: str) -> str:
    """Return the path of a document, such as ``ab/ab12…``. Raises ValueError for what is no SHA-256.

    The path consists of a hash only, so no publisher's file name can lead out of the store, and the same file
    is stored once. It has no extension. That would be a publisher's claim: two publishers who name the same
    bytes differently would make two files of them. There are 256 folders, so a million documents are 4,000 in
    each, and no folder is made for a single document.
    """
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"expected a SHA-256 in lower-case hexadecimals, got {sha256!r}")
    return f"{sha256[:2]}/{sha256}"


def text_path_of(sha256: str) -> str:
    """Return the path of the text of a document in the store. Raises ValueError if it is no SHA-256."""
    return path_of(sha256) + _TEXT_SUFFIX


def sha256_of(name: str) -> str | None:
    """Return the SHA-256 in the name of a document or text; None for a file that is not of this program."""
    digest = name.removesuffix(_TEXT_SUFFIX)
    return digest if _SHA256.fullmatch(digest) else None


#: The most bytes of JSON that a character takes (``\u0000``), and more than all else in the file takes.
_BYTES, _AROUND = 6, 64 * 1024


@dataclass(frozen=True, slots=True)
class _StoredText:
    """The text of a document, with the limits that it depends on."""

    maxlength: int
    ocr: bool
    extracted: Extracted


def largest(limits: Limits) -> int:
    """Return the most bytes that the file of a text within these limits has."""
    return limits.maxlength * _BYTES + _AROUND


def to_json(extracted: Extracted, limits: Limits) -> bytes:
    """Return the file of a text that was read within these limits."""
    return msgspec.json.encode(_StoredText(limits.maxlength, limits.ocr, extracted))


def from_json(content: bytes, limits: Limits) -> Extracted | None:
    """Return the text in a file; None if it was read within other limits, or the file is damaged."""
    try:
        stored = msgspec.json.decode(content, type=_StoredText)
    except ValueError:
        return None
    return stored.extracted if (stored.maxlength, stored.ocr) == (limits.maxlength, limits.ocr) else None


class StoreError(Exception):
    """The store cannot be used; the message is one line that says which store and why."""


class StoreSettingError(StoreError):
    """FILES_STORE names no store."""


class DocumentStore(ABC):
    """A store that has each document once, by its SHA-256, even if it comes twice at the same time."""

    def __init__(self) -> None:
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def put(self, sha256: str, size: int | None, file: IO[bytes], media_type: str | None) -> bool:
        """Store a document durably; return False if it was there already. Raises StoreError."""
        async with self._under_way.setdefault(sha256, asyncio.Lock()):
            if await self.has(sha256, size):
                return False
            await self._write(path_of(sha256), size, file, media_type)
            return True

    @abstractmethod
    async def has(self, sha256: str, size: int | None = None) -> bool:
        """Return whether a document is there, with *size* bytes if the store knows that."""

    @abstractmethod
    async def _write(self, path: str, size: int | None, file: IO[bytes], media_type: str | None) -> None:
        """Write a file completely or not at all. Raises StoreError."""

    def local_path(self, sha256: str) -> Path | None:
        """Return the path of the document on this machine; None if it is stored elsewhere."""
        return None

    async def load_text(self, sha256: str) -> Extracted | None:
        """Return the text of a document if it was stored with the same limits. Raises StoreError."""
        return None

    async def keep_text(  # noqa: B027 -- a store that cannot read texts back does nothing
        self, sha256: str, extracted: Extracted
    ) -> None:
        """Store the text of a document, if the store can read texts back. Raises StoreError."""

    def close(self) -> None:  # noqa: B027 -- not every store has something to release
        """Release threads and locks."""
