"""What the bytes of a document tell of its type."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import shared_file
from tests.samples import SAMPLES, SCAN
from woo_harvester.formats import Content, FileType, file_types, read_content

OPC = "http://schemas.openxmlformats.org/package/2006/content-types"
MANIFEST = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
ODF = "application/vnd.oasis.opendocument"

PAGE = '<html lang="nl"><head><title>Inloggen</title></head><body>Één moment</body></html>'
TEXT = (["TXT", "CSV", "HTML"], None)
ANY_OLE = (["DOC", "XLS", "PPT", "PPS"], "application/x-ole-storage")
ANY_ZIP = (["ZIP", "DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF"], None)


class Counted(io.BytesIO):
    """Counts the bytes that are read."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


def told(data: bytes) -> tuple[list[str], str | None]:
    """Codes of the types that the bytes may be, and what else they are."""
    return codes(read_content(io.BytesIO(data)))


def codes(content: Content) -> tuple[list[str], str | None]:
    return [filetype.code for filetype in content.may_be], content.named


def type_of(code: str) -> FileType:
    return next(filetype for filetype in file_types() if filetype.code == code)


def zipped(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def opc(main_part: str) -> bytes:
    """A zip file by the Open Packaging Conventions with a main part of this type."""
    part = f'<Override PartName="/a.xml" ContentType="{main_part}"/>'
    return zipped({"a.xml": "<a/>", "[Content_Types].xml": f'<Types xmlns="{OPC}">{part}</Types>'})


def with_stream(name: str) -> bytes:
    """The sample of DOC with another name for its main stream (MS-CFB 2.6.1)."""
    data = SAMPLES["DOC"].read_bytes()
    start = data.index("WordDocument".encode("utf-16-le"))
    entry = struct.pack("<64sH", name.encode("utf-16-le"), 2 * len(name) + 2)
    return data[:start] + entry + data[start + len(entry) :]


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        *((code, [code]) for code in SAMPLES if code not in ("CSV", "TXT", "PPT", "PPS")),
        # Their bytes are alike: what is said of the document tells which of them it is.
        ("CSV", ["TXT", "CSV", "HTML"]),
        ("TXT", ["TXT", "CSV", "HTML"]),
        ("PPT", ["PPT", "PPS"]),
        ("PPS", ["PPT", "PPS"]),
    ],
)
def test_each_of_the_19_types_is_known_by_its_bytes(code: str, codes: list[str]) -> None:
    assert told(SAMPLES[code].read_bytes()) == (codes, None)


def test_a_scan_is_a_pdf_as_well() -> None:
    assert told(SCAN.read_bytes()) == (["PDF"], None)


@pytest.mark.parametrize(
    "name",
    [
        "advies_belang_kind_meeroudergezinnen_2024.pdf",
        "cybersecuritybeeld_nederland_2024.pdf",
        "jaarplan_belastingdienst_2024.pdf",
        "woo_besluit_landsadvocaat_stikstof.pdf",
    ],
)
def test_so_are_the_documents_of_ministries(name: str) -> None:
    with shared_file(f"data/documents/{name}").open("rb") as file:
        assert codes(read_content(file)) == (["PDF"], None)


@pytest.mark.parametrize("code", SAMPLES)
def test_a_type_that_is_claimed_rightly_is_the_one_it_resolves_to(code: str) -> None:
    content = read_content(io.BytesIO(SAMPLES[code].read_bytes()))
    assert content.resolve(type_of("PDF"), type_of(code)) is type_of(code)


@pytest.mark.parametrize(
    "junk", [b"\n", b"\xef\xbb\xbf", b"HTTP/1.1 200 OK\r\n\r\n\x00\x00", b"\x00" * 1000], ids=repr
)
def test_a_pdf_may_have_something_before_its_header(junk: bytes) -> None:
    assert told(junk + SAMPLES["PDF"].read_bytes()) == (["PDF"], None)


