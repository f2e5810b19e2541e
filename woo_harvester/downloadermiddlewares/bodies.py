"""Keeps the bodies of documents for as long as pipelines need them, and few of them at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from scrapy import signals

from woo_harvester.handlers.response import StreamedResponse
from woo_harvester.items import WooItem

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

#: Bodies that are received and not given back yet. Each is up to 1 MB of memory or an open file, and
#: pipelines that store and read them gain nothing by a longer queue.
MAX_BODIES = 100


class BodiesMiddleware:
    """Asks for no further document while :data:`MAX_BODIES` of them wait for the pipelines.

    Only what is received counts, so that slow servers hold up nobody. A body is given back when its item has
    come through the pipelines, or was dropped there.
    """

    def __init__(self) -> None:
        self._bodies = 0
        self._room = asyncio.Event()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls()
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(middleware.item_ended, signal)
        return middleware

    async def process_request(self, request: Request) -> None:
        """Wait for room."""
        while request.meta.get("woo_kind") == "document" and self._bodies >= MAX_BODIES:
            self._room.clear()
            await self._room.wait()

    def process_response(self, request: Request, response: Response) -> Response:
        """Count a body from now on until it is given back."""
        if request.meta.get("woo_kind") == "document" and isinstance(response, StreamedResponse):
            self._bodies += 1
            response.on_close = self._closed
        return response

    def item_ended(self, item: object) -> None:
        """No pipeline needs the body any more."""
        if isinstance(item, WooItem) and item.source is not None and item.source.fetched is not None:
            item.source.fetched.close()

    def _closed(self) -> None:
        self._bodies -= 1
        self._room.set()
