"""Sends Scrapy's signals, with less work for each handler."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import lru_cache
from inspect import CO_VARKEYWORDS
from types import CodeType, FunctionType, MethodType
from typing import Any

from pydispatch import dispatcher
from pydispatch.robustapply import robustApply
from scrapy.exceptions import StopDownload
from scrapy.signalmanager import SignalManager
from scrapy.signals import item_scraped
from scrapy.utils.defer import ensure_awaitable
from twisted.internet.defer import Deferred
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
