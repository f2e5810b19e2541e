"""What happens to each document: fetched, asked for its headers only, or left alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from scrapy import Request

from woo_harvester.arguments import DocumentsMode
from woo_harvester.extensions.state import Delivery
from woo_harvester.handlers.body import SpoolError
from woo_harvester.handlers.response import StreamedResponse
from woo_harvester.items import Fetched, WooItem
from woo_harvester.spiders.conditional import validator
from woo_harvester.spiders.failures import failure_code, failure_seen
from woo_harvester.spiders.visit import Visit
from woo_harvester.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.http.request import CallbackT
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

SKIPPED = "overgeslagen"

#: An answer to HEAD with one of these may only mean that the server does not do HEAD.
HEAD_REFUSED = frozenset({400, 403, 404, 405, 500, 501})


class Documents:
    """Makes the requests for documents, and items of their answers.

    *mode* is ``download`` (the body is received, measured and hashed), ``head`` (headers only; where a
    server refuses HEAD, a GET that is broken off after the headers) or ``none``.
    """

    def __init__(self, mode: DocumentsMode, settings: BaseSettings) -> None:
        self.mode = mode
        self.finish: Callable[[Visit], None] = lambda visit: None
        """Called with the visit when a document is done."""
        self._maxsize = settings.getint("WOO_DOCUMENT_MAXSIZE")
        self._timeout = settings.getfloat("WOO_DOCUMENT_TIMEOUT")

    def request(self, item: WooItem, visit: Visit, *, headers_only: bool = False) -> Request:
        """The request for an item's document; it takes a place of the visit until it is done."""
        visit.document_begins()
        loc = item.record.document.weblocatie
        return Request(
            loc,
            method="HEAD" if self.mode == "head" and not headers_only else "GET",
            callback=cast("CallbackT", self.parse),  # its response is of our own handler
            errback=self.on_failure,
            dont_filter=True,
            headers={"Accept": "*/*", "Accept-Encoding": "identity"},
            meta={
                "download_slot": host_of(loc),
                "download_maxsize": self._maxsize,
                "download_timeout": self._timeout,
                "handle_httpstatus_list": range(400, 600),
                "woo_headers_only": headers_only,
                "woo_kind": "document",
                "woo_decompress": True,
                "woo_digest": self.mode == "download",
                "woo_stream": True,
            },
            cb_kwargs={"item": item, "visit": visit},
        )

    def parse(self, response: StreamedResponse, item: WooItem, visit: Visit) -> Iterator[Request | WooItem]:
        """The item with what the answer told; a finding where the document cannot be had."""
        visit.document_ends()
        with closing(response):
            if _refuses_head(response):
                yield self.request(item, visit, headers_only=True)
                return
            if item.source is not None and self._is_usable(response, item):
                item.source.fetched = _fetched(response)
                _tell_state(item, response)
                yield item
        self.finish(visit)

    def on_failure(self, failure: Failure) -> None:
        """Tell why no answer came."""
        request: Request = failure.request  # type: ignore[attr-defined]
        item: WooItem = request.cb_kwargs["item"]
        visit: Visit = request.cb_kwargs["visit"]
        visit.document_ends()
        if isinstance(failure.value, SpoolError):  # not the publisher's fault; it ends the run
            return
        code = failure_code(failure.value, "document")
        item.notes(code, seen=failure_seen(failure.value), action=SKIPPED)
        self.finish(visit)

    def _is_usable(self, response: StreamedResponse, item: WooItem) -> bool:
        size = _size(response)
        if not 200 <= response.status < 300:
            item.notes("document.onbereikbaar", seen=f"HTTP {response.status}", action=SKIPPED)
        elif "coding" in response.flags:
            item.notes("document.onbereikbaar", seen=f"Content-Encoding: {response.coding}", action=SKIPPED)
        elif "expansion" in response.flags:
            item.notes("document.te-groot", seen=f"{response.size} bytes en meer", action=SKIPPED)
        elif "maxsize" in response.flags or (size or 0) > self._maxsize:
            item.notes("document.te-groot", seen=f"{size} bytes", action=SKIPPED)
        elif "dataloss" in response.flags:
            item.notes("document.afgebroken", seen=f"{response.size} bytes", action=SKIPPED)
        elif size == 0:
            item.notes("document.leeg", seen="0 bytes", action=SKIPPED)
        else:
            return True
        return False


def _refuses_head(response: StreamedResponse) -> bool:
    return (
        response.request is not None and response.request.method == "HEAD" and response.status in HEAD_REFUSED
    )


def _size(response: StreamedResponse) -> int | None:
    """Bytes of the document: as received, else as announced."""
    if response.sha256 or "maxsize" in response.flags:
        return response.size
    announced = _header(response, "Content-Length")
    return int(announced) if announced and announced.isascii() and announced.isdigit() else None


def _header(response: StreamedResponse, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("utf-8", errors="replace") if value else None


def _fetched(response: StreamedResponse) -> Fetched:
    disposition = response.headers.get("Content-Disposition")
    return Fetched(
        url=response.url,
        media_type=_header(response, "Content-Type"),
        disposition=disposition,
        size=_size(response),
        sha256=response.sha256,
    )


def _tell_state(item: WooItem, response: StreamedResponse) -> None:
    """What the state keeps of the file itself."""
    delivery = item.delivery
    if isinstance(delivery, Delivery) and delivery.harvested is not None:
        sha256 = bytes.fromhex(response.sha256) if response.sha256 else None
        delivery.harvested = replace(delivery.harvested, sha256=sha256, etag=validator(response, "ETag"))
