"""The store of documents in a folder of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import IO, TypeVar

from woo_harvester.documents.extracted import Extracted, Limits
from woo_harvester.pipelines.folder import DurableFolder, InUseError
from woo_harvester.pipelines.stored import (
    DocumentStore,
    StoreError,
    from_json,
    largest,
    path_of,
    text_path_of,
    to_json,
)

_T = TypeVar("_T")

#: The number of files that are written or read at once, in threads that resolve no host names.
_THREADS = 8


class LocalStore(DocumentStore):
    """A store of documents in a folder, with their texts beside them.

    Raises OSError if the folder cannot be made or used, and InUseError while files are removed from it.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        super().__init__()
        self._folder = DurableFolder(path)
        try:
            self._folder.lock(alone=False)
            self._folder.remove_abandoned()
        except (InUseError, OSError):
            self._folder.close()
            raise
        self._limits = limits
        self._threads = ThreadPoolExecutor(_THREADS, "store")

    async def has(self, sha256: str, size: int | None = None) -> bool:
        """Return whether a document is there, with *size* bytes if that is given."""
        return self._folder.has(path_of(sha256), size)

    def local_path(self, sha256: str) -> Path:
        """Return the path of the document."""
        return Path(f"{self._folder.path}/{path_of(sha256)}")

    async def load_text(self, sha256: str) -> Extracted | None:
        """Return the text of a document if it was stored with the same limits. Raises StoreError."""
        path, limits = text_path_of(sha256), self._limits

        def load() -> Extracted | None:
            content = self._folder.read(path, largest(limits))
            return from_json(content, limits) if content is not None else None

        try:
            return await self._in_thread(load)
        except OSError as error:
            raise StoreError(f"a text in {self._folder.path} could not be read ({error})") from error

    async def keep_text(self, sha256: str, extracted: Extracted) -> None:
        """Store the text of a document beside it. Raises StoreError."""
        content = to_json(extracted, self._limits)
        await self._write(text_path_of(sha256), len(content), BytesIO(content), None)

    def close(self) -> None:
        """End the threads and release the lock, without waiting for a disk that hangs."""
        self._threads.shutdown(wait=False)
        self._folder.close()

    async def _write(self, path: str, size: int | None, file: IO[bytes], media_type: str | None) -> None:
        try:
            await self._in_thread(lambda: self._folder.write(path, file))
        except OSError as error:
            raise StoreError(f"a document could not be stored in {self._folder.path} ({error})") from error

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
