"""Waits for the disk once for many files of a folder."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from woo_harvester.stores.durable_folder import DurableFolder, PartialFile

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
