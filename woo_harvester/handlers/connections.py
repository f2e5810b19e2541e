"""Connections: how many may be open in this process, and how they are closed."""

from __future__ import annotations

import asyncio
import logging
import resource
from functools import partial
from typing import Any, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.streams import StreamReader

logger = logging.getLogger(__name__)

#: Number of files that are open for other purposes: state, feeds, report, libraries, workers, the 257 folders
#: of the store, and its documents that are not durable yet.
_OTHER_FILES = 500

#: Number of files to allow for each active connection, such as an idle connection and a temporary file.
_FILES_PER_CONNECTION = 4

#: Bytes that an answer may have besides its body, and so many more for each byte of the body: headers,
#: interim answers, and what is around chunks. aiohttp limits the length of a header, but neither the white
#: space before its value, nor the number of interim answers, nor what follows the size of a chunk.
_OVERHEAD, _OVERHEAD_RATIO = 1024 * 1024, 10


def most_connections(wanted: int) -> int:
    """Return *wanted*, or fewer if the limit of open files allows no more; at least one.

    Raise the soft limit of this process if necessary, up to the hard limit. The usual 1,024 is less than the
    hosts of a run can need, and an error about too many open files would look like the publisher's fault.
    """
    wanted = max(1, wanted)
    needed = wanted * _FILES_PER_CONNECTION + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    allowed = max(1, (soft - _OTHER_FILES) // _FILES_PER_CONNECTION)
    logger.warning("Only %d connections at once, since no more than %d files may be open", allowed, soft)
    return allowed


class Connector(aiohttp.TCPConnector):
    """A connector whose connections end at once when they are closed, whatever the server still sends."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._factory = cast(
            "partial[ResponseHandler]", partial(_Connection, loop=asyncio.get_running_loop())
        )


class _Connection(ResponseHandler):
    """A connection that is aborted where aiohttp closes it, and where the server sends what nobody asked for.

    To close a connection in order is to wait for the server's end of TLS, for up to half a minute. uvloop
    goes on receiving until then: all of a body of which only the beginning was wanted.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._body: StreamReader | None = None
        self._received = 0

    def set_response_params(self, **params: Any) -> None:
        """Expect the answer to the next request."""
        self._body, self._received = None, 0
        super().set_response_params(**params)

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Receive the headers of an answer. An interim one (RFC 9110, 15.2) is not yet the answer."""
        message, body = data
        self._body = None if 100 <= message.code < 200 else body
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        if data and self._body is not None and not self.should_close:  # the answer is complete
            self.abort()
            return
        super().data_received(data)
        self._received += len(data)
        size = self._body.total_bytes if self._body is not None else 0
        if self._received > _OVERHEAD + (1 + _OVERHEAD_RATIO) * size:
            self._refuse(f"{self._received} bytes with a body of {size} bytes in them")
        elif self.transport is not None and self.transport.is_closing():  # what came is no HTTP
            self.transport.abort()

    def close(self) -> None:
        self.abort()

    def _refuse(self, reason: str) -> None:
        self.abort()
        self.set_exception(BadHttpMessage(reason))
        if self._body is not None:
            self._body.set_exception(aiohttp.ClientPayloadError(reason))
