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

#: Bytes in which the headers of an answer must end, with any interim answers before them. aiohttp limits the
#: length of a header, but neither the white space before its value nor the number of interim answers.
_MAX_HEAD = 1024 * 1024


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
        self._is_answered = False
        self._received = 0

    def set_response_params(self, **params: Any) -> None:
        """Expect the answer to the next request."""
        self._is_answered, self._received = False, 0
        super().set_response_params(**params)

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Receive the headers of an answer. An interim one (RFC 9110, 15.2) is not yet the answer."""
        self._is_answered = not 100 <= data[0].code < 200
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        if data and self._is_answered and not self.should_close:  # the answer is complete
            self.abort()
            return
        super().data_received(data)
        self._received += len(data)
        if not self._is_answered and self._received > _MAX_HEAD:
            self.abort()
            self.set_exception(BadHttpMessage(f"no end of the headers in {self._received} bytes"))
        elif self.transport is not None and self.transport.is_closing():  # what came is no HTTP
            self.transport.abort()

    def close(self) -> None:
        self.abort()
