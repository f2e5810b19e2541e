"""Makes no line of log for each document where nobody would read it."""

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
    """Scrapy's messages, but "Crawled ..." and "Scraped from ..." only where ``LOG_LEVEL`` is DEBUG.

    Scrapy makes these lines for each response and item and then throws them away by their level, which costs
    as much as reading an entry of a sitemap. Of items that were under way when the run could not go on only
    DEBUG tells: one line says why.
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
        """The line for a response, if it would be seen."""
        return super().crawled(request, response, spider) if self._debug else None

    def scraped(  # type: ignore[override]  # the same
        self, item: Any, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult | None:
        """The line for an item, if it would be seen."""
        return super().scraped(item, response, spider) if self._debug else None

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """The line for an item that a pipeline could not handle."""
        result = super().item_error(item, exception, response, spider)
        return {**result, "level": logging.DEBUG} if isinstance(exception, RunError) else result
