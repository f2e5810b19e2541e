"""The reader: well-formed files of every encoding, order and layout, in whatever chunks they come."""

from __future__ import annotations

import gzip
from itertools import pairwise
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sitemaps.reading import DIWOO, NAMESPACE, read, split, url, urlset
from woo_harvester.sitemaps.reader import GUIDE_MAXENTRIES, Entry, SitemapReader
from woo_harvester.sitemaps.xml_stream import GUIDE_MAXSIZE, local_name, namespace

DAY = "2024-04-01"
#: Texts of any length and script, as they stand in XML: without what it cannot hold, and stripped.
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x7f\ufffe\uffff", min_codepoint=32),
    max_size=40,
).map(lambda text: " ".join(text.split()))


def read_one(element: str) -> Entry:
    """Yield the only entry of a sitemap, while its document is valid."""
    reader = SitemapReader([urlset().replace("</urlset>", element + "</urlset>").encode()], "urlset", 10**6)
    return next(batch[0] for batch in reader if batch)


def test_each_url_gives_its_loc_and_lastmod() -> None:
    outcome = read(urlset("https://a.nl/1", "https://a.nl/2"))

    assert outcome.entries == [("https://a.nl/1", DAY), ("https://a.nl/2", DAY)]
    assert outcome.complete
    assert outcome.reason is None


def test_a_sitemapindex_gives_its_sitemaps() -> None:
    index = (
        f'<sitemapindex xmlns="{NAMESPACE}"><sitemap><loc>https://a.nl/1.xml</loc></sitemap></sitemapindex>'
    )

    assert read(index, "sitemapindex").entries == [("https://a.nl/1.xml", None)]


@pytest.mark.parametrize(
    ("elements", "loc", "lastmod"),
    [
        ("<loc>x</loc><changefreq>daily</changefreq><priority>1</priority>", "x", None),
        ("<loc>x</loc><lastmod/>", "x", None),
        ("<loc>x</loc><lastmod> \n </lastmod>", "x", None),
        ("<loc>x</loc><lastmod> gisteren </lastmod>", "x", "gisteren"),
        (f"<lastmod>{DAY}</lastmod>", "", DAY),
        (f"<loc/><lastmod>{DAY}</lastmod>", "", DAY),
        (f"<loc> \n </loc><lastmod>{DAY}</lastmod>", "", DAY),
        (f"\n  <loc>\n    x\n  </loc>\n  <lastmod> {DAY}\t</lastmod>\n", "x", DAY),
        ('<loc>x</loc><loc xmlns="urn:images">https://a.nl/1.png</loc>', "x", None),
    ],
)
def test_the_first_loc_and_lastmod_count_stripped(elements: str, loc: str, lastmod: str | None) -> None:
    entry = read_one(f"<url>{elements}</url>")
    assert (entry.loc, entry.lastmod, entry.document) == (loc, lastmod, None)


@pytest.mark.parametrize(
    ("written", "loc"),
    [
        ("https://a.nl/x?a=1&amp;b=2", "https://a.nl/x?a=1&b=2"),
        ("https://a.nl/x?a=1&#38;b=&#x32;", "https://a.nl/x?a=1&b=2"),
        ("<![CDATA[https://a.nl/x?a=1&b=2]]>", "https://a.nl/x?a=1&b=2"),
        ("https://a.nl/<!-- hier -->x<?en nu?>y", "https://a.nl/xy"),
        ("https://a.nl/caf\u00e9", "https://a.nl/caf\u00e9"),
    ],
)
def test_markup_in_loc_is_read_as_xml_has_it(written: str, loc: str) -> None:
    assert read(urlset(written)).locs == [loc]


@pytest.mark.parametrize(
    "document",
    ["<diwoo:Document><diwoo:DiWoo/></diwoo:Document>", f'<Document xmlns="{DIWOO}"><DiWoo/></Document>'],
)
def test_the_document_of_an_entry_comes_with_it_whatever_its_prefix_is(document: str) -> None:
    entry = read_one(f"<url><loc>x</loc>{document}</url>")
    assert entry.document is not None
    assert [child.tag for child in entry.document] == [f"{{{DIWOO}}}DiWoo"]


@pytest.mark.parametrize(
    "xml",
    [
        f'<s:urlset xmlns:s="{NAMESPACE}"><s:url><s:loc>https://a.nl/1</s:loc></s:url></s:urlset>',
        "<urlset><url><loc>https://a.nl/1</loc></url></urlset>",
        '<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>https://a.nl/1</loc></url></urlset>',
    ],
)
def test_a_sitemap_is_read_with_any_prefix_and_in_any_namespace(xml: str) -> None:
    assert read(xml).locs == ["https://a.nl/1"]


def test_the_namespace_of_the_root_element_is_known() -> None:
    reader = SitemapReader([b"<urlset xmlns='urn:x'/>"], "urlset", 1000)

    assert list(reader) == [[]]
    assert reader.namespace == "urn:x"


def test_a_url_inside_the_metadata_is_no_entry_and_other_elements_are_passed_over() -> None:
    mdto = '<mdto:MDTO xmlns:mdto="urn:mdto"><url><loc>no</loc></url><mdto:url>no</mdto:url></mdto:MDTO>'
    sitemap = urlset("a").replace("</url>", f"<diwoo:Document>{mdto}</diwoo:Document></url>", 1) + "\n"
    assert read(sitemap).locs == ["a"]
    assert read(urlset("a").replace("<url>", "<note>x</note>tekst<sitemap/><url>")).locs == ["a"]


