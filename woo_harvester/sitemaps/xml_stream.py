"""Feed a file to libxml2 piece by piece, and say what is wrong with it if it is not well-formed.

XML is read without entity expansion, external entities or network; a DOCTYPE is refused.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Set
from functools import lru_cache
from itertools import chain
from typing import Any, Literal

from lxml import etree

#: Largest file that the guide allows, in bytes after decompression: seed "Sitemapindex en Sitemaps", section
#: "Het sitemapprotocol".
GUIDE_MAXSIZE = 50 * 1024 * 1024

#: Largest entry, in bytes of XML. Its tree takes some thirty times as much memory.
ENTRY_MAXSIZE = 2 * 1024 * 1024

#: Bytes that the parser gets at once until the root element begins.
_PEEK_SIZE = 4 * 1024

_Event = Literal["start", "end"]

ErrorReason = Literal["ongeldig", "afgebroken", "te-groot", "doctype"]


class SitemapError(ValueError):
    """The file cannot be read, or not to its end. The entries before the error were yielded first.

    *reason* is the last part of the finding's code, *seen* the detail that the finding shows.
    """

    def __init__(self, reason: ErrorReason, seen: str, line: int | None = None) -> None:
        super().__init__(seen)
        self.reason: ErrorReason = reason
        self.seen = seen
        self.line = line
        self.lost = 0
        """Number of entries in the file that were not read, as far as they can be counted."""


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]


local_name: Callable[[Any], str] = lru_cache(maxsize=1024)(_local_name)
"""Return the name in an element's tag without its namespace, which publishers often misspell.

Cached: a file has the same few names a million times.
"""


def _namespace(tag: str) -> str:
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""


namespace: Callable[[Any], str] = lru_cache(maxsize=1024)(_namespace)
"""Return the namespace in an element's tag; empty if it has none. Cached as well."""


