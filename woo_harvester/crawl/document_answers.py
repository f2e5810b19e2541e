"""Functions that read the answer to a request for a document, and what it says of the file."""

from __future__ import annotations

from dataclasses import replace
from time import time

from woo_harvester.crawl.conditional import validator
from woo_harvester.items import Fetched, Source, WooItem
from woo_harvester.responses import StreamedResponse
from woo_harvester.state.delivery import Delivery
from woo_harvester.state.versions import KnownFile
from woo_harvester.statuses import is_complete

#: Statuses with which some servers answer any HEAD, because they do not support it.
_HEAD_UNSUPPORTED = frozenset({400, 403, 404, 405, 500, 501})


def refuses_head(response: StreamedResponse) -> bool:
    """Return whether a GET must replace a HEAD: some servers refuse HEAD, or answer any HEAD with 204."""
    is_head = response.request is not None and response.request.method == "HEAD"
    is_odd = 200 <= response.status < 300 and not is_complete(response.status)
    return is_head and (is_odd or response.status in _HEAD_UNSUPPORTED)


def fetched_of(response: StreamedResponse, known: KnownFile | None) -> Fetched:
    """Return the answer as the pipelines need it; *known* is the file of the version before."""
    is_same = response.status == 304 and known is not None and known.sha256 is not None
    return Fetched(response, known if is_same else None)


def is_same(source: Source) -> bool:
    """Return whether the bytes that were received are the known ones."""
    known, fetched = source.known, source.fetched
    if known is None or known.sha256 is None or fetched is None:
        return False
    return fetched.sha256 == known.sha256.hex()


def is_other(source: Source) -> bool:
    """Return whether the bytes that were received are known to differ from those before."""
    is_known = source.known is not None and source.known.sha256 is not None
    is_received = source.fetched is not None and source.fetched.sha256 is not None
    return is_known and is_received and not is_same(source)


def keep_file(item: WooItem, response: StreamedResponse) -> None:
    """Add to the item's delivery what the next run needs to know of the file."""
    delivery = item.delivery
    if isinstance(delivery, Delivery) and delivery.harvested is not None:
        known = item.source.known if item.source else None
        is_again = item.source is not None and item.source.again is not None
        if is_again and not response.sha256:
            file: KnownFile | None = known
        elif response.status == 304 and known is not None:
            since = int(time()) if known.unchanged_since is None else known.unchanged_since
            file = replace(known, unchanged_since=since)
        elif response.sha256:
            etag = validator(response, "ETag")
            last_modified = validator(response, "Last-Modified") if etag is None else None  # one is enough
            digest = bytes.fromhex(response.sha256)
            file = KnownFile(digest, etag, last_modified, fetched_at=int(time()))
        else:
            file = None
        delivery.harvested.file = file
