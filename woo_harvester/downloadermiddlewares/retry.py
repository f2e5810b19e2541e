"""Retries temporary failures later, and pauses a host for as long as it requests."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.http import Request, Response

from woo_harvester.extensions.politeness import Politeness
from woo_harvester.responses import release

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

#: Statuses with which a host requests a pause; Retry-After says how long (RFC 9110, 10.2.3).
_ASKS_FOR_PAUSE = (429, 503)


class WooRetryMiddleware(RetryMiddleware):
    """Scrapy's retry middleware, which also retries truncated responses; 429 and 503 pause their host.

    ``Retry-After`` gives the length of the pause. Without it, a pause takes ``WOO_RETRY_BACKOFF`` seconds,
    doubled with each retry. A host that requests more than ``WOO_RETRY_AFTER_MAX`` seconds gets
    no more requests in this run.
    """

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._backoff = settings.getfloat("WOO_RETRY_BACKOFF")
        self._longest = settings.getfloat("WOO_RETRY_AFTER_MAX")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = super().from_crawler(crawler)
        crawler.signals.connect(middleware.response_downloaded, signals.response_downloaded)
        return middleware

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Pause a host that requests it. The signal comes before its slot starts the next request."""
        seconds = self._pause_of(request, response)
        if seconds is None:
            return
        politeness = self.crawler.get_extension(Politeness)
        if politeness is None:
            return
        host = str(request.meta.get("download_slot", ""))
        if seconds <= self._longest:
            politeness.pause(host, seconds)
        else:
            politeness.give_up(host, seconds)

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return the response, or the request for a retry in its place."""
        result = self._retried(request, response)
        if result is not response:
            release(response)
        return result

    def _retried(self, request: Request, response: Response) -> Request | Response:
        if request.meta.get("dont_retry"):
            return response
        if "dataloss" in response.flags:
            return self._retry(request, "body cut off") or response
        seconds = self._pause_of(request, response)
        if seconds is not None and seconds > self._longest:
            self.crawler.stats.inc_value("woo/retry_after_too_long")
            return response
        return super().process_response(request, response)

    def _pause_of(self, request: Request, response: Response) -> float | None:
        """Return the seconds of the pause that a response requests, or None."""
        if response.status not in _ASKS_FOR_PAUSE:
            return None
        asked = retry_after(response.headers.get("Retry-After"), datetime.now(UTC))
        return self._backoff * 2 ** int(request.meta.get("retry_times", 0)) if asked is None else asked


def retry_after(value: bytes | None, now: datetime) -> float | None:
    """Return the seconds in a ``Retry-After``, a number or a date (RFC 9110, 10.2.3); None if unreadable."""
    text = (value or b"").decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
