"""Decode a text by its own first bytes, or by the label that its publisher gives it, which may be false."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from w3lib.encoding import resolve_encoding

#: Byte order marks and the codecs that remove them. That of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: Encodings by which of the first four bytes are zero, if the text begins with two characters of Latin-1.
_ZEROS: dict[tuple[bool, ...], str] = {
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
}

#: ASCII that is something else in UTF-16, UTF-32, EBCDIC and UTF-7, in encodings that change alphabets by an
#: escape or ``~{``, and for codecs that are made for host names or for source code.
_ASCII = rb"<p a='\u0041'>~{+AGE-</p>" + b"\x1b$B"

#: Bytes in which an XML declaration ends.
DECLARATION_SIZE = 1024

_XML_LABEL = re.compile(rb"[^<]{0,99}<\?(?i:xml)(?=\s)[^<>]*?\sencoding\s*=\s*([\"'])([^<>\"']*)\1")

#: Name of the codec error handler for bytes that are not UTF-8.
_FALLBACK = "woo-harvester-windows"


def encoding_of(head: bytes, label: str | None = None) -> str:
    """Return the encoding of a text that begins with *head*; its codec removes a byte order mark.

    The byte order mark comes first, then the zeros that only UTF-16 and UTF-32 have between letters, and then
    the publisher's *label*. A label that :func:`is_false` counts as UTF-8, which is also the default.
    """
    by_bytes = _by_first_bytes(head)
    return by_bytes or ("utf-8" if label is None or is_false(label) else codecs.lookup(label).name)


def _by_first_bytes(head: bytes) -> str | None:
    """Return the encoding that only a text with these first bytes has; None if they do not show it."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    return _ZEROS.get(tuple(byte == 0 for byte in head[:4]))


def with_head(pieces: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """Return at least the first *size* bytes, if there are as many, and all pieces again from the first."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= size:
            break
    return head, chain((head,), pieces)


@lru_cache(maxsize=256)
def is_false(label: str) -> bool:
    """Return whether a text without zeros and byte order mark cannot have the encoding *label*.

    In each encoding of the web ASCII is ASCII, except in UTF-16. That label on any other text means UTF-8, as
    in HTML (13.2.3.2). Names of codecs that are not for the web, and unknown names, are false too.
    """
    try:
        return _ASCII.decode(label, "replace") != _ASCII.decode("ascii")
    except (LookupError, ValueError):  # no such codec, or none for texts, or one that replaces nothing
        return True


class XmlEncoding(NamedTuple):
    """The encoding in which an XML file is read (RFC 7303, section 3)."""

    name: str
    """That of its text, as Python names it."""
    fallback: str = "cp1252"
    """That of single bytes which the encoding of the text does not have."""
    names_fallback: bool = False
    """True if the server or the file names the fallback, so that such bytes are right."""
    override: str | None = None
    """The name for a parser of XML; None if it reads the file so by itself."""
    false_label: str | None = None
    """The encoding that the file declares, if it cannot have it; then it is read as UTF-8."""
    doubted_label: str | None = None
    """The encoding that only the file declares, which is false if the file has a letter in UTF-8."""


def xml_encoding(head: bytes, charset: str | None = None) -> XmlEncoding:
    """Return the encoding of an XML file that begins with *head*; *charset* is the one that its server names.

    The first bytes come first, as in :func:`encoding_of`. Then a file is in UTF-8, unless its server and the
    file itself name only encodings with several bytes for a letter. Other single bytes are in what one of
    them names. So a false name does no harm. ISO-8859-1 means Windows-1252, as in browsers, and ASCII UTF-8.
    """
    if (name := _by_first_bytes(head)) is not None:
        return XmlEncoding(name)
    declared = xml_label(head)
    false_label = declared if declared is not None and is_false(declared) else None
    own = codecs.lookup(declared).name if declared and false_label is None else "utf-8"
    names = [of_web for name in (charset, own) if name and not is_false(name) and (of_web := _of_web(name))]
    others = [each for each in names if each not in _UTF_8 and _has_single_bytes(each)]
    doubted = declared if (others or own == "ascii") and "utf-8" not in names else None
    if others or not _UTF_8.isdisjoint(names):
        name, fallback, is_named = "utf-8", *((others[0], True) if others else ("cp1252", False))
    else:
        name, fallback, is_named = names[0], "latin-1", True
    override = None if name == own and false_label is None else name
    return XmlEncoding(name, fallback, is_named, override, false_label, doubted)


_UTF_8 = frozenset({"utf-8", "ascii"})


def _of_web(name: str) -> str | None:
    return "ascii" if codecs.lookup(name).name == "ascii" else resolve_encoding(name)


def _has_single_bytes(name: str) -> bool:
    return len(bytes(range(256)).decode(name, "replace")) == 256


def xml_label(head: bytes) -> str | None:
    """Return the encoding that XML declares in its first bytes; None if there is none."""
    declared = _XML_LABEL.match(head)
    return declared[2].decode("ascii", "replace") if declared else None


def decode(text: bytes, label: str | None = None) -> str:
    """Return a text in the encoding of :func:`encoding_of`. Never raises for its content."""
    return "".join(decode_pieces(iter((text,)), encoding_of(text, label)))


def decode_pieces(pieces: Iterator[bytes], encoding: str) -> Iterator[str]:
    """Yield a text in the *encoding* that :func:`encoding_of` returned. Never raises for its content."""
    decoder = codecs.getincrementaldecoder(encoding)(_FALLBACK if encoding.startswith("utf-8") else "replace")
    for piece in pieces:
        yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are not UTF-8 as Windows-1252, which they mostly are, whatever the label is."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", errors="replace"), error.end


codecs.register_error(_FALLBACK, _as_windows)
