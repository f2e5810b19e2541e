"""Decompress gzip within limits of size. The content decides whether it is gzip, not a name or header."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

#: Bytes that are yielded at once: large enough to be fast, small enough to keep the tree of one piece small.
CHUNK_SIZE = 256 * 1024

#: Most layers of gzip in gzip. A gzip file that is sent with Content-Encoding gzip has two.
MAX_LAYERS = 3

#: Most members of a gzip stream. Programs that compress in parallel, or for random access, write a member for
#: every 64 KiB or more. Empty members cost time, and would never reach the limit on size.
MAX_MEMBERS = 10_000

GZIP_MAGIC = b"\x1f\x8b"
GZIP_WBITS = 31


class DecompressError(ValueError):
    """The content cannot be decompressed; the message says why."""


class TruncatedError(DecompressError):
    """The gzip stream ends before its end."""


class CorruptError(DecompressError):
    """The gzip stream is broken, or has too many layers."""


class TooLargeError(DecompressError):
    """The content is larger, after decompression, than the limit allows."""


def decompress(chunks: Iterable[bytes], maxsize: int) -> Iterator[bytes]:
    """Yield the content of *chunks* in pieces of at most 256 KiB, decompressed if it is gzip.

    The first bytes show whether it is gzip, since servers send gzip files both with and without
    Content-Encoding. Raises :class:`TruncatedError`, :class:`CorruptError` or :class:`TooLargeError`, after
    all bytes before the error. *maxsize* is the limit in bytes for each layer of gzip by itself,
    decompressed.
    """
    return _decompress_layers(_cut(chunks), maxsize, 0)


def _limited(pieces: Iterator[bytes], maxsize: int) -> Iterator[bytes]:
    left = maxsize
    for piece in pieces:
        if left:
            yield piece[:left]
        if len(piece) > left:
            raise TooLargeError(f"more than {maxsize} bytes")
        left -= len(piece)


def _cut(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), CHUNK_SIZE):
            yield chunk[start : start + CHUNK_SIZE]


def _decompress_layers(pieces: Iterator[bytes], maxsize: int, layer: int) -> Iterator[bytes]:
    head = b""
    chunks = _limited(pieces, maxsize)
    for chunk in chunks:
        head += chunk
        if len(head) >= len(GZIP_MAGIC):
            break
    if not head.startswith(GZIP_MAGIC):
        yield from _joined(head, chunks)
    elif layer == MAX_LAYERS:
        raise CorruptError(f"gzip in gzip, more than {MAX_LAYERS} times")
    else:
        yield from _decompress_layers(_gunzip(_joined(head, chunks)), maxsize, layer + 1)


def _joined(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from rest


def _gunzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress all members of a gzip stream (RFC 1952, 2.2), at most 256 KiB at a time."""
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
                    return  # padding after the last member
                members += 1
                if members > MAX_MEMBERS:
                    raise CorruptError(f"a gzip stream of more than {MAX_MEMBERS} parts")
                inflater = zlib.decompressobj(GZIP_WBITS)
            yield from inflate(inflater, data)
            data = inflater.unused_data
    if not inflater.eof:
        raise TruncatedError("the gzip stream ends early")


def inflate(inflater: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """Decompress *data* with *inflater*, at most 256 KiB at a time. Raises :class:`CorruptError`."""
    while True:
        try:
            piece = inflater.decompress(data, CHUNK_SIZE)
        except zlib.error as error:
            raise CorruptError(f"broken compressed stream ({error})") from error
        if piece:
            yield piece
        data = inflater.unconsumed_tail
        # zlib may keep output after it has read all input: after a full piece there can be more.
        if inflater.eof or (not data and len(piece) < CHUNK_SIZE):
            return
