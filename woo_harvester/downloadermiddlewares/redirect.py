"""Follows redirects only to https and to registered hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.spidermiddlewares.referer import RefererMiddleware

from woo_harvester.responses import release
from woo_harvester.urls import host_of, loc_problem, secured

if TYPE_CHECKING:
    from scrapy import Spider


class RedirectRefused(IgnoreRequest):
    """A redirect that is not followed; the message is its target."""

    def __init__(self, target: str, code: str | None) -> None:
        super().__init__(target)
        self.target = target
        self.code = code
        """``host.niet-geregistreerd`` for an unregistered host, else None."""


class WooRedirectMiddleware(RedirectMiddleware):
    """The redirect middleware that checks each hop of the project's own requests; Scrapy handles all others.

    The target must have no user name, and must be https unless the redirecting page is http. Its host must be
    registered, or in the request's meta ``woo_hosts`` if that is given. The new request waits in the queue of
    its own host.
    """

    def _engine_started(self) -> None:
        """Look for the middleware that adds Referer headers. Scrapy's method warns if there is none."""
        self._referer_spider_middleware = self.crawler.get_spider_middleware(RefererMiddleware)

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return the request for the target, or the response if it is no redirect. Raises RedirectRefused."""
        if not request.meta.get("woo_stream") or not _is_redirect(response):
            return super().process_response(request, response)
        release(response)
        try:
            followed = super().process_response(request, response)
        except ValueError as error:  # no URL that Scrapy can request, such as javascript:
            raise RedirectRefused(_target(request, response), None) from error
        if not isinstance(followed, Request):  # Scrapy itself does not follow file:, data: and the like
            raise RedirectRefused(_target(request, response), None)
        self._check(followed.url, request)
        followed.meta["download_slot"] = host_of(followed.url)
        return followed

    def _check(self, target: str, request: Request) -> None:
        if loc_problem(secured(target) if request.url.startswith("http:") else target):
            raise RedirectRefused(target, None)
        hosts = request.meta.get("woo_hosts")  # fewer than those of the run, for this request
        is_registered = hosts.__contains__ if hosts else getattr(self.crawler.spider, "is_registered", None)
        if is_registered is not None and not is_registered(host_of(target)):
            raise RedirectRefused(target, "host.niet-geregistreerd")


def _is_redirect(response: Response) -> bool:
    return 300 <= response.status < 400 and response.status != 304 and "Location" in response.headers


def _target(request: Request, response: Response) -> str:
    """Return the target of a redirect as an absolute URL, or as given if it is not a valid URL."""
    given: str = response.headers.to_unicode_dict()["Location"]
    try:
        return urljoin(request.url, given)
    except ValueError:
        return given
