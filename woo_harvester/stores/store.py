"""The interface of a store of documents."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO
from weakref import WeakValueDictionary

from woo_harvester.stores.names import path_of
from woo_harvester.text.extracted import Extracted


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
