"""Detecting the format of a document from its bytes."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.documents.contents import Counted, codes, detected, peak_of, type_of, zipped
from tests.samples import SAMPLES, SCAN
from woo_harvester.documents.content import OLE_MAGIC, detect_beginning, detect_format

PAGE = '<html lang="nl"><head><title>Inloggen</title></head><body>Één moment</body></html>'
TEXT = (["TXT", "CSV", "HTML"], None)


def test_each_of_the_19_types_is_known_by_its_bytes() -> None:
    for code, expected in [
        *((code, [code]) for code in SAMPLES if code not in ("CSV", "TXT", "PPT", "PPS")),
        # Their bytes are alike: the claims decide which of them it is.
        ("CSV", ["TXT", "CSV", "HTML"]),
        ("TXT", ["TXT", "CSV", "HTML"]),
        ("PPT", ["PPT", "PPS"]),
        ("PPS", ["PPT", "PPS"]),
    ]:
        assert detected(SAMPLES[code].read_bytes()) == (expected, None), (code, expected)


def test_a_scan_is_a_pdf_as_well() -> None:
    assert detected(SCAN.read_bytes()) == (["PDF"], None)


def test_a_type_that_is_claimed_rightly_is_the_one_it_resolves_to() -> None:
    for code in SAMPLES:
        content = detect_format(io.BytesIO(SAMPLES[code].read_bytes()))
        assert content.resolve(type_of("PDF"), type_of(code)) is type_of(code), code


def test_a_pdf_may_have_text_before_its_header_and_a_text_may_be_about_pdf() -> None:
    for text in (
        "Date: Mon, 1 Apr 2024\r\nContent-Type: application/pdf\r\n\r\n",
        "<br />\n<b>Warning</b>: Undefined index in <b>/var/www/a.php</b> on line <b>7</b><br />\n",
    ):
        assert detected(text.encode() + SAMPLES["PDF"].read_bytes()) == (["PDF"], None), text
    about = b"Een bestand begint met\n%PDF-1.7\nen heeft delen zoals 1 0 obj.\n"
    assert "PDF" not in detected(about)[0]


def test_what_stands_before_a_root_element_does_not_take_long() -> None:
    for part in (b"<??>", b"<!---->", b"<!DOCTYPE>", b" "):
        assert detected(part * 200 + b"<x/>")[0] != ["HTML"], part


def test_a_pdf_may_have_something_before_its_header() -> None:
    for junk in [b"\n", b"\xef\xbb\xbf", b"HTTP/1.1 200 OK\r\n\r\n\x00\x00", b"\x00" * 1023]:
        assert detected(junk + SAMPLES["PDF"].read_bytes()) == (["PDF"], None), junk


def test_a_page_of_html_is_known_in_any_dress() -> None:
    for page in [
        PAGE,
        f"<!DOCTYPE html>{PAGE}",
        f"<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n{PAGE}",
        f"\r\n\r\n \t{PAGE}",
        f"<!-- a -->\n<!-- b -->{PAGE}",
        f"<!-- {'x' * 20_000} -->{PAGE}",
        "<div class='fout'>Niet gevonden</div>",
        "<script>location = '/inloggen'</script>",
        f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html SYSTEM "xhtml1.dtd">\n{PAGE}',
        f'<?xml version="1.0"?><!-- a --><x:html xmlns:x="http://www.w3.org/1999/xhtml">{PAGE}',
    ]:
        for encoding in ("utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32"):
            assert detected(page.encode(encoding)) == (["HTML"], None), (page, encoding)


def test_whatever_is_text_may_be_csv_and_html() -> None:
    for text in (
        *(" ", "\n\n", "x", "1;2", '{"error": "weg"}', "<besluit>1</besluit>", "a" * 9000),
        # They begin like a file of another kind.
        *("BM is een afkorting", "MZ ook", "GIF89a ook", "ID3 ook", "PK ook", "II. Het besluit"),
        *("P1;P2\n1;2", "%PDF"),
    ):
        assert detected(text.encode()) == TEXT, text
    for encoding in ("utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32"):
        assert detected("coördinatie: één kopje koffie\r\n".encode(encoding)) == TEXT, encoding


def test_xml_is_text_and_a_type_that_is_not_on_the_list() -> None:
    xml = (["TXT", "HTML"], "text/xml")
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        text = '<?xml version="1.0"?><besluit xmlns="urn:x"><html/></besluit>'
        assert detected(text.encode(encoding)) == xml, encoding
    assert detected(b'<?xml version="1.0"?><!-- ') == xml, "it ends before its root"


def test_a_file_of_another_kind_is_named() -> None:
    for head, name in [
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"),
        (b"GIF89a\x01\x00\x01\x00", "image/gif"),
        (b"II*\x00\x08\x00\x00\x00", "image/tiff"),
        (b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "video/mp4"),
        (b"ID3\x04\x00\x00\x00\x00\x00", "audio/mpeg"),
        (b"MZ\x90\x00\x03\x00\x00\x00", "application/x-msdownload"),
        (b"\x7fELF\x02\x01\x01\x00", "application/x-executable"),
        (b"Rar!\x1a\x07\x01\x00", "application/x-rar-compressed"),
        (b"\x1f\x8b\x08\x00\x00", "application/gzip"),
        (b"%!PS-Adobe-3.0\n", "application/postscript"),
        (b"SQLite format 3\x00", "application/x-sqlite3"),
    ]:
        assert detected(head + bytes(100)) == ([], name), head


def test_bytes_that_no_library_knows_have_no_format() -> None:
    for data in [b"", bytes(1000), b"\x01\x02\x03", b"\xdb\xa5\x2d\x00" + bytes(100)]:
        assert detected(data) == ([], None), data


def test_little_is_read_of_a_large_document() -> None:
    large = bytes(20_000_000)
    package = zipped({"[Content_Types].xml": "<a/>", "word/media/a.bin": large}, zipfile.ZIP_STORED)
    for data in (SAMPLES["PDF"].read_bytes() + large, package):
        file = Counted(data)
        detect_format(file)
        assert file.count < 100_000


@pytest.fixture
def large_pdf(tmp_path: Path) -> BinaryIO:
    path = tmp_path / "groot.pdf"
    path.write_bytes(b"%PDF-1.7\n")
    with path.open("r+b") as file:
        file.truncate(500_000_000)
    return path.open("rb")


def test_a_document_of_500_mb_is_not_read_into_memory(large_pdf: BinaryIO) -> None:
    with large_pdf as file:
        peak = peak_of(file)
    assert peak < 1_000_000


def test_the_position_in_the_file_does_not_matter() -> None:
    file = io.BytesIO(SAMPLES["DOCX"].read_bytes())
    file.seek(100)
    assert codes(detect_format(file)) == (["DOCX"], None)


@given(
    st.binary(max_size=3000),
    st.sampled_from([b"", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"<?xml "]),
)
def test_no_bytes_are_an_error(data: bytes, head: bytes) -> None:
    detected(head + data)


@given(
    st.sampled_from(sorted(SAMPLES)),
    st.lists(st.tuples(st.integers(0, 21_000), st.binary(min_size=1, max_size=8)), max_size=10),
    st.integers(0, 21_000),
)
def test_nor_is_a_document_that_was_damaged(code: str, changes: list[tuple[int, bytes]], cut: int) -> None:
    data = bytearray(SAMPLES[code].read_bytes())
    for place, change in changes:
        start = place % len(data)
        data[start : start + len(change)] = change
    detected(bytes(data[: len(data) - cut % len(data)]))


# The format of a document of which only the first bytes are there.


MAIN = "application/vnd.openxmlformats-officedocument.{}.main+xml"
TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{}</Types>'
NOISE = random.Random(17).randbytes(8000)
#: Samples whose type is shown by what comes later in the file.
TOO_LATE = {"XLS", "PPT", "PPS", "PPTX", "PPSX", "ODF", "ZIP"}
ZIP = (["ZIP", "DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF"], None)
OLE = (["DOC", "XLS", "PPT", "PPS", "DOCX", "XLSX", "PPTX", "PPSX"], "application/x-ole-storage")


def begun(data: bytes, size: int = 4096) -> tuple[list[str], str | None]:
    return codes(detect_beginning(io.BytesIO(data[:size])))


def content_types(kind: str, before: str = "") -> str:
    return TYPES.format(f'{before}<Override PartName="/x.xml" ContentType="{MAIN.format(kind)}"/>')


def test_the_first_bytes_of_a_sample_show_what_all_of_them_show() -> None:
    for code in [code for code in SAMPLES if code not in TOO_LATE]:
        body = SAMPLES[code].read_bytes()
        assert begun(body) == detected(body), code


def test_the_names_of_members_show_an_office_document_too() -> None:
    for folder, expected in [("word", ["DOCX"]), ("xl", ["XLSX"]), ("ppt", ["PPTX", "PPSX"])]:
        body = zipped({f"{folder}/media/1.png": NOISE, "[Content_Types].xml": content_types("x")})
        assert begun(body) == (expected, None), folder


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
        (b"\x09\x08\x10\x00\x00\x06\x05\x00", OLE),
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


# The type of a zip or OLE file, also of one that is damaged or malicious.


OPC = "http://schemas.openxmlformats.org/package/2006/content-types"
MANIFEST = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
ODF = "application/vnd.oasis.opendocument"
ANY_OLE = (["DOC", "XLS", "PPT", "PPS"], "application/x-ole-storage")
ANY_ZIP = (["ZIP", "DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF"], None)


def opc(main_part: str) -> bytes:
    """Return an Office file (Open Packaging Conventions) with a main part of this type."""
    part = f'<Override PartName="/a.xml" ContentType="{main_part}"/>'
    return zipped({"a.xml": "<a/>", "[Content_Types].xml": f'<Types xmlns="{OPC}">{part}</Types>'})


def with_stream(name: str) -> bytes:
    """Return the sample of DOC with another name for its main stream (MS-CFB 2.6.1)."""
    data = SAMPLES["DOC"].read_bytes()
    start = data.index("WordDocument".encode("utf-16-le"))
    entry = struct.pack("<64sH", name.encode("utf-16-le"), 2 * len(name) + 2)
    return data[:start] + entry + data[start + len(entry) :]


def test_the_main_part_of_an_office_file_shows_its_type() -> None:
    for main_part, expected in [
        (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
            (["DOCX"], None),
        ),
        ("Application/vnd.openxmlformats-OfficeDocument.presentationml.slideshow.main+xml", (["PPSX"], None)),
        (
            "application/vnd.ms-word.document.macroEnabled.main+xml",
            ([], "application/vnd.ms-word.document.macroenabled"),
        ),
        (
            "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml",
            ([], "application/vnd.openxmlformats-officedocument.spreadsheetml.template"),
        ),
        (
            "application/vnd.ms-excel.sheet.binary.macroEnabled.main",
            ([], "application/vnd.ms-excel.sheet.binary.macroenabled"),
        ),
        ("application/vnd.ms-package.xps-fixeddocument+xml", (["ZIP"], None)),
        ("&#x0;", ANY_ZIP),
    ]:
        assert detected(opc(main_part)) == expected, main_part


def test_so_does_the_mimetype_of_an_open_document() -> None:
    for media_type, expected in [
        (f"{ODF}.text", (["ODT"], None)),
        (f"{ODF}.text\n", (["ODT"], None)),
        (f"{ODF}.graphics", ([], f"{ODF}.graphics")),
        (f"{ODF}.text-template", ([], f"{ODF}.text-template")),
        ("application/epub+zip", ([], "application/epub+zip")),
        ("application/pdf", (["ZIP"], None)),
        ("één", (["ZIP"], None)),
        ("", (["ZIP"], None)),
    ]:
        assert detected(zipped({"mimetype": media_type, "content.xml": "<a/>"})) == expected, media_type


def test_an_open_document_without_it_is_recognised_by_its_manifest() -> None:
    entries = "".join(
        f'<m:file-entry m:full-path="{path}" m:media-type="{kind}"/>'
        for path, kind in (("Object 1/", f"{ODF}.chart"), ("/", f"{ODF}.spreadsheet"))
    )
    manifest = f'<m:manifest xmlns:m="{MANIFEST}">{entries}</m:manifest>'
    assert detected(zipped({"META-INF/manifest.xml": manifest})) == (["ODS"], None)


def test_an_empty_archive_is_a_zip_file() -> None:
    assert detected(zipped({})) == (["ZIP"], None)


def test_a_zip_file_that_is_cut_off_may_be_any_type_in_a_zip_file() -> None:
    for code in ["DOCX", "ODT", "ZIP"]:
        assert detected(SAMPLES[code].read_bytes()[:-40]) == ANY_ZIP, code


def test_a_member_that_is_packed_as_no_office_file_has_it_is_not_unpacked() -> None:
    for method in [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]:
        assert detected(zipped({"mimetype": f"{ODF}.text"}, method)) == (["ZIP"], None), method


def test_the_streams_of_an_ole_file_show_its_type() -> None:
    for stream, expected in [
        ("WordDocument", (["DOC"], None)),
        ("workbook", (["XLS"], None)),
        ("Book", (["XLS"], None)),
        ("PowerPoint Document", (["PPT", "PPS"], None)),
        ("__properties_version1.0", ([], "application/vnd.ms-outlook")),
        ("VisioDocument", ([], "application/vnd.visio")),
        ("Iets anders", ([], "application/x-ole-storage")),
    ]:
        assert detected(with_stream(stream)) == expected, stream


def test_an_encrypted_office_file_may_be_any_of_them() -> None:
    content = detect_format(io.BytesIO(with_stream("EncryptedPackage")))
    for code in ("DOCX", "XLSX", "PPTX", "PPSX", "DOC", "XLS", "PPT", "PPS"):
        assert content.resolve(type_of(code)) is type_of(code)
    assert content.resolve(type_of("PDF"), None) is None
    assert content.unlisted == "application/x-ole-storage"


def test_an_ole_file_that_is_cut_off_may_be_any_type_in_an_ole_file() -> None:
    for size in [8, 600, 2000]:
        assert detected(SAMPLES["DOC"].read_bytes()[:size]) == ANY_OLE, size


def test_a_zip_bomb_is_not_unpacked() -> None:
    for name in ["[Content_Types].xml", "mimetype", "META-INF/manifest.xml"]:
        bomb = zipped({name: b" " * 200_000_000})
        assert detected(bomb) in (ANY_ZIP, (["ZIP"], None)), name
        assert peak_of(io.BytesIO(bomb)) < 20_000_000, name


def test_entities_that_grow_are_not_expanded() -> None:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha"}">' for n in range(12))
    bomb = zipped({"[Content_Types].xml": f'<!DOCTYPE a [{entities}]><Types xmlns="{OPC}">&a11;</Types>'})
    assert detected(bomb) in (ANY_ZIP, (["ZIP"], None))
    assert peak_of(io.BytesIO(bomb)) < 5_000_000


def test_a_zip_file_of_very_many_members_is_not_listed() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for number in range(40_000):
            archive.writestr(f"{number:050}", b"")
    file = Counted(target.getvalue())
    assert codes(detect_format(file)) == ANY_ZIP
    assert file.count < 3_000_000


def test_a_library_gets_no_more_of_an_ole_file_than_its_window() -> None:
    header = bytearray(SAMPLES["DOC"].read_bytes()[:512])
    header[26:32] = struct.pack("<HHH", 4, 0xFFFE, 12)  # of 4 KB a sector
    header[44:48] = struct.pack("<I", 109)  # in the table, where each sector is followed by the first
    header[76:512] = struct.pack("<I", 0) * 109
    file = Counted(bytes(header) + bytes(30_000_000))
    assert codes(detect_format(file)) == ANY_OLE
    assert file.count < 1_500_000
