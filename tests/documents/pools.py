"""Pools of workers, and what they are waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.samples import SAMPLES
from woo_harvester.documents.extracted import Extracted, Limits
from woo_harvester.documents.text_workers import Workers

TXT = SAMPLES["TXT"]
#: No test waits for it: what ends in time ends sooner, and what does not is ended by the test.
LONG = 600


@asynccontextmanager
async def pool(count: int = 1, documents: int = 500, **limits: Any) -> AsyncIterator[Workers]:
    workers = Workers(Limits(**{"timeout": LONG, **limits}), count, documents)
    try:
        yield workers
    finally:
        await workers.close()


def in_pool(test: Callable[[Workers], Coroutine[Any, Any, None]], **given: Any) -> None:
    """Run *test* with a pool; afterwards none of its workers is left."""

    async def main() -> None:
        async with pool(**given) as workers:
            await test(workers)
            pids = workers.pids
        assert not any(map(is_running, pids))

    asyncio.run(main())


def is_running(pid: int) -> bool:
    """Whether there is a process with this id that does anything; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


async def busy(workers: Workers, path: Path) -> tuple[asyncio.Task[Extracted], int]:
    """A worker that reads an endless document, and its process id."""
    task = asyncio.create_task(workers.extract(path, "PDF"))
    while not workers.pids:
        await asyncio.sleep(0.05)
    return task, workers.pids[0]
