"""The end of a run, with its reason and status; and Scrapy's signals, with less work for each handler."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import lru_cache
from inspect import CO_VARKEYWORDS
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from pydispatch import dispatcher
from pydispatch.robustapply import robustApply
from scrapy import signals
from scrapy.exceptions import CloseSpider, NotConfigured, StopDownload
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.signalmanager import SignalManager
from scrapy.signals import item_scraped
from scrapy.utils.defer import deferred_from_coro, ensure_awaitable
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from woo_harvester.running.startlog import IN_LAST_LINE

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure


logger = logging.getLogger(__name__)

_ERROR = "Error caught on signal handler: %(receiver)s"


class ItemSignals(SignalManager):
    """Scrapy's signal manager, with half the work. A document sends seven signals.

    - Which arguments a handler accepts is found out once. Scrapy does so for each signal.
    - Only handlers of records that have something to await get a task. Scrapy runs each handler in a task of
      its own. Nearly all handlers of records are plain functions, and for each record their tasks took as
      long as the pipelines.
    """

    def send_catch_log(
        self, signal: Any, *, dont_log: type[Exception] | Sequence[type[Exception]] = (), **kwargs: Any
    ) -> list[tuple[Any, Any]]:
        """Send a signal. Return each handler with its result, or with a Failure, which is logged."""
        kwargs.setdefault("sender", self.sender)
        receivers = _receivers(kwargs["sender"], signal)
        if not receivers:
            return []
        kwargs["signal"] = signal
        sent: list[tuple[Any, Any]] = []
        for receiver in receivers:
            try:
                result = _call(receiver, kwargs)
            except Exception as error:
                result = Failure()  # type: ignore[no-untyped-call]
                unlogged = dont_log if isinstance(dont_log, Sequence) else (dont_log,)
                if not isinstance(error, (StopDownload, *unlogged)):
                    spider = kwargs.get("spider")
                    logger.exception(_ERROR, {"receiver": receiver}, extra={"spider": spider})
            else:
                _check_result(receiver, result, kwargs)
            sent.append((receiver, result))
        return sent

    async def send_catch_log_async(self, signal: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Send a signal; await what handlers return. Return each handler with its result or exception."""
        if signal is not item_scraped:
            return await super().send_catch_log_async(signal, **kwargs)
        sent = self.send_catch_log(signal, **kwargs)
        if all(result is None for _, result in sent):
            return sent
        return await asyncio.gather(*(_result_of(receiver, result, **kwargs) for receiver, result in sent))


async def _result_of(receiver: Any, result: Any, spider: Any = None, **_: Any) -> tuple[Any, Any]:
    """Return a handler with its result; log an exception as Scrapy does."""
    if isinstance(result, Failure):
        return receiver, result.value  # it is logged already
    try:
        return receiver, await ensure_awaitable(result)
    except Exception as error:
        logger.exception(_ERROR, {"receiver": receiver}, extra={"spider": spider})
        return receiver, error


def _receivers(sender: Any, signal: Any) -> list[Any]:
    """Return the handlers of a signal that still exist."""
    connections = dispatcher.connections
    own = connections.get(id(sender), {})
    if dispatcher.Any in own or id(dispatcher.Any) in connections:  # handlers of any signal or any sender
        return list(dispatcher.liveReceivers(dispatcher.getAllReceivers(sender, signal)))
    return list(dispatcher.liveReceivers(own.get(signal, ())))


def _call(receiver: Any, arguments: dict[str, Any]) -> Any:
    """Call a handler with those arguments that it accepts."""
    if type(receiver) is not MethodType or type(receiver.__func__) is not FunctionType:
        return robustApply(receiver, **arguments)
    names = _accepted(receiver.__func__.__code__)
    if names is None:
        return receiver(**arguments)
    return receiver(**{name: arguments[name] for name in names if name in arguments})


@lru_cache(maxsize=256)
def _accepted(code: CodeType) -> tuple[str, ...] | None:
    """Return the names of the arguments of a method, without its object; None if it accepts any."""
    return None if code.co_flags & CO_VARKEYWORDS else code.co_varnames[1 : code.co_argcount]


def _check_result(receiver: Any, result: Any, arguments: dict[str, Any]) -> None:
    if isinstance(result, Deferred):
        logger.error(
            "Cannot return deferreds from signal handler: %(receiver)s",
            {"receiver": receiver},
            extra={"spider": arguments.get("spider")},
        )


#: The finish reason of a run that could not start.
CANNOT_START = "cannot_start"


class RunError(Exception):
    """The run cannot start or continue. The log has the line that says why, so it needs no traceback."""


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
    logger.error(line, extra={IN_LAST_LINE: True})
    spider: Any = crawler.spider
    spider.failure = (status, line)  # read by the command
    if _is_closed(crawler):
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


def _is_closed(crawler: Crawler) -> bool:
    """Return whether the spider was opened and is closed by now."""
    return crawler._engine is not None and crawler._engine.spider is None


def is_closing(crawler: Crawler) -> bool:
    """Return whether the run is being closed, so that Scrapy starts no more requests."""
    engine = crawler.engine
    slot = engine._slot
    return not engine.running or slot is None or slot.closing is not None


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
