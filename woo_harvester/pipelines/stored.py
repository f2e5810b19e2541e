"""The names of stored files: the SHA-256 of a document and nothing else."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO
from weakref import WeakValueDictionary

#: The end of the name of a file with the text of a document, which earlier versions kept.
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


def sha256_of(name: str) -> str | None:
    """Return the SHA-256 in the name of a document or its text; None for any other file."""
    digest = name.removesuffix(_TEXT_SUFFIX)
    return digest if _SHA256.fullmatch(digest) else None


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

    def close(self) -> None:  # noqa: B027 -- not every store has something to release
        """Release threads and locks."""
