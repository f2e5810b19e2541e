"""Questions to the engine, in threads: so many at once, and each for a limited time.

A slow or hostile question delays no other: one client has at most half of the threads, and at most half of
the places in which questions wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from anyio import CancelScope, CapacityLimiter, move_on_after
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import FileResponse, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from woo_portal.engine import EngineError, SlowQuestionError

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
        name = _client_of(request)
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


_log = logging.getLogger(__name__)

#: The most downloads at once.
MAX_DOWNLOADS = 8
#: The most downloads that read from the engine at once; the others send what they have, or wait.
_MAX_READING = 2
#: The least size of a part, in characters; only the last one is smaller.
_PART = 64 * 1024
#: The longest time in which a reader takes no part, and the longest time of a download, in seconds.
_STALLED, _LONGEST = 60.0, 3600.0


def _client_of(request: Request) -> str:
    """Return the address of the visitor, which has a share of what may be asked at the same time."""
    return request.client.host if request.client else ""


@dataclass(slots=True)
class Downloads:
    """The downloads of a portal that are under way."""

    most: int = MAX_DOWNLOADS
    stalled: float = _STALLED
    """The longest time in which a reader takes no part, in seconds."""
    longest: float = _LONGEST
    """The longest time of a download, in seconds."""
    clients: Counter[str] = field(default_factory=Counter)
    """The number of downloads that are under way, by client."""
    reading: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(_MAX_READING))

    @property
    def under_way(self) -> int:
        """The number of downloads that are under way."""
        return self.clients.total()

    def begin(self, client: str) -> None:
        """Take a place. Raises BusyError if there is none; one client has at most half of them."""
        if self.under_way >= self.most or self.clients[client] >= max(1, self.most // 2):
            raise BusyError
        self.clients[client] += 1

    async def end(self, client: str, parts: Parts | None = None) -> None:
        """Release the place of a download, and what it needed."""
        self.clients -= Counter([client])
        if parts is not None:
            with CancelScope(shield=True):
                await run_sync(parts.close)


class Parts:
    """A text in parts of at least 64 thousand characters; only the last one is smaller."""

    def __init__(self, pieces: Iterator[str], close: Callable[[], None]) -> None:
        self._pieces = pieces
        self._close = close

    def read(self) -> bytes:
        """Return the next part, empty at the end. Raises EngineError."""
        found: list[str] = []
        size = 0
        for piece in self._pieces:
            found.append(piece)
            size += len(piece)
            if size >= _PART:
                break
        return "".join(found).encode()

    def close(self) -> None:
        """Release what the engine keeps for the rest of the text."""
        with suppress(EngineError):  # whatever is kept ends by itself
            self._close()


async def begin_download(request: Request, parts: Parts, headers: Mapping[str, str]) -> Download:
    """Return the response with these parts and headers.

    The engine is asked for the first part now. So raises EngineError if it does not answer, and BusyError if
    there are as many downloads under way as may be.
    """
    downloads: Downloads = request.app.state.downloads
    client = _client_of(request)
    downloads.begin(client)
    try:
        first = await run_sync(parts.read, limiter=downloads.reading)
    except BaseException:
        await downloads.end(client, parts)
        raise
    return Download(first, parts, partial(downloads.end, client, parts), downloads, headers)


class Download(StreamingResponse):
    """A response that sends a text in parts, and ends without its last part if it cannot be complete.

    So a client sees that the file is truncated: when the engine stops answering, when the client takes
    nothing for a while, and after the longest time of a download.
    """

    def __init__(
        self,
        first: bytes,
        parts: Parts,
        end: Callable[[], Awaitable[None]],
        downloads: Downloads,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__((), headers=headers)
        self._part = first
        self._parts = parts
        self._end = end
        self._downloads = downloads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the parts, and release what they need, also if the client goes away."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._end()

    async def stream_response(self, send: Send) -> None:
        """Send headers and parts."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        with move_on_after(self._downloads.longest) as whole:
            await self._stream(send, start)
        if whole.cancelled_caught:
            _log.warning("a download took longer than %.0f s, and was ended", self._downloads.longest)

    async def _stream(self, send: Send, message: dict[str, Any]) -> None:
        while True:
            with move_on_after(self._downloads.stalled) as one:
                await send(message)
            if one.cancelled_caught:
                _log.warning("a reader of a download stopped reading, and was disconnected")
                return
            if message.get("more_body") is False:
                return
            part, self._part = self._part, b""
            try:
                part = part or await run_sync(self._parts.read, limiter=self._downloads.reading)
            except EngineError as error:
                _log.error("a download was ended: %s", error)
                return
            message = {"type": "http.response.body", "body": part, "more_body": bool(part)}


class FileDownload(FileResponse):
    """A response that sends a file, with a place among the downloads, which it takes now.

    Raises BusyError if there is none. Like another download, it ends when its reader takes nothing for a
    while, and after the longest time.
    """

    def __init__(self, request: Request, path: Path, **options: Any) -> None:
        super().__init__(path, **options)
        self._downloads: Downloads = request.app.state.downloads
        self._client = _client_of(request)
        self._downloads.begin(self._client)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file, and release its place, also if the client goes away."""

        async def send_in_time(message: Message) -> None:
            with move_on_after(self._downloads.stalled) as one:
                await send(message)
            if one.cancelled_caught:
                whole.cancel()

        try:
            with move_on_after(self._downloads.longest) as whole:
                await super().__call__(scope, receive, send_in_time)
            if whole.cancelled_caught:
                _log.warning("a reader of a file stopped reading or took too long, and was disconnected")
        finally:
            await self._downloads.end(self._client)