@pytest.mark.parametrize("xml", [urlset(), f'<urlset xmlns="{NAMESPACE}"/>'])
def test_an_empty_urlset_is_a_complete_file_without_entries(xml: str) -> None:
    outcome = read(xml)

    assert outcome.complete
    assert outcome.entries == []


def test_a_file_on_one_line_is_read() -> None:
    outcome = read(urlset(*(f"https://a.nl/{number}" for number in range(5000))))

    assert outcome.locs == [f"https://a.nl/{number}" for number in range(5000)]
    assert set(outcome.lines) == {1}


@pytest.mark.parametrize(
    ("entry", "lines"),
    [
        ("<url><loc>x</loc></url>\n", 1),
        ("<url>\n<loc>x</loc></url>\n", 2),
        ("<url>\n\n  <loc>\n    x\n  </loc>\n</url>\n", 6),
        ("<url><loc/>\n\n</url>\n", 3),
        ("<url><!-- één -->\n<loc>x</loc></url>\n", 2),
    ],
)
@pytest.mark.parametrize("size", [999, 1_000_000])
def test_the_line_of_an_entry_is_right_beyond_65535(entry: str, lines: int, size: int) -> None:
    count = 80_000 // lines

    outcome = read("<urlset>\n" + entry * count + "</urlset>", size=size)

    assert outcome.lines == list(range(2, 2 + count * lines, lines))


def test_the_size_and_the_number_of_entries_are_counted() -> None:
    body = urlset("a", "b").encode()
    reader = SitemapReader([gzip.compress(body)], "urlset", 10_000)

    assert sum(map(len, reader)) == reader.entries == 2
    assert reader.size == len(body)


def test_a_file_beyond_the_norm_of_the_guide_is_read_all_the_same() -> None:
    hundred = url("https://a.nl/" + "x" * 1000).encode() * 100
    pieces = [b"<urlset>", *[hundred] * (GUIDE_MAXENTRIES // 100 + 1), b"</urlset>"]
    reader = SitemapReader(pieces, "urlset", 200_000_000)

    assert sum(map(len, reader)) == reader.entries > GUIDE_MAXENTRIES
    assert reader.size > GUIDE_MAXSIZE
    assert reader.complete


# Encodings


@pytest.mark.parametrize(
    ("encoding", "declared", "letter"),
    [
        ("utf-8", None, "é€"),
        ("utf-8", "UTF-8", "é€"),
        ("utf-8-sig", None, "é€"),
        ("utf-8-sig", "utf-8", "é€"),
        ("utf-16", None, "é€"),
        ("utf-16", "UTF-16", "é€"),
        ("iso-8859-1", "ISO-8859-1", "é"),
        ("iso-8859-15", "ISO-8859-15", "é€"),
        ("windows-1252", "windows-1252", "é€"),
        ("windows-1252", "Windows-1252", "’"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_file_is_read_in_the_encoding_that_it_declares_or_begins_with(
    encoding: str, declared: str | None, letter: str, size: int
) -> None:
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""

    assert read(urlset(letter, head=head).encode(encoding), size=size).locs == [letter]


@pytest.mark.parametrize(
    "body",
    [
        urlset("a", "é").encode("iso-8859-1"),
        urlset("a", "é", head='<?xml version="1.0" encoding="UTF-8"?>').encode("iso-8859-1"),
        urlset("a", "é", head='<?xml version="1.0" encoding="utf-16"?>').encode("iso-8859-1"),
        urlset("a").encode("utf-16-le"),
    ],
)
def test_a_file_in_another_encoding_than_declared_is_not_well_formed(body: bytes) -> None:
    assert read(body).reason == "ongeldig"


# Properties


@given(st.lists(TEXTS), st.lists(st.integers(0, 3000)), st.booleans())
def test_any_chunks_give_the_same_entries(texts: list[str], cuts: list[int], packed: bool) -> None:
    body = urlset(*map(escape, texts)).encode()
    body = gzip.compress(body) if packed else body
    borders = [0, *sorted(cuts), len(body)]
    chunks = [body[start:end] for start, end in pairwise(borders)]

    outcome = read(chunks)

    assert outcome.entries == [(text, DAY) for text in texts]
    assert outcome.complete


@given(
    st.permutations(["<loc>l</loc>", "<lastmod>m</lastmod>", "<diwoo:Document/>", "<priority>1</priority>"])
)
def test_any_order_of_elements_gives_the_same_entry(elements: list[str]) -> None:
    entry = read_one(f"<url>{''.join(elements)}</url>")

    assert (entry.loc, entry.lastmod) == ("l", "m")
    assert entry.document is not None


@given(st.text(st.characters(exclude_characters="{}")), st.text(st.characters(exclude_characters="{}")))
def test_a_tag_is_divided_into_its_namespace_and_its_name(uri: str, name: str) -> None:
    assert (namespace(f"{{{uri}}}{name}"), local_name(f"{{{uri}}}{name}")) == (uri, name)
    assert (namespace(name), local_name(name)) == ("", name)


def test_the_batches_follow_the_pieces_so_that_little_is_in_memory_at_once() -> None:
    body = urlset(*map(str, range(20_000))).encode()

    sizes = [len(batch) for batch in SitemapReader(split(body, 10_000), "urlset", 10**7)]

    assert sum(sizes) == 20_000
    assert max(sizes) < 500
