"""The end of a run, with its reason and status."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakSet

from scrapy import signals
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.utils.defer import deferred_from_coro

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: The finish reason of a run that could not start.
CANNOT_START = "cannot_start"


class RunError(Exception):
    """The run cannot start or continue. The log has the line that says why, so it needs no traceback."""


#: The crawlers whose failure a command prints as its last line, so that the log need not show it too.
printed = WeakSet["Crawler"]()


def refuse_start(crawler: Crawler, line: str, cause: Exception, status: int = 1) -> NoReturn:
    """Leave out a component that cannot be made, and close the spider as soon as it is opened.

    Raises NotConfigured, which makes Scrapy leave out the component without a word.
    """
    close_at_start(crawler, line, status)
    raise NotConfigured from cause


def close_at_start(crawler: Crawler, line: str, status: int = 1) -> None:
    """Log *line*, and close the spider as soon as it is opened; the command exits with *status*."""
    fail_run(crawler, line, status)
    crawler.signals.connect(_close, signals.spider_opened)


def _close() -> NoReturn:
    raise CloseSpider(CANNOT_START)


def end_run(crawler: Crawler, reason: str, line: str, status: int = 1) -> None:
    """Close the spider with *reason*; the command prints *line* and exits with *status*."""
    if fail_run(crawler, line, status) and crawler.engine.spider is not None:  # otherwise it is closed by now
        deferred_from_coro(crawler.engine.close_spider_async(reason=reason))


def fail_run(crawler: Crawler, line: str, status: int = 1) -> bool:
    """Log *line*, and make the command print it at the end of the run and exit with *status*.

    Only the first failure of a run counts: later ones follow from it. Return whether this is the first.
    """
    if has_failed(crawler):
        return False
    logger.log(logging.INFO if crawler in printed else logging.ERROR, line)
    spider: Any = crawler.spider
    spider.failure = (status, line)  # read by the command
    if crawler._engine is not None and crawler._engine.spider is None:  # it was opened, and is closed by now
        _remove_spider(crawler)
    else:
        crawler.signals.connect(_remove_spider, signals.spider_closed)
    return True


def has_failed(crawler: Crawler) -> bool:
    """Return whether the run could not start, or had to end."""
    return crawler.spider is None or getattr(crawler.spider, "failure", None) is not None


def _remove_spider(sender: Crawler) -> None:
    """Take the spider away from a crawler whose run has failed.

    Scrapy's own processes set ``bootstrap_failed`` for a crawler without a spider, and its command ``crawl``
    then exits with status 1. The command of this project keeps the spider itself.
    """
    sender.spider = None


def is_closing(crawler: Crawler) -> bool:
    """Return whether the run is being closed, so that Scrapy starts no more requests."""
    engine = crawler.engine
    slot = engine._slot
    return not engine.running or slot is None or slot.closing is not None
