"""Questions to the engine, in threads: so many at once, and each for a limited time.

A slow or hostile question delays no other: one client has at most half of the threads, and at most half of
the places in which questions wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from starlette.requests import Request

from woo_harvester.search.engine import SlowQuestionError

T = TypeVar("T")

#: The number of questions for each thread that run or wait. The next one is refused.
_PLACES = 8


class BusyError(Exception):
    """Too many questions are waiting already."""


@dataclass(slots=True)
class _Client:
    """The threads that one client may use, and the number of its questions that run or wait."""

    threads: asyncio.Semaphore
    questions: int = 0


@dataclass(slots=True)
class Asking:
    """Runs functions of the engine in threads."""

    concurrency: int
    seconds: float
    _clients: dict[str, _Client] = field(default_factory=dict)
    _threads: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(self.concurrency, thread_name_prefix="portal-question")

    async def __call__(self, request: Request, function: Callable[..., T], *args: Any) -> T:
        """Return what ``function(*args)`` returns.

        Raises BusyError if too much is waiting, and SlowQuestionError if the time is over. The thread of
        such a question stays taken until the function returns.
        """
        name = request.client.host if request.client else ""
        client = self._enter(name)
        job: Future[T] | None = None
        try:
            async with asyncio.timeout(self.seconds):
                await client.threads.acquire()
                job = self._threads.submit(function, *args)
                leave = partial(self._leave, name, has_thread=True)
                job.add_done_callback(partial(_call_in, asyncio.get_running_loop(), leave))
                return await asyncio.wrap_future(job)
        except TimeoutError:
            raise SlowQuestionError(f"a question took longer than {self.seconds:g} seconds") from None
        finally:
            if job is None:
                self._leave(name, has_thread=False)

    def close(self) -> None:
        """Start no more questions."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _enter(self, name: str) -> _Client:
        places = self.concurrency * _PLACES
        client = self._clients.get(name) or _Client(asyncio.Semaphore(max(1, self.concurrency // 2)))
        taken = sum(each.questions for each in self._clients.values())
        if taken >= places or client.questions >= max(1, places // 2):
            raise BusyError
        client.questions += 1
        self._clients[name] = client
        return client

    def _leave(self, name: str, *, has_thread: bool) -> None:
        client = self._clients[name]
        client.questions -= 1
        if has_thread:
            client.threads.release()
        if not client.questions:
            del self._clients[name]


def _call_in(loop: asyncio.AbstractEventLoop, function: Callable[[], None], job: object) -> None:
    """Call a function in the thread of the event loop, if that still runs."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(function)
