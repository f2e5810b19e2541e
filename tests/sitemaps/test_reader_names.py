"""The reader on elements below the root, and in an entry, that have another name than they should."""

from __future__ import annotations

from functools import partial

import pytest

from tests.sitemaps.reading import DIWOO, MAXSIZE, NAMESPACE, split, url
from tests.sitemaps.scanning import process
from woo_harvester.sitemaps.reader import OtherRootError, RootName, SitemapReader
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.sitemaps.xml_stream import ENTRY_MAXSIZE, SitemapError

ROOT = f'xmlns="{NAMESPACE}" xmlns:diwoo="{DIWOO}" xmlns:i="urn:image"'
ONE, TWO = url("https://a.nl/1"), url("https://a.nl/2")
SITEMAP = "<sitemap><loc>https://a.nl/s.xml</loc></sitemap>"


def body(*inside: str, root: str = "urlset") -> bytes:
    return f"<{root} {ROOT}>{''.join(inside)}</{root}>".encode()


def read(given: bytes, kind: RootName = "urlset", size: int = 64 * 1024) -> tuple[list[str], SitemapReader]:
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
TEXTS = (
    f"{ONE}&lt;url&gt;&lt;loc&gt;https://a.nl/2&lt;/loc&gt;&lt;/url&gt;",
    f"<![CDATA[{TWO}]]>{ONE}",
    f"{ONE} Fatal error: Allowed memory size {TWO}",
    f"{ONE}<!-- x -->Fatal error",
)


@pytest.mark.parametrize("size", [1, 7, 64 * 1024])
def test_only_extensions_comments_and_stray_marks_beside_entries_leave_a_file_complete(size: int) -> None:
    for inside, locs, names, count in UNKNOWN:
        found, reader = read(body(inside), size=size)
        assert found == locs, inside
        assert (list(reader.unknown.names), reader.unknown.count) == (names, count), inside
        assert not reader.complete, inside
    for inside in HARMLESS:
        _, reader = read(body(inside), size=size)
        assert reader.complete, inside
        assert (reader.unknown.count, reader.other_case.count, reader.text) == (0, 0, ""), inside
    for inside in TEXTS:
        found, reader = read(body(inside), size=size)
        assert ("https://a.nl/1" in found, reader.complete) == (True, False), inside
        assert reader.text, inside
    _, reader = read(body(" Warning: the database has gone away "), size=size)
    assert (reader.text, reader.complete) == ("Warning: the database has gone away", False)


def test_with_two_addresses_in_an_entry_a_file_is_not_complete() -> None:
    for inside, name in (
        ("<url><loc>a</loc><loc>b</loc><loc>c</loc></url>", "url><loc><loc"),
        (f"<url><loc>a</loc>{TWO}</url>", "url><url"),
        ("<URL><loc>a</loc><loc>b</loc></URL>", "URL><loc><loc"),
    ):
        found, reader = read(body(inside))
        assert found == ["a"]
        assert (list(reader.crowded.names), reader.complete) == ([name], False)


def test_a_document_that_is_a_text_or_an_attribute_is_not_read() -> None:
    for inside in (
        "<diwoo:Document>https://a.nl/1</diwoo:Document>",
        '<diwoo:Document loc="https://a.nl/1"/>',
    ):
        found, reader = read(body(inside, root="diwoo:Documents"))
        assert (found, list(reader.unknown.names), reader.complete) == ([], ["Document"], False), inside
    assert read(body("<diwoo:Document/>", root="diwoo:Documents"))[1].complete


#: What stands below the root, its entries, and the names that are read though they have other capitals.
OTHER_CASE: list[tuple[str, list[tuple[str, str | None]], list[str]]] = [
    ("<URL><loc>x</loc></URL>", [("x", None)], ["URL"]),
    ("<url><loc>a</loc></url><Url><loc>x</loc></Url>", [("a", None), ("x", None)], ["Url"]),
    ("<uRL><loc>x</loc></uRL><url><loc>a</loc></url>", [("x", None), ("a", None)], ["uRL"]),
    ("<url><LOC>x</LOC><LastMod>2024</LastMod></url>", [("x", "2024")], ["LOC", "LastMod"]),
    ("<url><LOC>x</LOC><loc>a</loc></url>", [("a", None)], []),
    ("<url><loc>a</loc><ChangeFreq>daily</ChangeFreq></url>", [("a", None)], []),
    ("<url><loc>a</loc><LASTMOD/></url>", [("a", None)], []),
]


