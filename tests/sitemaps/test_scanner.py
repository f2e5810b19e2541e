"""Which files are plain, and what the scanner returns for their entries."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain, repeat
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.sitemaps.scanning import (
    DECLARATION,
    MAXSIZE,
    ONE,
    ROOT,
    TWO,
    Known,
    is_plain,
    known_of,
    read,
    read_again,
    scanned,
    sitemap,
)
from woo_harvester.demo.sitemaps import SITEMAP_NAMESPACE
from woo_harvester.sitemaps import scanner
from woo_harvester.sitemaps.reader import OtherRootError
from woo_harvester.sitemaps.scanner import NotPlainError, Scan, ScannedEntry, UrlsetReader
from woo_harvester.sitemaps.xml_stream import SitemapError

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


def test_what_is_too_large_for_the_full_reader_is_too_large_for_the_scanner() -> None:
    for size in [200, 500, 1000, 1800, 2100, 2300]:
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


# For any file, scanner and full reader together give the result of the full reader alone.


texts = st.sampled_from(
    [
        *("", "tekst", " ", "\n", "\r\n", "\r", "&amp;", "&lt;url>", "&#233;", "é", "]]", ">"),
        "Besluit &quot;x&quot;",
    ]
)
inside = st.one_of(
    texts,
    texts,
    st.sampled_from(
        [
            *("<!-- x -->", "<![CDATA[<x>]]>", "<?x y?>", "<url/>", "<x xml:id='a'/>", "<diwoo:Document/>"),
            "<!-- </url><url><loc>https://a.nl/c</loc> -->",
            "<![CDATA[</url><url><loc>https://a.nl/d</loc>]]>",
            *("<priority>1</priority>", "<changefreq>daily</changefreq>"),
            *("<y:z xmlns:y='urn:y' y:a='b'/>", "<x a='>' b=\"'\"/>"),
            '<x xmlns="urn:x"><url>y</url></x>',
            "<m:MDTO xmlns:m='urn:m'><m:url>https://b.nl</m:url></m:MDTO>",
            "<x><url><loc>https://a.nl/e</loc></url></x>",
            *("<LOC>https://a.nl/f</LOC>", "<LastMod>2024-04-03</LastMod>"),
        ]
    ),
    st.lists(texts, max_size=3).map(
        lambda parts: f"<diwoo:Document><x>{''.join(parts)}</x></diwoo:Document>"
    ),
)
space = st.sampled_from(["", "", "\n", "  ", "\r\n\t", "\r"])
locs = st.sampled_from(
    ["https://a.nl/1", "https://a.nl/2?a&amp;b", " https://a.nl/3 4\n", "https://é.nl/", "", "&#97;"]
)
lastmods = st.sampled_from(["2024-04-01", " 2024-04-01 10:00:00 ", "2024-04-01T10:00:00+02:00", "", "&amp;"])
strange = st.sampled_from(
    [
        *("<!-- x -->", "<x/>", "<url/>", "x", "<url></url>", "<y:z xmlns:y='urn:y'/>"),
        *("<URL><loc>https://a.nl/g</loc></URL>", "<item><loc>https://a.nl/h</loc></item>"),
    ]
)
between = st.integers(0, 30).flatmap(lambda rare: space if rare else strange)
starts = st.sampled_from(
    [
        *("", DECLARATION, "<?xml version='1.0'?>\n", "\ufeff" + DECLARATION),
        DECLARATION.replace("UTF-8", "utf-8") + "<!-- x\n -->\n",
        DECLARATION + "<?xml-stylesheet href='x'?>",
    ]
)
roots = st.sampled_from(
    [
        *(ROOT, ROOT.replace("><", ">\n<"), ROOT.replace(" xmlns", "\n\txmlns")),
        *("<urlset xmlns:diwoo='urn:d'>", "<urlset>"),
    ]
)
ends = st.sampled_from(
    ["</urlset>", "</urlset>\n", "\n</urlset >", "</urlset><!-- x -->", "<!-- x --></urlset>"]
)


@st.composite
def entries(draw: DrawFn) -> str:
    head = [f"<loc>{draw(locs)}</loc>", draw(space)]
    if draw(st.booleans()):
        head.append(f"<lastmod>{draw(lastmods)}</lastmod>")
    if draw(st.integers(0, 20)) == 0:
        head.reverse()
    return "".join(["<url>", draw(space), *head, *draw(st.lists(inside, max_size=3)), draw(space), "</url>"])


@st.composite
def files(draw: DrawFn, least: int = 0) -> bytes:
    """Draw sitemaps, most of them right."""
    written = draw(st.lists(entries(), min_size=least, max_size=6))
    drawn = [part for entry in written for part in (draw(between), entry)]
    text = "".join([draw(starts), draw(roots), *drawn, draw(ends)])
    encoding = draw(st.sampled_from(["utf-8"] * 20 + ["latin-1", "utf-16"]))
    if encoding != "utf-8":
        text = text.replace("\ufeff", "").replace("UTF-8", encoding.upper())
    return text.encode(encoding)


FRAGMENTS = [
    *(b"<!--", b"-->", b"<![CDATA[", b"]]>", b"</url>", b"</url >", b"<url>", b"</urlset>", b"<loc>"),
    *(b"&", b"<", b"'", b'"', b"\0", b"\xff", b"\xc3", b"<x>", b"</x>", b" xmlns:q='urn:q'", b"<?"),
    b"<url><loc>https://a.nl/9</loc>",
]


@st.composite
def mutations(draw: DrawFn, data: bytes) -> bytes:
    """Return the file with a random error, mostly in its entries."""
    for _ in range(draw(st.integers(1, 2))):
        first = 0 if draw(st.integers(0, 7)) == 0 else max(data.find(b"<url>"), 0)
        here = draw(st.sampled_from(range(first, len(data) + 1)))
        there = here + draw(st.integers(1, 20) | st.integers(0, len(data)))
        changed = [
            data[:here] + draw(st.sampled_from(FRAGMENTS)) + data[here:],
            data[:here] + draw(st.binary(min_size=1, max_size=2)) + data[here + 1 :],
            data[:here] + data[there:],
            data[:there] + data[here:],
            data[:here] + b"<x/>" * 20 + data[here:],
            data[:here],
        ]
        data = draw(st.sampled_from(changed))
    return data


def cuts(data: bytes) -> SearchStrategy[list[bytes]]:
    """Return the same bytes in pieces."""
    places = st.lists(st.integers(0, len(data)), max_size=5).map(lambda given: sorted({0, *given}))
    return places.map(
        lambda starts: [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)], strict=True)]
    )


block_sizes = st.sampled_from([1, 10, 100, 1000, scanner.BLOCK_SIZE])


def assert_same(chunks: list[bytes], known: Mapping[str, Known], block_size: int, maxsize: int) -> None:
    """Check that the scanner gives the result of the full reader, with known and with unknown entries."""
    expected = read(chunks, maxsize)
    with patch.object(scanner, "BLOCK_SIZE", block_size):
        assert read_again(chunks, None, maxsize)[0] == expected
        assert read_again(chunks, known, maxsize)[0] == expected


@given(st.data())
def test_any_file_gives_what_the_full_reader_gives(data: st.DataObject) -> None:
    file = data.draw(files())
    packed = gzip.compress(file) if data.draw(st.booleans()) else file
    chunks = data.draw(cuts(packed))
    assert_same(chunks, known_of(file), data.draw(block_sizes), MAXSIZE)


@given(st.data())
def test_a_changed_file_gives_what_the_full_reader_gives(data: st.DataObject) -> None:
    before = data.draw(st.lists(entries(), min_size=1, max_size=5))
    after = data.draw(st.lists(st.sampled_from(before) | entries(), max_size=8))
    file = sitemap(*after, root=data.draw(roots))
    known = known_of(sitemap(*before, root=data.draw(roots)))
    assert_same(data.draw(cuts(file)), known, data.draw(block_sizes), MAXSIZE)


@given(st.data())
def test_any_broken_file_gives_what_the_full_reader_gives(data: st.DataObject) -> None:
    file = data.draw(files(least=3))
    broken = data.draw(mutations(file))
    if data.draw(st.integers(0, 4)) == 0:
        broken = data.draw(mutations(gzip.compress(broken)))
    maxsize = data.draw(st.sampled_from([MAXSIZE, MAXSIZE, len(broken) // 2 + 1]))
    assert_same(data.draw(cuts(broken)), known_of(file), data.draw(block_sizes), maxsize)


# A sitemap that is scanned, and read in full from where the scanner stops.


COMMENTED = "<url><!-- not where an entry begins with its loc --><loc>https://a.nl/3.pdf</loc></url>"


class Reading:
    """A file that is read as the spider reads it, with an entry that the scanner cannot give."""

    def __init__(self, body: bytes, refused: str | None = None, maxsize: int = MAXSIZE) -> None:
        self.reader = UrlsetReader(lambda: [body], maxsize)
        self.refused = refused
        self.entries: list[tuple[str, bool]] = []
        """The loc of each entry, and whether it was scanned."""

    def run(self) -> list[tuple[str, bool]]:
        for batch in self.reader:
            count = 0
            with suppress(NotPlainError):
                for entry in batch:
                    if entry.loc == self.refused and isinstance(entry, ScannedEntry):
                        raise NotPlainError
                    entry.parse()
                    self.entries.append((entry.loc, isinstance(entry, ScannedEntry)))
                    count += 1
            self.reader.processed(count)
        return self.entries


def test_a_plain_file_is_scanned_up_to_an_entry_that_could_not_be_processed() -> None:
    for packed in [False, True]:
        for refused in [1, 2, None]:
            body = sitemap(ONE, TWO, ONE.replace("1.pdf", "3.pdf"))
            reading = Reading(gzip.compress(body) if packed else body, f"https://a.nl/{refused}.pdf")
            reader = reading.reader
            assert (reader.entries, reader.complete, reader.contents.namespace) == (0, False, None), (
                packed,
                refused,
            )
            scanned_before = refused or 4
            assert reading.run() == [
                (f"https://a.nl/{number}.pdf", number < scanned_before) for number in (1, 2, 3)
            ], (packed, refused)
            assert (reader.entries, reader.complete) == (3, True), (packed, refused)
            assert (reader.contents.namespace, reader.contents.size) == (SITEMAP_NAMESPACE, len(body)), (
                packed,
                refused,
            )


def test_a_file_that_is_not_plain_is_read_in_full_and_one_without_entries_is_complete() -> None:
    reading = Reading(sitemap(ONE, COMMENTED))
    assert reading.run() == [("https://a.nl/1.pdf", False), ("https://a.nl/3.pdf", False)]
    empty = Reading(sitemap())
    assert (empty.run(), empty.reader.complete, reading.reader.complete) == ([], True, True)


def test_a_file_that_cannot_be_read_raises_the_error_of_the_full_reader_after_its_entries() -> None:
    reading = Reading(sitemap(ONE, "<url><loc>https://a.nl/2", end=""))
    with pytest.raises(SitemapError) as caught:
        reading.run()
    assert (caught.value.reason, reading.reader.complete) == ("afgebroken", False)
    assert [loc for loc, _ in reading.entries] == ["https://a.nl/1.pdf"]
    with pytest.raises(SitemapError) as caught:
        Reading(sitemap(ONE, TWO), maxsize=50).run()
    assert caught.value.reason == "te-groot"
    with pytest.raises(OtherRootError):
        Reading(b"<rss/>").run()


def test_lines_are_counted_in_any_order() -> None:
    entries = list(scanned([sitemap(ONE, "\n\n", TWO, "\n", ONE)]))
    assert [entry.line for entry in reversed(entries)] == [5, 4, 2]
    assert [entry.line for entry in entries] == [2, 4, 5]
