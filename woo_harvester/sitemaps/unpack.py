"""From the bytes of a response to the bytes of XML: gzip by content, within bounds."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

#: Bytes handed on at once: large enough to be fast, small enough to keep the tree of one piece small.
CHUNK_SIZE = 256 * 1024

#: A gzip file sent with Content-Encoding gzip has two layers; more is no publisher's intention.
MAX_LAYERS = 3

#: Programs that pack in parallel, or for random access, write a part of every 64 KiB or more. Parts without
#: content cost time and never reach the bound on size.
MAX_MEMBERS = 10_000

GZIP_MAGIC = b"\x1f\x8b"
GZIP_WBITS = 31


class UnpackError(ValueError):
    """The bytes cannot be had; the message says why."""


class TruncatedError(UnpackError):
    """The gzip stream ends before its end."""


class CorruptError(UnpackError):
    """The gzip stream is broken, or packed too often."""


class TooLargeError(UnpackError):
    """There are more bytes, after decompression, than the bound allows."""


def unpack(chunks: Iterable[bytes], maxsize: int) -> Iterator[bytes]:
    """Yield the content of *chunks* in pieces of at most 256 KiB, decompressed where it is gzip.

    What the content begins with decides, not its name or its headers (a gzip file is often served with and
    without Content-Encoding). Raises :class:`TruncatedError`, :class:`CorruptError` or
    :class:`TooLargeError` after all bytes before the fault have been yielded. *maxsize* is in bytes after
    decompression, of each layer of gzip by itself.
    """
    return _peel(_cut(chunks), maxsize, 0)


def _bounded(pieces: Iterator[bytes], maxsize: int) -> Iterator[bytes]:
    room = maxsize
    for piece in pieces:
        if room:
            yield piece[:room]
        if len(piece) > room:
            raise TooLargeError(f"more than {maxsize} bytes")
        room -= len(piece)


def _cut(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), CHUNK_SIZE):
            yield chunk[start : start + CHUNK_SIZE]


def _peel(pieces: Iterator[bytes], maxsize: int, layer: int) -> Iterator[bytes]:
    head = b""
    chunks = _bounded(pieces, maxsize)
    for chunk in chunks:
        head += chunk
        if len(head) >= len(GZIP_MAGIC):
            break
    if not head.startswith(GZIP_MAGIC):
        yield from _joined(head, chunks)
    elif layer == MAX_LAYERS:
        raise CorruptError(f"gzip in gzip, more than {MAX_LAYERS} times")
    else:
        yield from _peel(_gunzip(_joined(head, chunks)), maxsize, layer + 1)


def _joined(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from rest


def _gunzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The members of a gzip stream (RFC 1952, 2.2), one after another, at most 256 KiB at a time."""
    inflater = zlib.decompressobj(GZIP_WBITS)
    data = b""
    members = 1
    for chunk in chunks:
        data += chunk
        while data:
            if inflater.eof:
                if len(data) < len(GZIP_MAGIC):
                    break
                if not data.startswith(GZIP_MAGIC):
                    return  # padding after the last member says nothing
                members += 1
                if members > MAX_MEMBERS:
                    raise CorruptError(f"a gzip stream of more than {MAX_MEMBERS} parts")
                inflater = zlib.decompressobj(GZIP_WBITS)
            yield from inflate(inflater, data)
            data = inflater.unused_data
    if not inflater.eof:
        raise TruncatedError("the gzip stream ends early")


def inflate(inflater: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """What *data* is to *inflater*, at most 256 KiB at a time; raises :class:`CorruptError`."""
    while True:
        try:
            piece = inflater.decompress(data, CHUNK_SIZE)
        except zlib.error as error:
            raise CorruptError(f"broken compressed stream ({error})") from error
        if piece:
            yield piece
        data = inflater.unconsumed_tail
        # zlib may hold back output after it has taken all input: a full piece means "ask again".
        if inflater.eof or (not data and len(piece) < CHUNK_SIZE):
            return