def new_parser(
    events: Iterable[_Event],
    tag: list[str] | None = None,
    entities: bool | Literal["internal"] = False,
    encoding: str | None = None,
) -> etree.XMLPullParser:
    """Return a parser that expands no entities, and that opens no other files.

    *encoding* is that of the file, if it is not the one that the file declares.
    """
    return etree.XMLPullParser(
        events=events,
        tag=tag,
        encoding=encoding,
        resolve_entities=entities,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def peek_root(
    pieces: Iterator[bytes], encoding: str | None = None
) -> tuple[str, int, Set[str | None], Iterable[bytes]]:
    """Return tag, line and declared prefixes of the root element, and all pieces again from the first byte.

    Raises :class:`SitemapError` if the file is not XML or has a DOCTYPE. The parser here expands nothing, and
    gets no more bytes than it needs to reach the root element. *encoding* is as in :func:`new_parser`.
    """
    parser = new_parser(("start",), encoding=encoding)
    read = []
    size = 0
    for piece in pieces:
        read.append(piece)
        for start in range(0, len(piece), _PEEK_SIZE):
            error = feed_parser(parser, piece[start : start + _PEEK_SIZE])
            for _, element in parser.read_events():
                _refuse_doctype(element)
                return str(element.tag), element.sourceline or 1, element.nsmap.keys(), chain(read, pieces)
            if error:
                raise _doctype(b"".join(read)) or error
        size += len(piece)
        if size > ENTRY_MAXSIZE:
            break
    raise _no_root(b"".join(read))


def has_root(data: bytes, encoding: str | None = None) -> bool:
    """Return whether a file that begins with *data* is well-formed up to its root element."""
    try:
        peek_root(iter((data,)), encoding)
    except SitemapError:
        return False
    return True


def _no_root(head: bytes) -> SitemapError:
    """Return the error for a file without a root element that the parser found no error in."""
    text = _ascii(head).strip()
    if not text:
        return SitemapError("ongeldig", "no root element" if head else "the file is empty")
    is_cut_off = text.startswith(b"<") and len(head) <= ENTRY_MAXSIZE
    return _doctype(head) or SitemapError("afgebroken" if is_cut_off else "ongeldig", "no root element")


def _doctype(head: bytes) -> SitemapError | None:
    """Return the error for a DOCTYPE before the root element that the parser stopped at."""
    doctype = re.search(rb"<!DOCTYPE\s+([^\s<>\[]+)", _ascii(head))
    if doctype is None:
        return None
    if doctype[1].lower() == b"html":
        return SitemapError("ongeldig", "an HTML page")
    return SitemapError("doctype", doctype[0].decode("ascii", errors="replace"))


def _ascii(data: bytes) -> bytes:
    """Return the ASCII characters of markup in UTF-8 or UTF-16: without zero bytes and byte order mark."""
    return data.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")


def _refuse_doctype(root: etree._Element) -> None:
    doctype = root.getroottree().docinfo.internalDTD
    names = {local_name(root.tag).lower(), (doctype.name or "").lower() if doctype is not None else ""}
    if "html" in names:
        raise SitemapError("ongeldig", "an HTML page", root.sourceline)
    if doctype is not None:
        raise SitemapError("doctype", f"<!DOCTYPE {doctype.name}>", root.sourceline)


def feed_parser(parser: etree.XMLPullParser, piece: bytes) -> SitemapError | None:
    """Feed the parser; return the error if the file is not well-formed up to here.

    libxml2 does not raise every error at once. A stray ampersand or an undeclared prefix is only in its log.
    """
    try:
        parser.feed(piece)
    except etree.XMLSyntaxError as error:
        return SitemapError("ongeldig", _message(error.msg), error.lineno)
    errors = parser.feed_error_log.filter_from_errors()
    return SitemapError("ongeldig", _message(errors[0].message), errors[0].line) if len(errors) else None


def close_parser(parser: etree.XMLPullParser, reason: ErrorReason, tail: bytes = b"") -> SitemapError | None:
    """Close the parser; return its error, if any, with *reason* unless a stray ampersand caused it.

    libxml2 waits for a semicolon after an ampersand, so it often finds a stray one only at the end. One in
    the last bytes may be an entity that was cut off.
    """
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        stray = "EntityRef" in (error.msg or "") and not re.search(rb"&[#\w]*;?$", _ascii(tail))
        return SitemapError("ongeldig" if stray else reason, _message(error.msg), error.lineno)
    return None


def has_end_tag(tail: bytes, root: str) -> bool:
    """Return whether the file ends with the root's end tag, so that nothing was cut off."""
    text = _ascii(tail).rstrip()
    return re.search(rb"</([^<>\s:]+:)?" + re.escape(root).encode() + rb"\s*>$", text) is not None


def _message(text: str | None) -> str:
    return (text or "not well-formed").partition(", line ")[0].strip()


#: Bytes that are yielded at once: large enough to be fast, small enough to keep the tree of one piece small.
CHUNK_SIZE = 256 * 1024

#: Most layers of gzip in gzip. A gzip file that is sent with Content-Encoding gzip has two.
MAX_LAYERS = 3

#: Most members of a gzip stream. Programs that compress in parallel, or for random access, write a member for
#: every 64 KiB or more. Empty members cost time, and would never reach the limit on size.
MAX_MEMBERS = 10_000

#: Beyond the size that the guide allows, decompressed content may have this many times the bytes that came. A
#: higher ratio is a decompression bomb. Deflate makes real entries 160 times smaller at most, if they differ
#: only in the number in their loc.
MAX_RATIO = 200

GZIP_MAGIC = b"\x1f\x8b"
GZIP_WBITS = 31


class DecompressError(ValueError):
    """The content cannot be decompressed; the message says why."""


class TruncatedError(DecompressError):
    """The gzip stream ends before its end."""


class CorruptError(DecompressError):
    """The gzip stream is broken, or has too many layers."""


class TooLargeError(DecompressError):
    """The content is larger, after decompression, than the limit allows, or than what came can explain."""


def decompress(chunks: Iterable[bytes], maxsize: int) -> Iterator[bytes]:
    """Yield the content of *chunks* in pieces of at most 256 KiB, decompressed if it is gzip.

    The first bytes show whether it is gzip, since servers send gzip files both with and without
    Content-Encoding. Raises :class:`TruncatedError`, :class:`CorruptError` or :class:`TooLargeError`, after
    all bytes before the error. *maxsize* is the limit in bytes for each layer of gzip by itself,
    decompressed. Each layer may also have only so many times the bytes that came.
    """
    limits = _Limits(maxsize)
    return _decompress_layers(limits.received(chunks), limits, 0)


class _Limits:
    """The limits of each layer of a file: a size, and a ratio to the bytes that came."""

    def __init__(self, maxsize: int) -> None:
        self._maxsize = maxsize
        self._received = 0

    def received(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield what came in pieces of at most 256 KiB, and count it."""
        for chunk in chunks:
            self._received += len(chunk)
            for start in range(0, len(chunk), CHUNK_SIZE):
                yield chunk[start : start + CHUNK_SIZE]

    def limited(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the pieces of one layer. Raises TooLargeError after as much as its limits allow."""
        size = 0
        for piece in pieces:
            explained = max(GUIDE_MAXSIZE, MAX_RATIO * self._received)
            left = min(self._maxsize, explained) - size
            if left > 0:
                yield piece[:left]
            if len(piece) > left:
                raise TooLargeError(self._excess(explained))
            size += len(piece)

    def _excess(self, explained: int) -> str:
        if explained < self._maxsize:
            return f"more than {explained} bytes from {self._received}"
        return f"more than {self._maxsize} bytes"


def _decompress_layers(pieces: Iterator[bytes], limits: _Limits, layer: int) -> Iterator[bytes]:
    head = b""
    chunks = limits.limited(pieces)
    for chunk in chunks:
        head += chunk
        if len(head) >= len(GZIP_MAGIC):
            break
    if not head.startswith(GZIP_MAGIC):
        yield from _joined(head, chunks)
    elif layer == MAX_LAYERS:
        raise CorruptError(f"gzip in gzip, more than {MAX_LAYERS} times")
    else:
        yield from _decompress_layers(_gunzip(_joined(head, chunks)), limits, layer + 1)


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
