"""Limits the number of documents that wait in memory or temporary files for the pipelines."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from woo_harvester.responses import StreamedResponse

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

#: Largest number of received documents that are not closed yet. Each takes up to 1 MB of memory or an open
#: file. A longer queue would not make the pipelines faster.
MAX_BODIES = 100


class BodiesMiddleware:
    """The middleware that delays requests while too many documents wait for the pipelines.

    At most :data:`MAX_BODIES` of them wait. Only received responses count, so that slow servers do not stop
    the others.
    """

    def __init__(self) -> None:
        self._open = 0
        self._has_changed = asyncio.Event()

    async def process_request(self, request: Request) -> None:
        """Wait until there is capacity for another document."""
        while request.meta.get("woo_kind") == "document" and self._open >= MAX_BODIES:
            self._has_changed.clear()
            await self._has_changed.wait()

    def process_response(self, request: Request, response: Response) -> Response:
        """Count the response of a document until it is closed."""
        if request.meta.get("woo_kind") == "document" and isinstance(response, StreamedResponse):
            self._open += 1
            response.on_close = self._closed
        return response

    def _closed(self) -> None:
        self._open -= 1
        self._has_changed.set()
