"""Downloads of any size to readers of any speed.

A thread works only while it reads the next part. Between two parts a slow reader costs no thread, and no more
memory than that part.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from anyio import CancelScope, CapacityLimiter, move_on_after
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from woo_harvester.portal.asking import BusyError
from woo_harvester.search.engine import EngineError

_log = logging.getLogger(__name__)

#: The most downloads at once.
MAX_DOWNLOADS = 8
#: The most downloads that read from the engine at once; the others send what they have, or wait.
_MAX_READING = 2
#: The least size of a part, in characters; only the last one is smaller.
_PART = 64 * 1024
#: The longest time in which a reader takes no part, and the longest time of a download, in seconds.
_STALLED, _LONGEST = 60.0, 3600.0


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

    async def end(self, client: str, parts: Parts) -> None:
        """Release the place of a download, and what it needed."""
        self.clients -= Counter([client])
        with CancelScope(shield=True):
            await run_sync(parts.close)


def downloads_of(app: Starlette) -> Downloads:
    """Return the downloads of an app."""
    if not hasattr(app.state, "downloads"):
        app.state.downloads = Downloads()
    found: Downloads = app.state.downloads
    return found


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
    downloads, client = downloads_of(request.app), request.client.host if request.client else ""
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
