"""Scrapy's own parts, with less work for each document: signals, log and garbage.

Scrapy's own would do, but with any of them ``benchmarks.crawl`` takes over 5% more processor time.
"""

from __future__ import annotations

import gc
import logging
import sys
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

from pydispatch.dispatcher import getAllReceivers, liveReceivers
from scrapy import signals
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.signalmanager import SignalManager
from scrapy.signals import item_scraped
from scrapy.utils.defer import ensure_awaitable
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
    """Scrapy's signal manager, which keeps the handlers of records, and the arguments that each takes.

    Scrapy looks for both at each record, and runs each handler in a task of its own. Nearly all of them are
    plain functions.
    """

    _handlers: list[tuple[Any, tuple[str, ...]]] | None = None

    def connect(self, receiver: Any, signal: Any, **kwargs: Any) -> None:
        """Connect a handler to a signal."""
        super().connect(receiver, signal, **kwargs)
        self._handlers = None

    def disconnect(self, receiver: Any, signal: Any, **kwargs: Any) -> None:
        """Disconnect a handler from a signal."""
        super().disconnect(receiver, signal, **kwargs)
        self._handlers = None

    def disconnect_all(self, signal: Any, **kwargs: Any) -> None:
        """Disconnect all handlers from a signal."""
        super().disconnect_all(signal, **kwargs)
        self._handlers = None

    async def send_catch_log_async(self, signal: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Send a signal; await what handlers return. Return each handler with its result or exception."""
        if signal is not item_scraped:
            return await super().send_catch_log_async(signal, **kwargs)
        if self._handlers is None:
            found = liveReceivers(getAllReceivers(self.sender, signal))
            self._handlers = [(each, tuple(kwargs.keys() & signature(each).parameters)) for each in found]
        sent: list[tuple[Any, Any]] = []
        for handler, names in self._handlers:
            try:
                if (result := handler(**{name: kwargs[name] for name in names})) is not None:
                    result = await ensure_awaitable(result)
            except Exception as error:
                extra, result = {"spider": kwargs.get("spider")}, error
                logger.exception("Error caught on signal handler: %s", handler, extra=extra)
            sent.append((handler, result))
        return sent


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
