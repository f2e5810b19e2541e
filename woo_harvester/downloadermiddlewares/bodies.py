"""Limits how many documents are received and not processed yet."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from woo_harvester.responses import StreamedResponse

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

#: Responses of documents that are received and not closed yet. Each is up to 1 MB of memory or an open file.
#: The pipelines that store and read them gain nothing by a longer queue.
MAX_BODIES = 100


class BodiesMiddleware:
    """Requests no further document while :data:`MAX_BODIES` of them wait for the pipelines.

    Only responses that have been received count, so that slow servers do not stop the others.
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
