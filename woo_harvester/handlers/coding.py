"""Decodes the Content-Encoding of a body, piece by piece and with limits (RFC 9110, 8.4)."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from woo_harvester.sitemaps.decompress import (
    GZIP_MAGIC,
    GZIP_WBITS,
    MAX_MEMBERS,
    CorruptError,
    DecompressError,
    TruncatedError,
    inflate,
)

#: A decoded body may have this many bytes, or this many times the received bytes. Compression makes a text or
#: a table twenty times smaller, and a scan hardly smaller. A higher ratio is a decompression bomb.
FREE_SIZE: Final = 10 * 1024 * 1024
MAX_RATIO: Final = 200


class UnknownCodingError(DecompressError):
    """The body has a coding that was not requested; the message is the Content-Encoding."""


class BombError(DecompressError):
    """The decoded body is far larger than the received bytes can explain."""


class Decoder:
    """A decoder of gzip (with one or more members) or deflate, which limits the ratio of decompression.

    It yields pieces of at most 256 KiB, so memory does not grow with the size of the decoded body.
    """

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._inflater = zlib.decompressobj(GZIP_WBITS) if gzip else None
        self._rest = b""
        self._members = 1
        self._received = 0
        self._decoded = 0

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded bytes of *data*, the next part of the body.

        Raises :class:`CorruptError` for an invalid stream, and :class:`BombError`.
        """
        self._received += len(data)
        for piece in self._pieces(data):
            self._decoded += len(piece)
            if self._decoded > max(FREE_SIZE, MAX_RATIO * self._received):
                raise BombError(f"{self._decoded} bytes from {self._received}")
            yield piece

    def finish(self) -> None:
        """Raise :class:`TruncatedError` if the stream is cut off; an empty body is allowed."""
        if self._received and (self._inflater is None or not self._inflater.eof):
            raise TruncatedError("the compressed stream ends early")

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        data, self._rest = self._rest + data, b""
        while data:
            if self._inflater is None:  # RFC 9110, 8.4.1.2: some send deflate without zlib's header
                self._inflater = zlib.decompressobj(zlib.MAX_WBITS if data[0] & 0xF == 8 else -zlib.MAX_WBITS)
            elif self._inflater.eof:
                if not self._gzip or not GZIP_MAGIC.startswith(data[:2]):
                    return  # ignore padding after the last member
                if len(data) < len(GZIP_MAGIC):
                    self._rest = data
                    return
                self._next_member()
            yield from inflate(self._inflater, data)
            data = self._inflater.unused_data

    def _next_member(self) -> None:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise CorruptError(f"a gzip stream of more than {MAX_MEMBERS} parts")
        self._inflater = zlib.decompressobj(GZIP_WBITS)


def decoder_for(content_encoding: str) -> Decoder | None:
    """Return the decoder for a Content-Encoding, or None if the body is not coded.

    Raises :class:`UnknownCodingError` for any coding but gzip and deflate, and for several codings: the
    harvester never requests those.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    match [name for name in names if name not in ("", "identity")]:
        case []:
            return None
        case ["gzip" | "x-gzip"]:
            return Decoder(gzip=True)
        case ["deflate"]:
            return Decoder(gzip=False)
    raise UnknownCodingError(content_encoding)
