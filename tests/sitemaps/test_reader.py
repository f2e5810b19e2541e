"""The reader: well-formed files of every encoding, order and layout, in whatever chunks they come."""

from __future__ import annotations

import gzip
from itertools import pairwise, permutations
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sitemaps.reading import DIWOO, NAMESPACE, read, split, url, urlset
from woo_harvester.sitemaps.reader import GUIDE_MAXENTRIES, Entry, RootName, SitemapReader
from woo_harvester.sitemaps.xml_stream import GUIDE_MAXSIZE

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


LOC = "<loc>https://a.nl/1</loc>"
#: Files with one entry, of any root, prefix and namespace.
FILES: list[tuple[RootName, str]] = [
    ("sitemapindex", f'<sitemapindex xmlns="{NAMESPACE}"><sitemap>{LOC}</sitemap></sitemapindex>'),
    ("urlset", f'<s:urlset xmlns:s="{NAMESPACE}"><s:url><s:loc>https://a.nl/1</s:loc></s:url></s:urlset>'),
    ("urlset", f"<urlset><url>{LOC}</url></urlset>"),
    ("urlset", f'<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url>{LOC}</url></urlset>'),
]


def test_each_entry_gives_its_loc_and_lastmod() -> None:
    outcome = read(urlset("https://a.nl/1", "https://a.nl/2"))
    assert outcome.entries == [("https://a.nl/1", DAY), ("https://a.nl/2", DAY)]
    assert (outcome.complete, outcome.reason) == (True, None)
    for kind, xml in FILES:
        assert read(xml, kind).entries == [("https://a.nl/1", None)], xml
    for empty in (urlset(), f'<urlset xmlns="{NAMESPACE}"/>'):
        assert (read(empty).complete, read(empty).entries) == (True, [])
    reader = SitemapReader([b"<urlset xmlns='urn:x'/>"], "urlset", 1000)
    assert (list(reader), reader.namespace) == ([[]], "urn:x")


#: The elements of an entry, and the loc and lastmod that count.
ELEMENTS = [
    ("<loc>x</loc><changefreq>daily</changefreq><priority>1</priority>", "x", None),
    ("<loc>x</loc><lastmod/>", "x", None),
    ("<loc>x</loc><lastmod> \n </lastmod>", "x", None),
    ("<loc>x</loc><lastmod> gisteren </lastmod>", "x", "gisteren"),
    (f"<lastmod>{DAY}</lastmod>", "", DAY),
    (f"<loc/><lastmod>{DAY}</lastmod>", "", DAY),
    (f"<loc> \n </loc><lastmod>{DAY}</lastmod>", "", DAY),
    (f"\n  <loc>\n    x\n  </loc>\n  <lastmod> {DAY}\t</lastmod>\n", "x", DAY),
    ('<loc>x</loc><loc xmlns="urn:images">https://a.nl/1.png</loc>', "x", None),
    ("<loc>https://a.nl/x?a=1&amp;b=2</loc>", "https://a.nl/x?a=1&b=2", None),
    ("<loc>https://a.nl/x?a=1&#38;b=&#x32;</loc>", "https://a.nl/x?a=1&b=2", None),
    ("<loc><![CDATA[https://a.nl/x?a=1&b=2]]></loc>", "https://a.nl/x?a=1&b=2", None),
    ("<loc>https://a.nl/<!-- hier -->x<?en nu?>y</loc>", "https://a.nl/xy", None),
    ("<loc>https://a.nl/caf\u00e9</loc>", "https://a.nl/caf\u00e9", None),
]


def test_the_first_loc_and_lastmod_count_stripped_and_as_xml_has_them() -> None:
    for elements, loc, lastmod in ELEMENTS:
        entry = read_one(f"<url>{elements}</url>")
        assert (entry.loc, entry.lastmod, entry.document) == (loc, lastmod, None), elements


def test_the_document_of_an_entry_comes_with_it_whatever_its_prefix_is() -> None:
    prefixed = "<diwoo:Document><diwoo:DiWoo/></diwoo:Document>"
    for document in (prefixed, f'<Document xmlns="{DIWOO}"><DiWoo/></Document>'):
        entry = read_one(f"<url><loc>x</loc>{document}</url>")
        assert entry.document is not None
        assert [child.tag for child in entry.document] == [f"{{{DIWOO}}}DiWoo"]


