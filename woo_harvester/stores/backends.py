"""The files stores: Scrapy's own, but for two that write a file whole or not at all."""

from __future__ import annotations

import asyncio
import posixpath
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from ftplib import FTP, error_perm
from pathlib import Path
from secrets import token_hex
from typing import IO, TYPE_CHECKING, Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from scrapy.exceptions import NotConfigured
from scrapy.pipelines.files import FilesPipeline, FilesStoreProtocol, FSFilesStore, FTPFilesStore
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.ftp import ftp_makedirs_cwd

from woo_harvester.files.folder import Folder, InUseError

if TYPE_CHECKING:
    from os import PathLike

    from scrapy.crawler import Crawler
    from scrapy.pipelines.files import StatInfo
    from scrapy.pipelines.media import MediaPipeline
    from twisted.internet.defer import Deferred

T = TypeVar("T")

REMOTE = ("s3", "gs", "ftp")

#: Files that are written to a folder at once. Most of the time of each is waiting for the disk, which makes
#: several durable in the time of one; in threads of their own, so that no name waits to be resolved.
WRITERS = 8

#: Seconds that an FTP server may be silent.
FTP_TIMEOUT = 60

EXPECTED = (
    "expected a folder, or a URL such as s3://bucket/folder/, gs://bucket/folder/ or ftp://host:21/folder"
)


class StoreError(Exception):
    """The store cannot be used; the message is one line that says which and why."""


class FolderStore(FSFilesStore):
    """A folder in which no part of a file ever has its name, and from which a crawl waits for nothing."""

    def __init__(self, basedir: str | PathLike[str]) -> None:
        super().__init__(basedir)
        self.folder = Folder(Path(self.basedir))
        self._threads = ThreadPoolExecutor(WRITERS, "store")

    def persist_file(  # type: ignore[override]  # as those of the remote stores, which Scrapy waits for
        self,
        path: str | PathLike[str],
        buf: IO[bytes],
        info: MediaPipeline.SpiderInfo,
        meta: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Deferred[None]:
        """Write a file, durably."""
        return deferred_from_coro(self.in_thread(lambda: self.folder.write(str(path), buf)))

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do something that waits for the disk."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def begin(self) -> None:
        """Keep those off who remove, and remove what killed runs have left. Raises InUseError or OSError."""
        try:
            self.folder.lock(alone=False)
            self.folder.clean()
        except (InUseError, OSError):
            self.close()
            raise

    def close(self) -> None:
        """End the threads and give the lock back."""
        self._threads.shutdown()
        self.folder.close()


class WholeFTPFilesStore(FTPFilesStore):
    """Sends a file under another name and renames it, and sees by its name that it is there.

    Scrapy's own fetches the whole file for that.
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
        """When the file was stored; nothing where it is not there."""
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
        with FTP(timeout=FTP_TIMEOUT) as ftp:  # noqa: S321 -- FTP is what the operator asks for
            ftp.connect(self.host, self.port)
            ftp.login(self.username, self.password)
            ftp.set_pasv(not self.USE_ACTIVE_MODE)
            yield ftp


class _Stores(FilesPipeline):
    """Only chooses a store by FILES_STORE, with its settings, as Scrapy's pipeline does."""

    STORE_SCHEMES: ClassVar[dict[str, type[FilesStoreProtocol]]] = {
        **FilesPipeline.STORE_SCHEMES,
        "": FolderStore,
        "file": FolderStore,
        "ftp": WholeFTPFilesStore,
    }

    def __init__(self, store_uri: str | PathLike[str], *, crawler: Crawler) -> None:
        super().__init__(_complete(str(store_uri)), crawler=crawler)


def open_backend(crawler: Crawler) -> FilesStoreProtocol:
    """The store that FILES_STORE names, which must be set. Raises StoreError."""
    uri = str(crawler.settings["FILES_STORE"])
    try:
        store = _Stores.from_crawler(crawler).store
        if isinstance(store, FolderStore):
            store.begin()
    except InUseError as error:
        raise StoreError(
            f"FILES_STORE {error}: files are being removed from it (scrapy state unnamed --remove)"
        ) from error
    except OSError as error:
        raise StoreError(f"FILES_STORE {named(uri)} cannot be used: {error}") from error
    except (NotConfigured, ImportError) as error:
        extra = "s3" if uri.startswith("s3:") else "gcs"
        package = "woo-harvester[s3]" if extra == "s3" else "scrapy[gcs]"
        raise StoreError(
            f'FILES_STORE {named(uri)}: the library for it is missing: pip install "{package}"'
        ) from error
    except (AssertionError, KeyError, ValueError) as error:
        raise StoreError(f"FILES_STORE {named(uri)}: {EXPECTED}") from error
    except Exception as error:
        if not is_remote(uri):
            raise
        # What the libraries of remote stores raise for wrong credentials has no common type.
        raise StoreError(f"FILES_STORE {named(uri)} cannot be used: {error}") from error
    return store


def is_remote(uri: str) -> bool:
    """Whether *uri* is no folder of this machine."""
    return urlsplit(uri).scheme in REMOTE


def named(uri: str) -> str:
    """A FILES_STORE for messages: without user and password."""
    return re.sub(r"//[^/@]*@", "//", uri)


def _complete(uri: str) -> str:
    """With the slash between folder and file that Scrapy expects, and the port that it wants of FTP."""
    if not is_remote(uri):
        return uri
    parts = urlsplit(uri)
    if parts.scheme == "ftp" and not parts.port:
        parts = parts._replace(netloc=f"{parts.netloc}:21")
    return parts._replace(path=f"{parts.path.rstrip('/')}/").geturl()
