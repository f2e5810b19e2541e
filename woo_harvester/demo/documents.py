"""Make tiny but real documents: a PDF, a Word file, a page of HTML."""

from __future__ import annotations

import io
import textwrap
import zipfile
from xml.sax.saxutils import escape

from woo_harvester.demo.server import Page

_PDF_TYPE = "application/pdf"
DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_CONTENT = "application/vnd.openxmlformats-package"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_EPOCH = (2024, 1, 1, 0, 0, 0)  # the same bytes in every run, so the same hash


def pdf(text: str = "", pages: int = 1) -> bytes:
    """Return a PDF 1.4 of this many pages with this text on each; an empty text gives blank pages."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(pages))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    content = _page_content(text)
    for number in range(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return _with_xref(objects)


def docx(text: str) -> bytes:
    """Return a Word file with a paragraph for each line of the text."""
    paragraphs = "".join(f"<w:p><w:r><w:t>{escape(line)}</w:t></w:r></w:p>" for line in text.splitlines())
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
            f'<Default Extension="rels" ContentType="{_CONTENT}.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{DOCX_TYPE}.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
            f' Type="{_OFFICE}/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{paragraphs}</w:body></w:document>',
        }
    )


def zipped(files: dict[str, str]) -> bytes:
    """Return a zip file of these texts by name."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), text)
    return target.getvalue()


def html(title: str, text: str = "") -> str:
    """Return a page of HTML, such as content management systems send instead of a document."""
    head = f'<head><meta charset="utf-8"><title>{escape(title)}</title></head>'
    body = f"<body><h1>{escape(title)}</h1><p>{escape(text)}</p></body>"
    return f'<!DOCTYPE html>\n<html lang="nl">{head}{body}</html>\n'


def pdf_page(text: str, pages: int = 1) -> Page:
    """Return a PDF as a page of a site."""
    return Page(pdf(text, pages), content_type=_PDF_TYPE)


def docx_page(text: str) -> Page:
    """Return a Word file as a page of a site."""
    return Page(docx(text), content_type=DOCX_TYPE)


def html_page(title: str, text: str = "", status: int = 200) -> Page:
    """Return a page of HTML as a page of a site."""
    return Page(html(title, text), status=status, content_type="text/html; charset=utf-8")


def _page_content(text: str) -> bytes:
    if not text:
        return b""
    lines = [line for paragraph in text.splitlines() for line in textwrap.wrap(paragraph, 85) or [""]]
    shown = b" ".join(b"(%s) Tj T*" % _pdf_string(line) for line in lines)
    return b"BT /F1 11 Tf 14 TL 50 790 Td " + shown + b" ET"


def _pdf_string(line: str) -> bytes:
    escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return escaped.encode("cp1252", "replace")


def _with_xref(objects: list[bytes]) -> bytes:
    """Return the file with these objects: header, cross-reference table, trailer (ISO 32000-1, 7.5)."""
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()
