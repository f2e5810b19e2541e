"""The spider middlewares: one closes streamed answers, one keeps the conventions of scrapy-deltafetch."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.utils.python import to_bytes
from scrapy_deltafetch import DeltaFetch

from woo_harvester.extensions.state import StateKeeper
from woo_harvester.items import RecordItem, WooItem, release
from woo_harvester.state.resources import add_visited, is_visited

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


class WooDeltaFetch(DeltaFetch):  # type: ignore[misc]  # the library has no types
    """scrapy-deltafetch on the state: it skips requests that gave an item in an earlier run.

    It has the same settings ``DELTAFETCH_ENABLED`` and ``DELTAFETCH_RESET``, argument ``deltafetch_reset``,
    ``deltafetch_key`` and ``deltafetch_enabled`` in a request's meta, and the statistics
    ``deltafetch/skipped`` and ``deltafetch/stored``. Two things of the original had to change: its
    ``process_spider_output`` raises with current Scrapy, and a kill may damage or lose its dbm file.

    A page counts as visited when every output has its items durably.

    Requests of this project's own spiders are not checked here. Their entries were compared with the state
    earlier and in batches, because making a request costs more than reading an entry.
    """

    def __init__(self, crawler: Crawler, keeper: StateKeeper) -> None:
        self.stats = crawler.stats
        self.fingerprint = crawler.request_fingerprinter.fingerprint
        self._spider = crawler.spidercls.name
        self._keeper = keeper

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.getbool("DELTAFETCH_ENABLED"):
            raise NotConfigured  # with a reason, Scrapy would log a warning about what the user chose
        keeper = crawler.get_extension(StateKeeper)
        if keeper is None:
            raise NotConfigured("WooDeltaFetch needs the extension StateKeeper")
        middleware = cls(crawler, keeper)
        keeper.key_of = middleware.key_of
        crawler.signals.connect(middleware.item_dropped, signals.item_dropped)
        return middleware

    def key_of(self, response: Response) -> bytes:
        """Return the key under which the state knows a page that gave an item."""
        return self._key(cast("Request", response.request))

    def _key(self, request: Request) -> bytes:
        return to_bytes(request.meta.get("deltafetch_key") or self.fingerprint(request))

    def item_dropped(self, item: object, response: Response | None) -> None:
        """Count a page as visited if a pipeline drops its item, as scrapy-deltafetch does."""
        if response is not None and not isinstance(item, RecordItem):
            with suppress(CloseSpider), self._keeper.begin() as connection:
                add_visited(connection, self._spider, self.key_of(response), int(time()))
                self.stats.inc_value("deltafetch/stored")

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Yield the output without requests for pages that gave an item before."""
        async for made in result:
            if not isinstance(made, Request) or "woo_kind" in made.meta:
                yield made
            elif made.meta.get("deltafetch_enabled", True) and self._is_visited(made):
                self.stats.inc_value("deltafetch/skipped")
            else:
                yield made

    def _is_visited(self, request: Request) -> bool:
        with self._keeper.begin() as connection:
            return is_visited(connection, self._spider, self._key(request))
