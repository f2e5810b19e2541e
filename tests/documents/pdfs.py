"""PDFs built by hand, such as malicious ones that no program writes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

BOX = b"/BBox[0 0 595 842]"


def simple(path: Path, text: str, title: str | None = None, pages: int = 1) -> Path:
    """Return pages with one line each; *title* goes to the properties."""
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
    """Return 4 KB that take hours to read: each of 14 forms draws the next one twice."""
    return _nested(path, 14, _stream(b"q Q " * 250_000, b"/Type/XObject/Subtype/Form" + BOX))


def greedy(path: Path) -> Path:
    """Return 4 KB that take gigabytes of memory: a million times the same letter."""
    leaf = b"/Type/XObject/Subtype/Form/Resources<</Font<</F 4 0 R>>>>" + BOX
    return _nested(path, 20, _stream(b"BT /F 12 Tf 72 700 Td (a) Tj ET", leaf))


def gigapixels(path: Path) -> Path:
    """Return 600 bytes with an image of ten gigapixels, compressed by JBIG2."""
    side = 100_000
    page = struct.pack(">IIIIBH", side, side, 0, 0, 0, 0)
    region = struct.pack(">IIIIBB", side, side, 0, 0, 0, 0) + bytes((3, 255, 253, 255, 2, 254, 254, 254))
    segments = ((48, page), (38, region + b"\xff\xac"))
    data = b"".join(
        struct.pack(">IBBBI", number, kind, 0, 1, len(part)) + part
        for number, (kind, part) in enumerate(segments)
    )
    return _scan(path, _image(data, side, b"/JBIG2Decode"))


def packed_twice(path: Path) -> Path:
    """Return 2 KB with an image of a gigapixel, compressed twice by Flate."""
    side, block = 32_000, bytes(8_000_000)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(block) for _ in range(side * side // 8 // len(block))) + packer.flush()
    return _scan(path, _image(zlib.compress(data, 9), side, b"[/FlateDecode/FlateDecode]"))


def vast(path: Path) -> Path:
    """Return a page of 350 by 350 metres, with a small image."""
    return _scan(path, _small_image(), box=b"[0 0 1000000 1000000]")


def boastful(path: Path) -> Path:
    """Return one page, in a tree that claims two billion pages."""
    return _scan(path, _small_image(), count=2_000_000_000)


def circular(path: Path) -> Path:
    """Return a page tree whose branches contain each other."""
    return _write(
        path,
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 5/Parent 3 0 R>>",
            b"<</Type/Pages/Kids[2 0 R]/Count 5/Parent 2 0 R>>",
        ],
    )


def _scan(path: Path, image: bytes, box: bytes = b"[0 0 595 842]", count: int = 1) -> Path:
    """Return pages that are images, as a scanner makes them."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox%s/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count %d>>" % count,
        page % box,
        _stream(b"q 595 0 0 842 0 0 cm /I Do Q"),
        image,
    ]
    return _write(path, objects)


def _small_image() -> bytes:
    return _image(zlib.compress(bytes(13 * 100)), 100, b"/FlateDecode")


def _image(data: bytes, side: int, packing: bytes) -> bytes:
    keys = b"/Width %d/Height %d/BitsPerComponent 1/ColorSpace/DeviceGray/Filter%s" % (side, side, packing)
    head = b"<</Type/XObject/Subtype/Image/Length %d%s>>stream\n" % (len(data), keys)
    return head + data + b"\nendstream"


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
    """Return the file without a table of objects, which the reader makes itself."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, part) for number, part in enumerate(objects, 1))
    named = b"/Info %d 0 R" % info if info else b""
    path.write_bytes(b"%PDF-1.7\n" + body + b"trailer<</Root 1 0 R" + named + b">>\n")
    return path
