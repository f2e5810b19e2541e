from __future__ import annotations

import io
import re
import zipfile

import pytest
from lxml import etree

from woo_harvester.demo.sitemaps import docx, docx_page, html, html_page, pdf, pdf_page, zipped


@pytest.mark.parametrize("pages", [1, 3])
def test_a_pdf_has_as_many_pages_as_asked_for(pages: int) -> None:
    body = pdf("Besluit", pages)
    assert body.startswith(b"%PDF-1.4\n")
    assert body.count(b"/Type /Page ") == pages
    assert b"/Count %d" % pages in body


def test_the_table_of_a_pdf_points_at_its_objects() -> None:
    body = pdf("Besluit (met haakjes)\nen een tweede regel", 2)
    start = int(re.findall(rb"startxref\n(\d+)", body)[0])
    assert body[start:].startswith(b"xref\n")
    offsets = [int(offset) for offset in re.findall(rb"(\d{10}) 00000 n", body[start:])]
    assert [body[offset:].split(b" ")[0] for offset in offsets] == [
        b"%d" % n for n in range(1, len(offsets) + 1)
    ]


def test_the_length_of_each_stream_of_a_pdf_is_right() -> None:
    for length, content in re.findall(
        rb"/Length (\d+) >>\nstream\n(.*?)\nendstream", pdf("een " * 50), re.DOTALL
    ):
        assert int(length) == len(content)


def test_brackets_in_the_text_of_a_pdf_are_escaped() -> None:
    assert rb"(a \(b\) c:\\d) Tj" in pdf(r"a (b) c:\d")


def test_a_pdf_without_text_is_a_blank_page() -> None:
    assert b"Tj" not in pdf("")


def test_a_word_file_has_a_paragraph_for_each_line() -> None:
    with zipfile.ZipFile(io.BytesIO(docx("Eén & twee\ndrie"))) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            etree.fromstring(archive.read(name))
        text = etree.fromstring(archive.read("word/document.xml"))
    assert list(text.itertext()) == ["Eén & twee", "drie"]


def test_a_document_is_the_same_in_every_run() -> None:
    assert zipped({"a.txt": "a"}) == zipped({"a.txt": "a"})
    assert pdf("a") == pdf("a")


def test_a_page_of_html_escapes_its_title() -> None:
    assert "<title>a &lt; b</title>" in html("a < b")


def test_each_page_is_sent_as_what_it_is() -> None:
    types = [page.content_type for page in (pdf_page("a"), docx_page("a"), html_page("a"))]
    assert types == [
        "application/pdf",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "text/html; charset=utf-8",
    ]
