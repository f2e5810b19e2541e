"""Recognises permit messages among files on disk, by their root element."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from woo_harvester.audit.local_file import chunks_of, found_kind
from woo_harvester.permits.schema import MESSAGE_NS
from woo_harvester.sitemaps.decompress import DecompressError, decompress

#: The bytes in which the root element is looked for.
_HEAD = 64 * 1024

_VERSIONS = MESSAGE_NS.rstrip("/").rpartition("/")[0].encode()

#: What may come before the root element. A DOCTYPE may have an internal subset.
_BEFORE = re.compile(
    rb"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*+(?:\[.*?\]\s*)?>)*+", re.DOTALL | re.IGNORECASE
)
_ROOT = re.compile(rb"<(?:[^\s<>/:]+:)?([^\s<>/:]+)([^<>]*)")
_ROOTS = frozenset({b"message", b"vergunningzaak", b"vergunningdocument"})

_BYTE_ORDER_MARKS = b"\xef\xbb\xbf\xff\xfe"


def is_message(path: Path) -> bool:
    """Return whether the root of a file is that of a permit message, of any version. Raises OSError.

    The root decides as far as it can be read: a message may be broken, or of another namespace. A file
    without a root is a message if its beginning names the namespace of messages.
    """
    head = _head(path)
    root = _ROOT.match(head, _BEFORE.match(head).end())  # type: ignore[union-attr]  # it matches nothing too
    return _VERSIONS in head if root is None else root[1] in _ROOTS or _VERSIONS in root[2]


def messages_among(paths: Iterable[Path], maxsize: int) -> list[Path]:
    """Return the files that are judged as permit messages: those with such a root, and their neighbours.

    A neighbour is a file of which nothing shows what it is, such as an HTML page, in a folder with messages
    and without sitemaps or indexes. *maxsize* is the largest size of an index in bytes, after decompression.
    Raises OSError.
    """
    paths = list(paths)
    messages = {path for path in paths if is_message(path)}
    if not messages:
        return []
    kinds = {path: "message" if path in messages else found_kind(path, maxsize) for path in paths}
    folders = {path.parent for path in messages}
    folders -= {path.parent for path, kind in kinds.items() if kind in ("index", "sitemap")}
    return [
        path for path, kind in kinds.items() if kind == "message" or (not kind and path.parent in folders)
    ]


def _head(path: Path) -> bytes:
    """Return the first bytes of a file, decompressed, without those that UTF-16 has between letters."""
    head = b""
    with suppress(DecompressError):  # reported when the message itself is read
        for chunk in decompress(chunks_of(path)(), _HEAD):
            head += chunk
    head = head.lstrip(_BYTE_ORDER_MARKS)
    return head.replace(b"\0", b"") if b"\0" in head[:4] else head
