"""The lines of a robots.txt that name sitemap indexes."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from woo_harvester.findings import explain
from woo_harvester.sitemaps.robots import (
    INDEX_URL,
    ROBOTS_MAXSIZE,
    IndexName,
    LineFinding,
    NameMatch,
    RobotsLines,
    SitemapLine,
    index_name,
    read_robots_lines,
    right_address,
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


def test_each_sitemap_line_gives_its_url_once_with_its_first_line() -> None:
    other = "https://a.nl/google.xml"
    body = f"User-agent: *\nDisallow: /intern\n\nSitemap: {INDEX}\nSitemap: {other}\nSitemap: {INDEX}\n"
    assert lines(f"{body}Sitemap: /sitemapindex-diwoo.xml\n") == [
        SitemapLine(INDEX, INDEX, 4, relative=False),
        SitemapLine(other, other, 5, relative=False),
    ]


#: Lines that name the index, whatever their letter case, white space and comments.
RIGHT = (
    f"Sitemap: {INDEX}",
    f"sitemap:{INDEX}",
    f"SITEMAP : {INDEX}",
    f"  SiteMap:\t{INDEX}  ",
    f"\tSitemap: {INDEX} # de index",
    f"Sitemap: {INDEX}#deel",
)
#: Lines that name none.
OTHERS = (
    *("", "Sitemap", "Sitemap:", "Sitemap: # later", f"# Sitemap: {INDEX}", f"# de Sitemap: {INDEX}"),
    rf"  # Sitemap: {INDEX}\nSitemap: {INDEX}",
    "Sitemaps: https://www.gemeente.nl/sitemap.xml",
    "https://www.gemeente.nl/sitemap.xml",
    *("Disallow: /diwoo/", "User-agent: diwoo-bot", f"Disallow: /a # Sitemap: {INDEX}"),
)


def test_a_line_names_the_index_or_gives_neither_a_sitemap_nor_a_finding() -> None:
    for line in RIGHT:
        assert (urls(line), codes(line)) == ([INDEX], []), line
    for line in OTHERS:
        assert read(line) == RobotsLines([], []), line


#: What a robots.txt may be in; the last one has a byte order mark.
ENCODINGS = ["utf-8", "utf-8-sig", "cp1252", "utf-16-le", "utf-16-be", "utf-16"]


def test_every_line_end_and_byte_order_mark_is_read() -> None:
    for encoding in ENCODINGS:
        for newline in ("\n", "\r\n", "\r"):
            body = newline.join([f"Sitemap: {INDEX}", "", "Sitemap: /é.xml", ""])
            found = [(line.url, line.line) for line in lines(body.encode(encoding))]
            assert found == [(INDEX, 1), ("https://www.gemeente.nl/é.xml", 3)], newline
        for ending in ("\u2028", "\x0b", "\x0c", "\x85"):
            assert [line.line for line in lines(f"# één{ending}twee\nSitemap: {INDEX}")] == [2], "no line end"


def test_a_relative_url_is_resolved_and_marked_and_any_other_is_given_as_it_stands() -> None:
    there = "//documenten.gemeente.nl/sitemapindex-diwoo.xml"
    for text, url in (
        ("/sitemapindex-diwoo.xml", INDEX),
        ("sitemapindex-diwoo.xml", INDEX),
        (there, f"https:{there}"),
        ("/api/../sitemapindex-diwoo.xml?a=/b", f"{INDEX}?a=/b"),
    ):
        assert lines(f"Sitemap: {text}") == [SitemapLine(url, text, 1, relative=True)]
    for text in ("http://www.gemeente.nl/x.xml", "javascript:alert(1)", "https://[x", "mailto:a@b"):
        assert lines(f"Sitemap: {text}") == [SitemapLine(text, text, 1, relative=False)]


def test_a_line_that_is_no_utf_8_or_html_harms_no_other() -> None:
    body = b"# caf\xe9\nSitemap: /caf\xe9.xml\nSitemap: /b.xml\n"
    assert urls(body)[1:] == ["https://www.gemeente.nl/b.xml"]
    assert urls(f"<!DOCTYPE html>\n<p>Sitemap: {INDEX}</p>\n") == []


def test_a_robots_txt_at_the_bound_of_rfc_9309_that_is_all_sitemap_lines_is_read() -> None:
    assert ROBOTS_MAXSIZE == 500 * 1024
    body = "".join(f"Sitemap: /{number:08}.xml\n" for number in range(ROBOTS_MAXSIZE // 23))
    assert len(urls(body)) == ROBOTS_MAXSIZE // 23


@given(st.binary() | st.text().map(lambda text: f"Sitemap: {text}\n".encode(errors="replace")))
def test_any_bytes_give_lines_or_none(body: bytes) -> None:
    found = urls(body)
    assert len(set(found)) == len(found)


#: Lines that are joined by a written line end or in one, and name two indexes.
JOINED = (
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
)


def test_each_index_in_a_line_of_several_is_read_with_one_finding() -> None:
    for line in JOINED:
        body = f"# eerst\n{line}\n"
        assert [(found.url, found.line) for found in lines(body)] == [(INDEX, 2), (OTHER, 2)], line
        finding = LineFinding("robots.samengevoegd", 2, line, "gelezen als 2 adressen")
        assert read(body).findings == [finding], line


def test_a_line_of_one_address_or_of_other_sitemaps() -> None:
    for body in (rf"Sitemap: {INDEX}\n", f"User-agent: * Allow: / Sitemap: {INDEX}"):
        assert urls(body) == [INDEX]
        assert read(body).findings == [LineFinding("robots.samengevoegd", 1, body, "gelezen als 1 adres")]
    others = r"Sitemap: https://a.nl/sitemap.xml\nSitemap: https://a.nl/nieuws.xml"
    assert (len(urls(others)), codes(others)) == (2, []), "not for the Woo"
    proxy = "https://a.nl/proxy?u=https://b.nl/x.xml"
    for url in (r"https://a.nl/map\nieuw\sitemap.xml", proxy, "https://a.nl/a,b;c.xml"):
        assert [found.given for found in lines(f"Sitemap: {url}")] == [url]


def test_rules_behind_a_written_line_end_are_given_as_rules() -> None:
    body = rf"User-agent: *\nDisallow: /besloten/\r\nSitemap: {INDEX}\n"
    assert rules_text(body.encode()) == f"User-agent: *\nDisallow: /besloten/\nSitemap: {INDEX}\n"
    for text in (
        "User-agent: *\r\nDisallow: /a\r\n",
        r"# Zo dus niet:\nDisallow: /",
        r"Disallow: /map\nieuws",
    ):
        assert rules_text(text.encode()) == text


def test_the_rules_are_decoded_as_the_sitemap_lines_are() -> None:
    for written in ["\n", r"\n"]:
        for encoding in ENCODINGS:
            body = written.join(
                [f"Sitemap: {INDEX}", "User-agent: *", "Disallow: /één/", "Crawl-delay: 7", ""]
            )

            assert [line.url for line in lines(body.encode(encoding))] == [INDEX], (written, encoding)
            rules = Protego.parse(rules_text(body.encode(encoding)))
            assert rules.crawl_delay("woo-harvester") == 7, (written, encoding)
            allowed = [
                rules.can_fetch(f"https://www.gemeente.nl{path}", "woo-harvester") for path in ("/één/a", "/")
            ]
            assert allowed == [False, True], (written, encoding)


#: Lines that can only mean the index, with what is reported as seen.
MEANT = (
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
    f"Sitemap: “{INDEX}”",
    f"Sitemap:: {INDEX}",
)
#: Lines that name it otherwise.
IGNORED = (
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
)


def test_a_line_that_can_only_mean_one_index_is_read_and_any_other_is_not_both_with_a_finding() -> None:
    for line in MEANT:
        body = f"User-agent: *\n{line}\n"
        assert urls(body) == [INDEX], line
        ((code, number, seen, action),) = read(body).findings
        assert (code, number) == ("robots.regel-afwijkend", 2), line
        assert seen == line.partition("#")[0].strip()
        assert action.startswith("gelezen als Sitemap: "), line
    for line in IGNORED:
        assert urls(line) == [], line
        assert read(line).findings == [LineFinding("robots.regel-genegeerd", 1, line, "niet gelezen")]


def test_a_rule_about_an_index_that_another_line_names_gives_no_finding() -> None:
    rules = "Allow: /sitemapindex-diwoo.xml$\nDisallow: /a/SiteMapIndex-diwoo.xml\n"
    assert codes(f"{rules}Sitemap: {INDEX}\n") == []
    assert codes(f"{rules}Sitemap: {OTHER}\n") == ["robots.regel-genegeerd", "robots.regel-genegeerd"]


def test_the_findings_are_warnings_in_the_order_of_the_file() -> None:
    body = f"Allow: /sitemapindex-diwoo-infocat001.xml\nSitemaps: {INDEX}\nIndex: {OTHER}\n"
    body += f"Sitemap: {INDEX} {OTHER}\n"
    found = read(body).findings
    assert [one.line for one in found] == [1, 2, 3, 4]
    assert {explain(code).severity for code in codes(body)} == {"warning"}


#: Lines for which a pattern that tries each place again for each place would take hours.
SLOW = (
    *("diwoo" * 100_000, r"\n" * 250_000, r"\n" + " " * 500_000, " " * 500_000 + "x"),
    *("Sitemap: " + ", " * 250_000 + "x", "Sitemap" + " :" * 250_000, "sitemap " * 60_000),
    "https://" + "." * 250_000 + " " + "." * 250_000 + "x",
    *("Sitemap: https://a.nl " * 20_000, r"\na" + "a " * 250_000, "/" * 500_000),
)


def test_no_line_takes_more_time_than_its_length() -> None:
    for line in SLOW:
        assert len(urls(line)) <= 1, line[:10]


# The naming convention: which sitemap indexes are read, and which names are near misses.


HOST = "https://www.gemeente.nl"
GENERAL = "sitemapindex-diwoo.xml"
OF_CATEGORY = [f"sitemapindex-diwoo-infocat{number:03}.xml" for number in range(1, 18)]
PATHS = st.lists(st.text(string.ascii_letters + string.digits + "-._~", min_size=1)).map("/".join)


def match(url: str) -> NameMatch:
    return index_name(url).match


def test_the_index_without_category_is_read_and_that_of_each_of_the_17_categories() -> None:
    assert index_name(f"{HOST}/{GENERAL}") == IndexName(NameMatch.INDEX)
    assert [index_name(f"{HOST}/{name}").number for name in OF_CATEGORY] == list(range(1, 18))


@given(st.integers(0, 1100), st.integers(0, 5))
def test_any_infocat_with_digits_is_one_of_the_17_or_unknown(number: int, zeros: int) -> None:
    digits = "0" * zeros + str(number)
    is_known = len(digits) == 3 and 1 <= number <= 17
    expected = IndexName(NameMatch.INDEX, number) if is_known else IndexName(NameMatch.UNKNOWN_INFOCAT)
    assert index_name(f"{HOST}/sitemapindex-diwoo-infocat{digits}.xml") == expected


def test_the_name_counts_in_any_letter_case_and_other_case_is_noted() -> None:
    for number, name in {None: GENERAL, 14: OF_CATEGORY[13]}.items():
        for written in (name.upper(), name.title(), name.replace("diwoo", "DiWoo")):
            assert index_name(f"{HOST}/{written}") == IndexName(NameMatch.INDEX, number, other_case=True)


@given(PATHS)
def test_the_index_may_stand_under_any_path(path: str) -> None:
    assert index_name(f"{HOST}/{path}/{GENERAL}") == IndexName(NameMatch.INDEX)


def test_a_query_or_fragment_after_the_name_is_fine() -> None:
    for more in ("?", "?versie=1", "?a=b/c", "?x=sitemap.xml", "#", "#deel/2", "?a#b"):
        assert index_name(f"{HOST}/{GENERAL}{more}") == IndexName(NameMatch.INDEX), more
        assert index_name(f"{HOST}/sitemap.xml{more}") == IndexName(NameMatch.OTHER), more
    for path in ("sitemap.xml?", "?file=/"):
        assert match(f"{HOST}/{path}{GENERAL}") is NameMatch.NEAR_MISS, "in the query alone"
    assert index_name(f"{HOST}/sitemapindex%2Ddiwoo.xml") == IndexName(NameMatch.INDEX)


def test_a_folder_with_a_name_of_the_convention_makes_no_index_but_is_noticed() -> None:
    for folder in ("sitemapindex-diwoo", GENERAL, "nl/SiteMapIndex-Diwoo-infocat014"):
        assert match(f"{HOST}/{folder}/sitemap.xml?page=1") is NameMatch.NEAR_MISS, folder
    assert match(f"{HOST}/sitemapindex-diwoo/") is NameMatch.NEAR_MISS
    assert match(f"{HOST}/diwoo/sitemap.xml") is NameMatch.OTHER
    assert match("https://diwoo.nl/sitemap.xml") is NameMatch.OTHER


def test_an_index_gets_the_name_of_its_category_at_the_same_place() -> None:
    for path, right in {
        "x/sitemap-diwoo.xml": f"x/{GENERAL}",
        "x/sitemapindex-diwoo-infocat018.xml": f"x/{GENERAL}",
        "x/sitemap_diwoo_infocat14.xml?page=2": "x/sitemapindex-diwoo-infocat014.xml",
        "sitemapindex-diwoo/sitemap.xml": GENERAL,
        "nl/sitemapindex-diwoo-infocat007/index.xml#top": "nl/sitemapindex-diwoo-infocat007.xml",
        "sitemapindex.xml": GENERAL,
        "index.php?route=/sitemapindex-diwoo-infocat014.xml": "sitemapindex-diwoo-infocat014.xml",
        "sitemapindex-diwoo/diwoo.xml": f"sitemapindex-diwoo/{GENERAL}",
    }.items():
        assert right_address(f"{HOST}/{path}") == f"{HOST}/{right}", path


NEAR_MISSES = (
    "index.php?route=/sitemapindex-diwoo-infocat014.xml",
    "index.php?r=SitemapIndex-DiWoo.xml",
    *("sitemap-diwoo.xml", "sitemapindex_diwoo.xml", "sitemapindex-diwoo", "sitemapindex-diwoo.xml.gz"),
    *("sitemapindex-diwoo.xml/", "sitemapindex-diwoo.txt", "sitemapindex-diwoo-.xml", "Diwoo.xml"),
    *("sitemapindex-diwoo-001.xml", "sitemapindex-diwoo-infocat.xml", "sitemapindex-infocat001.xml"),
    *("sitemapindex-diwoo-infocat-001.xml", "sitemapindex-diwoo-infocat001", "infocat014.xml"),
    *("sitemapindex-diwoo-infocat001-2.xml", "sitemapindex-diwoo-infocatABC.xml"),
    *("sitemapindex-diwoo-infocat\u0661\u0662.xml", "sitemap-index-diwoo-infocat001.xml"),
    *("x%2Fsitemapindex-diwoo.xml", " sitemapindex-diwoo.xml", "sitemapindex-diwoo.xml%0A"),
)


def test_a_name_that_resembles_the_convention_is_a_near_miss_and_any_other_name_is_left_alone() -> None:
    for name in NEAR_MISSES:
        assert match(f"{HOST}/{name}") is NameMatch.NEAR_MISS, name
    others = ("", "/", "sitemap.xml", "sitemapindex.xml", "sitemap_index.xml", "woo.xml", "news-sitemap.xml")
    for name in others:
        assert index_name(f"{HOST}/{name}") == IndexName(NameMatch.OTHER), name


@given(st.text())
def test_any_text_has_a_match_and_only_the_18_names_are_an_index(text: str) -> None:
    judged = index_name(text)
    assert (judged.number is None) or judged.match is NameMatch.INDEX
    if judged.match is NameMatch.INDEX:
        assert any(name in text.lower() for name in (GENERAL, *OF_CATEGORY))


def test_the_convention_for_sitemap_follow_has_each_name_and_no_other() -> None:
    for name in (GENERAL, *OF_CATEGORY, GENERAL.upper()):
        for end in ("", "?page=1", "#top"):
            assert INDEX_URL.search(f"{HOST}/woo/{name}{end}"), name + end
    others = ("sitemapindex-diwoo-infocat018.xml", f"x-{GENERAL}", f"{GENERAL}.gz", f"a?b=/{GENERAL}")
    for path in others:
        assert not INDEX_URL.search(f"{HOST}/{path}"), path
        assert match(f"{HOST}/{path}") is not NameMatch.INDEX, path