def test_a_url_inside_the_metadata_is_no_entry_and_other_elements_are_passed_over() -> None:
    mdto = '<mdto:MDTO xmlns:mdto="urn:mdto"><url><loc>no</loc></url><mdto:url>no</mdto:url></mdto:MDTO>'
    sitemap = urlset("a").replace("</url>", f"<diwoo:Document>{mdto}</diwoo:Document></url>", 1) + "\n"
    assert read(sitemap).locs == ["a"]
    assert read(urlset("a").replace("<url>", "<note>x</note>tekst<sitemap/><url>")).locs == ["a"]


def test_a_file_on_one_line_beyond_the_norm_of_the_guide_is_read_and_counted() -> None:
    hundred = url("https://a.nl/" + "x" * 1000).encode() * 100
    count = GUIDE_MAXENTRIES // 100 + 1
    reader = SitemapReader([b"<urlset>", *[hundred] * count, b"</urlset>"], "urlset", 200_000_000)
    assert {entry.line for batch in reader for entry in batch} == {1}
    assert (reader.entries, reader.complete) == (100 * count, True)
    assert reader.size == len(hundred) * count + len("<urlset></urlset>") > GUIDE_MAXSIZE
    body = urlset("a", "b").encode()
    packed = SitemapReader([gzip.compress(body)], "urlset", 10_000)
    assert (sum(map(len, packed)), packed.entries, packed.size) == (2, 2, len(body))


@pytest.mark.parametrize("size", [999, 1_000_000])
def test_the_line_of_an_entry_is_right_beyond_65535(size: int) -> None:
    for entry, lines in (
        ("<url><loc>x</loc></url>\n", 1),
        ("<url>\n<loc>x</loc></url>\n", 2),
        ("<url>\n\n  <loc>\n    x\n  </loc>\n</url>\n", 6),
        ("<url><loc/>\n\n</url>\n", 3),
        ("<url><!-- één -->\n<loc>x</loc></url>\n", 2),
    ):
        count = 80_000 // lines
        outcome = read("<urlset>\n" + entry * count + "</urlset>", size=size)
        assert outcome.lines == list(range(2, 2 + count * lines, lines)), entry


#: The encoding of a file, what it declares, and letters in it.
ENCODINGS = [
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
]


def declaration(encoding: str | None) -> str:
    return f'<?xml version="1.0" encoding="{encoding}"?>' if encoding else ""


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_file_is_read_in_the_encoding_that_it_declares_or_begins_with(size: int) -> None:
    for encoding, declared, letters in ENCODINGS:
        body = urlset(letters, head=declaration(declared)).encode(encoding)
        assert read(body, size=size).locs == [letters], (encoding, declared)
    for declared in (None, "UTF-8", "utf-16"):
        other = urlset("a", "é", head=declaration(declared)).encode("iso-8859-1")
        assert read(other, size=size).reason == "ongeldig", declared
    assert read(urlset("a").encode("utf-16-le"), size=size).reason == "ongeldig"


@given(st.lists(TEXTS), st.lists(st.integers(0, 3000)), st.booleans())
def test_any_chunks_give_the_same_entries(texts: list[str], cuts: list[int], packed: bool) -> None:
    body = urlset(*map(escape, texts)).encode()
    body = gzip.compress(body) if packed else body
    outcome = read([body[start:end] for start, end in pairwise([0, *sorted(cuts), len(body)])])
    assert (outcome.entries, outcome.complete) == ([(text, DAY) for text in texts], True)


def test_any_order_of_elements_gives_the_same_entry() -> None:
    elements = "<loc>l</loc>", "<lastmod>m</lastmod>", "<diwoo:Document/>", "<priority>1</priority>"
    for order in permutations(elements):
        entry = read_one(f"<url>{''.join(order)}</url>")
        assert (entry.loc, entry.lastmod) == ("l", "m")
        assert entry.document is not None


def test_the_batches_follow_the_pieces_so_that_little_is_in_memory_at_once() -> None:
    body = urlset(*map(str, range(20_000))).encode()
    sizes = [len(batch) for batch in SitemapReader(split(body, 10_000), "urlset", 10**7)]
    assert sum(sizes) == 20_000
    assert max(sizes) < 500
