"""For any file, scanner and full reader together give the result of the full reader alone."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.sitemaps.scanning import DECLARATION, MAXSIZE, ROOT, Known, known_of, read, read_again, sitemap
from woo_harvester.sitemaps import scanner

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
