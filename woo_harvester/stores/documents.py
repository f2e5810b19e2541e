"""The store of documents, whatever keeps them."""

from __future__ import annotations

import asyncio
import logging
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self, cast
from weakref import WeakValueDictionary

from scrapy.pipelines.files import FilesStoreProtocol
from scrapy.pipelines.media import MediaPipeline
from scrapy.utils.defer import ensure_awaitable
from tenacity import AsyncRetrying, before_sleep_log, stop_after_attempt, wait_exponential

from woo_harvester.files.names import path_of, text_path_of
from woo_harvester.files.texts import from_json, largest, to_json
from woo_harvester.stores.backends import FolderStore, StoreError, named, open_backend
from woo_harvester.text.extracted import Extracted, Limits

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: Times that a remote store is asked, WOO_RETRY_BACKOFF seconds apart, each time doubled: half a minute.
TRIES = 5


class DocumentStore:
    """Keeps each document once, by its SHA-256, also where it comes twice at the same time."""

    def __init__(self, crawler: Crawler, backend: FilesStoreProtocol, limits: Limits) -> None:
        self._backend = backend
        self._folder = backend if isinstance(backend, FolderStore) else None
        self._limits = limits
        self._name = named(str(crawler.settings["FILES_STORE"]))
        self._info = MediaPipeline.SpiderInfo(cast("Any", crawler.spider))
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._retrying = AsyncRetrying(
            # A folder that cannot be written will not do so in a second.
            stop=stop_after_attempt(1 if self._folder else TRIES),
            wait=wait_exponential(multiplier=crawler.settings.getfloat("WOO_RETRY_BACKOFF")),
            before_sleep=before_sleep_log(logger, logging.WARNING),
            reraise=True,
        )

    @classmethod
    def open(cls, crawler: Crawler, limits: Limits) -> Self:
        """The store that FILES_STORE names; *limits* are those of the texts in it. Raises StoreError."""
        return cls(crawler, open_backend(crawler), limits)

    @property
    def keeps_texts(self) -> bool:
        """Whether texts can be read back: Scrapy's remote stores are only written."""
        return self._folder is not None

    def local_path(self, sha256: str) -> Path | None:
        """The document as a file of this machine; None in a remote store."""
        return self._folder.folder.path / path_of(sha256) if self._folder else None

    async def put(self, sha256: str, size: int | None, file: IO[bytes], media_type: str | None) -> bool:
        """Keep a document, durably; False where it was there already. Raises StoreError."""
        async with self._under_way.setdefault(sha256, asyncio.Lock()):
            if await self.has(sha256, size):
                return False
            await self._persist(path_of(sha256), file, media_type)
            return True

    async def has(self, sha256: str, size: int | None = None) -> bool:
        """Whether a document is there, of so many bytes where that is known and the store is a folder."""
        path = path_of(sha256)
        if self._folder:
            return self._folder.folder.has(path, size)
        try:
            return bool(await ensure_awaitable(self._backend.stat_file(path, self._info)))
        except Exception as error:
            # Scrapy's S3 store raises what its library does for a file that is not there. Whatever else it
            # is, sending the file shows whether the store can be used.
            logger.debug("%s: %s is taken as not stored: %s", self._name, path, error)
            return False

    async def load_text(self, sha256: str) -> Extracted | None:
        """The text of a document, if it was read before within the same limits. Raises StoreError."""
        folder, limits = self._folder, self._limits
        if folder is None:
            return None
        path = text_path_of(sha256)

        def load() -> Extracted | None:
            content = folder.folder.read(path, largest(limits))
            return from_json(content, limits) if content is not None else None

        try:
            return await folder.in_thread(load)
        except OSError as error:
            raise StoreError(f"a text in {self._name} could not be read ({error})") from error

    async def keep_text(self, sha256: str, extracted: Extracted) -> None:
        """Keep the text of a document beside it. Raises StoreError."""
        if self._folder:
            content = to_json(extracted, self._limits)
            await self._persist(text_path_of(sha256), BytesIO(content), "application/json")

    def close(self) -> None:
        """Give back what it holds."""
        if self._folder:
            self._folder.close()

    async def _persist(self, path: str, file: IO[bytes], media_type: str | None) -> None:
        headers = {"Content-Type": media_type} if media_type else None

        async def persist() -> None:
            stored = self._backend.persist_file(
                path, cast("BytesIO", Upload(file)), self._info, headers=headers
            )
            await ensure_awaitable(stored)

        try:
            await self._retrying(persist)
        except Exception as error:
            if self._folder and not isinstance(error, OSError):
                raise
            # What the libraries of remote stores raise has no common type.
            raise StoreError(f"a document could not be stored in {self._name} ({error})") from error


class Upload:
    """A file as Scrapy's stores want it: read as a stream by all but Google's, which asks for all of it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.read = file.read
        self.seek = file.seek
        self.tell = file.tell

    def getvalue(self) -> bytes:
        """All of it, in memory."""
        self._file.seek(0)
        return self._file.read()
