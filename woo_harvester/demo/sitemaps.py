"""What the fictional publishers publish: robots.txt, indexes, sitemaps, their metadata, and documents."""

from __future__ import annotations

import io
import textwrap
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from woo_harvester.demo.server import Page
from woo_harvester.tooi.lists import category_of_index

SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
DIWOO_NAMESPACE = "https://standaarden.overheid.nl/diwoo/metadata/"
XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
#: Size of the pieces in which a sitemap is written, in characters.
_CHUNK_SIZE = 64 * 1024


class Coded(NamedTuple):
    """A value from a waardelijst: label as text, URI as ``resource``; either can be missing or wrong."""

    label: str = ""
    uri: str | None = None


class Handeling(NamedTuple):
    """A documenthandeling; ``at_time`` is an xs:dateTime."""

    soort: Coded
    at_time: str
    door: Coded | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiWoo:
    """The usual metadata of one document. Empty values are not written."""

    identifiers: Sequence[str] = ()
    publisher: Coded | None = None
    verantwoordelijke: Coded | None = None
    medeverantwoordelijken: Sequence[Coded] = ()
    opsteller: Coded | None = None
    titel: str | None = None
    omschrijvingen: Sequence[str] = ()
    informatiecategorieen: Sequence[Coded] = ()
    documentsoorten: Sequence[Coded] = ()
    themas: Sequence[Coded] = ()
    creatiedatum: str | None = None
    language: Coded | None = None
    format: Coded | None = None
    handelingen: Sequence[Handeling] = ()
    relaties: Sequence[tuple[Coded, Coded]] = ()
    """Pairs of a role and the related document."""

    def xml(self) -> str:
        """Return the element ``diwoo:DiWoo``."""
        return _group(
            "DiWoo",
            _list("identifiers", "identifier", self.identifiers),
            _value("publisher", self.publisher),
            _value("verantwoordelijke", self.verantwoordelijke),
            _list("medeverantwoordelijken", "medeverantwoordelijke", self.medeverantwoordelijken),
            _value("opsteller", self.opsteller),
            _group("titelcollectie", _value("officieleTitel", self.titel)),
            _list("omschrijvingen", "omschrijving", self.omschrijvingen),
            _group(
                "classificatiecollectie",
                _list("informatiecategorieen", "informatiecategorie", self.informatiecategorieen),
                _list("documentsoorten", "documentsoort", self.documentsoorten),
                _list("themas", "thema", self.themas),
            ),
            _value("creatiedatum", self.creatiedatum),
            _value("language", self.language),
            _value("format", self.format),
            _group("documenthandelingen", *map(_handeling, self.handelingen)),
            _group("documentrelaties", *(_relatie(*relatie) for relatie in self.relaties)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One ``url`` of a sitemap."""

    loc: str | None = None
    lastmod: str | None = None
    diwoo: DiWoo | None = None
    raw: str = ""
    """XML that is added inside ``url`` as it is."""

    def xml(self) -> str:
        """Return the element ``url``, on one line."""
        loc = "" if self.loc is None else f"<loc>{escape(self.loc)}</loc>"
        lastmod = "" if self.lastmod is None else f"<lastmod>{escape(self.lastmod)}</lastmod>"
        document = _group("Document", self.diwoo.xml()) if self.diwoo else ""
        return f"<url>{loc}{lastmod}{document}{self.raw}</url>\n"


def robots_txt(*sitemaps: str, disallow: Sequence[str] = (), newline: str = "\n") -> str:
    """Return a robots.txt with these sitemaps as given, absolute or relative."""
    rules = ["User-agent: *", *(f"Disallow: {path}" for path in disallow or [""])]
    return newline.join([*rules, "", *(f"Sitemap: {sitemap}" for sitemap in sitemaps), ""])


def sitemapindex(sitemaps: Iterable[str], lastmod: str | None = None) -> str:
    """Return a sitemap index with these sitemaps."""
    when = "" if lastmod is None else f"<lastmod>{escape(lastmod)}</lastmod>"
    lines = "".join(f"<sitemap><loc>{escape(loc)}</loc>{when}</sitemap>\n" for loc in sitemaps)
    return f'{XML_DECLARATION}<sitemapindex xmlns="{SITEMAP_NAMESPACE}">\n{lines}</sitemapindex>\n'


def urlset(entries: Iterable[Entry | str]) -> Iterator[bytes]:
    """Yield a sitemap in chunks of about 64 KB. An entry that is a string is written as it is."""
    pieces = [f'{XML_DECLARATION}<urlset xmlns="{SITEMAP_NAMESPACE}" xmlns:diwoo="{DIWOO_NAMESPACE}">\n']
    size = 0
    for entry in entries:
        pieces.append(entry if isinstance(entry, str) else entry.xml())
        size += len(pieces[-1])
        if size >= _CHUNK_SIZE:
            yield "".join(pieces).encode()
            pieces, size = [], 0
    yield "".join([*pieces, "</urlset>\n"]).encode()


def sitemap(*entries: Entry | str) -> bytes:
    """Return a complete sitemap."""
    return b"".join(urlset(entries))


def _group(name: str, *children: str) -> str:
    inside = "".join(children)
    return f"<diwoo:{name}>{inside}</diwoo:{name}>" if inside else ""


def _value(name: str, value: Coded | str | None) -> str:
    if value is None:
        return ""
    coded = value if isinstance(value, Coded) else Coded(value)
    resource = "" if coded.uri is None else f" resource={quoteattr(coded.uri)}"
    return f"<diwoo:{name}{resource}>{escape(coded.label)}</diwoo:{name}>"


def _list(name: str, child: str, values: Iterable[Coded | str]) -> str:
    return _group(name, *(_value(child, value) for value in values))


def _handeling(handeling: Handeling) -> str:
    return _group(
        "documenthandeling",
        _value("soortHandeling", handeling.soort),
        _value("atTime", handeling.at_time),
        _value("wasAssociatedWith", handeling.door),
    )


def _relatie(role: Coded, relation: Coded) -> str:
    return _group("documentrelatie", _value("role", role), _value("relation", relation))


_KERN = "https://identifier.overheid.nl/tooi/def/thes/kern/"
_EU = "http://publications.europa.eu/resource/authority/"

ONDERTEKENING = Coded("ondertekening", _KERN + "c_e1ec050e")
ONTVANGST = Coded("ontvangst", _KERN + "c_dfcee535")
VASTSTELLING = Coded("vaststelling", _KERN + "c_641ecd76")

BESLUIT = Coded("besluit", _KERN + "c_465163c9")

AFVAL = Coded("afval", "https://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3")


NEDERLANDS = Coded("Nederlands", _EU + "language/NLD")

PDF = Coded("PDF", _EU + "file-type/PDF")
DOCX = Coded("Word DOCX", _EU + "file-type/DOCX")
CSV = Coded("CSV", _EU + "file-type/CSV")
TXT = Coded("Plain text", _EU + "file-type/TXT")

#: Organisations that no longer exist but are in the lists, so that no existing publisher gets invented
#: documents.
GEMEENTE = Coded("gemeente 's-Gravendeel", "https://identifier.overheid.nl/tooi/id/gemeente/gm0517")
WATERSCHAP = Coded("waterschap Vallei & Eem", "https://identifier.overheid.nl/tooi/id/waterschap/ws0154")


def categorie(nummer: int) -> Coded:
    """Return the informatiecategorie of the index with this number (1 to 17)."""
    concept = category_of_index(nummer)
    return Coded(concept.label, concept.uri)


def naam_van_index(nummer: int | None = None) -> str:
    """Return the name of the sitemap index of this category, or of all categories without a number."""
    return "sitemapindex-diwoo.xml" if nummer is None else f"sitemapindex-diwoo-infocat{nummer:03d}.xml"


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