@pytest.mark.parametrize(
    "page",
    [
        PAGE,
        f"<!DOCTYPE html>{PAGE}",
        f"<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n{PAGE}",
        f"\r\n\r\n \t{PAGE}",
        f"<!-- a -->\n<!-- b -->{PAGE}",
        f"<!-- {'x' * 20_000} -->{PAGE}",
        "<div class='fout'>Niet gevonden</div>",
        "<script>location = '/inloggen'</script>",
        '<meta http-equiv="refresh" content="0; url=/inloggen">',
        '<form action="/inloggen">',
        f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html SYSTEM "xhtml1.dtd">\n{PAGE}',
        f'<?xml version="1.0"?><!-- a --><x:html xmlns:x="http://www.w3.org/1999/xhtml">{PAGE}',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32"])
def test_a_page_of_html_is_known_in_any_dress(page: str, encoding: str) -> None:
    assert told(page.encode(encoding)) == (["HTML"], None)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_page_in_utf_16_needs_no_byte_order_mark(encoding: str) -> None:
    assert told(PAGE.encode(encoding)) == (["HTML"], None)


@pytest.mark.parametrize(
    "text",
    [
        "BM is een afkorting",
        "MZ ook",
        "GIF89a ook",
        "ID3 ook",
        "PK ook",
        "II. Het besluit",
        "P1;P2\n1;2",
        "%PDF",
    ],
)
def test_a_text_may_begin_like_a_file_of_another_kind(text: str) -> None:
    assert told(text.encode()) == TEXT


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32"])
def test_a_text_is_a_text_in_any_character_set(encoding: str) -> None:
    assert told("coördinatie: één kopje koffie\r\n".encode(encoding)) == TEXT


@pytest.mark.parametrize(
    "text", [" ", "\n\n", "x", "1;2", '{"error": "weg"}', "<besluit>1</besluit>", "a" * 9000]
)
def test_whatever_is_text_may_be_csv_and_html(text: str) -> None:
    assert told(text.encode()) == TEXT


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_xml_is_text_and_a_type_that_is_not_on_the_list(encoding: str) -> None:
    text = '<?xml version="1.0"?><besluit xmlns="urn:x"><html/></besluit>'
    assert told(text.encode(encoding)) == (["TXT", "HTML"], "text/xml")


def test_xml_that_ends_before_its_root_is_xml() -> None:
    assert told(b'<?xml version="1.0"?><!-- ') == (["TXT", "HTML"], "text/xml")


@pytest.mark.parametrize(
    ("head", "name"),
    [
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
    ],
)
def test_a_file_of_another_kind_is_named(head: bytes, name: str) -> None:
    assert told(head + bytes(100)) == ([], name)


@pytest.mark.parametrize("data", [b"", bytes(1000), b"\x01\x02\x03", b"\xdb\xa5\x2d\x00" + bytes(100)])
def test_bytes_that_no_library_knows_tell_nothing(data: bytes) -> None:
    assert told(data) == ([], None)


@pytest.mark.parametrize(
    ("main_part", "expected"),
    [
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
    ],
)
def test_the_main_part_of_a_package_tells_which_document_it_is(
    main_part: str, expected: tuple[list[str], str | None]
) -> None:
    assert told(opc(main_part)) == expected


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        (f"{ODF}.text", (["ODT"], None)),
        (f"{ODF}.text\n", (["ODT"], None)),
        (f"{ODF}.graphics", ([], f"{ODF}.graphics")),
        (f"{ODF}.text-template", ([], f"{ODF}.text-template")),
        ("application/epub+zip", ([], "application/epub+zip")),
        ("application/pdf", (["ZIP"], None)),
        ("één", (["ZIP"], None)),
        ("", (["ZIP"], None)),
    ],
)
def test_so_does_the_mimetype_of_an_open_document(
    media_type: str, expected: tuple[list[str], str | None]
) -> None:
    assert told(zipped({"mimetype": media_type, "content.xml": "<a/>"})) == expected


def test_an_open_document_without_it_is_told_by_its_manifest() -> None:
    entries = "".join(
        f'<m:file-entry m:full-path="{path}" m:media-type="{kind}"/>'
        for path, kind in (("Object 1/", f"{ODF}.chart"), ("/", f"{ODF}.spreadsheet"))
    )
    manifest = f'<m:manifest xmlns:m="{MANIFEST}">{entries}</m:manifest>'
    assert told(zipped({"META-INF/manifest.xml": manifest})) == (["ODS"], None)


def test_an_empty_archive_is_a_zip_file() -> None:
    assert told(zipped({})) == (["ZIP"], None)


