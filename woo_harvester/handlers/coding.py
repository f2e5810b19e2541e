"""Decodes the Content-Encoding of a body piece by piece, up to a limit (RFC 9110, 8.4)."""

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

#: A body of more bytes than this may be no more than so many times what came over the wire. A text or a
#: table gets twenty times smaller, a scan hardly so; what gets two hundred times smaller says nothing.
FREE_SIZE: Final = 10 * 1024 * 1024
MAX_RATIO: Final = 200


class UnknownCodingError(DecompressError):
    """The body is coded in a way that nobody asked for; the message is the Content-Encoding."""


class BombError(DecompressError):
    """There are far more bytes, after decoding, than what came can mean."""


class Decoder:
    """Undoes gzip (of one or more members) or deflate, with a bound on the ratio of out to in.

    Memory does not grow with what comes out: it is handed on in pieces of at most 256 KiB.
    """

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._inflater = zlib.decompressobj(GZIP_WBITS) if gzip else None
        self._held = b""
        self._members = 1
        self._taken = 0
        self._given = 0

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Give the decoded bytes of *data*, which continues what came before.

        Raises :class:`CorruptError` if they do not follow the coding, and :class:`BombError`.
        """
        self._taken += len(data)
        for piece in self._pieces(data):
            self._given += len(piece)
            if self._given > max(FREE_SIZE, MAX_RATIO * self._taken):
                raise BombError(f"{self._given} bytes from {self._taken}")
            yield piece

    def finish(self) -> None:
        """Raise :class:`TruncatedError` if the stream is cut off; an empty body is allowed."""
        if self._taken and (self._inflater is None or not self._inflater.eof):
            raise TruncatedError("the compressed stream ends early")

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        while data:
            if self._inflater is None:  # RFC 9110, 8.4.1.2: some send deflate without the zlib around it
                self._inflater = zlib.decompressobj(zlib.MAX_WBITS if data[0] & 0xF == 8 else -zlib.MAX_WBITS)
            elif self._inflater.eof:
                if not self._gzip or not GZIP_MAGIC.startswith(data[:2]):
                    return  # padding after the last member says nothing
                if len(data) < len(GZIP_MAGIC):
                    self._held = data
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

    Raises :class:`UnknownCodingError` for another coding than gzip and deflate, and for several on top of
    each other: the harvester never asks for them.
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
