"""The reader on files that are made to harm, and on any bytes."""

from __future__ import annotations

import gzip
import os
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.sitemaps.reading import DECLARATION, WHOLE, read, url, urlset

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
