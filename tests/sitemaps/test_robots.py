"""The lines of a robots.txt that name sitemap indexes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.findings import explain
from woo_harvester.sitemaps.robots import (
    ROBOTS_MAXSIZE,
    LineFinding,
    RobotsLines,
    SitemapLine,
    read_robots_lines,
    rules_of,
    rules_text,
)

ROBOTS = "https://www.gemeente.nl/robots.txt"
INDEX = "https://www.gemeente.nl/sitemapindex-diwoo.xml"
OTHER = "https://www.gemeente.nl/sitemapindex-diwoo-infocat014.xml"


def read(body: str | bytes) -> RobotsLines:
    return read_robots_lines(body.encode() if isinstance(body, str) else body, ROBOTS)


def lines(body: str | bytes) -> list[SitemapLine]:
    return read(body).sitemaps


def codes(body: str | bytes) -> list[str]:
    return [found.code for found in read(body).findings]


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
    assert codes(line) == []


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Sitemap",
        "Sitemap:",
        "Sitemap: # later",
        f"# Sitemap: {INDEX}",
        rf"  # Sitemap: {INDEX}\nSitemap: {INDEX}",
        "Sitemaps: https://www.gemeente.nl/sitemap.xml",
        "https://www.gemeente.nl/sitemap.xml",
        "Disallow: /diwoo/",
        "User-agent: diwoo-bot",
        f"Disallow: /a # Sitemap: {INDEX}",
        f"# de Sitemap: {INDEX}",
    ],
)
def test_other_lines_give_neither_a_sitemap_nor_a_finding(line: str) -> None:
    assert read(line) == RobotsLines([], [])


#: What a robots.txt may be in; the last one has a byte order mark.
ENCODINGS = ["utf-8", "utf-8-sig", "cp1252", "utf-16-le", "utf-16-be", "utf-16"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ENCODINGS)
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


# Lines that are joined


@pytest.mark.parametrize(
    "line",
    [
        rf"Sitemap: {INDEX}\nSitemap: {OTHER}",
        rf"Sitemap: {INDEX}\nSitemap: {OTHER}\n",
        rf"Sitemap: {INDEX}\n{OTHER}\n",
        rf"Sitemap: {INDEX}\r\nSitemap: {OTHER}\r\n",
        rf"Sitemap: {INDEX}\n\nSitemap: {OTHER}",
        rf"Sitemap: {INDEX} \n Sitemap: {OTHER}",
        rf"User-agent: *\nDisallow:\nSitemap: {INDEX}\nSitemap: {OTHER}",
        rf"Sitemap: {INDEX}\n# en die van 014\nSitemap: {OTHER}",
        rf"Sitemap: {INDEX}\n/sitemapindex-diwoo-infocat014.xml",
        f"Sitemap: {INDEX} Sitemap: {OTHER}",
        f"User-agent: * Allow: / Sitemap: {INDEX} Sitemap: {OTHER}",
        f"Sitemap: {INDEX} {OTHER}",
        f"Sitemap: {INDEX}, {OTHER}",
        f"Sitemap: {INDEX},{OTHER}; # twee",
        f"Sitemap: , {INDEX}, {OTHER},",
    ],
)
def test_each_index_in_a_line_of_several_is_read_with_one_finding(line: str) -> None:
    body = f"# eerst\n{line}\n"

    assert urls(body) == [INDEX, OTHER]
    assert [found.line for found in lines(body)] == [2, 2]
    assert read(body).findings == [LineFinding("robots.samengevoegd", 2, line, "gelezen als 2 adressen")]


def test_an_index_with_a_written_line_end_after_it_is_read() -> None:
    body = rf"Sitemap: {INDEX}\n"

    assert urls(body) == [INDEX]
    assert read(body).findings == [LineFinding("robots.samengevoegd", 1, body, "gelezen als 1 adres")]


def test_joined_lines_that_are_not_for_the_woo_give_no_finding() -> None:
    body = r"Sitemap: https://a.nl/sitemap.xml\nSitemap: https://a.nl/nieuws.xml"

    assert urls(body) == ["https://a.nl/sitemap.xml", "https://a.nl/nieuws.xml"]
    assert codes(body) == []


@pytest.mark.parametrize(
    "url",
    [
        r"https://a.nl/map\nieuw\sitemap.xml",
        "https://a.nl/proxy?u=https://b.nl/x.xml",
        "https://a.nl/a,b;c.xml",
    ],
)
def test_an_address_with_a_backslash_comma_or_second_address_in_it_is_one_address(url: str) -> None:
    assert [found.given for found in lines(f"Sitemap: {url}")] == [url]


def test_rules_behind_a_written_line_end_are_given_as_rules() -> None:
    body = rf"User-agent: *\nDisallow: /besloten/\r\nSitemap: {INDEX}\n"

    assert rules_text(body.encode()) == f"User-agent: *\nDisallow: /besloten/\nSitemap: {INDEX}\n"


@pytest.mark.parametrize(
    "text",
    ["User-agent: *\r\nDisallow: /a\r\n", r"# Zo dus niet:\nDisallow: /", r"Disallow: /map\nieuws"],
)
def test_rules_in_other_files_stay_as_they_are(text: str) -> None:
    assert rules_text(text.encode()) == text


@pytest.mark.parametrize("written", ["\n", r"\n"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_rules_are_decoded_as_the_sitemap_lines_are(encoding: str, written: str) -> None:
    body = written.join([f"Sitemap: {INDEX}", "User-agent: *", "Disallow: /één/", "Crawl-delay: 7", ""])

    assert [line.url for line in lines(body.encode(encoding))] == [INDEX]
    rules = rules_of(body.encode(encoding))
    assert rules.crawl_delay("woo-harvester") == 7
    allowed = [rules.can_fetch(f"https://www.gemeente.nl{path}", "woo-harvester") for path in ("/één/a", "/")]
    assert allowed == [False, True]


# Lines that are written in another way


@pytest.mark.parametrize(
    "line",
    [
        f"Sitemaps: {INDEX}",
        f"Site-map: {INDEX}",
        f"SITE MAP : {INDEX}",
        f"site_map = {INDEX}",
        f"sitemapindex: {INDEX}",
        f"Sitemap-index: {INDEX}",
        f"Sitemap {INDEX}",
        f"Sitemap; {INDEX}",
        f"Sitemap\uff1a {INDEX}",
        f"- Sitemap: {INDEX}",
        f"<Sitemap: {INDEX}>",
        f'"Sitemap: {INDEX}"',
        f'Sitemap: "{INDEX}"',
        f"Sitemap: <{INDEX}>",
        f"Sitemap: {INDEX};",
        "Sitemap /sitemapindex-diwoo.xml",
        INDEX,
        f"  <{INDEX}>  # de index",
    ],
)
def test_a_line_that_can_only_mean_one_index_is_read_with_a_finding(line: str) -> None:
    body = f"User-agent: *\n{line}\n"

    assert urls(body) == [INDEX]
    ((code, number, seen, action),) = read(body).findings
    assert (code, number) == ("robots.regel-afwijkend", 2)
    assert seen == line.partition("#")[0].strip()
    assert action.startswith("gelezen als Sitemap: ")


@pytest.mark.parametrize(
    "line",
    [
        f"X-Sitemap: {INDEX}",
        f"Index: {INDEX}",
        f"<p>Sitemap: {INDEX}</p>",
        f'<a href="{INDEX}">Sitemap</a>',
        "/sitemapindex-diwoo.xml",
        "sitemapindex-diwoo.xml",
        "Sitemap sitemapindex-diwoo-infocat014.xml",
        "Sitemaps: https://www.gemeente.nl/sitemap-diwoo.xml",
        f"Sitemaps: {INDEX} en de rest",
        f"Allow: {INDEX}",
        "Allow: /sitemapindex-diwoo.xml",
        "disallow : /*/sitemapindex-diwoo.xml$",
    ],
)
def test_a_line_that_names_an_index_otherwise_is_not_read_and_gives_a_finding(line: str) -> None:
    assert urls(line) == []
    assert read(line).findings == [LineFinding("robots.regel-genegeerd", 1, line, "niet gelezen")]


def test_a_rule_about_an_index_that_another_line_names_gives_no_finding() -> None:
    rules = "Allow: /sitemapindex-diwoo.xml$\nDisallow: /a/SiteMapIndex-diwoo.xml\n"

    assert codes(f"{rules}Sitemap: {INDEX}\n") == []
    assert codes(f"{rules}Sitemap: {OTHER}\n") == ["robots.regel-genegeerd", "robots.regel-genegeerd"]


def test_the_findings_stand_in_the_order_of_the_file() -> None:
    body = f"Allow: /sitemapindex-diwoo-infocat001.xml\nSitemaps: {INDEX}\nIndex: {OTHER}\n"

    assert [found.line for found in read(body).findings] == [1, 2, 3]


def test_every_finding_of_a_line_is_in_the_catalogue() -> None:
    body = f"Index: {OTHER}\nSitemaps: {INDEX}\nSitemap: {INDEX} {OTHER}\n"

    assert {explain(code).severity for code in codes(body)} == {"warning"}


@pytest.mark.parametrize(
    "line",
    [
        "diwoo" * 100_000,
        r"\n" * 250_000,
        r"\n" + " " * 500_000,
        " " * 500_000 + "x",
        "Sitemap: " + ", " * 250_000 + "x",
        "Sitemap" + " :" * 250_000,
        "https://" + "." * 250_000 + " " + "." * 250_000 + "x",
        "sitemap " * 60_000,
        "Sitemap: https://a.nl " * 20_000,
        r"\na" + "a " * 250_000,
        "/" * 500_000,
    ],
    ids=lambda line: line[:10].strip() or "spaces",
)
def test_no_line_takes_more_time_than_its_length(line: str) -> None:
    """A pattern that tries each place again for each place would take hours here."""
    assert len(urls(line)) <= 1