@pytest.mark.parametrize("size", [1, 7, 64 * 1024])
def test_names_that_differ_only_in_the_case_of_letters_are_read(size: int) -> None:
    for inside, entries, names in OTHER_CASE:
        reader = SitemapReader(split(body(inside), size), "urlset", MAXSIZE)
        assert [(entry.loc, entry.lastmod) for batch in reader for entry in batch] == entries, inside
        assert (list(reader.other_case.names), reader.complete) == (names, True), inside


def test_an_index_is_read_by_the_same_rules() -> None:
    given = body(SITEMAP.replace("sitemap>", "SITEMAP>"), "<map/>", root="sitemapindex")
    found, reader = read(given, "sitemapindex")
    names = list(reader.other_case.names), list(reader.unknown.names)
    assert (found, names, reader.complete) == (["https://a.nl/s.xml"], (["SITEMAP"], ["map"]), False)
    with pytest.raises(OtherRootError) as caught:
        read(body("<URL><loc>x</loc></URL>", root="sitemapindex"), "sitemapindex")
    assert caught.value.others == 1


def test_a_document_below_documents_is_read_whatever_the_case_of_its_letters() -> None:
    found, reader = read(body("<diwoo:document><LOC>x</LOC></diwoo:document>", root="diwoo:documents"))
    assert (found, list(reader.other_case.names), reader.complete) == (["x"], ["document", "LOC"], True)


def test_another_root_says_all_of_a_file_without_entries() -> None:
    reader = SitemapReader([b"<feed><item/>text</feed>"], "urlset", MAXSIZE)
    with pytest.raises(OtherRootError):
        list(reader)
    assert (reader.unknown.count, reader.text) == (0, "")


@pytest.mark.parametrize("size", [1000, 64 * 1024])
def test_a_large_element_around_all_entries_is_not_kept_and_is_no_entry_that_is_too_large(size: int) -> None:
    around = body("<urls>", ONE * (2 * ENTRY_MAXSIZE // len(ONE)), "</urls>")
    found, reader = read(around, size=size)
    assert (found, reader.unknown.inside, reader.complete) == ([], "url", False)
    assert reader.size < len(around)
    with pytest.raises(SitemapError) as caught:
        read(body("<item/>", "<url>" + "<x/>" * ENTRY_MAXSIZE), size=size)
    assert caught.value.reason == "te-groot"


def test_the_first_line_and_the_first_names_are_kept() -> None:
    _, reader = read(body("\n", ONE, "\n<item/>\n<item/>\n<URL/>\n<URL/>"))
    assert (reader.unknown.line, reader.other_case.line) == (3, 5)
    _, reader = read(body(*(f"<a{number}/>" for number in range(10_000))))
    assert (reader.unknown.count, len(reader.unknown.names)) == (10_000, 5)


@pytest.mark.parametrize(
    "extra",
    [
        *(" Fatal error ", "<![CDATA[<url>]]>", "<i:wrap><url/></i:wrap>", "<item/>", "<urls><url/></urls>"),
        "<url><loc>https://a.nl/3</loc><loc>https://a.nl/4</loc></url>",
        f"<url><loc>https://a.nl/3</loc>{SITEMAP}</url>",
        "<URL><loc>x</loc></URL>",
    ],
)
def test_the_scanner_leaves_what_is_not_read_beside_entries_to_the_full_reader(extra: str) -> None:
    for inside in (extra, ONE + extra, extra + ONE, ONE + extra + TWO):
        reader = UrlsetReader(partial(iter, [body(inside)]), MAXSIZE)
        process(reader)
        assert (reader.complete, reader.contents.other_case.count) == ("URL" in extra, "URL" in extra), inside
