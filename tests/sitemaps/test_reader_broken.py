"""The reader on files that are truncated or no sitemap."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest

from tests.sitemaps.reading import DECLARATION, NAMESPACE, WHOLE, read, url, urlset
from woo_harvester.sitemaps.reader import OtherRootError, RootName, SitemapReader

SITEMAP = "<sitemap><loc>https://a.nl/s.xml</loc></sitemap>"
SECRET = "root:x:0:0"


# Files that break off


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
        assert outcome.reason == "afgebroken"
        assert not outcome.complete


def test_the_entries_in_the_part_of_a_packed_file_that_came_are_kept() -> None:
    body = urlset(*(f"https://a.nl/{number * number}" for number in range(10_000))).encode()
    packed = gzip.compress(body)

    outcome = read(packed[: len(packed) // 2])

    assert 4000 < len(outcome.entries) < 6000


@pytest.mark.parametrize("end", ["", "\n", "\n\n  ", "\n<!-- made in 0.1 s -->\n", "<?end?>"])
def test_white_space_comments_and_instructions_may_follow_the_root_element(end: str) -> None:
    assert read(urlset("a") + end).complete


def test_a_cut_in_a_comment_after_the_root_element_is_an_error_though_no_entry_is_lost() -> None:
    outcome = read(urlset("a") + "<!-- made in 0.")

    assert (outcome.locs, outcome.reason) == (["a"], "afgebroken")


def test_a_file_that_breaks_off_shows_what_the_parser_missed() -> None:
    assert read("<urlset>\n<url><loc>a").seen == "Premature end of data in tag loc line 2"


# Files that are not well-formed


@pytest.mark.parametrize(
    "second",
    [
        "https://a.nl/x?a=1&b=2",
        "https://a.nl/a & b",
        "https://a.nl/a&nbsp;b",
        "https://a.nl/&undefined;",
        "https://a.nl/\0",
        "https://a.nl/&#0;",
        "https://a.nl/\x1b",
        "https://a.nl/<br>",
        "https://a.nl/</lok>",
        "https://a.nl/<b/ >",
        "https://a.nl/<a b='1' b='2'/>",
        "https://a.nl/<a b=1/>",
        "https://a.nl/]]>",
        "https://a.nl/<!-- -- -->",
        "https://a.nl/" + 300 * "<a>" + 300 * "</a>",
    ],
)
@pytest.mark.parametrize("size", [7, 100_000])
def test_only_entries_before_what_is_not_well_formed_are_kept(second: str, size: int) -> None:
    outcome = read(urlset("https://a.nl/1", second, "https://a.nl/3"), size=size)

    assert outcome.locs == ["https://a.nl/1"]
    assert outcome.reason == "ongeldig"
    assert outcome.line == 1
    assert outcome.seen
    assert not outcome.complete


@pytest.mark.parametrize(
    ("metadata", "seen"),
    [
        ("<diwoo:Document/>", "Namespace prefix diwoo on Document is not defined"),
        ("<a><b diwoo:resource='x'/></a>", "Namespace prefix diwoo for resource on b is not defined"),
    ],
)
@pytest.mark.parametrize("size", [7, 100_000])
def test_only_entries_before_an_undeclared_prefix_are_kept(metadata: str, seen: str, size: int) -> None:
    described = f"<url><loc>b</loc>{metadata}</url>"
    outcome = read(f'<urlset xmlns="{NAMESPACE}">{url("a")}{described}{url("c")}</urlset>', size=size)

    assert (outcome.locs, outcome.reason, outcome.seen) == (["a"], "ongeldig", seen)


def test_a_stray_ampersand_is_no_file_that_breaks_off_even_if_no_semicolon_follows_it() -> None:
    outcome = read(urlset("a", "https://a.nl/x?a=1&b=2", *map(str, range(200))))

    assert (outcome.locs, outcome.reason) == (["a"], "ongeldig")


@pytest.mark.parametrize("more", ["<urlset/>", "tekst", urlset("b"), "&amp;", "<![CDATA[x]]>"])
def test_anything_else_after_the_root_element_is_not_well_formed(more: str) -> None:
    outcome = read(urlset("a") + more)

    assert outcome.locs == ["a"]
    assert outcome.reason is not None


# Files that are no sitemap


@pytest.mark.parametrize("body", ["", " ", "\n\n", "x", "\ufeff"])
def test_an_empty_file_is_not_xml(body: str) -> None:
    assert read(body).reason == "ongeldig"


@pytest.mark.parametrize(
    "body",
    [
        "<!DOCTYPE html><html><head></head><body>Niet gevonden</body></html>",
        "<!doctype html>\n<html lang=nl><title>x</title><p>Niet gevonden",
        "<html><head><meta charset=utf-8></head></html>",
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head></html>',
        "Niet gevonden",
        '{"url": []}',
        "%PDF-1.7\n\xe2\xe3",
        "PK\x03\x04",
        "\n<?xml version='1.0'?><urlset/>",
    ],
)
def test_a_file_that_is_not_xml_is_invalid_and_so_is_an_html_page(body: str) -> None:
    outcome = read(body)

    assert (outcome.reason, outcome.entries, outcome.complete) == ("ongeldig", [], False)


@pytest.mark.parametrize(
    "body",
    [
        "<!DOCTYPE html><html/>",
        "<!DOCTYPE html>Niet gevonden",
        "<html><head><meta charset=utf-8></head></html>",
    ],
)
def test_an_html_page_is_called_that(body: str) -> None:
    assert (read(body).reason, read(body).seen) == ("ongeldig", "an HTML page")


def test_a_file_without_a_root_element_is_not_read_to_its_end() -> None:
    pieces = iter([b" " * 2**20] * 100)
    assert read(pieces).seen == "no root element"
    assert len(list(pieces)) > 50


@pytest.mark.parametrize(
    ("kind", "body", "root"),
    [
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
    ],
    ids=lambda given: given[:60],
)
def test_the_error_for_another_root_has_its_name_and_line(kind: RootName, body: str, root: str) -> None:
    outcome = read(DECLARATION + body, kind)

    assert (outcome.root, outcome.line, outcome.entries) == (root, 2, [])


def test_the_error_for_another_root_element_shows_it_as_a_tag() -> None:
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


@pytest.mark.parametrize(("kind", "others"), [("urlset", 2), ("sitemapindex", 1)])
@pytest.mark.parametrize("root", ["urlset", "sitemapindex", "x:anders"])
def test_of_entries_of_both_kinds_the_others_are_counted(kind: RootName, others: int, root: str) -> None:
    body = f'<{root} xmlns="{NAMESPACE}" xmlns:x="urn:x">{SITEMAP}{url("a")}{SITEMAP}</{root}>'
    reader = SitemapReader([body.encode()], kind, 10_000)

    assert sum(map(len, reader)) == 3 - others
    assert (reader.others, reader.complete) == (others, True)
    assert reader.root == root.removeprefix("x:")


@pytest.mark.parametrize("kind", ["urlset", "sitemapindex"])
@pytest.mark.parametrize("root", ["urlset", "sitemapindex"])
def test_an_empty_file_is_empty_whichever_root_it_has(kind: RootName, root: str) -> None:
    outcome = read(f'<{root} xmlns="{NAMESPACE}"/>', kind)

    assert (outcome.complete, outcome.entries) == (True, [])


def test_an_entry_of_the_other_kind_that_is_deeper_in_the_file_does_not_count() -> None:
    body = f"<urlset><url><loc>https://a.nl/1</loc>{SITEMAP}</url></urlset>"
    reader = SitemapReader([body.encode()], "urlset", 10_000)

    assert sum(map(len, reader)) == 1
    assert reader.others == 0


def test_what_the_parser_says_is_shown_without_the_line_which_stands_apart() -> None:
    outcome = read("<urlset>\n<url><loc>https://a.nl/1</loc></urlset>\n")
    assert outcome.line == 2
    assert outcome.seen == "Opening and ending tag mismatch: url line 2 and urlset"
