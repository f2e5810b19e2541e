"""The format of a document of which only the first bytes are there."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from typing import TYPE_CHECKING

from tests.documents.contents import codes, told, zipped
from tests.samples import SAMPLES
from woo_harvester.documents import detect_beginning
from woo_harvester.documents.content import OLE_MAGIC

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

MAIN = "application/vnd.openxmlformats-officedocument.{}.main+xml"
TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{}</Types>'
NOISE = random.Random(17).randbytes(8000)
#: Samples whose type is shown by what comes later in the file.
TOO_LATE = {"XLS", "PPT", "PPS", "PPTX", "PPSX", "ZIP"}
ZIP = (["ZIP", "DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF"], None)
OLE = (["DOC", "XLS", "PPT", "PPS", "DOCX", "XLSX", "PPTX", "PPSX"], "application/x-ole-storage")


def begun(data: bytes, size: int = 4096) -> tuple[list[str], str | None]:
    return codes(detect_beginning(io.BytesIO(data[:size])))


def content_types(kind: str, before: str = "") -> str:
    return TYPES.format(f'{before}<Override PartName="/x.xml" ContentType="{MAIN.format(kind)}"/>')


def test_the_first_bytes_of_a_sample_show_what_all_of_them_show() -> None:
    for code in [code for code in SAMPLES if code not in TOO_LATE]:
        body = SAMPLES[code].read_bytes()
        assert begun(body) == told(body), code


def test_the_list_of_types_at_the_beginning_shows_an_office_document() -> None:
    for kind, expected in [
        ("wordprocessingml.document", (["DOCX"], None)),
        ("spreadsheetml.sheet", (["XLSX"], None)),
        ("presentationml.presentation", (["PPTX"], None)),
        ("presentationml.slideshow", (["PPSX"], None)),
    ]:
        for method in [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED]:
            body = zipped({"[Content_Types].xml": content_types(kind), "media/1.png": NOISE}, method)
            assert begun(body) == told(body) == expected, (kind, method)


def test_a_document_with_macros_is_none_of_the_list() -> None:
    main = '<Override ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>'
    body = zipped({"[Content_Types].xml": TYPES.format(main), "word/x": NOISE})
    assert begun(body) == told(body) == ([], "application/vnd.ms-word.document.macroenabled")


def test_sizes_that_come_after_a_member_are_not_needed() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(Unseekable(target), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docProps/app.xml", "<x/>" * 50)
        archive.writestr("[Content_Types].xml", content_types("presentationml.slideshow"))
        archive.writestr("ppt/media/1.png", NOISE)
    assert begun(target.getvalue()) == (["PPSX"], None)


class Unseekable(io.RawIOBase):
    """A stream to which a zip file is written without going back to fill in sizes."""

    def __init__(self, target: io.BytesIO) -> None:
        self._target = target

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        return self._target.write(data)


def test_a_list_of_types_that_is_cut_off_is_read_as_far_as_it_comes() -> None:
    filler = "".join(f'<Default Extension="{NOISE[n * 9 : n * 9 + 9].hex()}"/>' for n in range(800))
    late = zipped({"[Content_Types].xml": content_types("presentationml.slideshow", filler)})
    early = zipped(
        {"[Content_Types].xml": content_types("presentationml.slideshow").replace("</Types>", filler)}
    )
    assert len(late) > 8000
    assert begun(late) == ZIP
    assert begun(early) == (["PPSX"], None)


def test_the_names_of_members_show_an_office_document_too() -> None:
    for folder, expected in [("word", ["DOCX"]), ("xl", ["XLSX"]), ("ppt", ["PPTX", "PPSX"])]:
        body = zipped({f"{folder}/media/1.png": NOISE, "[Content_Types].xml": content_types("x")})
        assert begun(body) == (expected, None), folder


def test_a_declared_media_type_shows_an_open_document() -> None:
    for media_type, expected in [
        ("application/vnd.oasis.opendocument.formula", (["ODF"], None)),
        ("application/vnd.oasis.opendocument.graphics", ([], "application/vnd.oasis.opendocument.graphics")),
        ("application/epub+zip", ([], "application/epub+zip")),
    ]:
        body = zipped({"mimetype": media_type, "content.xml": NOISE}, zipfile.ZIP_STORED)
        assert begun(body) == told(body) == expected, media_type


def test_a_zip_file_that_breaks_off_may_be_any_that_comes_in_one() -> None:
    for size in [4, 29, 30, 31, 60, 200]:
        body = zipped({"a.txt": "tekst " * 1000, "b.txt": NOISE})
        assert begun(body, size) == ZIP, size


def test_a_member_whose_lengths_are_wrong_is_no_error() -> None:
    for name_length in [0, 7, 65535]:
        header = struct.pack(
            "<4sHHH4sLLLHH", b"PK\x03\x04", 20, 0, 8, b"", 0, 0xFFFFFFFF, 0, name_length, 65535
        )
        for rest in (b"", NOISE, b"[Content_Types].xml" + NOISE):
            assert begun(header + rest) == ZIP, name_length


def test_a_bomb_in_the_first_bytes_is_not_unpacked() -> None:
    body = zipped({"[Content_Types].xml": b"<x>" + b"\n" * 20_000_000})
    assert begun(body) == ZIP


def test_the_first_sector_shows_an_old_office_document_where_it_can() -> None:
    for sector, expected in [
        (b"\xec\xa5\xc1\x00", (["DOC"], None)),
        (b"\x09\x08\x10\x00\x00\x06\x05\x00", (["XLS"], None)),
        (b"\x00\x6e\x1e\xf0", (["PPT", "PPS"], None)),
        (b"\xfd\xff\xff\xff\x02\x00\x00\x00", OLE),
        (b"\xfd\xff\xff\xff" + bytes(20), OLE),
        (b"iets anders", OLE),
        (b"", OLE),
    ]:
        head = OLE_MAGIC + bytes(504)
        assert begun(head + sector + bytes(3000)) == expected, sector


def test_an_ole_file_that_shows_nothing_is_left_open_and_a_zip_file_is_not() -> None:
    assert detect_beginning(io.BytesIO(OLE_MAGIC + bytes(4000))).is_open
    assert not detect_beginning(io.BytesIO(SAMPLES["DOC"].read_bytes()[:4096])).is_open
    assert not detect_beginning(io.BytesIO(SAMPLES["PPTX"].read_bytes()[:4096])).is_open
