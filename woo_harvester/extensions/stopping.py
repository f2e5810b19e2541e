"""Ends a run that is being stopped in time, by giving up what it still waits for."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from woo_harvester.extensions.politeness import Politeness
from woo_harvester.running.ending import RunError, fail_run, is_closing

if TYPE_CHECKING:
    from types import TracebackType

    from scrapy.crawler import Crawler

#: The shares of ``WOO_STOP_TIMEOUT`` after which active requests are given up, and then outputs that do not
#: answer. The rest of the time is for the state and the report.
_REQUESTS, OUTPUTS = 0.25, 0.75

#: The finish reasons of Scrapy's extensions that stop a run because of a failure, with the setting. The other
#: CLOSESPIDER_* settings bound the time, pages or items of a run: these are asked for.
_FAILURES = {"memusage_exceeded": "MEMUSAGE_LIMIT_MB", "closespider_errorcount": "CLOSESPIDER_ERRORCOUNT"}

_STOPPED = "the run was stopped when it reached {}={}: the next run goes on where this one ended"

#: Seconds between two checks whether the run is being stopped; Scrapy has no signal for that.
_INTERVAL = 0.2

#: The signal that outputs are given up, sent in a run that is being stopped.
outputs_given_up = object()


class StoppedError(RunError):
    """A request or document is given up because the run is being stopped; the next run requests it."""

    def __init__(self) -> None:
        super().__init__("given up, since the run is being stopped")


class Stopping:
    """The extension that ends a stopped run in ``WOO_STOP_TIMEOUT`` seconds, even if hosts or stores hang.

    Waiting requests are given up at once. Active requests get a quarter of that time, and then fail with
    StoppedError. Outputs get three quarters, and then :data:`outputs_given_up` is sent.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._timeout = crawler.settings.getfloat("WOO_STOP_TIMEOUT")
        self._since: float | None = None
        self._scopes: set[asyncio.Timeout] = set()
        self._given_up = False
        self._outputs_given_up = False
        self._loop = create_looping_call(self._check)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def engine_started(self) -> None:
        """Start the timer."""
        self._loop.start(_INTERVAL, now=False)

    def engine_stopped(self) -> None:
        """Stop the timer, and let a run fail that Scrapy has stopped because of a failure."""
        if self._loop.running:
            self._loop.stop()
        if name := _FAILURES.get(self._crawler.stats.get_value("finish_reason")):
            fail_run(self._crawler, _STOPPED.format(name, self._crawler.settings[name]))

    def enter(self, scope: asyncio.Timeout) -> None:
        """Let *scope* expire when the run gives up. Raises StoppedError if it has given up already."""
        if self._given_up:
            raise StoppedError
        self._scopes.add(scope)

    def leave(self, scope: asyncio.Timeout) -> None:
        """Forget a scope that ends."""
        self._scopes.discard(scope)

    def _check(self) -> None:
        if not self._is_stopping():
            return
        if self._since is None:
            self._since = monotonic()
            if (politeness := self._crawler.get_extension(Politeness)) is not None:
                politeness.give_up_all(StoppedError)
        passed = (monotonic() - self._since) / self._timeout
        if passed >= _REQUESTS and not self._given_up:
            self._give_up()
        if passed >= OUTPUTS and not self._outputs_given_up:
            self._outputs_given_up = True
            self._crawler.signals.send_catch_log(signal=outputs_given_up)

    def _give_up(self) -> None:
        self._given_up = True
        now = asyncio.get_running_loop().time()
        for scope in self._scopes:
            scope.reschedule(now)

    def _is_stopping(self) -> bool:
        """Return whether the run was stopped, or is being closed while requests are active."""
        slot = self._crawler.engine._slot
        return not self._crawler.crawling or (
            is_closing(self._crawler) and slot is not None and bool(slot.inprogress)
        )


class Interruptible:
    """A context that raises StoppedError in its body when the run gives it up; for ``async with``.

    Without *stopping*, the extension of the run, it does nothing. It is a class because each document enters
    it: a generator takes three times as long.
    """

    __slots__ = ("_scope", "_stopping")

    def __init__(self, stopping: Stopping | None) -> None:
        self._stopping = stopping
        self._scope = asyncio.timeout(None)

    async def __aenter__(self) -> None:
        if self._stopping is not None:
            self._stopping.enter(self._scope)
        await self._scope.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._stopping is not None:
            self._stopping.leave(self._scope)
        try:
            await self._scope.__aexit__(kind, error, traceback)
        except TimeoutError as expired:
            raise StoppedError from expired
        if isinstance(error, TimeoutError) and self._scope.expired():
            raise StoppedError from error
