"""Questions to the engine and downloads: so many at once, and each question for a limited time.

A web server before the portal keeps one visitor from taking all of them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, TypeVar

from anyio import CancelScope, CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import FileResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from woo_portal.engine import EngineError, SlowQuestionError

T = TypeVar("T")

_log = logging.getLogger(__name__)

#: The number of questions for each thread that run or wait. The next one is refused.
_PLACES = 8
#: The most downloads at once.
MAX_DOWNLOADS = 8
#: Downloads that read from the engine at once; the others send what they have, or wait.
_READING = CapacityLimiter(2)
#: The least size of a part, in characters; only the last one is smaller.
_PART = 64 * 1024


class BusyError(Exception):
    """Too many questions or downloads are under way already."""


class Asking:
    """Runs functions of the engine in threads."""

    def __init__(self, concurrency: int, seconds: float) -> None:
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="portal-question")
        self._places = BoundedSemaphore(concurrency * _PLACES)

    async def __call__(self, function: Callable[..., T], *args: Any) -> T:
        """Return what ``function(*args)`` returns.

        Raises BusyError if too much is waiting, and SlowQuestionError if the time is over. The thread of
        such a question stays taken until the function returns.
        """
        _take(self._places)
        job = self._threads.submit(function, *args)
        job.add_done_callback(lambda _: self._places.release())
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.wrap_future(job)
        except TimeoutError:
            raise SlowQuestionError(f"a question took longer than {self._seconds:g} seconds") from None

    def close(self) -> None:
        """Start no more questions."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _take(places: BoundedSemaphore) -> None:
    if not places.acquire(blocking=False):
        raise BusyError


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
    places: BoundedSemaphore = request.app.state.downloads
    _take(places)
    try:
        first = await run_sync(parts.read, limiter=_READING)
    except BaseException:
        await _end(parts, places)
        raise
    return Download(first, parts, places, headers)


async def _end(parts: Parts, places: BoundedSemaphore) -> None:
    places.release()
    with CancelScope(shield=True):
        await run_sync(parts.close)


class Download(StreamingResponse):
    """A response that sends a text in parts, and ends without its last part if the engine stops answering.

    So a client sees that the file is truncated.
    """

    def __init__(
        self, first: bytes, parts: Parts, places: BoundedSemaphore, headers: Mapping[str, str]
    ) -> None:
        super().__init__((), headers=headers)
        self._first, self._parts, self._places = first, parts, places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the parts, and release what they need, also if the client goes away."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await _end(self._parts, self._places)

    async def stream_response(self, send: Send) -> None:
        """Send headers and parts."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        part = self._first
        while part:
            await send({"type": "http.response.body", "body": part, "more_body": True})
            try:
                part = await run_sync(self._parts.read, limiter=_READING)
            except EngineError as error:
                _log.error("a download was ended: %s", error)
                return
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class FileDownload(FileResponse):
    """A response that sends a file, with a place among the downloads, which it takes now.

    Raises BusyError if there is none.
    """

    def __init__(self, request: Request, path: Path, **options: Any) -> None:
        super().__init__(path, **options)
        self._places: BoundedSemaphore = request.app.state.downloads
        _take(self._places)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file, and release its place, also if the client goes away."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._places.release()
