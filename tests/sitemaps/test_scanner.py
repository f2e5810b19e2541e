"""Which files are plain, and what the scanner returns for their entries."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Iterator
from itertools import chain, repeat
from unittest.mock import patch

import pytest

from tests.sitemaps.scanning import DECLARATION, MAXSIZE, ONE, ROOT, TWO, is_plain, scanned, sitemap
from woo_harvester.demo.sitemaps import SITEMAP_NAMESPACE
from woo_harvester.sitemaps import scanner
from woo_harvester.sitemaps.scanner import NotPlainError, Scan

STYLESHEET = '<?xml-stylesheet type="text/xsl" href="a.xsl"?><!-- a - b -->'
#: Files that the scanner reads to their end.
PLAIN = (
    *(sitemap(ONE, TWO), sitemap(), gzip.compress(sitemap(ONE, TWO)), sitemap(ONE, root="<urlset>")),
    *(sitemap(ONE, start=start) for start in ("", "\ufeff", "\ufeff" + DECLARATION)),
    sitemap(ONE, start="<?xml version='1.0'?>\r\n"),
    sitemap(ONE, start="<?xml version='1.0' encoding='utf-8' standalone=\"yes\" ?>"),
    sitemap(ONE, start=DECLARATION + STYLESHEET),
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
    sitemap("<url>\n<loc>https://a.nl/1</loc>\n<x>\n\n</x>\n</url>\n" * 14_000),
)


def test_a_plain_file_is_scanned_to_its_end() -> None:
    for data in PLAIN:
        assert is_plain(data), data[:300]


def test_what_looks_like_an_end_within_an_entry_does_not_end_it() -> None:
    mdto = "<m:x xmlns:m='urn:m'><url>y</url> z</m:x>"
    for inside in ("<x><url></url></x>", mdto, "<x><![CDATA[</url>]]></x>"):
        entry = f"<url><loc>https://a.nl/1</loc>{inside}</url>\n"
        with patch.object(scanner, "BLOCK_SIZE", 10):
            assert is_plain(sitemap(entry, entry, ONE, entry)), inside


STARTS = (
    *('<?xml version="1.0" encoding="ISO-8859-1"?>', '<?xml version="1.1"?>', "<!DOCTYPE urlset>"),
    *("<?php x ?>", "<!-- a -- b -->", "<!-- \x01 -->", "\n" + DECLARATION, "x"),
    "<!-- a --> <!DOCTYPE urlset [ <!-- --> ]>",
)
ROOTS = (
    *("<sitemapindex>", "<urlsets>", "<s:urlset xmlns:s='urn:x'>", "<urlset/>", "<urlset x='/'/>"),
    *("<urlset x='a' x='b'>", "<urlset x=a>", "<urlset diwoo:x='a'>", "<urlset x='<'>", "<urlset"),
)
#: More than white space, between entries.
BETWEEN = ("x", "<!-- -->", "<x/>", "\x0b", "&#32;", "<url/>", "<url></url>", "<?x?>", "<![CDATA[]]>", "\0")
ENDS = ("", "</url>", "</urlset", "</urlsets>", "</urlset>x", "</urlset><urlset/>", "</urlset><!-- -- -->")
#: Entries that do not begin with their loc.
BEGINNINGS = (
    "<lastmod>2024-04-01</lastmod><loc>https://a.nl/1</loc>",
    "<changefreq>daily</changefreq><loc>https://a.nl/1</loc>",
    *("<loc a='b'>https://a.nl/1</loc>", "<loc/>", "", "<!-- --><loc>https://a.nl/1</loc>"),
    "<loc><![CDATA[https://a.nl/1]]></loc>",
)
#: What an entry may have that only parsing can find out.
INSIDE = (
    "<priority>1</priority><lastmod>2025-01-01</lastmod>",
    *("<lastmod>&#50;024-01-01</lastmod>", "<!-- </url><url><loc>https://a.nl/2</loc> -->"),
    *("<x a='</url>'/>", "<x>", "</x>", "<y:x/>", "&euro;", "& ", "<x xml:id='a'/>", "\x01", "\ufffe"),
)
#: Locs that their bytes do not show.
LOCS = ("&#104;ttps://a.nl/", "https://a.nl/\r\na", "https://a.nl/\x01", "&x;", "https://a.nl/ ]]>")


def left_to_the_full_reader() -> Iterator[bytes]:
    yield from (sitemap(ONE, start=start) for start in STARTS)
    yield from (sitemap(ONE, root=root) for root in ROOTS)
    for between in BETWEEN:
        yield from (sitemap(*entries) for entries in ([between, ONE], [ONE, between, TWO], [ONE, between]))
    yield from (sitemap(ONE, TWO, end=end) for end in ENDS)
    entries = [f"<url>{beginning}</url>" for beginning in BEGINNINGS]
    entries += [f"<url><loc>https://a.nl/1</loc>{inside}</url>" for inside in INSIDE]
    entries += [f"<url><loc>{loc}</loc></url>" for loc in LOCS]
    entries += [
        ONE.replace("<url>", "<url a='b'>"),
        "<s:url xmlns:s='urn:x'><loc>https://a.nl/1</loc></s:url>",
    ]
    for entry in entries:
        yield from (sitemap(entry), sitemap(ONE, entry, TWO), sitemap(ONE, entry))
    for broken in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80"):
        for place in (b"1.pdf", b"04-01", b"lastmod>"):
            yield sitemap(ONE, TWO).replace(place, place + broken, 1)
    yield sitemap(ONE, start="").decode().encode("utf-16")
    yield gzip.compress(sitemap(ONE, TWO))[:-5]
    yield from (b"", b" ", b"\xef", b"\xef\xbb\xbf", b"<html></html>", ROOT.encode())


def test_any_other_file_is_left_to_the_full_reader() -> None:
    for data in left_to_the_full_reader():
        assert not is_plain(data), data


def test_a_file_beyond_its_bound_is_left_to_the_full_reader_and_an_endless_entry_is_not_kept() -> None:
    with pytest.raises(NotPlainError):
        list(Scan([sitemap(ONE)], maxsize=100))
    chunks = chain([sitemap(ONE, end="<url>")], repeat(b"<x>a</x>" * 8192, 1000))
    with pytest.raises(NotPlainError):
        list(Scan(chunks, MAXSIZE))
    assert len(list(chunks)) > 980


def test_an_entry_has_what_the_state_compares() -> None:
    first, second = scanned([sitemap("\n", ONE, "\n", TWO)])
    assert (first.loc, first.lastmod, first.line) == ("https://a.nl/1.pdf", "2024-04-01", 3)
    assert (second.loc, second.lastmod, second.line) == ("https://a.nl/2.pdf", None, 4)


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


def test_an_entry_keeps_its_digest_wherever_it_stands_until_a_byte_or_the_root_changes() -> None:
    (alone,) = scanned([sitemap(ONE)])
    _, moved = scanned([sitemap(TWO, "\n\n", ONE, start="", end=" </urlset>")])
    assert moved.digest == alone.digest
    changes = ("1.pdf", "2.pdf"), ("04-01", "04-02"), ("</url>", " </url>")
    for data in (sitemap(ONE, root="<urlset>"), *(sitemap(ONE.replace(*change)) for change in changes)):
        (after,) = scanned([data])
        assert after.digest != alone.digest, data


@pytest.mark.parametrize("size", [200, 500, 1000, 1800, 2100, 2300])
def test_what_is_too_large_for_the_full_reader_is_too_large_for_the_scanner(size: int) -> None:
    space = " " * (size * 1024)
    large = ONE.replace("</url>", space + "</url>")
    for entries in ([space, ONE], [ONE, space, TWO], [ONE, space], [large, TWO]):
        is_plain(sitemap(*entries))
    is_plain(sitemap(ONE, start=space))


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
