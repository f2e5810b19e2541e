"""Sends Scrapy's signals about items without a task for each handler."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from scrapy.signalmanager import SignalManager
from scrapy.signals import item_scraped
from scrapy.utils.defer import ensure_awaitable
from twisted.python.failure import Failure

logger = logging.getLogger(__name__)


class ItemSignals(SignalManager):
    """Scrapy's signal manager, which starts tasks only for handlers of records that have something to await.

    Scrapy runs each handler in a task of its own. Nearly all handlers of records are plain functions, and for
    each record their tasks took as long as the pipelines.
    """

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
        logger.exception(
            "Error caught on signal handler: %(receiver)s",
            {"receiver": receiver},
            extra={"spider": spider},
        )
        return receiver, error
