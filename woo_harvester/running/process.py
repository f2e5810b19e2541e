"""The process of a harvest, and the deadline by which it ends after a stop, even if a thread hangs."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.utils.log import get_scrapy_root_handler, log_scrapy_info

from woo_harvester.running.causes import StartError, cause_of, is_exhausted, wrong_setting
from woo_harvester.running.components import check_settings
from woo_harvester.running.ending import end_run, has_failed
from woo_harvester.running.startlog import FirstErrors, StartLog, flush_stderr, flush_stdout, write_stderr

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import Settings


logger = logging.getLogger(__name__)

OVERDUE = (
    "the run was stopped and did not end within WOO_STOP_TIMEOUT ({seconds:g} s), so it was ended; "
    "what is not confirmed comes again in the next run"
)

#: Seconds to write the last line to the log, whose disk may hang too.
_LAST_LINE = 1.0


class Deadline:
    """Ends the process at a given time from its own threads, because a disk or database may block the others.

    The threads start immediately. Later there may be no memory for them, and Python's ``Thread.start`` might
    then wait for ever.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        """The exit status, or None as long as the command has not finished its work."""
        self._line = ""
        self._at: float | None = None
        self._changed = threading.Condition()
        for later, act in ((0.0, self._end), (_LAST_LINE, self._exit)):
            threading.Thread(target=self._wait, args=(later, act), name="deadline", daemon=True).start()

    def start(self, seconds: float, line: str) -> None:
        """End the process after *seconds*; *line* is the error. An earlier deadline stays."""
        at = monotonic() + seconds
        with self._changed:
            if self._at is None or at < self._at:
                self._at, self._line = at, line
                self._changed.notify_all()

    def _wait(self, later: float, act: Callable[[], None]) -> None:
        with self._changed:
            while self._at is None or (left := self._at + later - monotonic()) > 0:
                self._changed.wait(None if self._at is None else left)
        act()

    def _end(self) -> None:
        if self.status is None:
            logger.error(self._line)
            write_stderr(f"scrapy: error: {self._line}")
        self._exit()

    def _exit(self) -> None:
        status = 1 if self.status is None else self.status
        try:
            flush_stdout()
        except OSError:
            status = status or 1
        flush_stderr()
        os._exit(status)


#: The number of threads in libuv's pool (``UV_THREADPOOL_SIZE``).
_COUNT = 4


def start_threads(loop: asyncio.AbstractEventLoop) -> None:
    """Make libuv, on which uvloop runs, start its threads. Raises RuntimeError if there are too few.

    libuv starts them at the first connection, and calls ``abort()`` if it cannot. So this function first
    starts and ends as many threads itself; libuv then gets their memory.
    """
    done = threading.Event()
    started = [threading.Thread(target=done.wait, daemon=True) for _ in range(_COUNT)]
    try:
        for thread in started:
            thread.start()
    finally:
        done.set()
        for thread in started:
            if thread.ident is not None:
                thread.join()
    # Without a socket type, even this address is looked up in the pool.
    loop.run_until_complete(loop.getaddrinfo("127.0.0.1", 1, family=socket.AF_INET))


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
        self._start_log: StartLog | None = None
        self._spider: Spider | None = None
        self._errors = FirstErrors()

    def run(
        self, crawler: Crawler, arguments: dict[str, Any], done: Callable[[], None] | None = None
    ) -> Failure | None:
        """Run a spider to its end; return why it could not start or continue, or None.

        *done* is called at its end, and may start another crawl.
        """
        if not self.settings["LOG_FILE"]:
            self._start_log = StartLog()
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
            try:
                self.start()
            except SystemExit as error:  # of a component: Scrapy lets it end the process at once
                return 1, f"a component ended the run with SystemExit({error.code!r})"
            self._deadline.status = None  # the command still has to print its result
            return self._failure(crawler, task)
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
