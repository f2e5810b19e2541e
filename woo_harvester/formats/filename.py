"""How a document's file is called: a name that any file system takes."""

from __future__ import annotations

import re
from email.message import Message
from email.utils import collapse_rfc2231_value
from typing import Any
from urllib.parse import unquote

from woo_harvester.urls import last_segment

#: Longest file name, in bytes of UTF-8: what common file systems hold.
FILE_NAME_MAXLENGTH = 255
#: Longest Content-Disposition that is read, in characters; a file name of 255 bytes needs far less.
_DISPOSITION_MAXLENGTH = 4096
#: Separators, what Windows refuses, control and formatting characters (which turn names round), surrogates.
_UNSAFE = re.compile(
    r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd\ud800-\udfff]+'
)
#: Names of devices in Windows, with any extension.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=\s*(?:\.|$))", re.IGNORECASE
)


def file_name(content_disposition: str | bytes | None, url: str) -> str | None:
    """The name of a document's file, safe for file systems; None where nothing tells one.

    From ``Content-Disposition`` (RFC 6266: ``filename*`` before ``filename``), else the URL's last segment.
    """
    told = _safe_name(_disposition_name(content_disposition)) if content_disposition else ""
    return told or _safe_name(last_segment(url)) or None


def _disposition_name(value: str | bytes) -> str:
    """The file name in a ``Content-Disposition``, or an empty text."""
    if isinstance(value, bytes):
        value = _decoded(value)
    header = Message()
    header["Content-Disposition"] = value[:_DISPOSITION_MAXLENGTH]
    parameters = header.get_params(header="Content-Disposition") or []
    names: list[Any] = [name for key, name in parameters if key.lower() == "filename"]
    # The library gives filename* as charset, language and text.
    if extended := [name for name in names if isinstance(name, tuple)]:
        return collapse_rfc2231_value(extended[0])
    return _unquoted(names[0]) if names else ""


def _decoded(value: bytes) -> str:
    """Header bytes as text: RFC 9110 has Latin-1, servers send UTF-8 as well."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _unquoted(name: str) -> str:
    """Many servers percent-encode ``filename`` too (RFC 6266, appendix D); browsers decode it."""
    try:
        return unquote(name, errors="strict")
    except UnicodeDecodeError:
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
