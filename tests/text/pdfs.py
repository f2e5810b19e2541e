"""PDFs built by hand: what no program writes, and what a stranger may publish."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

BOX = b"/BBox[0 0 595 842]"


def simple(path: Path, text: str, title: str | None = None, pages: int = 1) -> Path:
    """Pages with one line each; *title* goes to the properties."""
    kids = [4 + 2 * number for number in range(pages)]
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(b"%d 0 R" % kid for kid in kids), pages),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for kid in kids:
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R"
            b"/Resources<</Font<</F 3 0 R>>>>>>" % (kid + 1),
            _stream(b"BT /F 12 Tf 72 700 Td (%s) Tj ET" % text.encode("latin-1")),
        ]
    if title is not None:
        objects.append(b"<</Title(%s)>>" % title.encode("latin-1"))
    return _write(path, objects, info=len(objects) if title is not None else None)


def endless(path: Path) -> Path:
    """4 KB that take hours: each of 14 forms draws the next one twice, the last one much of nothing."""
    return _nested(path, 14, _stream(b"q Q " * 250_000, b"/Type/XObject/Subtype/Form" + BOX))


def greedy(path: Path) -> Path:
    """4 KB that take gigabytes: a million times the same letter, each of them kept."""
    leaf = b"/Type/XObject/Subtype/Form/Resources<</Font<</F 4 0 R>>>>" + BOX
    return _nested(path, 20, _stream(b"BT /F 12 Tf 72 700 Td (a) Tj ET", leaf))


def _nested(path: Path, depth: int, leaf: bytes) -> Path:
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        _stream(b"/X Do"),
    ]
    for number in range(depth):
        resources = b"/Resources<</XObject<</X %d 0 R>>>>" % (7 + number)
        objects.append(_stream(b"/X Do /X Do", b"/Type/XObject/Subtype/Form" + BOX + resources))
    return _write(path, [*objects, leaf])


def _stream(content: bytes, keys: bytes = b"") -> bytes:
    packed = zlib.compress(content, 9)
    head = b"<</Length %d/Filter/FlateDecode%s>>stream\n" % (len(packed), keys)
    return head + packed + b"\nendstream"


def _write(path: Path, objects: Iterable[bytes], info: int | None = None) -> Path:
    """The file, whose table of objects the reader makes itself."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, part) for number, part in enumerate(objects, 1))
    named = b"/Info %d 0 R" % info if info else b""
    path.write_bytes(b"%PDF-1.7\n" + body + b"trailer<</Root 1 0 R" + named + b">>\n")
    return path
