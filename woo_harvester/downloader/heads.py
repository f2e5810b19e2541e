"""Rewrites the head of an HTTP answer, its status line and headers, where it can mean one thing only.

Browsers and curl read many an answer that aiohttp refuses for a line that nobody needs. Only what shows where
the body ends must be clear: the lines about its length.
"""

from __future__ import annotations

import re
from typing import Final

from aiohttp.http_exceptions import BadHttpMessage

#: The end of a head, and its most bytes.
HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
HEAD_MAXSIZE: Final = 256 * 1024

#: What is a blank: the start of a line that continues the one before, and what no header may have in it
#: (RFC 9110, 5.5).
_BLANK = re.compile(rb"\r?\n[ \t]+|\r(?!\n)|\0")

#: A status line of any version, since some servers name HTTP/2 in HTTP/1, and a header.
_STATUS = re.compile(rb"(?i:HTTP)/(\d+(?:\.\d+)?)[ \t]+([1-9]\d\d)(?:[ \t].*)?")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*)")


class HeadError(BadHttpMessage):
    """The head cannot be read; the message is the line that is wrong, or its beginning."""

    def __init__(self, line: bytes | bytearray) -> None:
        super().__init__(repr(bytes(line[:100]))[2:-1])


def check_head(head: bytearray) -> None:
    """Raise HeadError for a head that is not HTTP or is too large; it may be incomplete."""
    if not b"HTTP/".startswith(head[:5].upper()):
        raise HeadError(head.splitlines()[0])
    if len(head) >= HEAD_MAXSIZE:
        raise HeadError(b"%d bytes: %b" % (len(head), bytes(max(head.splitlines(), key=len))))


def rewritten(head: bytearray) -> bytes:
    """Return a complete head in the form that aiohttp reads. Raises HeadError.

    A line without a name and a colon is left out. One that begins with a blank continues the line before
    (RFC 9112, 5.2). Of those about the end of the body one is left: chunks count before a length (6.3).
    """
    first, *lines = _BLANK.sub(b" ", bytes(head)).splitlines()
    status = _STATUS.fullmatch(first)
    if status is None:
        raise HeadError(first)
    headers = [b"HTTP/%b %b" % (b"1.0" if status[1] == b"1.0" else b"1.1", status[2])]
    about_end: dict[bytes, list[bytes]] = {b"transfer-encoding": [], b"content-length": []}
    for name, value in (match.groups() for line in lines if (match := _HEADER.fullmatch(line))):
        if name.lower() in about_end:
            about_end[name.lower()] += (part.strip().lower() for part in value.split(b","))
        else:
            headers.append(b"%b: %b" % (name, value))
    codings, lengths = about_end.values()
    codings = [coding for coding in codings if coding not in (b"", b"identity")]
    if {*codings} - {b"chunked"}:
        raise HeadError(b"Transfer-Encoding: " + b", ".join(codings))
    if codings:
        headers.append(b"Transfer-Encoding: chunked")
    elif lengths:
        if len({*lengths}) > 1 or not re.fullmatch(rb"\d{1,18}", lengths[0]):
            raise HeadError(b"Content-Length: " + b", ".join(lengths))
        headers.append(b"Content-Length: " + lengths[0])
    return b"\r\n".join((*headers, b"", b""))
