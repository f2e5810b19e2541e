"""Detecting the format of a document from its bytes."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.documents.contents import Counted, codes, peak_of, told, type_of, zipped
from tests.samples import SAMPLES, SCAN
from woo_harvester.documents import detect_format

PAGE = '<html lang="nl"><head><title>Inloggen</title></head><body>Één moment</body></html>'
TEXT = (["TXT", "CSV", "HTML"], None)


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        *((code, [code]) for code in SAMPLES if code not in ("CSV", "TXT", "PPT", "PPS")),
        # Their bytes are alike: the claims decide which of them it is.
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


@pytest.mark.parametrize("code", SAMPLES)
def test_a_type_that_is_claimed_rightly_is_the_one_it_resolves_to(code: str) -> None:
    content = detect_format(io.BytesIO(SAMPLES[code].read_bytes()))
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
def test_bytes_that_no_library_knows_have_no_format(data: bytes) -> None:
    assert told(data) == ([], None)


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
