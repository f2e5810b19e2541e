"""What a store of documents does, whatever keeps them."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO
from weakref import WeakValueDictionary

from woo_harvester.stores.names import path_of
from woo_harvester.text.extracted import Extracted


class StoreError(Exception):
    """The store cannot be used; the message is one line that says which and why."""


class DocumentStore(ABC):
    """Keeps each document once, by its SHA-256, also where it comes twice at the same time."""

    def __init__(self) -> None:
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def put(self, sha256: str, size: int | None, file: IO[bytes], media_type: str | None) -> bool:
        """Keep a document, durably; False where it was there already. Raises StoreError."""
        async with self._under_way.setdefault(sha256, asyncio.Lock()):
            if await self.has(sha256, size):
                return False
            await self._keep(path_of(sha256), size, file, media_type)
            return True

    @abstractmethod
    async def has(self, sha256: str, size: int | None = None) -> bool:
        """Whether a document is there, of so many bytes where that is known and the store can tell."""

    @abstractmethod
    async def _keep(self, path: str, size: int | None, file: IO[bytes], media_type: str | None) -> None:
        """Write a file, whole or not at all. Raises StoreError."""

    def local_path(self, sha256: str) -> Path | None:
        """The document as a file of this machine; None where it is none."""
        return None

    async def load_text(self, sha256: str) -> Extracted | None:
        """The text of a document, if it was read before within the same limits. Raises StoreError."""
        return None

    async def keep_text(  # noqa: B027 -- nothing to do where they cannot
        self, sha256: str, extracted: Extracted
    ) -> None:
        """Keep the text of a document beside it, where texts can be read back. Raises StoreError."""

    def close(self) -> None:  # noqa: B027 -- not every store holds something
        """Give back what it holds."""
