"""The names of a document's file, safe for any file system: that of its publisher, and one by its title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote

from woo_harvester.utils.urls import last_segment

#: Longest file name, in bytes of UTF-8: the limit of common file systems.
FILE_NAME_MAXLENGTH = 255
#: Longest Content-Disposition that is read, in characters; a file name of 255 bytes needs far less.
_DISPOSITION_MAXLENGTH = 4096
#: Charsets of ``filename*`` (RFC 8187, 3.2; RFC 5987 also had Latin-1), and the encodings to decode them
#: with.
_CHARSETS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "iso-8859-1": "windows-1252",
    "windows-1252": "windows-1252",
}
#: Path separators, characters that Windows refuses, control and invisible characters, characters that change
#: the direction of writing, and surrogates.
_UNSAFE = re.compile(
    r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffd'
    r"\ud800-\udfff\U000e0000-\U000e007f]+"
)
#: Names of devices in Windows, with any extension.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=\s*(?:\.|$))", re.IGNORECASE
)
#: A usual name, which is safe as it is unless it is that of a device: nearly all documents have one.
_USUAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.[A-Za-z0-9]{1,10}")


def file_name(content_disposition: str | bytes | None, url: str) -> str | None:
    """Return a safe name for a document's file, or None if neither header nor URL has one.

    The name comes from ``Content-Disposition`` (RFC 6266: ``filename*`` before ``filename``), else from the
    URL's last segment.
    """
    given = _disposition_names(content_disposition) if content_disposition else ()
    safe = (_safe_name(name) for name in (*given, last_segment(url)))
    return next((name for name in safe if name), None)


def title_name(title: str, length: int) -> str:
    """Return a title as the name of a file or a folder, in *length* bytes; empty if no character is left."""
    words = _UNSAFE.sub(" ", normalize("NFC", title).replace("/", "-")).split()
    name = _cut(" ".join(words).strip(". "), length)
    return _DEVICE.sub(r"\g<0>_", name) if _DEVICE.match(name) else name


def _disposition_names(value: str | bytes) -> Iterator[str]:
    """Yield the file names in a ``Content-Disposition``, in the order of preference."""
    header = Message()
    header["Content-Disposition"] = _decoded(value)[:_DISPOSITION_MAXLENGTH]
    parameters = header.get_params(header="Content-Disposition") or []
    names: list[Any] = [name for key, name in parameters if key.lower() == "filename"]
    # The library gives filename* as charset, language and text.
    extended = [name for name in names if isinstance(name, tuple)]
    yield from (text for text in (_extended(charset, text) for charset, _, text in extended) if text)
    yield from (_unquoted(name) for name in names if isinstance(name, str))
    # A filename* in an unknown charset is better than no name (RFC 8187, 3.2.1 would ignore it).
    yield from (_decoded(text.encode("latin-1", "ignore")) for _, _, text in extended)


def _extended(charset: str | None, text: str) -> str | None:
    """Return the text of ``filename*``, or None if it is not in its charset.

    The library gives each byte as one character of Latin-1.
    """
    encoding = _CHARSETS.get((charset or "").lower())
    try:
        return text.encode("latin-1").decode(encoding) if encoding else None
    except UnicodeEncodeError:  # sent as it is, without encoding
        return text
    except UnicodeDecodeError:
        return None


def _decoded(value: str | bytes) -> str:
    """Return a header as text. RFC 9110 has Latin-1, but servers also send UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _unquoted(name: str) -> str:
    """Decode a ``filename`` as browsers do (RFC 6266, appendix C)."""
    name = name.removeprefix('"')  # a quote that the server did not close
    try:
        return unquote(name, errors="strict")
    except UnicodeDecodeError:
        return name


def _safe_name(name: str) -> str:
    """Return the last part of a path as a name for any file system; empty if no character is left."""
    if _USUAL.fullmatch(name) and not _DEVICE.match(name):
        return name
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
    """Cut a text to a length in bytes of UTF-8, without breaking a character."""
    return text.encode()[:length].decode(errors="ignore").rstrip(". ")
