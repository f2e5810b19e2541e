"""Obeys a host's ``Crawl-delay``, and pauses or gives up a host that asks for a pause (``Retry-After``)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals

from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.internet.defer import Deferred

#: The smallest delay of a slot. Scrapy does not check a slot without delay before its next response.
SHORTEST_DELAY = 0.0001


class HostRestsError(Exception):
    """The host asks for a longer pause than this run allows, so it is given up."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"de host vraagt om {seconds:.0f} seconden rust (Retry-After)")


Queued = tuple["Request", "Deferred[Response]"]

_MakeError = Callable[[], Exception]
"""A function that makes the error of one request."""


class CountingQueue(deque[Queued]):
    """The queue of a downloader slot; a request counts as active as soon as it leaves the queue.

    Scrapy 2.19 counts it only when its task has started. Until then Scrapy may start more requests than
    ``CONCURRENT_REQUESTS_PER_DOMAIN`` allows.
    """

    def __init__(self, slot: Slot) -> None:
        super().__init__(slot.queue)
        self._slot = slot
        self._error: _MakeError | None = None

    def append(self, queued: Queued) -> None:
        """Add a request; if the host is given up, the request fails at once."""
        if self._error is None:
            super().append(queued)
        else:
            queued[1].errback(self._error())

    def give_up(self, error: _MakeError) -> None:
        """Give up the host: the waiting requests and all later ones fail with this error."""
        self._error = error
        waiting = list(self)
        self.clear()
        for queued in waiting:
            self.append(queued)

    def popleft(self) -> Queued:
        """Remove the first request, count it as active, and return it."""
        taken = super().popleft()
        self._slot.transferring.add(taken[0])
        return taken


class Politeness:
    """The extension that applies a host's ``Crawl-delay`` to its slot, and pauses or gives up hosts.

    AutoThrottle may raise the delay, but not lower it below the ``Crawl-delay``. A ``Crawl-delay`` is at most
    ``WOO_CRAWL_DELAY_MAX`` seconds. AutoThrottle does not change a ``delay`` that the operator set in
    Scrapy's ``DOWNLOAD_SLOTS``; a longer ``Crawl-delay`` still counts.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._longest = crawler.settings.getfloat("WOO_CRAWL_DELAY_MAX")
        self._agent = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self._delays: dict[str, float] = {}
        self._given_up: dict[str, _MakeError] = {}
        self._stopped: _MakeError | None = None
        slots: dict[str, dict[str, Any]] = crawler.settings.getdict("DOWNLOAD_SLOTS")
        self._fixed = {host: float(given["delay"]) for host, given in slots.items() if "delay" in given}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.robots_parsed, signals.robots_parsed)
        crawler.signals.connect(extension.request_reached_downloader, signals.request_reached_downloader)
        crawler.signals.connect(extension.response_downloaded, signals.response_downloaded)
        return extension

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Store the host's ``Crawl-delay``."""
        delay = robotparser.crawl_delay(self._agent)
        if delay:
            self._delays[host_of(request.url)] = min(delay, self._longest)
            self._crawler.stats.inc_value("woo/crawl_delay/hosts")

    def request_reached_downloader(self, request: Request) -> None:
        """Set the delay of the slot, and replace its queue, before the slot handles the request."""
        host = str(request.meta.get("download_slot", ""))
        self._set_delay(host)
        if (slot := self._slot(host)) is not None and not isinstance(slot.queue, CountingQueue):
            slot.queue = CountingQueue(slot)
            error = self._given_up.get(host, self._stopped)  # Scrapy may have dropped the slot since
            if error is not None:
                slot.queue.give_up(error)

    def response_downloaded(self, request: Request) -> None:
        """Set the delay again, after AutoThrottle and before the slot starts the next request."""
        self._set_delay(str(request.meta.get("download_slot", "")))

    def _set_delay(self, host: str) -> None:
        slot = self._slot(host)
        if slot is None:
            return
        asked = self._delays.get(host, 0.0)
        delay = self._fixed.get(host, slot.delay)
        slot.delay = max(delay, asked, SHORTEST_DELAY)
        if asked:
            slot.jitter = 0.0  # half of a Crawl-delay is not what the host asked for

    def pause(self, host: str, seconds: float) -> None:
        """Start no request to *host* for *seconds*; active requests go on."""
        if slot := self._slot(host):
            slot.delay = max(slot.delay, SHORTEST_DELAY)
            slot.lastseen = max(slot.lastseen, monotonic() + seconds)
            self._crawler.stats.inc_value("woo/pauses")

    def give_up(self, host: str, seconds: float) -> None:
        """Start no more requests to *host* in this run; those that wait fail with HostRestsError."""
        self._given_up[host] = error = partial(HostRestsError, seconds)
        if (slot := self._slot(host)) is not None and isinstance(slot.queue, CountingQueue):
            slot.queue.give_up(error)

    def give_up_all(self, error: _MakeError) -> None:
        """Start no more requests to any host in this run; those that wait fail with this error."""
        self._stopped = error
        for slot in list(self._crawler.engine.downloader.slots.values()):
            if isinstance(slot.queue, CountingQueue):
                slot.queue.give_up(error)

    def _slot(self, host: str) -> Slot | None:
        return self._crawler.engine.downloader.slots.get(host)
