"""The ``Sitemap:`` lines of a robots.txt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE, SitemapLine, sitemap_lines

ROBOTS = "https://www.gemeente.nl/robots.txt"
INDEX = "https://www.gemeente.nl/sitemapindex-diwoo.xml"


def lines(body: str | bytes) -> list[SitemapLine]:
    return list(sitemap_lines(body.encode() if isinstance(body, str) else body, ROBOTS))


def urls(body: str | bytes) -> list[str]:
    return [line.url for line in lines(body)]


def test_each_sitemap_line_gives_its_url_with_its_line() -> None:
    body = f"User-agent: *\nDisallow: /intern\n\nSitemap: {INDEX}\nSitemap: https://a.nl/google.xml\n"

    assert lines(body) == [
        SitemapLine(INDEX, INDEX, 4, relative=False),
        SitemapLine("https://a.nl/google.xml", "https://a.nl/google.xml", 5, relative=False),
    ]


@pytest.mark.parametrize(
    "line",
    [
        f"Sitemap: {INDEX}",
        f"sitemap:{INDEX}",
        f"SITEMAP : {INDEX}",
        f"  SiteMap:\t{INDEX}  ",
        f"\tSitemap: {INDEX} # de index",
        f"Sitemap: {INDEX}#deel",
    ],
)
def test_letter_case_white_space_and_comments_make_no_difference(line: str) -> None:
    assert urls(line) == [INDEX]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Sitemap",
        "Sitemap:",
        "Sitemap: # later",
        f"# Sitemap: {INDEX}",
        f"Sitemaps: {INDEX}",
        f"X-Sitemap: {INDEX}",
        f"Allow: {INDEX}",
        INDEX,
    ],
)
def test_other_lines_give_none(line: str) -> None:
    assert urls(line) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_line_end_and_byte_order_mark_is_read(newline: str, encoding: str) -> None:
    body = newline.join([f"Sitemap: {INDEX}", "", "Sitemap: /é.xml", ""])

    assert [(line.url, line.line) for line in lines(body.encode(encoding))] == [
        (INDEX, 1),
        ("https://www.gemeente.nl/é.xml", 3),
    ]


@pytest.mark.parametrize("ending", ["\u2028", "\x0b", "\x0c", "\x85"])
def test_only_lf_cr_and_crlf_end_a_line(ending: str) -> None:
    assert [line.line for line in lines(f"# één{ending}twee\nSitemap: {INDEX}")] == [2]


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("/sitemapindex-diwoo.xml", INDEX),
        ("sitemapindex-diwoo.xml", INDEX),
        (
            "//documenten.gemeente.nl/sitemapindex-diwoo.xml",
            "https://documenten.gemeente.nl/sitemapindex-diwoo.xml",
        ),
        ("/api/../sitemapindex-diwoo.xml?a=/b", f"{INDEX}?a=/b"),
    ],
)
def test_a_relative_url_is_resolved_and_marked(given: str, url: str) -> None:
    assert lines(f"Sitemap: {given}") == [SitemapLine(url, given, 1, relative=True)]


@pytest.mark.parametrize(
    "given", ["http://www.gemeente.nl/x.xml", "javascript:alert(1)", "https://[x", "mailto:a@b"]
)
def test_what_cannot_be_visited_is_given_as_it_stands(given: str) -> None:
    assert lines(f"Sitemap: {given}") == [SitemapLine(given, given, 1, relative=False)]


def test_the_same_url_twice_is_given_once_with_its_first_line() -> None:
    assert lines(f"Sitemap: {INDEX}\nSitemap: /sitemapindex-diwoo.xml\nSitemap: {INDEX}\n") == [
        SitemapLine(INDEX, INDEX, 1, relative=False)
    ]


def test_bytes_that_are_no_utf_8_harm_only_their_own_line() -> None:
    assert urls(b"# caf\xe9\nSitemap: /caf\xe9.xml\nSitemap: /b.xml\n")[1:] == [
        "https://www.gemeente.nl/b.xml"
    ]


def test_an_html_page_has_no_sitemap_line() -> None:
    assert urls(f"<!DOCTYPE html>\n<p>Sitemap: {INDEX}</p>\n") == []


def test_the_bound_on_size_is_that_of_rfc_9309() -> None:
    assert ROBOTS_MAXSIZE == 500 * 1024


def test_a_robots_txt_at_the_bound_that_is_all_sitemap_lines_is_read() -> None:
    body = "".join(f"Sitemap: /{number:08}.xml\n" for number in range(ROBOTS_MAXSIZE // 23))

    assert len(urls(body)) == ROBOTS_MAXSIZE // 23


@given(st.binary() | st.text().map(lambda text: f"Sitemap: {text}\n".encode(errors="replace")))
def test_any_bytes_give_lines_or_none(body: bytes) -> None:
    found = urls(body)

    assert len(set(found)) == len(found)
