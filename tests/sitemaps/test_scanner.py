"""Which files are plain, and what the scanner returns for their entries."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from tests.sitemaps.scanning import DECLARATION, MAXSIZE, ONE, ROOT, TWO, is_plain, scanned, sitemap
from woo_harvester.demo.sitemaps import DIWOO_NAMESPACE, SITEMAP_NAMESPACE
from woo_harvester.sitemaps import scanner
from woo_harvester.sitemaps.scanner import NotPlainError, Scan

# The shape


@pytest.mark.parametrize(
    "data",
    [
        sitemap(ONE, TWO),
        sitemap(),
        sitemap(ONE, start=""),
        sitemap(ONE, start="\ufeff"),
        sitemap(ONE, start="\ufeff" + DECLARATION),
        sitemap(ONE, start="<?xml version='1.0'?>\r\n"),
        sitemap(ONE, start="<?xml version='1.0' encoding='utf-8' standalone=\"yes\" ?>"),
        sitemap(ONE, start=DECLARATION + '<?xml-stylesheet type="text/xsl" href="a.xsl"?><!-- a - b -->'),
        sitemap(ONE, root="<urlset>"),
        sitemap(ONE, root="<urlset\n xmlns = 'urn:x' a='b>c'\n>"),
        sitemap("\n  ", ONE, "\r\n\t", TWO, "\n"),
        sitemap(ONE, end="</urlset >\n<!-- made in 0.2 s -->\n"),
        sitemap("<url>\n <loc>\n https://a.nl/a b.pdf </loc>\n<lastmod> 2024-04-01 10:00 </lastmod></url>"),
        sitemap("<url><loc>https://a.nl/?a=1&amp;b=&lt;2</loc><lastmod></lastmod></url>"),
        sitemap("<url><loc></loc></url>"),
        sitemap("<url><loc>https://a.nl/é.pdf</loc><priority>1</priority></url>"),
        sitemap("<url><loc>https://a.nl/1</loc><!-- a --><x>a<![CDATA[<b>]]>&#233;<?x y?></x></url>"),
        sitemap("<url><loc>https://a.nl/1</loc><diwoo:Document a='>'>x</diwoo:Document></url>"),
        sitemap("<url><loc>https://a.nl/1</loc><loc>https://a.nl/1</loc></url>"),
        gzip.compress(sitemap(ONE, TWO)),
    ],
)
def test_a_plain_file_is_scanned_to_its_end(data: bytes) -> None:
    assert is_plain(data)


@pytest.mark.parametrize(
    "inside", ["<x><url></url></x>", "<m:x xmlns:m='urn:m'><url>y</url> z</m:x>", "<x><![CDATA[</url>]]></x>"]
)
def test_what_looks_like_an_end_within_an_entry_does_not_end_it(inside: str) -> None:
    entry = f"<url><loc>https://a.nl/1</loc>{inside}</url>\n"
    with patch.object(scanner, "BLOCK_SIZE", 10):
        assert is_plain(sitemap(entry, entry, ONE, entry))


@pytest.mark.parametrize(
    "start",
    [
        '<?xml version="1.0" encoding="ISO-8859-1"?>',
        '<?xml version="1.1"?>',
        "<!DOCTYPE urlset>",
        "<?php x ?>",
        "<!-- a -- b -->",
        "<!-- \x01 -->",
        "<!-- a --> <!DOCTYPE urlset [ <!-- --> ]>",
        "\n" + DECLARATION,
        "x",
    ],
)
def test_what_else_stands_before_the_root_is_left_to_the_full_reader(start: str) -> None:
    assert not is_plain(sitemap(ONE, start=start))


@pytest.mark.parametrize(
    "root",
    [
        "<sitemapindex>",
        "<urlsets>",
        "<s:urlset xmlns:s='urn:x'>",
        "<urlset/>",
        "<urlset x='/'/>",
        "<urlset x='a' x='b'>",
        "<urlset x=a>",
        "<urlset diwoo:x='a'>",
        "<urlset x='<'>",
        "<urlset",
    ],
)
def test_another_root_element_is_left_to_the_full_reader(root: str) -> None:
    assert not is_plain(sitemap(ONE, root=root))


@pytest.mark.parametrize(
    "between",
    ["x", "<!-- -->", "<x/>", "\x0b", "&#32;", "<url/>", "<url></url>", "<?x?>", "<![CDATA[]]>", "\0"],
)
def test_more_than_white_space_between_entries_is_left_to_the_full_reader(between: str) -> None:
    for entries in ([between, ONE, TWO], [ONE, between, TWO], [ONE, TWO, between]):
        assert not is_plain(sitemap(*entries))


@pytest.mark.parametrize(
    "end",
    ["", "</url>", "</urlset", "</urlsets>", "</urlset>x", "</urlset><urlset/>", "</urlset><!-- -- -->"],
)
def test_another_end_is_left_to_the_full_reader(end: str) -> None:
    assert not is_plain(sitemap(ONE, TWO, end=end))


@pytest.mark.parametrize(
    "entry",
    [
        "<url><lastmod>2024-04-01</lastmod><loc>https://a.nl/1</loc></url>",
        "<url><changefreq>daily</changefreq><loc>https://a.nl/1</loc></url>",
        "<url a='b'><loc>https://a.nl/1</loc></url>",
        "<url><loc a='b'>https://a.nl/1</loc></url>",
        "<url><loc/></url>",
        "<url></url>",
        "<url><!-- --><loc>https://a.nl/1</loc></url>",
        "<url><loc><![CDATA[https://a.nl/1]]></loc></url>",
        "<s:url xmlns:s='urn:x'><loc>https://a.nl/1</loc></s:url>",
    ],
)
def test_an_entry_that_does_not_begin_with_its_loc_is_left_to_the_full_reader(entry: str) -> None:
    assert not is_plain(sitemap(entry))
    assert not is_plain(sitemap(ONE, entry, TWO))
    assert not is_plain(sitemap(ONE, entry))


@pytest.mark.parametrize(
    "inside",
    [
        "<priority>1</priority><lastmod>2025-01-01</lastmod>",
        "<lastmod>&#50;024-01-01</lastmod>",
        "<!-- </url><url><loc>https://a.nl/2</loc> -->",
        "<x a='</url>'/>",
        "<x>",
        "</x>",
        "<y:x/>",
        "&euro;",
        "& ",
        "<x xml:id='a'/>",
        "\x01",
        "\ufffe",
    ],
)
def test_what_only_parsing_can_find_out_is_left_to_the_full_reader(inside: str) -> None:
    entry = f"<url><loc>https://a.nl/1</loc>{inside}</url>"
    assert not is_plain(sitemap(entry))
    assert not is_plain(sitemap(ONE, entry, TWO))


@pytest.mark.parametrize(
    "loc", ["&#104;ttps://a.nl/", "https://a.nl/\r\na", "https://a.nl/\x01", "&x;", "https://a.nl/ ]]>"]
)
def test_a_loc_that_its_bytes_do_not_show_is_left_to_the_full_reader(loc: str) -> None:
    assert not is_plain(sitemap(f"<url><loc>{loc}</loc></url>"))


@pytest.mark.parametrize("broken", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80"])
def test_bytes_that_are_not_utf_8_are_left_to_the_full_reader(broken: bytes) -> None:
    for place in (b"1.pdf", b"04-01", b"lastmod>"):
        assert not is_plain(sitemap(ONE, TWO).replace(place, place + broken, 1))


def test_a_file_in_utf_16_is_left_to_the_full_reader() -> None:
    assert not is_plain(sitemap(ONE, start="").decode().encode("utf-16"))


def test_a_broken_gzip_stream_is_left_to_the_full_reader() -> None:
    assert not is_plain(gzip.compress(sitemap(ONE, TWO))[:-5])


def test_a_file_beyond_its_bound_is_left_to_the_full_reader() -> None:
    with pytest.raises(NotPlainError):
        list(Scan([sitemap(ONE)], maxsize=100))


@pytest.mark.parametrize("data", [b"", b" ", b"\xef", b"\xef\xbb\xbf", b"<html></html>", ROOT.encode()])
def test_what_is_no_sitemap_is_left_to_the_full_reader(data: bytes) -> None:
    assert not is_plain(data)


# An entry


def test_an_entry_has_what_the_state_compares() -> None:
    first, second = scanned([sitemap("\n", ONE, "\n", TWO)])
    assert (first.loc, first.lastmod, first.line) == ("https://a.nl/1.pdf", "2024-04-01", 3)
    assert (second.loc, second.lastmod, second.line) == ("https://a.nl/2.pdf", None, 4)


def test_lines_are_right_in_a_long_file() -> None:
    entry = "<url>\n<loc>https://a.nl/1</loc>\n<x>\n\n</x>\n</url>\n"
    assert is_plain(sitemap(entry * 14_000))


def test_an_entry_is_parsed_as_the_full_reader_would() -> None:
    (entry,) = scanned([sitemap("<url><loc>a</loc><diwoo:Document><diwoo:DiWoo/></diwoo:Document></url>")])
    parsed = entry.parse()
    assert parsed.document is not None
    assert [child.tag for child in parsed.document] == [f"{{{DIWOO_NAMESPACE}}}DiWoo"]


def test_documents_stay_valid_when_the_scan_goes_on() -> None:
    metadata = "<diwoo:Document>x</diwoo:Document>"
    parsed = [entry.parse() for entry in scanned([sitemap(f"<url><loc>a</loc>{metadata}</url>" * 3000)])]
    assert {entry.document.text for entry in parsed if entry.document is not None} == {"x"}


def test_batches_are_as_large_as_one_query_of_the_state() -> None:
    assert [len(batch) for batch in Scan([sitemap(ONE * 2500)], MAXSIZE)] == [1000, 1000, 500]


def test_the_namespace_and_the_size_are_known_afterwards() -> None:
    data = sitemap(ONE)
    right, other = Scan([data], MAXSIZE), Scan([sitemap(ONE, root="<urlset>")], MAXSIZE)
    assert (right.namespace, other.namespace) == (None, None)
    assert [len(list(scan)) for scan in (right, other)] == [1, 1]
    assert (right.namespace, other.namespace) == (SITEMAP_NAMESPACE, "")
    assert right.size == len(data)


# The digest


def test_an_entry_keeps_its_digest_wherever_it_stands() -> None:
    (alone,) = scanned([sitemap(ONE)])
    _, moved = scanned([sitemap(TWO, "\n\n", ONE, start="", end=" </urlset>")])
    assert moved.digest == alone.digest


@pytest.mark.parametrize("change", [("1.pdf", "2.pdf"), ("04-01", "04-02"), ("</url>", " </url>")])
def test_any_other_byte_gives_another_digest(change: tuple[str, str]) -> None:
    (before,), (after,) = scanned([sitemap(ONE)]), scanned([sitemap(ONE.replace(*change))])
    assert after.digest != before.digest


def test_another_root_start_tag_gives_another_digest() -> None:
    (before,), (after,) = scanned([sitemap(ONE)]), scanned([sitemap(ONE, root="<urlset>")])
    assert after.digest != before.digest


# Bounds


@pytest.mark.parametrize("size", [200, 500, 1000, 1800, 2100, 2300])
def test_what_is_too_large_for_the_full_reader_is_too_large_for_the_scanner(size: int) -> None:
    space = " " * (size * 1024)
    for entries in (
        [space, ONE],
        [ONE, space, TWO],
        [ONE, space],
        [ONE.replace("</url>", space + "</url>"), TWO],
    ):
        is_plain(sitemap(*entries))
    is_plain(sitemap(ONE, start=space))


def test_an_endless_entry_is_not_kept() -> None:
    read = 0

    def chunks() -> Iterator[bytes]:
        nonlocal read
        yield sitemap(ONE, end="<url>")
        while True:
            read += 1
            yield b"<x>a</x>" * 8192

    with pytest.raises(NotPlainError):
        list(Scan(chunks(), MAXSIZE))
    assert read < 20


def test_memory_does_not_grow_with_the_file() -> None:
    def peak(megabytes: int) -> int:
        metadata = "<diwoo:Document>" + "x" * 1000 + "</diwoo:Document>"
        piece = f"<url><loc>https://a.nl/1.pdf</loc>{metadata}</url>\n".encode() * 60
        chunks = [sitemap(end=""), *[piece] * (megabytes * 1024 * 1024 // len(piece)), b"</urlset>"]
        tracemalloc.start()
        try:
            assert sum(1 for _ in scanned(chunks)) > 900 * megabytes
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    small, large = peak(4), peak(40)
    assert large < 6 * 1024 * 1024
    assert large < small * 1.2
