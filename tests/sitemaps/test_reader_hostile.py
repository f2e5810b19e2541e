"""The reader on files that are made to harm, and on any bytes."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.sitemaps.reading import DECLARATION, WHOLE, read, url, urlset

SITEMAP = "<sitemap><loc>https://a.nl/s.xml</loc></sitemap>"
SECRET = "root:x:0:0"

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 20))


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE urlset>",
        '<!DOCTYPE urlset SYSTEM "sitemap.dtd">',
        '<!DOCTYPE urlset PUBLIC "-//X//EN" "https://127.0.0.1:1/sitemap.dtd">',
        '<!DOCTYPE urlset [<!ENTITY e "x">]>',
        f'<!DOCTYPE urlset [<!ENTITY l0 "ha">{LAUGHS}]>',
        '<!DOCTYPE urlset [<!ENTITY e SYSTEM "https://127.0.0.1:1/x">]>',
        '<!DOCTYPE urlset [<!ENTITY % e SYSTEM "https://127.0.0.1:1/x"> %e;]>',
        '<!DOCTYPE urlset [<!ENTITY a "&a;">]>',
    ],
)
@pytest.mark.parametrize("loc", ["https://a.nl/1", "&e;", "&l19;", "&a;"])
@pytest.mark.parametrize("size", [1, 10_000])
def test_a_doctype_is_refused_whatever_it_declares(doctype: str, loc: str, size: int) -> None:
    outcome = read(urlset(loc, head=DECLARATION + doctype), size=size)

    assert (outcome.reason, outcome.seen, outcome.entries) == ("doctype", "<!DOCTYPE urlset>", [])


@pytest.mark.parametrize("attribute", ['a="&l19;"', 'a="&a;"', 'a="&e;"'])
def test_a_doctype_is_refused_before_an_entity_in_the_root_element_is_looked_at(attribute: str) -> None:
    doctype = f'<!DOCTYPE urlset [<!ENTITY l0 "ha">{LAUGHS}<!ENTITY a "&a;">]>'

    outcome = read(f"{doctype}<urlset {attribute}>{url('x')}</urlset>")

    assert (outcome.reason, outcome.entries) == ("doctype", [])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_doctype_is_refused_in_every_encoding(encoding: str) -> None:
    body = urlset("&e;", head='<!DOCTYPE urlset [<!ENTITY e SYSTEM "file:///etc/passwd">]>').encode(encoding)

    assert read(body).reason == "doctype"


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE urlset [<!ENTITY e SYSTEM "{uri}">]>',
        '<!DOCTYPE urlset [<!ENTITY % d SYSTEM "{uri}"> %d;]>',
        '<!DOCTYPE urlset SYSTEM "{uri}">',
        '<!DOCTYPE urlset SYSTEM "{uri}" [<!ENTITY f "x">]>',
    ],
)
@pytest.mark.parametrize("loc", ["&e;", "x"])
def test_no_file_of_the_machine_is_opened(doctype: str, loc: str, tmp_path: Path) -> None:
    # Reading a named pipe that nobody writes to would never end.
    secret = tmp_path / "secret.dtd"
    os.mkfifo(secret)

    outcome = read(urlset(loc, head=doctype.format(uri=secret.as_uri())))

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
    b"<urlset>",
    b"<url>",
    b"<loc>x</loc>",
    b"</url>",
    b"</urlset>",
    b"<?xml version='1.0' encoding='UTF-16'?>",
    b"<!DOCTYPE urlset [",
    b"<!ENTITY a 'b'>",
    b"]>",
    b"&a;",
    b"&",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"-->",
    b"\x1f\x8b\x08\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\0",
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
