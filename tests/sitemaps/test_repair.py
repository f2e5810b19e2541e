"""Repairing the bytes of a file, whatever the pieces are in which it comes."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.sitemaps.reading import split
from woo_harvester.diwoo.given import DIWOO_NAMESPACE
from woo_harvester.sitemaps.repair import LINES_MAX, NAMESPACES, Repair
from woo_harvester.sitemaps.xml_stream import CorruptError


def repaired(body: str | bytes, *prefixes: str, size: int = 100_000) -> str:
    """Return a file after its repair, which gets it in pieces of *size* bytes."""
    data = body.encode() if isinstance(body, str) else body
    return b"".join(Repair(prefixes).apply(split(data, size))).decode()


def noted(body: str, size: int = 100_000) -> Repair:
    repair = Repair()
    assert b"".join(repair.apply(split(body.encode(), size)))
    return repair


# Bare ampersands


def test_an_ampersand_that_begins_no_reference_is_written_as_one() -> None:
    for written, right in [
        ("a?x=1&y=2", "a?x=1&amp;y=2"),
        ("Jansen & Zn", "Jansen &amp; Zn"),
        ("&", "&amp;"),
        ("&&", "&amp;&amp;"),
        ("a&amp;b&c", "a&amp;b&amp;c"),
        ("?a&copy=1;b", "?a&amp;copy=1;b"),
        ("?a&copy=1&lt;", "?a&amp;copy=1&lt;"),
        ("?a&lt=1", "?a&amp;lt=1"),
        ("a&#b", "a&amp;#b"),
        ("a&#;", "a&amp;#;"),
        ("a&#xZ;", "a&amp;#xZ;"),
        ("a&#12", "a&amp;#12"),
        ("a&;b", "a&amp;;b"),
        ("a&1b;", "a&amp;1b;"),
        ("a& nbsp;", "a&amp; nbsp;"),
        ("<a b='?x&y'>c</a>", "<a b='?x&amp;y'>c</a>"),
        ("é&ë=1", "é&amp;ë=1"),
    ]:
        for size in [1, 3, 100_000]:
            assert repaired(written, size=size) == right, (written, size)


def test_a_reference_and_what_is_no_text_stay_as_they_are() -> None:
    for text in [
        *("&amp;&lt;&gt;&quot;&apos;", "&#38;&#x26;&#xe9;&#0000000233;", "a&nbsp;b"),
        *("&eacute;", "&ë;", "&x.y-z:1;", "<!-- a & b -->"),
        *("<!--&--><!----><!-- <![CDATA[ & -->", "<![CDATA[a & b]]>"),
        *("<![CDATA[&]]]]><![CDATA[>&]]>", "<?php a & b ?>", "<!-- & "),
    ]:
        for size in [1, 3, 100_000]:
            assert repaired(text, size=size) == text, (text, size)


def test_after_a_comment_and_the_like_text_is_repaired_again() -> None:
    for markup in ["<!-- & -->", "<![CDATA[&]]>", "<?x & ?>"]:
        assert repaired(f"&{markup}&", size=2) == f"&amp;{markup}&amp;", markup


PARTS = ["&", "&amp;", "&x", ";", "<!--", "-->", "]]>", "<![CDATA[", "<?", "?>", "a" * 90, "\n"]


@given(st.lists(st.sampled_from(PARTS), max_size=15))
def test_the_pieces_in_which_a_file_comes_make_no_difference(parts: list[str]) -> None:
    body = "".join(parts)
    whole = repaired(body)
    assert {repaired(body, size=size) for size in (1, 7, 255, 256, 257)} == {whole}
    assert whole.replace("&amp;", "&") == body.replace("&amp;", "&")


@given(st.text(st.sampled_from("&;#x1<>a \n"), max_size=40))
def test_a_text_that_was_well_formed_is_the_same_afterwards(text: str) -> None:
    try:
        etree.fromstring(f"<a>{text}</a>")
    except etree.XMLSyntaxError:
        return
    assert repaired(f"<a>{text}</a>") == f"<a>{text}</a>"


def test_the_number_the_first_lines_and_the_first_text_are_noted() -> None:
    body = "<urlset>\n<loc>https://a.nl/x?a=1&b=2&c=3</loc>\n\n<loc>?d&amp;e</loc>\n<loc>?f&g</loc></urlset>"
    for size in (1, 10, 100_000):
        repair = noted(body, size)
        assert (repair.ampersands.count, repair.ampersands.lines) == (3, [2, 5])
        assert repair.ampersands.seen == ["https://a.nl/x?a=1&b=2&c=3"]


def test_what_is_noted_has_a_limit() -> None:
    repair = noted(f"<a>{'x' * 10_000}&{'y' * 10_000}</a>" + "\n&" * 1000)
    assert repair.ampersands.count == 1001
    assert repair.ampersands.lines == [1, *range(2, LINES_MAX + 1)]
    assert re.fullmatch("x{200}&y{199}", repair.ampersands.seen[0])


def test_nothing_is_noted_of_a_file_without_a_fault() -> None:
    repair = noted("<a>\n&amp;</a>")
    assert (repair.ampersands.count, repair.signs.count) == (0, 0)


# Signs

SIGNS = [
    (b"<a>Agenda\x92s</a>", "<a>Agenda’s</a>", ["byte 0x92 (’)"]),
    (b"<a b='caf\xe9'/>", "<a b='café'/>", ["byte 0xE9 (é)"]),
    (b"<a>\xc3\xa9\xe9\x81</a>", "<a>éé\x81</a>", ["byte 0xE9 (é)", "byte 0x81 (\x81)"]),
    ("<a>\x0b\x00\x1f\ufffe</a>".encode(), "<a></a>", ["U+000B", "U+0000", "U+001F"]),
    (
        b"<!-- \x0b\x92 --><![CDATA[\x0b\x92&#x1F;]]>",
        "<!-- ’ --><![CDATA[’&#x1F;]]>",
        ["U+000B", "byte 0x92 (’)"],
    ),
    (b"<a>&#x1F;&#31;&#0;&#xD800;&#x110000;&#xFFFE;</a>", "<a></a>", ["&#x1F;", "&#31;", "&#0;"]),
    (b"<a>&#9;&#x0A;&#13;&#x20;&#xE9;&#x10FFFF;</a>", "<a>&#9;&#x0A;&#13;&#x20;&#xE9;&#x10FFFF;</a>", []),
    ("<?xml version='1.0' encoding='iso-8859-1'?><a>\x92é\x81</a>".encode("latin-1"), "<a>’é\x81</a>", []),
    (b"<?xml version='1.0' encoding='iso-8859-15'?><a>\xa4</a>", "<a>€</a>", []),
]


def test_a_sign_that_cannot_be_there_is_left_out_or_read_in_another_encoding() -> None:
    for written, right, seen in SIGNS:
        for size in [1, 3, 100_000]:
            repair = Repair()
            text = b"".join(repair.apply(split(written, size))).decode()
            assert (text.partition("?>")[2] if written.startswith(b"<?") else text) == right, (written, size)
            assert repair.signs.seen == seen, (written, size)


def test_the_signs_are_counted_with_their_first_lines() -> None:
    for size in [1, 100_000]:
        repair = noted("a\n\x0b\x0b\n\nb&#x1F;&\n\x0b", size)
        assert (repair.signs.count, repair.signs.lines) == (4, [2, 4, 5])


def test_what_is_kept_for_a_finding_can_be_written() -> None:
    repair = Repair(drops_head=True)
    assert b"".join(repair.apply([b"<!-- caf\xe9 -- \x0b --><a>caf\xe9 & \x0b</a>"]))
    assert repair.head == "<!-- caf\ufffd -- \ufffd -->"
    assert repair.ampersands.seen == ["caf\ufffd & \ufffd"]


# Prefixes


def test_a_prefix_is_declared_on_the_root_element_only() -> None:
    for start, name in [
        ("<urlset>", "urlset"),
        ("<urlset\nxmlns='urn:x'>", "urlset"),
        ("<urlset/>", "urlset"),
        ("<s:urlset xmlns:s='urn:x'>", "s:urlset"),
        ("<?xml version='1.0'?>\n<!-- <a> & --><?x <b>?>\n<urlset>", "urlset"),
        ("<diwoo:Documents>", "diwoo:Documents"),
    ]:
        for size in [1, 100_000]:
            body = f"{start}<url>a & b</url>"
            right = body.replace("a & b", "a &amp; b").replace(
                f"<{name}", f'<{name} xmlns:diwoo="{DIWOO_NAMESPACE}" xmlns:xsi="{NAMESPACES["xsi"]}"', 1
            )
            assert repaired(body, "diwoo", "xsi", size=size) == right, (start, size)


def test_the_lines_of_the_file_stay_the_same() -> None:
    body = "<?xml version='1.0'?>\n<urlset>\n<a>&</a>\n</urlset>\n"
    assert repaired(body, "diwoo").count("\n") == body.count("\n")


# Encodings, and files that are made to harm


def test_a_file_in_utf_16_becomes_one_in_utf_8() -> None:
    for encoding in ["utf-16", "utf-16-le", "utf-16-be"]:
        for size in [1, 3, 100_000]:
            body = "<urlset><loc>é?a&b</loc></urlset>".encode(encoding)
            repair = Repair(["xsi"])
            after = b"".join(repair.apply(split(body, size))).decode()
            assert after == f'<urlset xmlns:xsi="{NAMESPACES["xsi"]}"><loc>é?a&amp;b</loc></urlset>', (
                encoding,
                size,
            )
            assert repair.ampersands.seen == ["é?a&b"], (encoding, size)


def test_bytes_that_are_no_utf_16_are_an_error() -> None:
    with pytest.raises(CorruptError):
        list(Repair().apply([b"\xff\xfe<\0\x00\xd8"]))


def test_a_file_of_a_byte_or_none_is_no_error() -> None:
    for body in [b"", b"<", b"&"]:
        assert b"".join(Repair(["diwoo"]).apply([body])) == body.replace(b"&", b"&amp;"), body


def peak_memory(part: bytes, pieces: int) -> int:
    """Return the most bytes in use while so many pieces of 32 KiB pass, made of the same part."""
    piece = part * (32 * 1024 // len(part))
    tracemalloc.start()
    try:
        size = sum(len(after) for after in Repair(["diwoo"]).apply(iter([piece] * pieces)))
        assert size >= pieces * len(piece)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_long_file_passes_without_being_kept() -> None:
    for part in [b"&", b"&\n", b"<!--", b"&a", b"<", b"x", b"&<!---->", b"&amp;"]:
        assert peak_memory(part, 8) < peak_memory(part, 2) + 32 * 1024, part
