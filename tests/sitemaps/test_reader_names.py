"""The reader on elements below the root, and in an entry, that have another name than they should."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest

from tests.sitemaps.reading import DIWOO, MAXSIZE, NAMESPACE, split, url
from woo_harvester.sitemaps.reader import Entry, OtherRootError, RootName, SitemapReader
from woo_harvester.sitemaps.scanner import NotPlainError, ScannedEntry, UrlsetReader
from woo_harvester.sitemaps.xml_stream import ENTRY_MAXSIZE, SitemapError

ROOT = f'xmlns="{NAMESPACE}" xmlns:diwoo="{DIWOO}" xmlns:i="urn:image"'
ONE, TWO = url("https://a.nl/1"), url("https://a.nl/2")
SITEMAP = "<sitemap><loc>https://a.nl/s.xml</loc></sitemap>"


def body(*inside: str, root: str = "urlset") -> bytes:
    return f"<{root} {ROOT}>{''.join(inside)}</{root}>".encode()


def read(given: bytes, kind: RootName = "urlset", size: int = 64 * 1024) -> tuple[list[str], SitemapReader]:
    reader = SitemapReader(split(given, size), kind, MAXSIZE)
    return [entry.loc for batch in reader for entry in batch], reader


@pytest.mark.parametrize("size", [1, 7, 64 * 1024])
@pytest.mark.parametrize(
    ("inside", "locs", "names", "count"),
    [
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
    ],
)
def test_elements_of_another_name_are_not_read_and_the_file_is_not_complete(
    inside: str, locs: list[str], names: list[str], count: int, size: int
) -> None:
    found, reader = read(body(inside), size=size)
    assert found == locs
    assert (list(reader.unknown.names), reader.unknown.count, reader.complete) == (names, count, False)


@pytest.mark.parametrize("size", [1, 7, 64 * 1024])
@pytest.mark.parametrize(
    "inside",
    [
        "",
        "\n  ",
        "<!-- <item/> --><?item?>",
        "<i:generator/>",
        f"<i:image><i:loc>https://a.nl/a.png</i:loc></i:image>{ONE}",
        f"{ONE}<i:image><i:loc>https://a.nl/a.png</i:loc></i:image>",
        f"{ONE}<i:error>x</i:error>",
        f"{ONE} , &gt; {TWO}",
        ONE.replace("</url>", "<loc>https://a.nl/1</loc><i:loc>https://a.nl/1.png</i:loc></url>"),
    ],
)
def test_extensions_comments_and_stray_marks_leave_a_file_complete(inside: str, size: int) -> None:
    _, reader = read(body(inside), size=size)
    assert reader.complete
    assert (reader.unknown.count, reader.other_case.count, reader.text) == (0, 0, "")


@pytest.mark.parametrize("size", [1, 7, 64 * 1024])
@pytest.mark.parametrize(
    "inside",
    [
        f"{ONE}&lt;url&gt;&lt;loc&gt;https://a.nl/2&lt;/loc&gt;&lt;/url&gt;",
        f"<![CDATA[{TWO}]]>{ONE}",
        f"{ONE} Fatal error: Allowed memory size {TWO}",
        f"{ONE}<!-- x -->Fatal error",
    ],
)
def test_text_beside_entries_leaves_a_file_incomplete(inside: str, size: int) -> None:
    found, reader = read(body(inside), size=size)
    assert "https://a.nl/1" in found
    assert reader.text
    assert not reader.complete


@pytest.mark.parametrize(
    ("inside", "names"),
    [
        ("<url><loc>a</loc><loc>b</loc><loc>c</loc></url>", {"url><loc><loc": None}),
        (f"<url><loc>a</loc>{TWO}</url>", {"url><url": None}),
        ("<URL><loc>a</loc><loc>b</loc></URL>", {"URL><loc><loc": None}),
    ],
)
def test_with_two_addresses_in_an_entry_a_file_is_not_complete(inside: str, names: dict[str, None]) -> None:
    found, reader = read(body(inside))
    assert found == ["a"]
    assert (reader.crowded.names, reader.complete) == (names, False)


def test_a_document_that_is_a_text_or_an_attribute_is_not_read() -> None:
    for inside in (
        "<diwoo:Document>https://a.nl/1</diwoo:Document>",
        '<diwoo:Document loc="https://a.nl/1"/>',
    ):
        found, reader = read(body(inside, root="diwoo:Documents"))
        assert (found, list(reader.unknown.names), reader.complete) == ([], ["Document"], False), inside
    assert read(body("<diwoo:Document/>", root="diwoo:Documents"))[1].complete


def test_text_in_the_place_of_entries_leaves_a_file_incomplete() -> None:
    _, reader = read(body(" Warning: the database has gone away "))
    assert (reader.text, reader.complete) == ("Warning: the database has gone away", False)


@pytest.mark.parametrize("size", [1, 7, 64 * 1024])
@pytest.mark.parametrize(
    ("inside", "entries", "names"),
    [
        ("<URL><loc>x</loc></URL>", [("x", None)], ["URL"]),
        ("<url><loc>a</loc></url><Url><loc>x</loc></Url>", [("a", None), ("x", None)], ["Url"]),
        ("<uRL><loc>x</loc></uRL><url><loc>a</loc></url>", [("x", None), ("a", None)], ["uRL"]),
        (
            "<url><LOC>x</LOC><LastMod>2024-01-01</LastMod></url>",
            [("x", "2024-01-01")],
            ["LOC", "LastMod"],
        ),
        ("<url><LOC>x</LOC><loc>a</loc></url>", [("a", None)], []),
        ("<url><loc>a</loc><ChangeFreq>daily</ChangeFreq></url>", [("a", None)], []),
        ("<url><loc>a</loc><LASTMOD/></url>", [("a", None)], []),
    ],
)
def test_names_that_differ_only_in_the_case_of_letters_are_read(
    inside: str, entries: list[tuple[str, str | None]], names: list[str], size: int
) -> None:
    reader = SitemapReader(split(body(inside), size), "urlset", MAXSIZE)
    assert [(entry.loc, entry.lastmod) for batch in reader for entry in batch] == entries
    assert (list(reader.other_case.names), reader.complete) == (names, True)


def test_an_index_is_read_by_the_same_rules() -> None:
    found, reader = read(body(SITEMAP.replace("sitemap>", "SITEMAP>"), root="sitemapindex"), "sitemapindex")
    assert (found, list(reader.other_case.names), reader.complete) == (
        ["https://a.nl/s.xml"],
        ["SITEMAP"],
        True,
    )
    found, reader = read(body(SITEMAP, "<map/>", root="sitemapindex"), "sitemapindex")
    assert (found, list(reader.unknown.names), reader.complete) == (["https://a.nl/s.xml"], ["map"], False)
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


def test_the_lines_are_those_of_the_first_such_element() -> None:
    _, reader = read(body("\n", ONE, "\n<item/>\n<item/>\n<URL/>\n<URL/>"))
    assert (reader.unknown.line, reader.other_case.line) == (3, 5)


def test_of_very_many_names_only_the_first_are_kept() -> None:
    _, reader = read(body(*(f"<a{number}/>" for number in range(10_000))))
    assert (reader.unknown.count, len(reader.unknown.names)) == (10_000, 5)


@pytest.mark.parametrize(
    "extra",
    [
        " Fatal error ",
        "<![CDATA[<url>]]>",
        "<url><loc>https://a.nl/3</loc><loc>https://a.nl/4</loc></url>",
        f"<url><loc>https://a.nl/3</loc>{SITEMAP}</url>",
        "<i:wrap><url/></i:wrap>",
    ],
)
def test_the_scanner_leaves_what_is_not_read_beside_entries_to_the_full_reader(extra: str) -> None:
    for inside in (ONE + extra, extra + ONE, ONE + extra + TWO):
        reader = UrlsetReader(partial(iter, [body(inside)]), MAXSIZE)
        for batch in reader:
            reader.processed(_parsed(batch))
        assert not reader.complete, inside


def _parsed(batch: Sequence[Entry | ScannedEntry]) -> int:
    """Return how many entries of a batch can be parsed, as the spider counts them."""
    for number, entry in enumerate(batch):
        try:
            entry.parse()
        except NotPlainError:
            return number
    return len(batch)


@pytest.mark.parametrize("extra", ["<item/>", "<URL><loc>x</loc></URL>", "<urls><url/></urls>"])
def test_the_scanner_leaves_such_a_file_to_the_full_reader(extra: str) -> None:
    for inside in (extra, ONE + extra, extra + ONE, ONE + extra + TWO):
        chunks = [body(inside)]
        reader = UrlsetReader(partial(iter, chunks), MAXSIZE)
        for batch in reader:
            reader.processed(sum(isinstance(entry, Entry) for entry in batch))  # none that was scanned
        odd = reader.contents.other_case if "URL" in extra else reader.contents.unknown
        assert (odd.count, reader.complete) == (1, "URL" in extra), inside
