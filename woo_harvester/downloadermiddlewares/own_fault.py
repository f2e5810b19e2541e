"""Ends a run whose requests fail because of the harvester or its machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotSupported

from woo_harvester.running.causes import cause_of, exhaustion_in, is_exhausted
from woo_harvester.running.ending import end_run

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class OwnFaultMiddleware:
    """The middleware that ends the run if memory, threads, files or a download handler are lacking.

    It comes before the middleware that retries. No publisher gets a finding about such a failure.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """End the run if this machine is at fault; the errback still gets the exception."""
        if is_own_fault(exception):
            cause = cause_of(exhaustion_in(exception) or exception)
            end_run(self._crawler, "own_fault", f"{request.url} could not be asked for: {cause}")


def is_own_fault(error: BaseException) -> bool:
    """Return whether the harvester or its machine made a request fail, and not the publisher."""
    return isinstance(error, NotSupported) or is_exhausted(error)
