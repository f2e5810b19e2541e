"""Notes how the first request to each host failed, or that the host answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    NotConfigured,
)

from woo_harvester.extensions.findings import Findings
from woo_harvester.handlers.body import SpoolError
from woo_harvester.handlers.streaming import PrivateHostError, TlsError
from woo_harvester.trust import TrustError
from woo_harvester.urls import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from woo_harvester.findings.common_cause import Cause

#: Values of ``woo_kind`` of the first request to a host.
_FIRST = frozenset({"robots", "ingang"})

#: Statuses of something between the harvester and the host (RFC 9110, 15.5.8; RFC 6585, 6).
_FROM_PROXY = frozenset({407, 511})


class FirstRequestsMiddleware:
    """The middleware that reports first requests to the extension ``Findings``.

    The extension counts the hosts whose connection fails in the same way. This middleware is the nearest to
    the spider, so it sees a failure only if no other middleware retries.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        findings = crawler.get_extension(Findings)
        if findings is None:
            raise NotConfigured
        middleware = cls(findings)
        crawler.signals.connect(middleware.response_downloaded, signals.response_downloaded)
        return middleware

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Note that the host answered, unless the answer is not its own.

        This is a signal handler because a refused redirect does not reach this middleware.
        """
        self._note(request, "proxy" if response.status in _FROM_PROXY else None)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note how the request failed."""
        if not isinstance(exception, SpoolError | TrustError):  # these end the run
            self._note(request, _failure_cause(exception))

    def _note(self, request: Request, cause: Cause | None) -> None:
        if request.meta.get("woo_kind") not in _FIRST:
            return
        if redirected := request.meta.get("redirect_urls"):  # so the host itself has answered
            self._findings.host_tried(host_of(redirected[0]), None)
        else:
            self._findings.host_tried(host_of(request.url), cause)


def _failure_cause(error: Exception) -> Cause | None:
    """Return how a connection failed, or None if only this host can have caused *error*."""
    match error:
        case TlsError():
            return "tls"
        case CannotResolveHostError():
            return "dns"
        case DownloadConnectionRefusedError():
            return "refused"
        case DownloadTimeoutError():
            return "timeout"
        case PrivateHostError():
            return "address"
        case DownloadFailedError():
            return "lost"
        case _:
            return None
