"""Scrapy's log formatter without lines for each response and item."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy.logformatter import LogFormatter, LogFormatterResult

from woo_harvester.running.ending import RunError

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure


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
