"""The process in which a command runs spiders, and why a run failed."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.utils.log import get_scrapy_root_handler, log_scrapy_info

from woo_harvester.running.causes import StartError, cause_of, is_exhausted, wrong_setting
from woo_harvester.running.components import check_components, check_settings
from woo_harvester.running.deadline import OVERDUE, Deadline
from woo_harvester.running.ending import CANNOT_START, close_at_start, end_run, has_failed
from woo_harvester.running.startlog import FirstErrors, StartLog
from woo_harvester.running.threads import start_threads

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import Settings

logger = logging.getLogger(__name__)

#: Scrapy's finish reason if the spider's ``start()`` raised an unexpected exception.
_START_ERROR = "start_error"

#: Seconds that hanging threads get after a second signal.
_KILL_TIMEOUT = 1.0

_EXHAUSTED = "the machine gives this run no more memory, threads or files: {}; the next run goes on"

_STOPPED_AT_ONCE = (
    "stopped before outputs and report were closed: what is not confirmed comes again in the next run"
)

Failure = tuple[int, str]
"""The exit status, and the line of error."""


class HarvestProcess(AsyncCrawlerProcess):
    """Scrapy's process, which keeps its log back until the first request, unless it goes to a file.

    Making it raises UsageError for a wrong setting, and StartError if the machine lacks memory or threads.
    """

    def __init__(self, settings: Settings) -> None:
        with suppress(AttributeError, OSError):  # stderr may not be a file
            faulthandler.enable()  # shows where a library calls abort()
        check_settings(settings)
        try:
            with _quiet():
                super().__init__(settings)
            self._deadline = Deadline()
            start_threads(asyncio.get_event_loop())
        except Exception as error:
            if (line := wrong_setting(error)) is not None:
                raise UsageError(line, print_help=False) from error
            raise StartError(_with_log_file(settings, error)) from error
        check_components(settings)
        self._start_log: StartLog | None = None
        self._spider: Spider | None = None
        self._errors = FirstErrors()

    def run(
        self, crawler: Crawler, arguments: dict[str, Any], done: Callable[[], None] | None = None
    ) -> Failure | None:
        """Run a spider to its end; return why it could not start or continue, or None.

        *done* is called at its end, and may start another crawl.
        """
        self._errors.on_wrong_setting = partial(_close_for, crawler)
        if not self.settings["LOG_FILE"]:
            self._start_log = StartLog(self._errors.on_wrong_setting)
            crawler.signals.connect(self._start_log.write_kept, signals.request_scheduled)
        self._spider = None
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        self._errors.on_exhausted = partial(self._exhausted, crawler)
        sys.unraisablehook = partial(self._unraisable, crawler)
        try:
            log_scrapy_info(self.settings)
            self._check_log_file()
            task = self.crawl(crawler, **arguments)
            if done is not None:
                task.add_done_callback(lambda _: done())
            task.add_done_callback(partial(self._done_well, crawler))
            self.start()
            self._deadline.status = None  # the command still has to print its result
            return self._failure(crawler, task)
        except Exception as error:
            if wrong_setting(error) is not None:
                self._release_log(drop=True)
            raise
        finally:
            self._release_log()
            self._errors.close()
            sys.unraisablehook = sys.__unraisablehook__

    def _spider_opened(self, spider: Spider) -> None:
        """Keep the spider: a crawler whose run fails has none at its end."""
        self._spider = spider

    def _signal_shutdown(self, signum: int, frame: Any) -> None:
        """Stop the crawls within ``WOO_STOP_TIMEOUT`` seconds, even if the event loop is blocked."""
        seconds = self.settings.getfloat("WOO_STOP_TIMEOUT")
        self._deadline.start(seconds, OVERDUE.format(seconds=seconds))
        super()._signal_shutdown(signum, frame)

    def _signal_kill(self, signum: int, frame: Any) -> None:
        """End the process at once; hanging threads get a second."""
        self._deadline.start(_KILL_TIMEOUT, _STOPPED_AT_ONCE)
        super()._signal_kill(signum, frame)

    def ends(self, status: int) -> None:
        """Set the exit status with which the deadline ends the process, if a thread hangs."""
        self._deadline.status = status

    def _done_well(self, crawler: Crawler, task: asyncio.Task[None]) -> None:
        """Set exit status 0 for the deadline, once all outputs and the report are closed."""
        is_well = not task.cancelled() and task.exception() is None
        if is_well and not self.crawlers and not has_failed(crawler):
            self._deadline.status = 0

    def _exhausted(self, crawler: Crawler, cause: str) -> None:
        """End the run; Scrapy only logs the error, and would continue with one failure after another."""
        from twisted.internet import reactor  # noqa: PLC0415  -- only once it is installed

        line = _EXHAUSTED.format(cause)
        self._deadline.start(self.settings.getfloat("WOO_STOP_TIMEOUT"), line)
        reactor.callFromThread(end_run, crawler, "exhausted", line)

    def _unraisable(self, crawler: Crawler, unraisable: sys.UnraisableHookArgs) -> None:
        """End the run also if a new thread lacks memory: the thread that started it would wait for ever."""
        sys.__unraisablehook__(unraisable)
        if unraisable.exc_value is not None and is_exhausted(unraisable.exc_value):
            self._exhausted(crawler, cause_of(unraisable.exc_value))

    def _release_log(self, *, drop: bool = False) -> None:
        """Write the log that was kept back, or with *drop* discard it."""
        if self._start_log is not None:
            (self._start_log.forget if drop else self._start_log.write_kept)()

    def _failure(self, crawler: Crawler, task: asyncio.Task[None]) -> Failure | None:
        failure: Failure | None = getattr(self._spider or crawler.spider, "failure", None)
        if failure is not None:
            self._release_log(drop=True)
            return failure
        if not task.done():  # a second signal, or one before there was anything to close
            return 1, _STOPPED_AT_ONCE
        error = None if task.cancelled() else task.exception()
        if error is not None:
            first = _first(error)
            if (line := wrong_setting(first)) is not None:
                self._release_log(drop=True)
                return 2, line
            logger.error("The run failed", exc_info=error)
            return 1, cause_of(first)
        if crawler._stats is not None and crawler.stats.get_value("finish_reason") == _START_ERROR:
            return 1, f"the run could not start: {self._errors.first}"
        if self._errors.exhausted is not None:
            return 1, _EXHAUSTED.format(self._errors.exhausted)
        return None

    def _check_log_file(self) -> None:
        handler = get_scrapy_root_handler()
        try:
            if handler is not None:
                handler.flush()  # the first lines are in its buffer
        except OSError as error:
            raise StartError(_with_log_file(self.settings, error)) from error


def _close_for(crawler: Crawler, line: str) -> None:
    """End the run for a wrong setting; if that shows before the spider is opened, as soon as it is."""
    if crawler._engine is None:
        close_at_start(crawler, line, 2)
    else:
        end_run(crawler, CANNOT_START, line, 2)


def _first(error: BaseException) -> BaseException:
    """Return the exception that made the run fail, and not a RuntimeError that Scrapy raised on closing."""
    while isinstance(error, RuntimeError) and error.__context__ is not None and error.__cause__ is None:
        error = error.__context__
    return error


def _with_log_file(settings: Settings, error: Exception) -> str:
    """Return the cause in one line; an OSError is about the log file, if there is one."""
    is_file = isinstance(error, OSError) and not is_exhausted(error) and settings["LOG_FILE"]
    return f"LOG_FILE: {cause_of(error)}" if is_file else cause_of(error)


@contextmanager
def _quiet() -> Iterator[None]:
    """Log only warnings; Scrapy's information about itself is logged later, when it can be kept back."""
    before = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)
