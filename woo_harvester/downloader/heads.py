"""Rewrites the head of an HTTP answer, its status line and headers, where it can mean one thing only.

Browsers and curl read many an answer that aiohttp refuses for a line that nobody needs. Only what shows where
the body ends must be clear: the lines about its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

#: The end of a head, and its most bytes.
HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
HEAD_MAXSIZE: Final = 256 * 1024

_HTTP = b"HTTP/"

#: What no header may have in it (RFC 9110, 5.5), and the start of a line that continues the one before.
_NEVER_IN_HEADERS = re.compile(rb"\r(?!\n)|\0")
_FOLD = re.compile(rb"\r?\n[ \t]+")

#: A status line of any version: some servers name HTTP/2 in an answer in the form of HTTP/1.
_STATUS = re.compile(rb"(?i:HTTP)/(\d+(?:\.\d+)?)[ \t]+([1-9]\d\d)(?:[ \t].*)?")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*)")
_LENGTH = re.compile(rb"\d{1,18}")

#: Bytes of a line that an error shows.
_SHOWN = 100


class HeadError(ValueError):
    """The head cannot be read; the message is the line that is wrong."""

    def __init__(self, line: bytes) -> None:
        super().__init__(repr(bytes(line[:_SHOWN]))[2:-1] + "…" * (len(line) > _SHOWN))


def check_head(head: bytes) -> None:
    """Raise HeadError for a head that is not HTTP or is too large; it may be incomplete."""
    if not _HTTP.startswith(head[: len(_HTTP)].upper()):
        raise HeadError(head.splitlines()[0])
    if len(head) >= HEAD_MAXSIZE:
        raise HeadError(b"%d bytes: %b" % (len(head), max(head.splitlines(), key=len)))


def rewritten(head: bytes) -> bytes:
    """Return a complete head in the form that aiohttp reads. Raises HeadError.

    A line without a name and a colon is left out. One that begins with a blank continues the line before
    (RFC 9112, 5.2).
    """
    first, *lines = _FOLD.sub(b" ", _NEVER_IN_HEADERS.sub(b" ", head)).splitlines()
    status = _STATUS.fullmatch(first)
    if status is None:
        raise HeadError(first)
    headers = [match.groups() for line in lines if (match := _HEADER.fullmatch(line))]
    version = b"1.0" if status[1] == b"1.0" else b"1.1"
    parts = [b"HTTP/%b %b" % (version, status[2]), *_without_doubt(headers), b"", b""]
    return b"\r\n".join(parts)


def _without_doubt(headers: Iterable[tuple[bytes, ...]]) -> Iterator[bytes]:
    """Yield the headers, of those about the end of the body one at most. Raises HeadError.

    Chunks count before a length (RFC 9112, 6.3), and the same length may be there twice.
    """
    given: dict[bytes, list[bytes]] = {b"transfer-encoding": [], b"content-length": []}
    for name, value in headers:
        if name.lower() in given:
            given[name.lower()] += (part.strip().lower() for part in value.split(b","))
        else:
            yield b"%b: %b" % (name, value)
    codings, lengths = given.values()
    codings = [coding for coding in codings if coding not in (b"", b"identity")]
    if codings:
        if {*codings} != {b"chunked"}:
            raise HeadError(b"Transfer-Encoding: " + b", ".join(codings))
        yield b"Transfer-Encoding: chunked"
    elif lengths:
        if len({*lengths}) > 1 or not _LENGTH.fullmatch(lengths[0]):
            raise HeadError(b"Content-Length: " + b", ".join(lengths))
        yield b"Content-Length: " + lengths[0]
