"""A response whose body is in a file, and functions that read its headers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import IO, Any

from scrapy.http import Response

_CHUNK_SIZE = 256 * 1024


class StreamedResponse(Response):
    """A response whose body is in a file: ``body`` is empty, and ``chunks()`` reads the file in pieces.

    A small file is in memory. Closing a file removes it. Each response is closed by one of these:

    - the download handler, if it fails after it has made the response;
    - a downloader middleware that returns a request instead of the response, with :func:`release`;
    - ``WooRobotsTxtMiddleware``, if it has fetched the robots.txt itself;
    - the spider middleware ``CloseResponses`` in all other cases: after the callback, or when the item with
      the response has left the pipelines.
    """

    def __init__(
        self,
        *args: Any,
        file: IO[bytes] | None = None,
        size: int = 0,
        sha256: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.file: IO[bytes] = file if file is not None else BytesIO()
        self.size = size
        """Size of the body in bytes, after decoding, up to the limit of the request."""
        self.coding = ""
        """The Content-Encoding as given, if the request has ``woo_decompress``; else empty."""
        self.sha256 = sha256
        """SHA-256 of the body in hexadecimals, if the request has ``woo_digest`` and the body is complete."""
        self.on_close: Callable[[], None] | None = None
        """The function to call once, when the file is closed."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the body from its beginning, in pieces of 256 KiB."""
        self.file.seek(0)
        while chunk := self.file.read(_CHUNK_SIZE):
            yield chunk

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self.file.close()
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()


def release(response: Response) -> None:
    """Close a response that no callback gets, such as a redirect or one that is retried."""
    if isinstance(response, StreamedResponse):
        response.close()


def header(response: Response, name: str) -> str | None:
    """Return a header of the response as text, or None."""
    value = response.headers.get(name)
    return value.decode("utf-8", errors="replace") if value else None


def header_date(response: Response, name: str) -> datetime | None:
    """Return the moment in ``Date`` or ``Last-Modified``, or None if there is none that can be read."""
    try:
        moment = parsedate_to_datetime(header(response, name) or "")
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def size_of(response: StreamedResponse) -> int | None:
    """Return the size of a body in bytes: as received, else as announced; None if neither is known."""
    if response.sha256 or "maxsize" in response.flags:
        return response.size
    return announced_size(response)


def announced_size(response: Response) -> int | None:
    """Return the ``Content-Length`` of a response, or None if it has none that can be read."""
    announced = header(response, "Content-Length")
    return int(announced) if announced and announced.isascii() and announced.isdigit() else None
