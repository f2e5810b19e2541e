"""The store of documents in a folder of this machine."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from woo_harvester.pipelines.folder import DurableFolder, InUseError
from woo_harvester.pipelines.stored import DocumentStore, StoreError, path_of

#: The number of files that are written at once, in threads that resolve no host names.
_THREADS = 8


class LocalStore(DocumentStore):
    """A store of documents in a folder.

    Raises OSError if the folder cannot be made or used, and InUseError while files are removed from it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._folder = DurableFolder(path)
        try:
            self._folder.lock(alone=False)
            self._folder.remove_abandoned()
        except (InUseError, OSError):
            self._folder.close()
            raise
        self._threads = ThreadPoolExecutor(_THREADS, "store")

    async def has(self, sha256: str, size: int | None = None) -> bool:
        """Return whether a document is there, with *size* bytes if that is given."""
        return self._folder.has(path_of(sha256), size)

    def local_path(self, sha256: str) -> Path:
        """Return the path of the document."""
        return Path(f"{self._folder.path}/{path_of(sha256)}")

    def close(self) -> None:
        """End the threads and release the lock, without waiting for a disk that hangs."""
        self._threads.shutdown(wait=False)
        self._folder.close()

    async def _write(self, path: str, size: int | None, file: IO[bytes], media_type: str | None) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._folder.write, path, file)
        except OSError as error:
            raise StoreError(f"a document could not be stored in {self._folder.path} ({error})") from error
