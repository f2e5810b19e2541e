"""Closes streamed responses as soon as no callback or pipeline reads them any more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals

from woo_harvester.items import WooItem
from woo_harvester.responses import release

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class CloseResponses:
    """The middleware that closes a streamed response when its callback has ended.

    If the callback yields an item with the response, the pipelines still need it. It is then closed when the
    item has left the pipelines, or was dropped there.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls()
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(middleware.item_ended, signal)
        return middleware

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Yield the output of the callback; close the response after it, unless an item has it."""
        is_needed = False
        try:
            async for made in result:
                is_needed |= _response_of(made) is response
                yield made
        finally:
            if not is_needed:
                release(response)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """Close the response of a callback that failed before its first output."""
        release(response)

    def item_ended(self, item: object) -> None:
        """Close the response of an item: no pipeline needs it any more."""
        if (response := _response_of(item)) is not None:
            release(response)


def _response_of(made: object) -> Response | None:
    if isinstance(made, WooItem) and made.source is not None and made.source.fetched is not None:
        return made.source.fetched.response
    return None
