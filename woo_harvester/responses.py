"""A response whose body is not in memory, and what is asked of its headers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import IO, Any

from scrapy.http import Response

CHUNK_SIZE = 256 * 1024


class StreamedResponse(Response):
    """A response whose body is in a file: ``body`` is empty, and ``chunks()`` reads the file in pieces.

    The file is in memory while it is small, and is removed when it is closed. These close it, each exactly
    the responses that nobody else sees:

    - the download handler, if it fails after it has made the response;
    - a downloader middleware that hands on a request in its place, with :func:`release`;
    - ``WooRobotsTxtMiddleware``, the robots.txt that it fetched itself;
    - the spider middleware ``CloseResponses`` for all others: when the callback has ended, or when the item
      that has the response has left the pipelines.
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
        """Bytes of the body, after decoding, up to the limit of the request."""
        self.coding = ""
        """The Content-Encoding as given, if the request asked to have it undone."""
        self.sha256 = sha256
        """SHA-256 of the body in hexadecimals, if the request asked for it."""
        self.on_close: Callable[[], None] | None = None
        """Called once, when the file is closed."""

    def chunks(self) -> Iterator[bytes]:
        """Read the body from its beginning, in pieces of 256 KiB."""
        self.file.seek(0)
        while chunk := self.file.read(CHUNK_SIZE):
            yield chunk

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self.file.close()
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()


def release(response: Response) -> None:
    """Close a response that no callback will see, such as a redirect's or one that is retried."""
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
    """Return the bytes of a body: as received, otherwise as announced; None if neither is known."""
    if response.sha256 or "maxsize" in response.flags:
        return response.size
    announced = header(response, "Content-Length")
    return int(announced) if announced and announced.isascii() and announced.isdigit() else None
