"""Files that wait for the disk together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from woo_harvester.stores.folder import Folder, Partial

#: Seconds in which others may come to wait for the disk together. Each wait costs the loop a change of
#: threads or two, whatever it is for; with a fast disk, hardly any two would go together otherwise.
GATHER = 0.02


class GroupCommit:
    """Makes files of a folder durable and names them; those that come meanwhile go next, together.

    Only waiting for the disk is done in a thread. To write a small file and to rename it are a system call
    each, which the page cache answers; in a thread, each would have that thread and the loop wait for
    Python's lock in turn, which took as long as the whole rest of a harvest.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, "commit")
        self._waiting: list[tuple[Partial, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def commit(self, partial: Partial) -> None:
        """Return when the file is durable and has its name; it is closed by then, whatever happens.

        Raises OSError, also for one that goes together with it.
        """
        durable = asyncio.get_running_loop().create_future()
        self._waiting.append((partial, durable))
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        await durable

    def close(self) -> None:
        """End the thread; what it still does is not waited for."""
        self._thread.shutdown(wait=False)

    async def _run(self) -> None:
        while self._waiting:
            await asyncio.sleep(GATHER)
            batch, self._waiting = self._waiting, []
            failed: Exception | None = None
            try:
                await self._make_durable([partial for partial, _ in batch])
            except Exception as error:  # whatever it is, they must not wait for ever
                failed = error
            for partial, durable in batch:
                partial.close()
                if durable.done():  # who waited for it was cancelled
                    continue
                if failed is None:
                    durable.set_result(None)
                else:
                    durable.set_exception(failed)
        self._task = None

    async def _make_durable(self, partials: list[Partial]) -> None:
        await self._in_thread(lambda: self._folder.sync(partials))
        folders = self._folder.rename(partials)
        await self._in_thread(lambda: self._folder.sync_names(folders))

    async def _in_thread(self, wait: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, wait)
