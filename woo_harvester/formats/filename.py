"""How a document's file is called: a name that any file system takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from typing import Any
from urllib.parse import unquote

from woo_harvester.urls import last_segment

#: Longest file name, in bytes of UTF-8: what common file systems hold.
FILE_NAME_MAXLENGTH = 255
#: Longest Content-Disposition that is read, in characters; a file name of 255 bytes needs far less.
_DISPOSITION_MAXLENGTH = 4096
#: What ``filename*`` may be written in (RFC 8187, 3.2; RFC 5987 had Latin-1 too), and what is sent under it.
_CHARSETS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "iso-8859-1": "windows-1252",
    "windows-1252": "windows-1252",
}
_ENCODED_WORDS = re.compile(r"(=\?(utf-8|iso-8859-1|windows-1252)\?[bq]\?[^?]*\?=\s*)+", re.IGNORECASE)
#: Separators, what Windows refuses, control characters, what turns a name round or hides in it, surrogates.
_UNSAFE = re.compile(
    r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffd'
    r"\ud800-\udfff\U000e0000-\U000e007f]+"
)
#: Names of devices in Windows, with any extension.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=\s*(?:\.|$))", re.IGNORECASE
)


def file_name(content_disposition: str | bytes | None, url: str) -> str | None:
    """The name of a document's file, safe for file systems; None where nothing tells one.

    From ``Content-Disposition`` (RFC 6266: ``filename*`` before ``filename``), else the URL's last segment.
    """
    told = _disposition_names(content_disposition) if content_disposition else ()
    safe = (_safe_name(name) for name in (*told, last_segment(url)))
    return next((name for name in safe if name), None)


def _disposition_names(value: str | bytes) -> Iterator[str]:
    """The file names in a ``Content-Disposition``, the one that counts first."""
    header = Message()
    header["Content-Disposition"] = _decoded(value)[:_DISPOSITION_MAXLENGTH]
    parameters = header.get_params(header="Content-Disposition") or []
    names: list[Any] = [name for key, name in parameters if key.lower() == "filename"]
    # The library gives filename* as charset, language and text.
    extended = [name for name in names if isinstance(name, tuple)]
    yield from (text for text in (_extended(charset, text) for charset, _, text in extended) if text)
    yield from (_unquoted(name) for name in names if isinstance(name, str))
    # What stands in filename* in a way of its own is better than nothing (RFC 8187, 3.2.1 has it ignored).
    yield from (_decoded(text.encode("latin-1", "ignore")) for _, _, text in extended)


def _extended(charset: str | None, text: str) -> str | None:
    """The text of ``filename*``, whose bytes the library made characters of; None where it is wrong."""
    encoding = _CHARSETS.get((charset or "").lower())
    try:
        return text.encode("latin-1").decode(encoding) if encoding else None
    except UnicodeEncodeError:  # sent as it is, without encoding
        return text
    except UnicodeDecodeError:
        return None


def _decoded(value: str | bytes) -> str:
    """Header bytes as text: RFC 9110 has Latin-1, servers send UTF-8 as well."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _unquoted(name: str) -> str:
    """Many servers encode ``filename`` too, in one of two ways (RFC 6266, appendix C); browsers decode it."""
    name = name.removeprefix('"')  # its end was lost
    if _ENCODED_WORDS.fullmatch(name):
        return _encoded_words(name)
    try:
        return unquote(name, errors="strict")
    except UnicodeDecodeError:
        return name


def _encoded_words(name: str) -> str:
    """What a name in the encoding of mail headers says (RFC 2047)."""
    try:
        return str(make_header(decode_header(name)))
    except (HeaderParseError, LookupError, ValueError):
        return name


def _safe_name(name: str) -> str:
    """The last part of a path as a name that any file system takes; empty where nothing is left of it."""
    name = re.split(r"[/\\]", name.strip().rstrip("/\\"))[-1]
    name = " ".join(_UNSAFE.sub("_", name).split()).lstrip(". ").rstrip(". ")
    name = _DEVICE.sub(r"\g<0>_", name) if _DEVICE.match(name) else name
    if not name.strip("_"):
        return ""
    stem, dot, extension = name.rpartition(".")
    if not dot or len(extension.encode()) > 20:
        stem, extension = name, ""
    ending = f"{dot}{extension}" if extension else ""
    return _cut(stem, FILE_NAME_MAXLENGTH - len(ending.encode())) + ending


def _cut(text: str, length: int) -> str:
    """The text, cut to a length in bytes of UTF-8 without breaking a character."""
    return text.encode()[:length].decode(errors="ignore").rstrip(". ")
