"""Writes a body to a file, piece by piece: decoded, limited, counted and hashed."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Final, Literal

from woo_harvester.sitemaps.xml_stream import (
    GZIP_MAGIC,
    GZIP_WBITS,
    MAX_MEMBERS,
    MAX_RATIO,
    CorruptError,
    DecompressError,
    TruncatedError,
    inflate,
)

#: A decoded body may have this many bytes, or ``MAX_RATIO`` times those received. Compression makes a text or
#: a table twenty times smaller, and a scan hardly smaller.
FREE_SIZE: Final = 10 * 1024 * 1024


class UnknownCodingError(DecompressError):
    """The body has a coding that was not requested; the message is the Content-Encoding."""


class BombError(DecompressError):
    """The decoded body is far larger than the received bytes can explain."""


class Decoder:
    """A decoder of gzip (with one or more members) or deflate, which limits the ratio of decompression.

    It yields pieces of at most 256 KiB, so memory does not grow with the size of the decoded body. A body
    that does not begin with the coding stays as it came. Its first piece is at least 1 KiB of it, or all.
    """

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self.inflater: zlib._Decompress | None = None
        """None if the body does not begin with the coding."""
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
        if self.inflater is not None and not self.inflater.eof:
            raise TruncatedError("the compressed stream ends early")

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        data, self._rest = self._rest + data, b""
        while data:
            if self.inflater is None and not self._decoded:
                self._begin(data)
            if self.inflater is None:
                yield data
                return
            if self.inflater.eof:
                if not self._gzip or not GZIP_MAGIC.startswith(data[:2]):
                    return  # ignore padding after the last member
                if len(data) < len(GZIP_MAGIC):
                    self._rest = data
                    return
                self._next_member()
            yield from inflate(self.inflater, data)
            data = self.inflater.unused_data

    def _begin(self, data: bytes) -> None:
        # RFC 9110, 8.4.1.2: some send deflate without zlib's header.
        for wbits in (GZIP_WBITS,) if self._gzip else (-zlib.MAX_WBITS, zlib.MAX_WBITS):
            with suppress(zlib.error):
                zlib.decompressobj(wbits).decompress(data[:1024], 64)
                self.inflater = zlib.decompressobj(wbits)

    def _next_member(self) -> None:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise CorruptError(f"a gzip stream of more than {MAX_MEMBERS} parts")
        self.inflater = zlib.decompressobj(GZIP_WBITS)


def decoder_for(content_encoding: str, *, gzip: bool) -> Decoder | None:
    """Return the decoder for a Content-Encoding, or None if the body stays as it came.

    Only with *gzip* is that decoded: its first bytes show it later, too. Nothing shows deflate, which is
    always decoded though the harvester never requests it. With *gzip*, raises :class:`UnknownCodingError` for
    any other coding, and for several.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    match [name for name in names if name not in ("", "identity")]:
        case []:
            return None
        case ["deflate"]:
            return Decoder(gzip=False)
        case ["gzip" | "x-gzip"] if gzip:
            return Decoder(gzip=True)
    if gzip:
        raise UnknownCodingError(content_encoding)
    return None


#: Largest body that stays in memory, in bytes. A larger one is in a temporary file, written in such pieces.
SPOOL_SIZE = 1024 * 1024

Flag = Literal["maxsize", "dataloss", "expansion", "coding"]
"""The reason why a body is not complete; see StreamingDownloadHandler."""


class SpoolError(Exception):
    """A body cannot be written to its temporary file: the disk is full, or the folder is not writable.

    The server is not at fault. Not an OSError, because an OSError means a failed connection.
    """


class Intake:
    """The file of a body that is being received. Large or coded bodies are written in a thread."""

    def __init__(self, file: IO[bytes], *, maxsize: int, digest: bool, decoder: Decoder | None) -> None:
        self.size = 0
        """Size of the file in bytes."""
        self.received = 0
        """Number of bytes received, before decoding."""
        self.flag: Flag | None = None
        """The reason why the rest of the body is not written; None until then."""
        self.digest = hashlib.sha256() if digest else None
        self._file = file
        self._maxsize = maxsize
        self._decoder = decoder
        self._pieces: list[bytes] = []
        self._waiting = 0

    async def add(self, piece: bytes) -> None:
        """Add a piece of the body. Raises :class:`SpoolError`."""
        self._pieces.append(piece)
        self._waiting += len(piece)
        self.received += len(piece)
        if self._maxsize and self.received > self._maxsize:
            await self.finish()
            self.flag = self.flag or "maxsize"
        elif self._waiting >= SPOOL_SIZE:
            await self._write_in_thread()

    async def finish(self) -> None:
        """Write the remaining pieces. Raises :class:`SpoolError`."""
        if self._decoder is None:
            self._write(self._pieces)
            self._pieces = []
        else:
            await self._write_in_thread()
            try:
                self._decoder.finish()
            except TruncatedError:
                self.flag = self.flag or "dataloss"

    async def _write_in_thread(self) -> None:
        pieces, self._pieces, self._waiting = self._pieces, [], 0
        await asyncio.to_thread(self._write, pieces)

    def _write(self, pieces: list[bytes]) -> None:
        data = b"".join(pieces)
        if self.flag is not None:
            return
        if self._decoder is None:
            self._store(data)
            return
        try:
            for piece in self._decoder.decode(data):
                self._store(piece)
                if self.flag is not None:
                    return
        except BombError:
            self.flag = "expansion"
        except CorruptError:
            self.flag = "coding"

    def _store(self, data: bytes) -> None:
        allowed = self._maxsize - self.size if self._maxsize else len(data)
        if len(data) > allowed:
            self.flag = "maxsize"
            data = data[:allowed]
        try:
            self._file.write(data)
        except OSError as error:
            folder = tempfile.tempdir or "the folder for temporary files"
            raise SpoolError(f"what is fetched cannot be kept in {folder} (TMPDIR): {error}") from error
        self.size += len(data)
        if self.digest:
            self.digest.update(data)
