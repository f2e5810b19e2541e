"""Tries temporary faults again, later, and gives the whole host the rest that it asks for."""

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

#: RFC 9110, 10.2.3: the statuses for which Retry-After tells how long a host wants rest.
ASKS_FOR_REST = (429, 503)


class WooRetryMiddleware(RetryMiddleware):
    """Retries as Scrapy does, and also a body that was cut off; 429 and 503 pause their whole host.

    The pause is what ``Retry-After`` says, else ``WOO_RETRY_BACKOFF`` seconds, doubled with each try. A host
    that asks for more than ``WOO_RETRY_AFTER_MAX`` seconds is asked for nothing more in this run.
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
        """Pause a host that asks for rest; sent before its slot begins with the next request."""
        seconds = self._rest(request, response)
        politeness = self.crawler.get_extension(Politeness)
        if seconds is None or politeness is None:
            return
        host = str(request.meta.get("download_slot", ""))
        if seconds <= self._longest:
            politeness.pause(host, seconds)
        else:
            politeness.give_up(host, seconds)

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Hand the response on, or a request for another try."""
        result = self._judge(request, response)
        if result is not response:
            release(response)
        return result

    def _judge(self, request: Request, response: Response) -> Request | Response:
        if request.meta.get("dont_retry"):
            return response
        if "dataloss" in response.flags:
            return self._retry(request, "body cut off") or response
        seconds = self._rest(request, response)
        if seconds is not None and seconds > self._longest:
            self.crawler.stats.inc_value("woo/retry_after_too_long")
            return response
        return super().process_response(request, response)

    def _rest(self, request: Request, response: Response) -> float | None:
        """Seconds of rest that the host asks for; None where it asks for none."""
        if response.status not in ASKS_FOR_REST:
            return None
        asked = retry_after(response.headers.get("Retry-After"), datetime.now(UTC))
        return self._backoff * 2 ** int(request.meta.get("retry_times", 0)) if asked is None else asked


def retry_after(value: bytes | None, now: datetime) -> float | None:
    """Seconds that a ``Retry-After`` asks for: a number, or a date (RFC 9110, 10.2.3); None if unreadable."""
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
