"""The stores on other machines: Scrapy's own files stores, with retries."""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from ftplib import FTP, error_perm
from secrets import token_hex
from typing import IO, TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import urlsplit

from scrapy.pipelines.files import FilesPipeline, FilesStoreProtocol, FTPFilesStore
from scrapy.pipelines.media import MediaPipeline
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro, ensure_awaitable
from scrapy.utils.ftp import ftp_makedirs_cwd
from tenacity import AsyncRetrying, before_sleep_log, stop_after_attempt, wait_exponential

from woo_harvester.pipelines.stored import DocumentStore, StoreError, path_of
from woo_harvester.utils.secrets import without_login

if TYPE_CHECKING:
    from io import BytesIO
    from os import PathLike

    from scrapy.crawler import Crawler
    from scrapy.pipelines.files import StatInfo
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

#: The number of tries. They are WOO_RETRY_BACKOFF seconds apart, doubled each time: half a minute in all.
_TRIES = 5

#: The seconds for which an FTP server may be silent.
_FTP_TIMEOUT = 60


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


class _AtomicFTPFilesStore(FTPFilesStore):
    """An FTP store that renames files when they are sent, so that a file with its own name is complete.

    Scrapy's own store fetches a file to find out whether it is there; this one asks for its time.
    """

    def persist_file(
        self,
        path: str,
        buf: IO[bytes],
        info: MediaPipeline.SpiderInfo,
        meta: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Deferred[None]:
        """Send a file."""
        return deferred_from_coro(run_in_thread(self._send, path, buf))

    def stat_file(self, path: str, info: MediaPipeline.SpiderInfo) -> Deferred[StatInfo]:
        """Return when the file was stored; an empty dict if it is not there."""
        return deferred_from_coro(run_in_thread(self._stat_file, path))

    def _send(self, path: str, file: IO[bytes]) -> None:
        folder, name = posixpath.split(f"{self.basedir}/{path}")
        partial = f"{name}.{token_hex(8)}.part"
        file.seek(0)
        with self._connected() as ftp:
            ftp_makedirs_cwd(ftp, folder)
            ftp.storbinary(f"STOR {partial}", file)
            ftp.rename(partial, name)

    def _stat_file(self, path: str) -> StatInfo:
        with self._connected() as ftp:
            try:
                answer = ftp.voidcmd(f"MDTM {self.basedir}/{path}")
            except error_perm:
                return {}
        return {"last_modified": float(answer[4:].strip())}

    @contextmanager
    def _connected(self) -> Iterator[FTP]:
        with FTP(timeout=_FTP_TIMEOUT) as ftp:  # noqa: S321 -- FTP is what the operator asks for
            ftp.connect(self.host, self.port)
            ftp.login(self.username, self.password)
            ftp.set_pasv(not self.USE_ACTIVE_MODE)
            yield ftp


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

    STORE_SCHEMES: ClassVar[dict[str, type[FilesStoreProtocol]]] = {
        **FilesPipeline.STORE_SCHEMES,
        "ftp": _AtomicFTPFilesStore,
    }

    def __init__(self, store_uri: str | PathLike[str], *, crawler: Crawler) -> None:
        super().__init__(_complete(str(store_uri)), crawler=crawler)


def _complete(uri: str) -> str:
    """Return a FILES_STORE with the slash at the end and the FTP port that Scrapy expects."""
    parts = urlsplit(uri)
    if parts.scheme == "ftp" and not parts.port:
        parts = parts._replace(netloc=f"{parts.netloc}:21")
    return parts._replace(path=f"{parts.path.rstrip('/')}/").geturl()
