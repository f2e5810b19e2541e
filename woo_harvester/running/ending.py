"""Ending a run that cannot start or continue."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NoReturn

from scrapy.utils.defer import deferred_from_coro

from woo_harvester.running.startlog import IN_LAST_LINE

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class RunError(Exception):
    """The run cannot start or continue. The command prints why, so the log needs no traceback."""


def refuse_start(crawler: Crawler, line: str, cause: Exception) -> NoReturn:
    """Raise RunError from a component that cannot be made; the command prints *line*, with exit status 1."""
    spider: Any = crawler.spider
    if hasattr(spider, "failure"):  # spiders of other projects have no such thing
        spider.failure = (1, line)
    raise RunError(line) from cause


def end_run(crawler: Crawler, reason: str, line: str, status: int = 1) -> None:
    """Close the spider with *reason*; the command prints *line* and exits with *status*."""
    if fail_run(crawler, line, status) and crawler.engine.spider is not None:  # otherwise it is closed by now
        deferred_from_coro(crawler.engine.close_spider_async(reason=reason))


def fail_run(crawler: Crawler, line: str, status: int = 1) -> bool:
    """Make the command print *line* at the end of the run, and exit with *status*.

    Only the first failure of a run counts: later ones follow from it. Return whether this is the first.
    """
    spider: Any = crawler.spider
    if getattr(spider, "failure", None) is not None:
        return False
    logger.error(line, extra={IN_LAST_LINE: True})
    spider.failure = (status, line)  # read by the command
    return True


def is_closing(crawler: Crawler) -> bool:
    """Return whether the run is being closed, so that Scrapy starts no more requests."""
    engine = crawler.engine
    slot = engine._slot
    return not engine.running or slot is None or slot.closing is not None
