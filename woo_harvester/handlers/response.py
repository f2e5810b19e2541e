"""A response whose body is not in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import IO, Any

from scrapy.http import Response

CHUNK_SIZE = 256 * 1024


class StreamedResponse(Response):
    """A response whose body lies in a file: ``body`` is empty, ``chunks()`` reads it in pieces.

    The file is in memory while it is small, is removed when it is closed, and belongs to the callback.
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
        """Bytes of the body, after decoding, up to the bound of the request."""
        self.coding = ""
        """The Content-Encoding as given, where the request asked to have it undone."""
        self.sha256 = sha256
        """Of the body, where the request asked for it."""
        self.on_close: Callable[[], None] | None = None
        """Called once, when the body is given back."""

    def chunks(self) -> Iterator[bytes]:
        """The body from its beginning, in pieces of 256 KiB."""
        self.file.seek(0)
        while chunk := self.file.read(CHUNK_SIZE):
            yield chunk

    def close(self) -> None:
        """Give the memory or disk back."""
        self.file.close()
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()


def release(response: Response) -> None:
    """Give back what a response holds that no callback will see, such as a redirect's or a retried one's."""
    if isinstance(response, StreamedResponse):
        response.close()
