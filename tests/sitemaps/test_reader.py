"""The reader: well-formed files of every encoding, order and layout, in whatever chunks they come."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from functools import partial
from itertools import pairwise, permutations, product
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.sitemaps.reading import DECLARATION, DIWOO, MAXSIZE, NAMESPACE, WHOLE, read, split, url, urlset
from tests.sitemaps.scanning import process
from tests.utils.hostile import ODD_BYTES
from woo_harvester.diwoo.given import GivenMetadata, Value, read_metadata
from woo_harvester.sitemaps.reader import GUIDE_MAXENTRIES, Entry, OtherRootError, RootName, SitemapReader
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.sitemaps.xml_stream import ENTRY_MAXSIZE, GUIDE_MAXSIZE, SitemapError
from woo_harvester.utils.urls import tidy_loc

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
    ("<loc>x</loc><lastmod><date>2024</date></lastmod>", "x", "<date>2024</date>"),
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
]


def declaration(encoding: str | None) -> str:
    return f'<?xml version="1.0" encoding="{encoding}"?>' if encoding else ""


def test_a_file_is_read_in_the_encoding_that_it_declares_or_begins_with() -> None:
    for size in [1, 3, 1000]:
        for encoding, declared, letters in ENCODINGS:
            body = urlset(letters, head=declaration(declared)).encode(encoding)
            assert read(body, size=size).locs == [letters], (encoding, declared)
        for declared in (None, "UTF-8", "utf-16", "iso-8859-1"):  # which the repair reads
            other = urlset("a", "é", head=declaration(declared)).encode("iso-8859-1")
            assert read(other, size=size).reason == "ongeldig", declared
        assert read(urlset("a").encode("utf-16-le"), size=size).reason == "ongeldig", size


@given(st.lists(TEXTS), st.lists(st.integers(0, 3000)), st.booleans())
def test_any_chunks_give_the_same_entries(texts: list[str], cuts: list[int], packed: bool) -> None:
    body = urlset(*map(escape, texts)).encode()
    body = gzip.compress(body) if packed else body
    outcome = read([body[start:end] for start, end in pairwise([0, *sorted(cuts), len(body)])])
    assert (outcome.entries, outcome.complete) == ([(tidy_loc(text), DAY) for text in texts], True)


def test_a_loc_keeps_unseen_signs_and_markup_for_a_finding() -> None:
    for written, right, kept in (
        ("\xa0https://a.nl/1\u3000\n", "https://a.nl/1", "\xa0https://a.nl/1\u3000"),
        ("https://a.nl/<b>1<i>2</i></b>.pdf", "https://a.nl/12.pdf", "https://a.nl/<b>1<i>2</i></b>.pdf"),
        (" https://a.nl/1&#10;", "https://a.nl/1", None),
    ):
        entry = read_one(f"<url><loc>{written}</loc></url>")
        assert (entry.loc, entry.given_loc) == (right, kept)


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


# The reader on files with the root ``diwoo:Documents``, which some software writes for ``urlset``.


LASTMOD = "2024-01-01 10:00:00"
IN_DOCUMENT = (
    "<diwoo:Document><loc>{loc}</loc><lastmod>2024-01-01 10:00:00</lastmod><priority>1</priority>"
    "<diwoo:DiWoo><diwoo:creatiedatum>2024</diwoo:creatiedatum></diwoo:DiWoo></diwoo:Document>"
)
IN_DIWOO = (
    "<diwoo:Document><diwoo:DiWoo><loc>{loc}</loc><lastmod>2024-01-01 10:00:00</lastmod>"
    "<changefreq>daily</changefreq><diwoo:creatiedatum>2024</diwoo:creatiedatum></diwoo:DiWoo></diwoo:Document>"
)


def documents(*inside: str) -> str:
    return f'<diwoo:Documents xmlns="{NAMESPACE}" xmlns:diwoo="{DIWOO}">{"".join(inside)}</diwoo:Documents>'


def entries(body: str) -> list[tuple[Entry, GivenMetadata]]:
    reader = SitemapReader(split(body.encode(), 50), "urlset", MAXSIZE)
    return [(entry, read_metadata(entry.document, entry.outside)) for batch in reader for entry in batch]


#: What is wrong with the file, and how many of its two entries are read.
OUTCOMES: dict[str, tuple[str | None, int]] = {
    "byte order mark": (None, 2),
    "white space first": ("ongeldig", 0),
    "UTF-16": (None, 2),
    "declared UTF-16, is UTF-8": (None, 2),
    "declared UTF-8, is Latin-1": ("ongeldig", 0),
    "unknown encoding": (None, 2),
    "NUL bytes": ("ongeldig", 0),
    "control characters": ("ongeldig", 0),
    "gzip": (None, 2),
    "gzip twice": (None, 2),
    "gzip cut short": ("afgebroken", 0),
    "rubbish after the end": ("ongeldig", 2),
    "only zeros": ("ongeldig", 0),
    "nothing": ("ongeldig", 0),
}


def test_each_document_is_an_entry_with_its_own_loc_and_lastmod() -> None:
    for document in [IN_DOCUMENT, IN_DIWOO]:
        body = documents(*(document.format(loc=f"https://a.nl/{number}") for number in range(3)))
        for size in (1, 100_000):
            outcome = read(body, size=size)
            assert outcome.entries == [(f"https://a.nl/{number}", LASTMOD) for number in range(3)], document
            assert outcome.complete, document
        metadata = [given for _, given in entries(body)]
        assert metadata == [GivenMetadata(has_diwoo=True, creatiedatum="2024")] * 3, (
            "and nothing of a sitemap"
        )


def test_a_uri_in_an_element_is_read_there_too() -> None:
    publisher = "<diwoo:publisher>gemeente A<resource>urn:a</resource></diwoo:publisher>"
    diwoo = f"<diwoo:DiWoo><loc>https://a.nl/1</loc>{publisher}</diwoo:DiWoo>"
    ((_, given),) = entries(documents(f"<diwoo:Document>{diwoo}</diwoo:Document>"))
    assert given.publisher == Value("gemeente A", "urn:a")


def test_the_first_loc_and_lastmod_that_are_not_empty_count() -> None:
    diwoo = "<diwoo:DiWoo><loc>b</loc><lastmod>2025</lastmod></diwoo:DiWoo>"
    document = f"<diwoo:Document>{diwoo}<loc> </loc><loc> a </loc><lastmod/><loc>c</loc></diwoo:Document>"
    assert read(documents(document)).entries == [("a", "2025")]


def test_an_empty_document_is_no_entry_and_one_without_a_loc_is_one() -> None:
    outcome = read(documents("<diwoo:Document/>", "<diwoo:Document>\n</diwoo:Document>"))
    assert (outcome.entries, outcome.complete) == ([], True)
    assert read(documents("<diwoo:Document><diwoo:DiWoo/></diwoo:Document>")).entries == [("", None)]


def test_a_url_below_this_root_is_an_entry_with_a_document_in_it() -> None:
    inside = url("https://a.nl/1").replace("</url>", f"{IN_DIWOO.format(loc='https://a.nl/no')}</url>")
    body = documents("\n\n", inside, "\n", IN_DIWOO.format(loc="https://a.nl/2"))
    outcome = read(body)
    assert (outcome.locs, outcome.lines) == (["https://a.nl/1", "https://a.nl/2"], [3, 4])


def test_documents_in_an_index_are_entries_of_the_other_kind_and_below_another_root_they_are_none() -> None:
    sitemap = "<sitemap><loc>https://a.nl/1.xml</loc></sitemap>"
    reader = SitemapReader([documents(IN_DIWOO, sitemap).encode()], "sitemapindex", MAXSIZE)
    assert (sum(map(len, reader)), reader.others) == (1, 1)
    assert read(documents(IN_DIWOO).replace("diwoo:Documents", "urlset")).entries == []


def test_a_sitemap_in_odd_bytes_is_read_or_its_fault_is_named() -> None:
    body = urlset("https://a.nl/1", "https://a.nl/2", head=DECLARATION).encode()
    found = {name: read(made(body)) for name, made in ODD_BYTES.items()}
    assert {name: (outcome.reason, len(outcome.locs)) for name, outcome in found.items()} == OUTCOMES


# The reader on elements below the root, and in an entry, that have another name than they should.


ROOT = f'xmlns="{NAMESPACE}" xmlns:diwoo="{DIWOO}" xmlns:i="urn:image"'
ONE, TWO = url("https://a.nl/1"), url("https://a.nl/2")
SITEMAP = "<sitemap><loc>https://a.nl/s.xml</loc></sitemap>"


def body(*inside: str, root: str = "urlset") -> bytes:
    return f"<{root} {ROOT}>{''.join(inside)}</{root}>".encode()


def read_with_reader(
    given: bytes, kind: RootName = "urlset", size: int = 64 * 1024
) -> tuple[list[str], SitemapReader]:
    reader = SitemapReader(split(given, size), kind, MAXSIZE)
    return [entry.loc for batch in reader for entry in batch], reader


#: What stands below the root, the locs that are read, the names that are not, and their number.
UNKNOWN = [
    (ONE.replace("url>", "item>"), [], ["item"], 1),
    (ONE + TWO.replace("url>", "item>"), ["https://a.nl/1"], ["item"], 1),
    (TWO.replace("url>", "item>") + ONE, ["https://a.nl/1"], ["item"], 1),
    (ONE + "<item/><item/><doc/>" + TWO, ["https://a.nl/1", "https://a.nl/2"], ["item", "doc"], 3),
    (f"<urls>{ONE}{TWO}</urls>", [], ["urls"], 1),
    (f"<urlset>{ONE}{TWO}</urlset>", [], ["urlset"], 1),
    ("<item xmlns=''><loc>https://a.nl/1</loc></item>" + ONE, ["https://a.nl/1"], ["item"], 1),
    ("<diwoo:Document><diwoo:DiWoo/></diwoo:Document>" + ONE, ["https://a.nl/1"], ["Document"], 1),
    ("<Document xmlns='urn:misspelt'/>" + ONE, ["https://a.nl/1"], ["Document"], 1),
    ("<i:item><i:loc>https://a.nl/1</i:loc></i:item>", [], ["item"], 1),
    (f"{ONE}<i:wrap>{TWO}</i:wrap>", ["https://a.nl/1"], ["wrap"], 1),
    ("<i:item><i:link>https://a.nl/1</i:link></i:item>", [], ["item"], 1),
    ("<i:item loc='https://a.nl/1'/>", [], ["item"], 1),
    ("<i:error>Database niet bereikbaar</i:error>", [], ["error"], 1),
]
#: Extensions, comments and stray marks, which leave a file complete.
HARMLESS = (
    *("", "\n  ", "<!-- <item/> --><?item?>", "<i:generator/>", f"{ONE}<i:error>x</i:error>"),
    f"<i:image><i:loc>https://a.nl/a.png</i:loc></i:image>{ONE}",
    f"{ONE}<i:image><i:loc>https://a.nl/a.png</i:loc></i:image>",
    f"{ONE} , &gt; {TWO}",
    ONE.replace("</url>", "<loc>https://a.nl/1</loc><i:loc>https://a.nl/1.png</i:loc></url>"),
)
#: Text beside entries, which leaves it incomplete.
STRAY_TEXTS = (
    f"{ONE}&lt;url&gt;&lt;loc&gt;https://a.nl/2&lt;/loc&gt;&lt;/url&gt;",
    f"<![CDATA[{TWO}]]>{ONE}",
    f"{ONE} Fatal error: Allowed memory size {TWO}",
    f"{ONE}<!-- x -->Fatal error",
)


@pytest.mark.parametrize("size", [1, 7, 64 * 1024])
def test_only_extensions_comments_and_stray_marks_beside_entries_leave_a_file_complete(size: int) -> None:
    for inside, locs, names, count in UNKNOWN:
        found, reader = read_with_reader(body(inside), size=size)
        assert found == locs, inside
        assert (list(reader.unknown.names), reader.unknown.count) == (names, count), inside
        assert not reader.complete, inside
    for inside in HARMLESS:
        _, reader = read_with_reader(body(inside), size=size)
        assert reader.complete, inside
        assert (reader.unknown.count, reader.other_case.count, reader.text) == (0, 0, ""), inside
    for inside in STRAY_TEXTS:
        found, reader = read_with_reader(body(inside), size=size)
        assert ("https://a.nl/1" in found, reader.complete) == (True, False), inside
        assert reader.text, inside
    _, reader = read_with_reader(body(" Warning: the database has gone away "), size=size)
    assert (reader.text, reader.complete) == ("Warning: the database has gone away", False)


def test_with_two_addresses_in_an_entry_a_file_is_not_complete() -> None:
    for inside, name in (
        ("<url><loc>a</loc><loc>b</loc><loc>c</loc></url>", "url><loc><loc"),
        (f"<url><loc>a</loc>{TWO}</url>", "url><url"),
        ("<URL><loc>a</loc><loc>b</loc></URL>", "URL><loc><loc"),
    ):
        found, reader = read_with_reader(body(inside))
        assert found == ["a"]
        assert (list(reader.crowded.names), reader.complete) == ([name], False)


def test_a_document_that_is_a_text_or_an_attribute_is_not_read() -> None:
    for inside in (
        "<diwoo:Document>https://a.nl/1</diwoo:Document>",
        '<diwoo:Document loc="https://a.nl/1"/>',
    ):
        found, reader = read_with_reader(body(inside, root="diwoo:Documents"))
        assert (found, list(reader.unknown.names), reader.complete) == ([], ["Document"], False), inside
    assert read_with_reader(body("<diwoo:Document/>", root="diwoo:Documents"))[1].complete


#: What stands below the root, its entries, and the names that are read though they have other capitals.
OTHER_CASE: list[tuple[str, list[tuple[str, str | None]], list[str]]] = [
    ("<URL><loc>x</loc></URL>", [("x", None)], ["URL"]),
    ("<url><loc>a</loc></url><Url><loc>x</loc></Url>", [("a", None), ("x", None)], ["Url"]),
    ("<uRL><loc>x</loc></uRL><url><loc>a</loc></url>", [("x", None), ("a", None)], ["uRL"]),
    ("<url><LOC>x</LOC><LastMod>2024</LastMod></url>", [("x", "2024")], ["LOC", "LastMod"]),
    ("<url><LOC>x</LOC><loc>x</loc></url>", [("x", None)], ["LOC"]),
    ("<url><loc>a</loc><ChangeFreq>daily</ChangeFreq></url>", [("a", None)], []),
    ("<url><loc>a</loc><LASTMOD/></url>", [("a", None)], ["LASTMOD"]),
    ("<url><loc>a</loc><document><DiWoo/></document></url>", [("a", None)], ["document"]),
]


def test_names_that_differ_only_in_the_case_of_letters_are_read() -> None:
    for size in [1, 7, 64 * 1024]:
        for inside, entries, names in OTHER_CASE:
            reader = SitemapReader(split(body(inside), size), "urlset", MAXSIZE)
            assert [(entry.loc, entry.lastmod) for batch in reader for entry in batch] == entries, inside
            assert (list(reader.other_case.names), reader.complete) == (names, True), inside


def test_an_index_is_read_by_the_same_rules() -> None:
    given = body(SITEMAP.replace("sitemap>", "SITEMAP>"), "<map/>", root="sitemapindex")
    found, reader = read_with_reader(given, "sitemapindex")
    names = list(reader.other_case.names), list(reader.unknown.names)
    assert (found, names, reader.complete) == (["https://a.nl/s.xml"], (["SITEMAP"], ["map"]), False)
    with pytest.raises(OtherRootError) as caught:
        read_with_reader(body("<URL><loc>x</loc></URL>", root="sitemapindex"), "sitemapindex")
    assert caught.value.others == 1


def test_a_document_below_documents_is_read_whatever_the_case_of_its_letters() -> None:
    found, reader = read_with_reader(
        body("<diwoo:document><LOC>x</LOC></diwoo:document>", root="diwoo:documents")
    )
    assert (found, list(reader.other_case.names), reader.complete) == (["x"], ["document", "LOC"], True)


def test_another_root_says_all_of_a_file_without_entries() -> None:
    reader = SitemapReader([b"<feed><item/>text</feed>"], "urlset", MAXSIZE)
    with pytest.raises(OtherRootError):
        list(reader)
    assert (reader.unknown.count, reader.text) == (0, "")


@pytest.mark.parametrize("size", [1000, 64 * 1024])
def test_a_large_element_around_all_entries_is_not_kept_and_is_no_entry_that_is_too_large(size: int) -> None:
    around = body("<urls>", ONE * (2 * ENTRY_MAXSIZE // len(ONE)), "</urls>")
    found, reader = read_with_reader(around, size=size)
    assert (found, reader.unknown.inside, reader.complete) == ([], "url", False)
    assert reader.size < len(around)
    with pytest.raises(SitemapError) as caught:
        read_with_reader(body("<item/>", "<url>" + "<x/>" * ENTRY_MAXSIZE), size=size)
    assert caught.value.reason == "te-groot"


def test_the_first_line_and_the_first_names_are_kept() -> None:
    _, reader = read_with_reader(body("\n", ONE, "\n<item/>\n<item/>\n<URL/>\n<URL/>"))
    assert (reader.unknown.line, reader.other_case.line) == (3, 5)
    _, reader = read_with_reader(body(*(f"<a{number}/>" for number in range(10_000))))
    assert (reader.unknown.count, len(reader.unknown.names)) == (10_000, 5)


def test_the_scanner_leaves_what_is_not_read_beside_entries_to_the_full_reader() -> None:
    for extra in [
        *(" Fatal error ", "<![CDATA[<url>]]>", "<i:wrap><url/></i:wrap>", "<item/>", "<urls><url/></urls>"),
        "<url><loc>https://a.nl/3</loc><loc>https://a.nl/4</loc></url>",
        f"<url><loc>https://a.nl/3</loc>{SITEMAP}</url>",
        "<URL><loc>x</loc></URL>",
    ]:
        for inside in (extra, ONE + extra, extra + ONE, ONE + extra + TWO):
            reader = UrlsetReader(partial(iter, [body(inside)]), MAXSIZE)
            process(reader)
            assert (reader.complete, reader.contents.other_case.count) == ("URL" in extra, "URL" in extra), (
                inside
            )


# The reader on files that are truncated or no sitemap.


def test_a_file_that_is_cut_anywhere_keeps_the_entries_before_the_cut() -> None:
    for encoding, unit in [("utf-8", 1), ("utf-8-sig", 1), ("utf-16", 2)]:
        text = WHOLE.replace("UTF-8", "UTF-16") if encoding == "utf-16" else WHOLE
        body = text.encode(encoding)
        for cut in range(4 * unit, len(body) - unit, unit):
            kept = body[:cut].decode(encoding, errors="ignore")
            outcome = read(body[:cut], size=50)
            assert len(outcome.entries) == kept.count("</url>"), kept
            assert outcome.reason == "afgebroken", kept


@pytest.mark.parametrize("pack", [gzip.compress, lambda body: gzip.compress(gzip.compress(body))])
def test_a_packed_file_cut_anywhere_keeps_what_can_be_unpacked(pack: Callable[[bytes], bytes]) -> None:
    whole = read(WHOLE).entries
    body = pack(WHOLE.encode())
    for cut in range(2, len(body)):
        outcome = read(body[:cut], size=50)
        assert outcome.entries == whole[: len(outcome.entries)]
        assert (outcome.reason, outcome.complete) == ("afgebroken", False)
    many = gzip.compress(urlset(*(f"https://a.nl/{number * number}" for number in range(10_000))).encode())
    assert 4000 < len(read(many[: len(many) // 2]).entries) < 6000


def test_only_white_space_comments_and_instructions_may_follow_the_root_element() -> None:
    for end in ("", "\n", "\n\n  ", "\n<!-- made in 0.1 s -->\n", "<?end?>"):
        assert read(urlset("a") + end).complete, end
    for more in ("<!-- made in 0.", "<urlset/>", "tekst", urlset("b"), "&amp;", "<![CDATA[x]]>"):
        outcome = read(urlset("a") + more)
        assert (outcome.locs, outcome.complete) == (["a"], False), more
        assert outcome.reason is not None


def test_what_the_parser_says_is_shown_without_the_line_which_stands_apart() -> None:
    assert read("<urlset>\n<url><loc>a").seen == "Premature end of data in tag loc line 2"
    outcome = read("<urlset>\n<url><loc>https://a.nl/1</loc></urlset>\n")
    assert (outcome.line, outcome.seen) == (2, "Opening and ending tag mismatch: url line 2 and urlset")


#: What is not well-formed in an address.
MALFORMED = (
    *("?a=1&b=2", "a & b", "a&nbsp;b", "&undefined;", "\0", "&#0;", "\x1b", "<br>", "</lok>", "<b/ >"),
    *("<a b='1' b='2'/>", "<a b=1/>", "]]>", "<!-- -- -->", 300 * "<a>" + 300 * "</a>"),
)
#: Elements with a prefix that is not declared.
PREFIXED = {
    "<diwoo:Document/>": "Namespace prefix diwoo on Document is not defined",
    "<a><b diwoo:resource='x'/></a>": "Namespace prefix diwoo for resource on b is not defined",
}


@pytest.mark.parametrize("size", [7, 100_000])
def test_only_entries_before_what_is_not_well_formed_are_kept(size: int) -> None:
    for malformed in MALFORMED:
        outcome = read(urlset("a", f"https://a.nl/{malformed}", *map(str, range(200))), size=size)
        found = outcome.locs, outcome.reason, outcome.line, outcome.complete
        assert found == (["a"], "ongeldig", 1, False), malformed
        assert outcome.seen
    for metadata, seen in PREFIXED.items():
        described = f"<url><loc>b</loc>{metadata}</url>"
        outcome = read(f'<urlset xmlns="{NAMESPACE}">{url("a")}{described}{url("c")}</urlset>', size=size)
        assert (outcome.locs, outcome.reason, outcome.seen) == (["a"], "ongeldig", seen)


HTML = (
    "<!DOCTYPE html><html><head></head><body>Niet gevonden</body></html>",
    "<!DOCTYPE html>Niet gevonden",
    "<html><head><meta charset=utf-8></head></html>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head></html>',
)
NO_XML = (
    *("", " ", "\n\n", "x", "\ufeff", "Niet gevonden", '{"url": []}', "%PDF-1.7\n\xe2\xe3", "PK\x03\x04"),
    "<!doctype html>\n<html lang=nl><title>x</title><p>Niet gevonden",
    "\n<?xml version='1.0'?><urlset/>",
)


def test_a_file_that_is_not_xml_is_invalid_and_an_html_page_is_called_that() -> None:
    for body in (*NO_XML, *HTML):
        outcome = read(body)
        assert (outcome.reason, outcome.entries, outcome.complete) == ("ongeldig", [], False), body
        assert (outcome.seen == "an HTML page") is (body in HTML), body


def test_a_file_without_a_root_element_is_not_read_to_its_end() -> None:
    pieces = iter([b" " * 2**20] * 100)
    assert read(pieces).seen == "no root element"
    assert len(list(pieces)) > 50


#: The kind of file that is expected, what is there, and its root.
OTHER_ROOTS: list[tuple[RootName, str, str]] = [
    ("urlset", f'<sitemapindex xmlns="{NAMESPACE}">{SITEMAP}</sitemapindex>', "sitemapindex"),
    ("urlset", f'<urlset xmlns="{NAMESPACE}">{SITEMAP}</urlset>', "urlset"),
    ("sitemapindex", urlset("a"), "urlset"),
    ("sitemapindex", urlset("a").replace("urlset", "sitemapindex"), "sitemapindex"),
    ("urlset", "<rss version='2.0'/>", "rss"),
    ("urlset", "<URLSET/>", "URLSET"),
    ("urlset", "<rss><channel>", "rss"),  # broken off, and no sitemap before that either
    ("urlset", f"<sitemapindex>{SITEMAP}<sitem", "sitemapindex"),
    ("sitemapindex", urlset("a")[:-5], "urlset"),
    ("urlset", f"<rss>{'<channel>' * 400_000}", "rss"),
]


def test_the_error_for_another_root_has_its_name_and_line() -> None:
    for kind, body, root in OTHER_ROOTS:
        outcome = read(DECLARATION + body, kind)
        assert (outcome.root, outcome.line, outcome.entries) == (root, 2, []), body[:60]
    with pytest.raises(OtherRootError, match=r"^<rss>$"):
        list(SitemapReader([b"<rss/>"], "urlset", 1000))


def test_the_entries_decide_what_a_file_is_and_not_its_root() -> None:
    cases_kind: list[tuple[RootName, str]] = [("urlset", "sitemapindex"), ("sitemapindex", "urlset")]
    cases_size: list[int] = [1, 7, 64 * 1024]
    for kind, root in cases_kind:
        for size in cases_size:
            name = "url" if kind == "urlset" else "sitemap"
            listed = "".join(f"<{name}><loc>https://a.nl/{number}</loc></{name}>" for number in range(3))
            outcome = read(f'<{root} xmlns="{NAMESPACE}">{listed}</{root}>', kind, size=size)
            assert outcome.locs == ["https://a.nl/0", "https://a.nl/1", "https://a.nl/2"], (kind, size)
            assert outcome.complete, (kind, size)
            for either in (kind, root):
                empty = read(f'<{either} xmlns="{NAMESPACE}"/>', kind, size=size)
                assert (empty.complete, empty.entries) == (True, []), (kind, size)


def test_of_entries_of_both_kinds_the_others_are_counted() -> None:
    cases_kind: list[tuple[RootName, int]] = [("urlset", 2), ("sitemapindex", 1)]
    cases_root: list[str] = ["urlset", "sitemapindex", "x:anders"]
    for kind, others in cases_kind:
        for root in cases_root:
            deeper = url("a").replace("</url>", f"{SITEMAP}</url>") if kind == "urlset" else url("a")
            body = f'<{root} xmlns="{NAMESPACE}" xmlns:x="urn:x">{SITEMAP}{deeper}{SITEMAP}</{root}>'
            reader = SitemapReader([body.encode()], kind, 10_000)
            assert sum(map(len, reader)) == 3 - others, (kind, root)
            assert (reader.others, reader.complete) == (others, kind == "sitemapindex"), (kind, root)
            assert reader.root == root.removeprefix("x:"), (kind, root)


# The reader on files that are made to harm, and on any bytes.


SECRET = "root:x:0:0"

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 20))


#: What a DOCTYPE declares, beside its name.
DOCTYPES = (
    "",
    ' SYSTEM "sitemap.dtd"',
    ' PUBLIC "-//X//EN" "https://127.0.0.1:1/sitemap.dtd"',
    ' [<!ENTITY e "x">]',
    f' [<!ENTITY l0 "ha">{LAUGHS}<!ENTITY a "&a;">]',
    ' [<!ENTITY e SYSTEM "https://127.0.0.1:1/x">]',
    ' [<!ENTITY % e SYSTEM "https://127.0.0.1:1/x"> %e;]',
    ' [<!ENTITY a "&a;">]',
)


@pytest.mark.parametrize("size", [1, 10_000])
def test_a_doctype_is_refused_whatever_it_declares(size: int) -> None:
    for declared, text in product(DOCTYPES, ("https://a.nl/1", "&e;", "&l19;", "&a;")):
        doctype = f"<!DOCTYPE urlset{declared}>"
        outcome = read(urlset(text, head=DECLARATION + doctype), size=size)
        assert (outcome.reason, outcome.seen) == ("doctype", "<!DOCTYPE urlset>"), (declared, text)
        in_root = read(f'{doctype}<urlset a="{text}">{url("x")}</urlset>', size=size)
        assert (in_root.reason, outcome.entries, in_root.entries) == ("doctype", [], []), (declared, text)
    body = urlset("&e;", head='<!DOCTYPE urlset [<!ENTITY e SYSTEM "file:///etc/passwd">]>')
    for encoding in ("utf-16", "utf-8-sig"):
        assert read(body.encode(encoding), size=size).reason == "doctype", encoding


def test_no_file_of_the_machine_is_opened(tmp_path: Path) -> None:
    # Reading a named pipe that nobody writes to would never end.
    secret = tmp_path / "secret.dtd"
    os.mkfifo(secret)
    uri = secret.as_uri()
    for declared in (
        f'[<!ENTITY e SYSTEM "{uri}">]',
        f'[<!ENTITY % d SYSTEM "{uri}"> %d;]',
        f'SYSTEM "{uri}"',
        f'SYSTEM "{uri}" [<!ENTITY f "x">]',
    ):
        for loc in ("&e;", "x"):
            outcome = read(urlset(loc, head=f"<!DOCTYPE urlset {declared}>"))
            assert (outcome.reason, outcome.entries) == ("doctype", [])


def test_the_content_of_a_file_appears_nowhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret.dtd"
    secret.write_text(f'<!ENTITY e "{SECRET}"><!ATTLIST urlset a CDATA "{SECRET}">')
    include = f'<url><loc><xi:include href="{secret.as_uri()}" parse="text"/></loc></url>'
    files = [
        urlset("&e;", head=f'<!DOCTYPE urlset SYSTEM "{secret.as_uri()}">'),
        urlset("&e;", head=f'<!DOCTYPE urlset [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'),
        f'<urlset xmlns:xi="http://www.w3.org/2001/XInclude">{include}</urlset>',
        f'<?xml-stylesheet href="{secret.as_uri()}"?>' + urlset("x"),
        urlset("x").replace("<urlset", f'<urlset xml:base="{secret.as_uri()}"'),
    ]

    assert not [file for file in files if SECRET in repr(read(file))]


# Any bytes

MARKUP = [
    *(b"<urlset>", b"<url>", b"<loc>x</loc>", b"</url>", b"</urlset>", b"&a;", b"&", b"<![CDATA[", b"]]>"),
    *(b"<?xml version='1.0' encoding='UTF-16'?>", b"<!DOCTYPE urlset [", b"<!ENTITY a 'b'>", b"]>"),
    *(b"<!--", b"-->", b"\x1f\x8b\x08\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\0"),
]


@given(
    st.binary() | st.lists(st.sampled_from(MARKUP) | st.binary(max_size=3)).map(b"".join), st.integers(1, 40)
)
@example(b"\x1f\x8b", 1)
@example(gzip.compress(b""), 1)
@example(gzip.compress(b"\x1f\x8b"), 3)
def test_any_bytes_end_in_entries_or_in_a_fault(body: bytes, size: int) -> None:
    outcome = read(body, size=size)
    assert outcome.complete is (outcome.reason is None and outcome.root is None)


@given(st.data())
def test_any_byte_that_is_changed_in_a_good_file_ends_in_entries_or_in_a_fault(data: st.DataObject) -> None:
    body = bytearray(WHOLE.encode() if data.draw(st.booleans()) else gzip.compress(WHOLE.encode()))
    for place, byte in data.draw(st.lists(st.tuples(st.integers(0, len(body) - 1), st.integers(0, 255)))):
        body[place] = byte
    outcome = read(bytes(body), size=data.draw(st.integers(1, 300)))
    assert outcome.complete is (outcome.reason is None and outcome.root is None)
