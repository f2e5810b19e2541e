"""Scrapy's own parts, with less work for each document: signals, statistics, pipelines, log, garbage.

Scrapy's own would do, but with any of them ``benchmarks.crawl`` takes over 5% more processor time.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import signals
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.pipelines import ItemPipelineManager
from scrapy.signalmanager import SignalManager
from scrapy.signals import item_scraped
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.python import global_object_name
from scrapy.utils.reactor import is_reactor_installed
from twisted.python.failure import Failure

from woo_harvester.running.ending import RunError

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

#: The number of new objects (made minus freed) that starts a collection. Python's default is 700 or 2,000,
#: less than a single batch of entries makes.
_THRESHOLD = 50_000


class ItemSignals(SignalManager):
    """Scrapy's signal manager, which makes a task only for a handler of records that has something to await.

    Scrapy runs each handler in a task of its own. Nearly all handlers of records are plain functions.
    """

    async def send_catch_log_async(self, signal: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Send a signal; await what handlers return. Return each handler with its result or exception."""
        if signal is not item_scraped:
            return await super().send_catch_log_async(signal, **kwargs)
        sent = self.send_catch_log(signal, **kwargs)
        return [(handler, await _result_of(handler, result, kwargs)) for handler, result in sent]


async def _result_of(handler: Any, result: Any, arguments: dict[str, Any]) -> Any:
    """Return what a handler returned, or the exception that it raised; log that as Scrapy does."""
    if isinstance(result, Failure):
        return result.value  # it is logged already
    if result is None:
        return None
    try:
        return await ensure_awaitable(result)
    except Exception as error:
        extra = {"spider": arguments.get("spider")}
        logger.exception("Error caught on signal handler: %(receiver)s", {"receiver": handler}, extra=extra)
        return error


class RunStats(MemoryStatsCollector):
    """Scrapy's collector of statistics in memory, several times faster.

    Each use of a method of Scrapy's collector first looks for a version of it that warns of the old argument
    ``spider``. A document counts in a dozen statistics, so this took as long as reading its metadata.
    """

    __getattribute__ = object.__getattribute__


class RecordPipelines(ItemPipelineManager):
    """Scrapy's manager of item pipelines, in half the time for pipelines that return the item at once.

    Scrapy makes a coroutine for the result of each pipeline, whether there is anything to await or not.
    """

    async def process_item_async(self, item: Any) -> Any:
        """Return the item after all pipelines. Raises DropItem if one of them drops it."""
        if self._mw_methods_requiring_spider:  # pipelines of old projects
            return await super().process_item_async(item)
        for process_item in cast("Iterable[Callable[[Any], Any]]", self.methods["process_item"]):
            made = process_item(item)
            if made is not item:
                made = await ensure_awaitable(made, _warn=global_object_name(process_item))
            item = made
        return item


class QuietLogFormatter(LogFormatter):
    """Scrapy's messages, but "Crawled ..." and "Scraped from ..." only if ``LOG_LEVEL`` is DEBUG.

    Scrapy makes these lines for each response and item, and then discards them because of their level. That
    costs as much as reading an entry of a sitemap. Items that were in progress when the run had to stop are
    also logged at DEBUG only: one line has the reason.
    """

    def __init__(self, crawler: Crawler) -> None:
        level = crawler.settings["LOG_LEVEL"]
        self._debug = logging.getLevelName(level) <= logging.DEBUG if isinstance(level, str) else True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the level from the settings."""
        return cls(crawler)

    def crawled(  # type: ignore[override]  # Scrapy takes None for "no line", but does not declare it
        self, request: Request, response: Response, spider: Spider
    ) -> LogFormatterResult | None:
        """Return the line for a response, or None if it would be discarded."""
        return super().crawled(request, response, spider) if self._debug else None

    def scraped(  # type: ignore[override]  # the same
        self, item: Any, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult | None:
        """Return the line for an item, or None if it would be discarded."""
        return super().scraped(item, response, spider) if self._debug else None

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Return the line for an item that a pipeline could not process."""
        result = super().item_error(item, exception, response, spider)
        return {**result, "level": logging.DEBUG} if isinstance(exception, RunError) else result


class RareCollections:
    """The extension that collects garbage only after 50,000 new objects, without those made at the start.

    Reference counting frees entries, records and requests. Searching them for cycles took a fifth of the time
    of a harvest. The event loop keeps no list of asynchronous generators either: a request has a dozen, and
    with a reactor nothing reads that list. A generator that was not read to its end is closed as before.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Collect rarely once the engine starts."""
        extension = cls()
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        return extension

    def engine_started(self) -> None:
        """Exclude all objects that exist now: all components have been made."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(_THRESHOLD, 20, 20)
        if is_reactor_installed():
            sys.set_asyncgen_hooks(firstiter=None)
