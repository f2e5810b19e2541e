"""Makes no line of log for each document where nobody would read it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy.logformatter import LogFormatter, LogFormatterResult

from woo_harvester.extensions.ending import RunError

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure


class QuietLogFormatter(LogFormatter):
    """Scrapy's messages, but "Scraped from ..." only where ``LOG_LEVEL`` is DEBUG.

    Scrapy makes that line for each item and then throws it away by its level, which costs as much as reading
    the item from its sitemap. Of items that were under way when the run could not go on only DEBUG tells: one
    line says why.
    """

    def __init__(self, crawler: Crawler) -> None:
        level = crawler.settings["LOG_LEVEL"]
        self._debug = logging.getLevelName(level) <= logging.DEBUG if isinstance(level, str) else True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the level from the settings."""
        return cls(crawler)

    def scraped(  # type: ignore[override]  # Scrapy takes None for "no line", but does not declare it
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
