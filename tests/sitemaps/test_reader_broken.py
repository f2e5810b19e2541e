"""The reader on files that are truncated or no sitemap."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest

from tests.sitemaps.reading import DECLARATION, NAMESPACE, WHOLE, read, url, urlset
from woo_harvester.sitemaps.reader import OtherRootError, RootName, SitemapReader

SITEMAP = "<sitemap><loc>https://a.nl/s.xml</loc></sitemap>"


@pytest.mark.parametrize(("encoding", "unit"), [("utf-8", 1), ("utf-8-sig", 1), ("utf-16", 2)])
def test_a_file_that_is_cut_anywhere_keeps_the_entries_before_the_cut(encoding: str, unit: int) -> None:
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


@pytest.mark.parametrize(("kind", "root"), [("urlset", "sitemapindex"), ("sitemapindex", "urlset")])
@pytest.mark.parametrize("size", [1, 7, 64 * 1024])
def test_the_entries_decide_what_a_file_is_and_not_its_root(kind: RootName, root: str, size: int) -> None:
    name = "url" if kind == "urlset" else "sitemap"
    listed = "".join(f"<{name}><loc>https://a.nl/{number}</loc></{name}>" for number in range(3))
    outcome = read(f'<{root} xmlns="{NAMESPACE}">{listed}</{root}>', kind, size=size)
    assert outcome.locs == ["https://a.nl/0", "https://a.nl/1", "https://a.nl/2"]
    assert outcome.complete
    for either in (kind, root):
        empty = read(f'<{either} xmlns="{NAMESPACE}"/>', kind, size=size)
        assert (empty.complete, empty.entries) == (True, [])


@pytest.mark.parametrize(("kind", "others"), [("urlset", 2), ("sitemapindex", 1)])
@pytest.mark.parametrize("root", ["urlset", "sitemapindex", "x:anders"])
def test_of_entries_of_both_kinds_the_others_are_counted(kind: RootName, others: int, root: str) -> None:
    deeper = url("a").replace("</url>", f"{SITEMAP}</url>") if kind == "urlset" else url("a")
    body = f'<{root} xmlns="{NAMESPACE}" xmlns:x="urn:x">{SITEMAP}{deeper}{SITEMAP}</{root}>'
    reader = SitemapReader([body.encode()], kind, 10_000)
    assert sum(map(len, reader)) == 3 - others
    assert (reader.others, reader.complete) == (others, kind == "sitemapindex")
    assert reader.root == root.removeprefix("x:")
