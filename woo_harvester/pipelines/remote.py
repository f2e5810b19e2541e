"""The stores on other machines: Scrapy's own files stores, with retries."""

from __future__ import annotations

import logging
from typing import IO, TYPE_CHECKING, Any, cast

from scrapy.pipelines.files import FilesPipeline, FilesStoreProtocol
from scrapy.pipelines.media import MediaPipeline
from scrapy.utils.defer import ensure_awaitable
from tenacity import AsyncRetrying, before_sleep_log, stop_after_attempt, wait_exponential

from woo_harvester.pipelines.stored import DocumentStore, StoreError, path_of
from woo_harvester.utils.secrets import without_login

if TYPE_CHECKING:
    from io import BytesIO
    from os import PathLike

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: The number of tries. They are WOO_RETRY_BACKOFF seconds apart, doubled each time: half a minute in all.
_TRIES = 5


class RemoteStore(DocumentStore):
    """A store of documents on another machine. It has no texts, since Scrapy's stores only write.

    The errors of the libraries have no common type, so every error counts as one of the store.
    """

    def __init__(self, crawler: Crawler, store: FilesStoreProtocol) -> None:
        super().__init__()
        self._store = store
        self._name = without_login(str(crawler.settings["FILES_STORE"]))
        self._info = MediaPipeline.SpiderInfo(cast("Any", crawler.spider))
        self._retrying = AsyncRetrying(
            stop=stop_after_attempt(_TRIES),
            wait=wait_exponential(multiplier=crawler.settings.getfloat("WOO_RETRY_BACKOFF")),
            before_sleep=before_sleep_log(logger, logging.WARNING),
            reraise=True,
        )

    async def has(self, sha256: str, size: int | None = None) -> bool:
        """Return whether a document is there."""
        path = path_of(sha256)
        try:
            return bool(await ensure_awaitable(self._store.stat_file(path, self._info)))
        except Exception as error:
            # Scrapy's S3 store raises the error of its library for a file that is not there. If the error has
            # another cause, sending the file shows whether the store can be used.
            logger.debug("%s: %s is taken as not stored: %s", self._name, path, error)
            return False

    async def _write(self, path: str, size: int | None, file: IO[bytes], media_type: str | None) -> None:
        headers = {"Content-Type": media_type} if media_type else None

        async def persist() -> None:
            stored = self._store.persist_file(
                path, cast("BytesIO", _Upload(file)), self._info, headers=headers
            )
            await ensure_awaitable(stored)

        try:
            await self._retrying(persist)
        except Exception as error:
            raise StoreError(f"a document could not be stored in {self._name} ({error})") from error


class _Upload:
    """A file as Scrapy's stores expect it: Google's asks for all of it, the others read it as a stream."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.read = file.read
        self.seek = file.seek
        self.tell = file.tell

    def getvalue(self) -> bytes:
        """Return all of it, in memory."""
        self._file.seek(0)
        return self._file.read()


class FilesStoreChooser(FilesPipeline):
    """Scrapy's files pipeline, used only to make the store that FILES_STORE names, with its settings."""

    def __init__(self, store_uri: str | PathLike[str], *, crawler: Crawler) -> None:
        super().__init__(f"{str(store_uri).rstrip('/')}/", crawler=crawler)
