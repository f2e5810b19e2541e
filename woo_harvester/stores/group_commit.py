"""Waits for the disk once for many files of a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from woo_harvester.stores.durable_folder import DurableFolder, PartialFile

#: The seconds in which more files may join a group. Each wait for the disk costs the loop two changes of
#: threads, however many files it is for. With a fast disk, hardly any two files would form a group otherwise.
_GATHER = 0.02


class GroupCommit:
    """A queue of files that are made durable and get their names, a group at a time.

    Files that come while a group waits for the disk form the next group. Only waiting for the disk is done in
    a thread. Writing a small file and renaming it are a system call each, which the page cache answers. In a
    thread, each call would make that thread and the loop wait for Python's lock in turn: that took as long as
    the whole rest of a harvest.
    """

    def __init__(self, folder: DurableFolder) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, "commit")
        self._waiting: list[tuple[PartialFile, asyncio.Future[None]]] = []
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
        while self._waiting:
            await asyncio.sleep(_GATHER)
            group, self._waiting = self._waiting, []
            failed: Exception | None = None
            try:
                await self._make_durable([partial for partial, _ in group])
            except Exception as error:  # whatever it is, nobody may wait for ever
                failed = error
            for partial, durable in group:
                partial.close()
                if durable.done():  # the task that waited for it was cancelled
                    continue
                if failed is None:
                    durable.set_result(None)
                else:
                    durable.set_exception(failed)
        self._task = None

    async def _make_durable(self, partials: list[PartialFile]) -> None:
        await self._in_thread(lambda: self._folder.sync(partials))
        folders = self._folder.rename(partials)
        await self._in_thread(lambda: self._folder.sync_names(folders))

    async def _in_thread(self, wait: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, wait)
