"""A function that returns the errors of the official schema in the documents of a sitemap."""

from __future__ import annotations

import io
import re
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator

import pytest
from lxml import etree

from tests.samples import DIWOO
from woo_harvester.demo import mistaken, publishers, sitemaps
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import (
    DIWOO_NAMESPACE,
    SITEMAP_NAMESPACE,
    Coded,
    DiWoo,
    Entry,
    ExtraMetadata,
    docx,
    docx_page,
    html,
    html_page,
    pdf,
    pdf_page,
    robots_txt,
    sitemap,
    sitemapindex,
    urlset,
    zipped,
)

NAMES = {"s": SITEMAP_NAMESPACE, "d": DIWOO_NAMESPACE}
_MDTO = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"
 targetNamespace="https://www.nationaalarchief.nl/mdto"><xs:element name="MDTO"/></xs:schema>"""

Errors = Callable[[bytes], list[str]]


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> Errors:
    folder = tmp_path_factory.mktemp("xsd")
    (folder / "mdto.xsd").write_text(_MDTO)
    (folder / "diwoo-metadata-lijsten.xsd").write_bytes((DIWOO / "diwoo-metadata-lijsten.xsd").read_bytes())
    main = (DIWOO / "diwoo-metadata.xsd").read_text(encoding="utf-8")
    (folder / "diwoo-metadata.xsd").write_text(
        main.replace("https://www.nationaalarchief.nl/mdto/MDTO-XML1.0.1.xsd", "mdto.xsd"), encoding="utf-8"
    )
    schema = etree.XMLSchema(etree.parse(folder / "diwoo-metadata.xsd"))

    def validate(body: bytes) -> list[str]:
        found = etree.fromstring(body).findall(".//d:Document", NAMES)
        return [error.message for doc in found if not schema.validate(doc) for error in schema.error_log]

    return validate


def test_robots_txt_names_the_sitemaps_as_they_are_given_and_allows_everything_by_default() -> None:
    lines = [
        "User-agent: *",
        "Disallow: /besloten/",
        "",
        "Sitemap: /x.xml",
        "Sitemap: https://a.nl/x.xml",
        "",
    ]
    text = robots_txt("/x.xml", "https://a.nl/x.xml", disallow=["/besloten/"], newline="\r\n")
    assert text.split("\r\n") == lines
    assert "Disallow: \n" in robots_txt()


def test_an_index_lists_its_sitemaps() -> None:
    root = etree.fromstring(sitemapindex(["https://a.nl/1.xml?x=1&y=2"], lastmod="2024-01-01").encode())
    assert root.findtext("s:sitemap/s:loc", namespaces=NAMES) == "https://a.nl/1.xml?x=1&y=2"
    assert root.findtext("s:sitemap/s:lastmod", namespaces=NAMES) == "2024-01-01"


def test_what_is_absent_is_not_written() -> None:
    assert Entry().xml() == "<url></url>\n"
    assert Entry(loc="https://a.nl/", diwoo=DiWoo()).xml() == "<url><loc>https://a.nl/</loc></url>\n"
    for publisher, written in (
        (Coded(uri="https://x.example/a&b"), ' resource="https://x.example/a&amp;b">'),
        (Coded("A & B"), ">A &amp; B"),
    ):
        xml = DiWoo(publisher=publisher).xml()
        assert xml == f"<diwoo:DiWoo><diwoo:publisher{written}</diwoo:publisher></diwoo:DiWoo>"


def test_own_metadata_keeps_its_order_and_values() -> None:
    extra = ExtraMetadata([("wijk", ["Haven", "<Centrum>"]), ("zaak", ["1"])], prefix="eigen")
    root = etree.fromstring(sitemap(Entry(loc="https://a.nl/", extra=[extra])))
    found = root.find(".//d:extraMetadata", NAMES)
    assert found is not None
    assert list(found.itertext()) == ["eigen", "wijk", "Haven", "<Centrum>", "zaak", "1"]


def test_an_entry_may_have_any_xml() -> None:
    root = etree.fromstring(sitemap(Entry(loc="https://a.nl/", raw="<priority>0.5</priority>"), "<url/>"))
    assert [child.tag for child in root[0]] == [
        f"{{{SITEMAP_NAMESPACE}}}loc",
        f"{{{SITEMAP_NAMESPACE}}}priority",
    ]
    assert len(root) == 2


def test_the_complete_entry_is_valid_by_the_official_schema(errors: Errors, site: Site) -> None:
    assert errors(sitemap(publishers.complete(site))) == []


def test_the_complete_entry_uses_each_element_of_the_schema(site: Site) -> None:
    root = etree.fromstring(
        publishers.complete(site).xml().replace("<url>", f'<url xmlns:diwoo="{DIWOO_NAMESPACE}">', 1)
    )
    diwoo = root.find(".//d:DiWoo", NAMES)
    assert diwoo is not None
    assert len(diwoo) == 19  # the elements of DiWooType in diwoo-metadata.xsd 0.9.8
    assert len(root.findall(".//d:extraMetadata", NAMES)) == 1


def test_the_starting_point_of_each_mistake_is_right(errors: Errors) -> None:
    assert errors(sitemap(Entry(loc="https://a.nl/", diwoo=mistaken.GOOD))) == []


def test_an_absent_publisher_is_against_the_official_schema(errors: Errors) -> None:
    body = sitemap(
        Entry(loc="https://a.nl/", diwoo=DiWoo(titel="x", informatiecategorieen=[sitemaps.categorie(1)]))
    )
    assert any("publisher" in message for message in errors(body))


def test_fifty_thousand_entries_are_never_in_memory_together() -> None:
    def entries() -> Iterator[Entry]:
        for number in range(50_000):
            yield Entry(loc=f"https://a.nl/{number}.pdf", lastmod="2024-01-01")

    tracemalloc.start()
    size = sum(map(len, urlset(entries())))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size > 3_000_000
    assert peak < 1_000_000


def test_a_pdf_has_as_many_pages_as_asked_for_and_is_the_same_in_every_run() -> None:
    for pages in (1, 3):
        body = pdf("Besluit", pages)
        assert body.startswith(b"%PDF-1.4\n"), pages
        assert body.count(b"/Type /Page ") == pages, pages
        assert b"/Count %d" % pages in body, pages
        assert body == pdf("Besluit", pages)
    streams = re.findall(rb"/Length (\d+) >>\nstream\n(.*?)\nendstream", pdf("een " * 50), re.DOTALL)
    assert [int(length) for length, _ in streams] == [len(content) for _, content in streams]
    assert rb"(a \(b\) c:\\d) Tj" in pdf(r"a (b) c:\d")
    assert b"Tj" not in pdf("")
    assert zipped({"a.txt": "a"}) == zipped({"a.txt": "a"})


def test_the_table_of_a_pdf_points_at_its_objects() -> None:
    body = pdf("Besluit (met haakjes)\nen een tweede regel", 2)
    start = int(re.findall(rb"startxref\n(\d+)", body)[0])
    assert body[start:].startswith(b"xref\n")
    offsets = [int(offset) for offset in re.findall(rb"(\d{10}) 00000 n", body[start:])]
    assert [body[offset:].split(b" ")[0] for offset in offsets] == [
        b"%d" % n for n in range(1, len(offsets) + 1)
    ]


def test_a_word_file_has_a_paragraph_for_each_line() -> None:
    with zipfile.ZipFile(io.BytesIO(docx("Eén & twee\ndrie"))) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            etree.fromstring(archive.read(name))
        text = etree.fromstring(archive.read("word/document.xml"))
    assert list(text.itertext()) == ["Eén & twee", "drie"]


def test_each_page_is_sent_as_what_it_is_and_html_escapes_its_title() -> None:
    types = [page.content_type for page in (pdf_page("a"), docx_page("a"), html_page("a"))]
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert types == ["application/pdf", word, "text/html; charset=utf-8"]
    assert "<title>a &lt; b</title>" in html("a < b")
