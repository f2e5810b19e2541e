"""Decodes pages of HTML: by their byte order mark, the header of the response, or their own declaration."""

from __future__ import annotations

from codecs import getincrementaldecoder, register_error
from collections.abc import Iterator
from itertools import chain

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

#: Bytes in which a page may declare its encoding. HTML allows only the first 1,024.
_HEAD = 4096

#: Name of the codec error handler for bytes that are not UTF-8.
_FALLBACK = "woo-harvester-windows"


def decode_page(pieces: Iterator[bytes], content_type: str | None) -> tuple[str, Iterator[str]]:
    """Return the encoding of a page, and its text in parts.

    *content_type* is the header as received. Its encoding comes before that of a meta element, and that comes
    before UTF-8. Never raises for the content of a page.
    """
    head = b""
    while len(head) < _HEAD and (piece := next(pieces, b"")):
        head += piece
    encoding, mark = read_bom(head)
    if encoding is None:
        named = http_content_type_encoding(content_type) or html_body_declared_encoding(head[:_HEAD])
        encoding, mark = named if named and _can_read(named, head) else "utf-8", b""
    return encoding, _decoded(chain([head[len(mark or b"") :]], pieces), encoding)


def _decoded(pieces: Iterator[bytes], encoding: str) -> Iterator[str]:
    decoder = getincrementaldecoder(encoding)(_FALLBACK if encoding == "utf-8" else "replace")
    for piece in pieces:
        yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)


def _can_read(encoding: str, head: bytes) -> bool:
    """Return whether Python has a text codec of that name; others are for zip files and host names."""
    try:
        "".encode(encoding)
        head.decode(encoding, errors="replace")
    except (LookupError, UnicodeError):
        return False
    return True


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are not UTF-8 as Windows-1252, which they mostly are, whatever the page declares."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", errors="replace"), error.end


register_error(_FALLBACK, _as_windows)
