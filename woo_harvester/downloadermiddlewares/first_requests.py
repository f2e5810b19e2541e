"""Reports whether the first request to each host had an answer, and how the others failed."""

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

#: The requests with which the reading of a host begins, by ``woo_kind``.
FIRST = frozenset({"robots", "ingang"})

#: RFC 9110, 15.5.8 and RFC 6585, 6: something between the harvester and the host asks for a password.
FROM_BETWEEN = frozenset({407, 511})


class FirstRequestsMiddleware:
    """Has the extension ``Findings`` count in how many hosts the connection fails in the same way.

    Nearest to the spider, so that it sees a failure only when no other middleware tries again.
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

        A signal, since a redirect that is refused does not come as far as this middleware.
        """
        self._note(request, "proxy" if response.status in FROM_BETWEEN else None)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note how the request failed."""
        if not isinstance(exception, SpoolError | TrustError):  # they end the run
            self._note(request, _failure_cause(exception))

    def _note(self, request: Request, cause: Cause | None) -> None:
        if request.meta.get("woo_kind") not in FIRST:
            return
        if redirected := request.meta.get("redirect_urls"):  # so the host itself has answered
            self._findings.host_tried(host_of(redirected[0]), None)
        else:
            self._findings.host_tried(host_of(request.url), cause)


def _failure_cause(error: Exception) -> Cause | None:
    """Return how a connection failed; None where *error* is about this host alone."""
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