@pytest.mark.parametrize("code", ["DOCX", "ODT", "ZIP"])
def test_a_zip_file_that_is_cut_off_may_be_any_type_in_a_zip_file(code: str) -> None:
    assert told(SAMPLES[code].read_bytes()[:-40]) == ANY_ZIP


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_is_packed_as_no_office_file_has_it_is_not_unpacked(method: int) -> None:
    assert told(zipped({"mimetype": f"{ODF}.text"}, method)) == (["ZIP"], None)


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("WordDocument", (["DOC"], None)),
        ("workbook", (["XLS"], None)),
        ("Book", (["XLS"], None)),
        ("PowerPoint Document", (["PPT", "PPS"], None)),
        ("__properties_version1.0", ([], "application/vnd.ms-outlook")),
        ("VisioDocument", ([], "application/vnd.visio")),
        ("Iets anders", ([], "application/x-ole-storage")),
    ],
)
def test_the_streams_of_an_ole_file_tell_which_document_it_is(
    stream: str, expected: tuple[list[str], str | None]
) -> None:
    assert told(with_stream(stream)) == expected


def test_an_encrypted_office_file_may_be_any_of_them() -> None:
    content = read_content(io.BytesIO(with_stream("EncryptedPackage")))
    for code in ("DOCX", "XLSX", "PPTX", "PPSX", "DOC", "XLS", "PPT", "PPS"):
        assert content.resolve(type_of(code)) is type_of(code)
    assert content.resolve(type_of("PDF"), None) is None
    assert content.named == "application/x-ole-storage"


@pytest.mark.parametrize("size", [8, 600, 2000])
def test_an_ole_file_that_is_cut_off_may_be_any_type_in_an_ole_file(size: int) -> None:
    assert told(SAMPLES["DOC"].read_bytes()[:size]) == ANY_OLE


def test_little_is_read_of_a_large_document() -> None:
    large = bytes(20_000_000)
    package = zipped({"[Content_Types].xml": "<a/>", "word/media/a.bin": large}, zipfile.ZIP_STORED)
    for data in (SAMPLES["PDF"].read_bytes() + large, package):
        file = Counted(data)
        read_content(file)
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
    assert codes(read_content(file)) == (["DOCX"], None)


def peak_of(file: BinaryIO) -> int:
    """Most memory in use while the content is read, in bytes."""
    read_content(file)  # what is kept for good is not counted
    tracemalloc.start()
    try:
        read_content(file)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["[Content_Types].xml", "mimetype", "META-INF/manifest.xml"])
def test_a_zip_bomb_is_not_unpacked(name: str) -> None:
    bomb = zipped({name: b" " * 200_000_000})
    assert told(bomb) in (ANY_ZIP, (["ZIP"], None))
    assert peak_of(io.BytesIO(bomb)) < 20_000_000


def test_entities_that_grow_are_not_expanded() -> None:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha"}">' for n in range(12))
    bomb = zipped({"[Content_Types].xml": f'<!DOCTYPE a [{entities}]><Types xmlns="{OPC}">&a11;</Types>'})
    assert told(bomb) in (ANY_ZIP, (["ZIP"], None))
    assert peak_of(io.BytesIO(bomb)) < 5_000_000


def test_a_zip_file_of_very_many_members_is_not_listed() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for number in range(40_000):
            archive.writestr(f"{number:050}", b"")
    file = Counted(target.getvalue())
    assert codes(read_content(file)) == ANY_ZIP
    assert file.count < 3_000_000


def test_a_library_gets_no_more_of_an_ole_file_than_its_window() -> None:
    header = bytearray(SAMPLES["DOC"].read_bytes()[:512])
    header[26:32] = struct.pack("<HHH", 4, 0xFFFE, 12)  # of 4 KB a sector
    header[44:48] = struct.pack("<I", 109)  # in the table, where each sector is followed by the first
    header[76:512] = struct.pack("<I", 0) * 109
    file = Counted(bytes(header) + bytes(30_000_000))
    assert codes(read_content(file)) == ANY_OLE
    assert file.count < 1_500_000


@given(
    st.binary(max_size=3000),
    st.sampled_from([b"", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"<?xml "]),
)
def test_no_bytes_are_an_error(data: bytes, head: bytes) -> None:
    told(head + data)


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
    told(bytes(data[: len(data) - cut % len(data)]))
