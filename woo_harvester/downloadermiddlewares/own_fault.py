"""Ends a run whose requests fail by a fault on this side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotSupported

from woo_harvester.running.causes import cause_of, exhaustion_in, is_exhausted
from woo_harvester.running.ending import end_run

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class OwnFaultMiddleware:
    """Ends the run where a request fails for want of memory, threads or files, or of a download handler.

    It stands before the middleware that tries again, and no publisher gets a finding of it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """End the run; the exception goes on to the errback."""
        if is_own_fault(exception):
            cause = cause_of(exhaustion_in(exception) or exception)
            end_run(self._crawler, "own_fault", f"{request.url} could not be asked for: {cause}")


def is_own_fault(error: BaseException) -> bool:
    """Return whether a request failed by a fault on this side, which says nothing about the publisher."""
    return isinstance(error, NotSupported) or is_exhausted(error)
