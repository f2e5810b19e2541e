"""The type of a zip or OLE file, also of one that is damaged or malicious."""

from __future__ import annotations

import io
import struct
import zipfile

from tests.documents.contents import Counted, codes, peak_of, told, type_of, zipped
from tests.samples import SAMPLES
from woo_harvester.documents import detect_format

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
        assert told(opc(main_part)) == expected, main_part


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
        assert told(zipped({"mimetype": media_type, "content.xml": "<a/>"})) == expected, media_type


def test_an_open_document_without_it_is_recognised_by_its_manifest() -> None:
    entries = "".join(
        f'<m:file-entry m:full-path="{path}" m:media-type="{kind}"/>'
        for path, kind in (("Object 1/", f"{ODF}.chart"), ("/", f"{ODF}.spreadsheet"))
    )
    manifest = f'<m:manifest xmlns:m="{MANIFEST}">{entries}</m:manifest>'
    assert told(zipped({"META-INF/manifest.xml": manifest})) == (["ODS"], None)


def test_an_empty_archive_is_a_zip_file() -> None:
    assert told(zipped({})) == (["ZIP"], None)


def test_a_zip_file_that_is_cut_off_may_be_any_type_in_a_zip_file() -> None:
    for code in ["DOCX", "ODT", "ZIP"]:
        assert told(SAMPLES[code].read_bytes()[:-40]) == ANY_ZIP, code


def test_a_member_that_is_packed_as_no_office_file_has_it_is_not_unpacked() -> None:
    for method in [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]:
        assert told(zipped({"mimetype": f"{ODF}.text"}, method)) == (["ZIP"], None), method


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
        assert told(with_stream(stream)) == expected, stream


def test_an_encrypted_office_file_may_be_any_of_them() -> None:
    content = detect_format(io.BytesIO(with_stream("EncryptedPackage")))
    for code in ("DOCX", "XLSX", "PPTX", "PPSX", "DOC", "XLS", "PPT", "PPS"):
        assert content.resolve(type_of(code)) is type_of(code)
    assert content.resolve(type_of("PDF"), None) is None
    assert content.unlisted == "application/x-ole-storage"


def test_an_ole_file_that_is_cut_off_may_be_any_type_in_an_ole_file() -> None:
    for size in [8, 600, 2000]:
        assert told(SAMPLES["DOC"].read_bytes()[:size]) == ANY_OLE, size


def test_a_zip_bomb_is_not_unpacked() -> None:
    for name in ["[Content_Types].xml", "mimetype", "META-INF/manifest.xml"]:
        bomb = zipped({name: b" " * 200_000_000})
        assert told(bomb) in (ANY_ZIP, (["ZIP"], None)), name
        assert peak_of(io.BytesIO(bomb)) < 20_000_000, name


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
