"""The process of a harvest, which ends in time after a stop, even if a thread hangs."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import SETTINGS_PRIORITIES

from woo_harvester.running.causes import cause_of
from woo_harvester.running.ending import has_failed, printed
from woo_harvester.running.streams import flush_stderr, flush_stdout, write_stderr

if TYPE_CHECKING:
    import asyncio

    from scrapy.crawler import Crawler
    from scrapy.settings import Settings

logger = logging.getLogger(__name__)

Failure = tuple[int, str]
"""The exit status, and the line of error."""

OVERDUE = (
    "the run was stopped and did not end within WOO_STOP_TIMEOUT ({seconds:g} s), so it was ended; "
    "what is not confirmed comes again in the next run"
)

#: Seconds that hanging threads get after a second signal.
_KILL_TIMEOUT = 1.0

_STOPPED_AT_ONCE = (
    "stopped before outputs and report were closed: what is not confirmed comes again in the next run"
)


class HarvestProcess(AsyncCrawlerProcess):
    """Scrapy's process, whose runs end within ``WOO_STOP_TIMEOUT`` after a signal.

    A timer ends the process then, from its own thread, because a disk or database may block all others.
    """

    def __init__(self, settings: Settings) -> None:
        if not settings["LOG_FILE"] and settings.getpriority("LOG_LEVEL") != SETTINGS_PRIORITIES["cmdline"]:
            # Unless a level was typed, a run that cannot start is one line: Scrapy says nothing of itself.
            logging.disable(logging.INFO)
        super().__init__(settings)
        self._spider: Spider | None = None
        self._status: int | None = None
        """The exit status, or None as long as the command has not finished its work."""

    def run(
        self, crawler: Crawler, arguments: dict[str, Any], done: Callable[[], None] | None = None
    ) -> Failure | None:
        """Run a spider to its end; return why it could not start or continue, or None.

        *done* is called at its end, and may start another crawl.
        """
        self._spider = None
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        printed.add(crawler)
        crawler.signals.connect(self._log_all, signals.request_scheduled)
        task = self.crawl(crawler, **arguments)
        if done is not None:
            task.add_done_callback(lambda _: done())
        task.add_done_callback(lambda task: self._note_end(crawler, task))
        try:
            self.start()
        except SystemExit as exit_:  # of a component: Scrapy lets it end the process at once
            return 1, f"a component ended the run with SystemExit({exit_.code!r})"
        logging.disable(logging.NOTSET)
        self._status = None  # the command still has to print its result
        if (failure := self._failure_of(crawler)) is not None:
            return failure
        if not task.done():  # a second signal, or one before there was anything to close
            return 1, _STOPPED_AT_ONCE
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("The run failed", exc_info=error)
            return 1, cause_of(error)
        return None

    def _failure_of(self, crawler: Crawler) -> Failure | None:
        """Return the failure of the run, which its spider has."""
        failure: Failure | None = getattr(self._spider or crawler.spider, "failure", None)
        return failure

    def ends(self, status: int) -> None:
        """Set the exit status with which the timer ends the process, if a thread hangs."""
        self._status = status

    def _log_all(self, spider: Spider) -> None:
        """Log what the settings say from the first request on, with which the run has started."""
        spider.crawler.signals.disconnect(self._log_all, signals.request_scheduled)
        logging.disable(logging.NOTSET)

    def _spider_opened(self, spider: Spider) -> None:
        """Keep the spider: a crawler whose run fails has none at its end."""
        self._spider = spider

    def _signal_shutdown(self, signum: int, frame: Any) -> None:
        """Stop the crawls within ``WOO_STOP_TIMEOUT`` seconds, even if the event loop is blocked."""
        seconds = self.settings.getfloat("WOO_STOP_TIMEOUT")
        self._end_in(seconds, OVERDUE.format(seconds=seconds))
        super()._signal_shutdown(signum, frame)

    def _signal_kill(self, signum: int, frame: Any) -> None:
        """End the process at once; hanging threads get a second."""
        self._end_in(_KILL_TIMEOUT, _STOPPED_AT_ONCE)
        super()._signal_kill(signum, frame)

    def _note_end(self, crawler: Crawler, task: asyncio.Task[None]) -> None:
        """Set exit status 0 for the timer, once all outputs and the report are closed."""
        is_well = not task.cancelled() and task.exception() is None
        if is_well and not self.crawlers and not has_failed(crawler):
            self._status = 0

    def _end_in(self, seconds: float, line: str) -> None:
        """End the process after some seconds; *line* is the error if the command is not done by then."""
        timer = threading.Timer(seconds, self._end, [line])
        timer.daemon = True
        timer.start()

    def _end(self, line: str) -> None:
        if self._status is None:
            write_stderr(f"scrapy: error: {line}", "ERROR")
        status = 1 if self._status is None else self._status
        with suppress(OSError):
            flush_stdout()
        flush_stderr()
        os._exit(status)
