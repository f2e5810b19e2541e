from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from tests.documents.pdfs import simple
from tests.documents.test_content import with_stream
from tests.samples import SAMPLES, SCAN, SENTENCE, TITLE, TITLED
from woo_harvester.documents.extracted import Extracted, Limits, TextFailedError
from woo_harvester.documents.text import (
    MEMBERS_MAXIMUM,
    TITLE_MAXLENGTH,
    extract,
)

ARCHIVES = {"7z", "ZIP"}
#: Types whose files say how many pages or slides they have; the samples of others were never laid out.
PAGED = {"PDF", "PPTX", "PPSX", "ODP"}
LIMITS = Limits()


def json_value(folder: Path, content: bytes, filetype: str = "TXT", limits: Limits = LIMITS) -> Extracted:
    path = folder / "document"
    path.write_bytes(content)
    return extract(path, filetype, limits)


NAMES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def package(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.xml", content)
    return path


def presentation(path: Path, *slides: str) -> Path:
    body = "".join(f"<draw:page>{slide}</draw:page>" for slide in slides)
    return package(path, content=f"<office:body {NAMES}>{body}</office:body>")


def test_each_type_gives_its_text_language_title_and_number_of_pages() -> None:
    for code in sorted(SAMPLES):
        extracted = extract(SAMPLES[code], code, LIMITS)
        if code in ARCHIVES:
            assert extracted == Extracted("besluit.txt"), "it lists its members"
            continue
        if code == "ODF":
            assert (extracted.has_text, extracted.title) == (False, TITLE), "a formula has symbols only"
            continue
        assert SENTENCE in " ".join(extracted.text.split()), code
        assert (extracted.has_text, extracted.language, extracted.truncated) == (True, "nl", False), code
        assert extracted.title == (TITLE if code in TITLED - {"ODS", "XLS"} else None), code
        assert extracted.pages == (1 if code in PAGED else None), code


def test_a_scan_has_pages_but_no_text_and_signs_only_are_no_text() -> None:
    scan = extract(SCAN, "PDF", LIMITS)
    assert (scan, scan.has_text) == (Extracted("", pages=1), False)
    assert not Extracted("- \n • | …").has_text
    assert Extracted("pagina 1").has_text


def test_pages_of_a_pdf_are_counted(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.pdf", "Besluit", title="Besluit 12", pages=7)
    assert extract(path, "PDF", LIMITS) == Extracted(
        "\n\n".join(["Besluit"] * 7), pages=7, title="Besluit 12"
    )


def test_a_text_beyond_the_longest_length_is_cut(tmp_path: Path) -> None:
    limits = Limits(maxlength=100)
    extracted = json_value(tmp_path, b"besluit " * 1000, limits=limits)
    assert extracted.truncated
    assert len(extracted.text) <= 100
    assert json_value(tmp_path, "é".encode() * 100, limits=limits) == Extracted("é" * 100)


def test_plain_text_is_read_in_the_encodings_that_occur(tmp_path: Path) -> None:
    for encoding in ["utf-8", "utf-8-sig", "utf-16", "cp1252"]:
        for filetype in ["TXT", "CSV"]:
            text = "naam;bedrag\nReünie ‘café’ – één;€ 5"
            assert json_value(tmp_path, text.encode(encoding), filetype).text == text, (encoding, filetype)


def test_a_page_is_read_in_the_encoding_that_it_declares_or_as_utf_8_if_it_cannot_have_that(
    tmp_path: Path,
) -> None:
    impossible = (("utf-8", label) for label in ("utf-16", "utf-16-le", "utf-32", "idna"))
    for encoding, label in (("utf-8", "utf-8"), ("cp1252", "cp1252"), *impossible):
        page = f"<html><head><meta charset={label}><title>Café</title></head><p>Reünie – € 5</p></html>"
        extracted = json_value(tmp_path, page.encode(encoding), "HTML")
        assert (extracted.title, extracted.text) == ("Café", "Reünie – € 5"), label


def test_control_characters_are_left_out_and_lines_end_in_one_way(tmp_path: Path) -> None:
    assert json_value(tmp_path, b"a\x00b\x07\r\nc\rd\x0ce\tf\n").text == "ab\nc\nd\ne\tf"


def test_a_title_is_one_line_of_bounded_length(tmp_path: Path) -> None:
    path = simple(tmp_path / "a.pdf", "x", title="Besluit\n  over " + "haven " * 200)
    title = extract(path, "PDF", LIMITS).title
    assert title is not None
    assert title.startswith("Besluit over haven haven")
    assert len(title) == TITLE_MAXLENGTH


def test_other_languages_are_detected(tmp_path: Path) -> None:
    for sentence, language in (
        ("This decision was taken by the municipality, and it can be appealed within six weeks.", "en"),
        ("Dieser Beschluss wurde von der Gemeinde gefasst und ist sechs Wochen lang anfechtbar.", "de"),
        ("12 34 56 78", None),
    ):
        assert json_value(tmp_path, sentence.encode()).language == language, sentence


def test_only_so_many_members_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(MEMBERS_MAXIMUM + 10):
            archive.writestr(f"{number}.txt", b"")
    names = extract(path, "ZIP", LIMITS).text.split()
    assert names == [f"{number}.txt" for number in range(MEMBERS_MAXIMUM)]


def test_a_bomb_is_listed_without_being_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("bom", "w") as member:
        for _ in range(64):
            member.write(bytes(1 << 20))
    assert extract(path, "ZIP", LIMITS) == Extracted("bom")


# The library takes anything for RTF.
def test_what_is_no_such_document_fails_with_the_reason(tmp_path: Path) -> None:
    for code in sorted(set(SAMPLES) - {"CSV", "HTML", "RTF", "TXT"}):
        for content in [b"", b"geen document", b"PK\x03\x04stuk", b"%PDF-1.7\nstuk"]:
            with pytest.raises(TextFailedError, match=r"\w"):
                json_value(tmp_path, content, code)


def test_a_document_that_is_cut_off_fails_or_gives_what_is_left(tmp_path: Path) -> None:
    for code in ["PDF", "DOCX", "ODP", "ODF", "ZIP", "7z"]:
        content = SAMPLES[code].read_bytes()
        for part in (0.3, 0.6, 0.9):
            with suppress(TextFailedError):
                assert len(json_value(tmp_path, content[: int(len(content) * part)], code).text) < 1000, code


#: A PDF that is encrypted with keys that nobody has.
SECRET_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    b"4 0 obj<</Filter/Standard/V 1/R 2/P -4/O<" + b"ab" * 32 + b">/U<" + b"cd" * 32 + b">>>endobj\n"
    b"trailer<</Root 1 0 R/Encrypt 4 0 R/ID[<01><01>]>>\n"
)


def test_a_document_with_a_password_is_said_to_have_one(tmp_path: Path) -> None:
    secret = with_stream("EncryptedPackage")
    for code, content in (("PDF", SECRET_PDF), *((code, secret) for code in ("DOCX", "XLSX", "PPTX"))):
        assert json_value(tmp_path, content, code) == Extracted("", has_password=True), code


def test_a_text_keeps_its_hyphens_and_loses_what_nobody_sees(tmp_path: Path) -> None:
    for text, right in (
        ("de bestem-\nmingsplannen, de havo-\r\nvwo", "de bestem-\nmingsplannen, de havo-\nvwo"),
        ("omgevings\xadvergun\xad\nning", "omgevingsvergunning"),
        ("Cafe\u0301", "Café"),
    ):
        assert json_value(tmp_path, text.encode(), "TXT").text == right, text


def test_a_file_that_is_gone_fails(tmp_path: Path) -> None:
    with pytest.raises(TextFailedError, match="No such file"):
        extract(tmp_path / "gone.txt", "TXT", LIMITS)


def test_the_paragraphs_of_all_slides_are_read_in_order(tmp_path: Path) -> None:
    path = presentation(
        tmp_path / "a.odp",
        "<text:h>Haven</text:h><text:p>Een <text:span>nieuwe</text:span> kade</text:p>",
        "<text:p>a<text:line-break/>b<text:tab/>c<text:s/>d</text:p>",
    )
    assert extract(path, "ODP", LIMITS) == Extracted("Haven\nEen nieuwe kade\na b c d", pages=2)


def test_an_archive_without_content_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TextFailedError, match=r"content\.xml"):
        extract(package(tmp_path / "a.odp", other="<a/>"), "ODP", LIMITS)


def test_entities_do_not_read_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("geheim", encoding="ascii")
    doctype = f'<!DOCTYPE a [<!ENTITY s SYSTEM "{secret.as_uri()}">]>'
    path = package(tmp_path / "a.odp", content=f"{doctype}<text:p {NAMES}>x&s;</text:p>")
    assert "geheim" not in extract(path, "ODP", LIMITS).text
