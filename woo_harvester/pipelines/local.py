"""Waits for the disk once for many files of a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import IO, TypeVar

from woo_harvester.documents.extracted import Extracted, Limits
from woo_harvester.downloader.bodies import SPOOL_SIZE
from woo_harvester.pipelines.folder import DurableFolder, InUseError, PartialFile
from woo_harvester.pipelines.stored import (
    DocumentStore,
    StoreError,
    from_json,
    largest,
    path_of,
    text_path_of,
    to_json,
)

#: The seconds in which more files may join a group. Each wait for the disk costs the loop a change of
#: threads, however many files it is for. With a fast disk, hardly any two files would form a group otherwise.
_GATHER = 0.05

_Waiting = list[tuple[PartialFile, asyncio.Future[None]]]


class GroupCommit:
    """A queue of files that are made durable and get their names, a group at a time.

    Files that come while a group waits for the disk form the next group. One wait is for the content of a
    group and for the names of the group before. Only waiting for the disk is done in a thread. Writing a
    small file and renaming it are a system call each, which the page cache answers. In a thread, each call
    would make that thread and the loop wait for Python's lock in turn: that took as long as the whole rest of
    a harvest.
    """

    def __init__(self, folder: DurableFolder) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, "commit")
        self._waiting: _Waiting = []
        self._task: asyncio.Task[None] | None = None

    async def commit(self, partial: PartialFile) -> None:
        """Return when the file is durable and has its name. Close it, whatever happens.

        Raises OSError, also for an error about another file of its group.
        """
        durable = asyncio.get_running_loop().create_future()
        self._waiting.append((partial, durable))
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        await durable

    def close(self) -> None:
        """End the thread without waiting for it."""
        self._thread.shutdown(wait=False)

    async def _run(self) -> None:
        named: _Waiting = []
        folders: set[int] = set()
        while self._waiting or named:
            if self._waiting:
                await asyncio.sleep(_GATHER)
            group, self._waiting = self._waiting, []
            failed = await self._sync([partial for partial, _ in group], folders)
            if named:
                _end(named, failed)
            named, folders = [], set()
            if failed is None:
                try:
                    folders = self._folder.rename(partial for partial, _ in group)
                except Exception as error:  # whatever it is, nobody may wait for ever
                    failed = error
            for partial, _ in group:
                partial.close()
            if failed is None:
                named = group
            else:
                _end(group, failed)
        self._task = None

    async def _sync(self, partials: list[PartialFile], folders: set[int]) -> Exception | None:
        """Wait for the disk in the thread; return the error if that fails."""
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._thread, self._folder.sync, partials, folders)
        except Exception as error:  # as above
            return error
        return None


def _end(group: _Waiting, failed: Exception | None) -> None:
    """Wake up those who wait for a group, with an error if there is one."""
    for _, durable in group:
        if durable.done():  # the task that waited for it was cancelled
            continue
        if failed is None:
            durable.set_result(None)
        else:
            durable.set_exception(failed)


_T = TypeVar("_T")

#: The number of files that are copied or read at once. Their threads resolve no host names, which would wait.
_THREADS = 4


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
        self._commit = GroupCommit(self._folder)
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
        self._commit.close()
        self._threads.shutdown(wait=False)
        self._folder.close()

    async def _write(self, path: str, size: int | None, file: IO[bytes], media_type: str | None) -> None:
        try:
            partial = self._folder.begin(path)
            try:
                if size is not None and size <= SPOOL_SIZE:  # in memory, so it is written in no time
                    file.seek(0)
                    partial.write(file.read())
                else:
                    await self._in_thread(lambda: partial.copy(file))
            except BaseException:
                partial.close()
                raise
            await self._commit.commit(partial)
        except OSError as error:
            raise StoreError(f"a document could not be stored in {self._folder.path} ({error})") from error

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
