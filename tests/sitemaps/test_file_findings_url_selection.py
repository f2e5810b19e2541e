"""Which URLs of robots.txt are requested, and which findings the others give."""

from __future__ import annotations

import pytest

from tests.sitemaps.selections import (
    CATEGORY_2,
    CATEGORY_14,
    GENERAL,
    HOST,
    ROBOTS,
    Host,
)
from woo_harvester.sitemaps.file_findings import Index
from woo_harvester.sitemaps.robots import IndexName, NameMatch


def test_an_index_by_the_convention_is_read_without_a_finding() -> None:
    host = Host()

    assert list(host.selection.indexes(f"Sitemap: {GENERAL}".encode(), ROBOTS)) == [
        Index(GENERAL, IndexName(NameMatch.INDEX))
    ]
    assert host.findings == []


def test_indexes_are_read_in_the_order_of_robots_txt() -> None:
    names = [f"https://{HOST}/sitemapindex-diwoo-infocat{number:03}.xml" for number in (14, 2, 17)]

    assert Host().indexes(*names, GENERAL) == [*names, GENERAL]


def test_a_sitemap_that_is_no_index_is_ignored_and_counted() -> None:
    host = Host()

    assert host.indexes("https://elders.nl/sitemap.xml", GENERAL) == [GENERAL]
    assert host.findings == [
        {"code": "robots.andere-sitemap", "url": ROBOTS, "line": 1, "seen": "https://elders.nl/sitemap.xml"}
    ]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("sitemap-diwoo.xml", "index.naam"),
        ("sitemapindex-diwoo.xml.gz", "index.naam"),
        ("sitemapindex-diwoo-infocat18.xml", "index.infocat-onbekend"),
        ("sitemapindex-diwoo-infocat018.xml", "index.infocat-onbekend"),
    ],
)
def test_a_near_miss_is_not_read_and_the_finding_has_its_line(name: str, code: str) -> None:
    host = Host()

    assert host.indexes(GENERAL, f"/{name}") == [GENERAL]
    assert host.findings == [
        {
            "code": code,
            "url": f"https://{HOST}/{name}",
            "line": 2,
            "seen": f"/{name}",
            "action": "niet gelezen",
        }
    ]


def test_a_relative_line_is_read_with_a_finding() -> None:
    host = Host()

    assert host.indexes("/sitemapindex-diwoo.xml") == [GENERAL]
    assert host.findings == [
        {"code": "robots.sitemap-relatief", "url": GENERAL, "line": 1, "seen": "/sitemapindex-diwoo.xml"}
    ]


def test_a_name_in_other_letter_case_is_read_with_a_finding() -> None:
    host = Host()
    url = f"https://{HOST}/SitemapIndex-DiWoo.xml"

    assert host.indexes(url) == [url]
    assert host.findings == [{"code": "index.hoofdletters", "url": url, "line": 1, "seen": url}]


def test_the_same_index_is_read_once_also_in_a_robots_txt_that_is_read_again() -> None:
    host = Host()

    assert host.indexes(GENERAL, "/sitemapindex-diwoo.xml") == [GENERAL]
    assert host.indexes(GENERAL) == []


@pytest.mark.parametrize(
    ("url", "code"),
    [
        (f"http://{HOST}/sitemapindex-diwoo.xml", "index.geen-https"),
        ("ftp://www.gemeente.nl/sitemapindex-diwoo.xml", "loc.ongeldig"),
        ("https://u:p@www.gemeente.nl/sitemapindex-diwoo.xml", "loc.inloggegevens"),
        ("https://elders.nl/sitemapindex-diwoo.xml", "host.niet-geregistreerd"),
        ("https://www.gemeente.nl:9999/sitemapindex-diwoo.xml", "host.niet-geregistreerd"),
        ("https://exa mple.nl/sitemapindex-diwoo.xml", "loc.ongeldig"),
        ("https://[x/sitemapindex-diwoo.xml", "loc.ongeldig"),
    ],
)
def test_an_index_that_may_not_be_requested_is_a_finding(url: str, code: str) -> None:
    host = Host()

    assert host.indexes(url, GENERAL) == [GENERAL]
    assert host.codes == [code]
    assert host.findings[0]["seen"] == url
    assert host.findings[0]["action"] == "niet gelezen"


@pytest.mark.parametrize(
    ("url", "named"),
    [
        (GENERAL, True),
        (f"http://{HOST}/sitemapindex-diwoo.xml", True),
        ("https://elders.nl/sitemapindex-diwoo.xml", True),
        (f"https://{HOST}/sitemap-diwoo.xml", False),
        (f"https://{HOST}/sitemapindex-diwoo-infocat018.xml", False),
        (f"https://{HOST}/sitemap.xml", False),
    ],
)
def test_an_index_that_may_not_be_visited_is_named_all_the_same(url: str, named: bool) -> None:
    host = Host()

    host.indexes(url)
    assert host.selection.names_index is named


@pytest.mark.parametrize(
    "url",
    [
        "https://documenten.gemeente.nl/sitemapindex-diwoo.xml",
        "https://www.gemeente.nl:8443/api/sitemapindex-diwoo.xml?a=b",
        "https://WWW.Gemeente.NL:443/sitemapindex-diwoo.xml",
    ],
)
def test_an_index_may_stand_on_any_registered_host_and_port(url: str) -> None:
    assert Host().indexes(url) == [url]


def test_a_joined_line_is_read_with_a_finding_about_robots_txt() -> None:
    host = Host()
    given = rf"{GENERAL}\n{CATEGORY_14.url}"

    assert host.indexes(given) == [GENERAL, CATEGORY_14.url]
    assert host.findings == [
        {
            "code": "robots.samengevoegd",
            "url": ROBOTS,
            "line": 1,
            "seen": f"Sitemap: {given}",
            "action": "gelezen als 2 adressen",
        }
    ]


def test_a_line_that_is_not_read_names_no_index() -> None:
    host = Host()

    assert list(host.selection.indexes(b"Allow: /sitemapindex-diwoo.xml", ROBOTS)) == []
    assert host.codes == ["robots.regel-genegeerd"]
    assert not host.selection.names_index


def test_an_index_that_the_spider_does_not_follow_is_named_and_not_read() -> None:
    host = Host()
    lines = f"Sitemap: {CATEGORY_2.url}\nSitemap: {CATEGORY_14.url}\n".encode()
    host.selection.follows = lambda url: "infocat014" in url
    assert list(host.selection.indexes(lines, ROBOTS)) == [CATEGORY_14]
    assert host.selection.named == {CATEGORY_2.url, CATEGORY_14.url}
    assert host.selection.is_narrowed
    assert host.findings == []


def test_a_host_whose_indexes_are_all_followed_is_not_narrowed() -> None:
    host = Host()
    host.selection.follows = lambda url: True
    assert list(host.selection.indexes(f"Sitemap: {CATEGORY_2.url}".encode(), ROBOTS)) == [CATEGORY_2]
    assert not host.selection.is_narrowed


def test_all_empty_files_of_a_host_are_one_finding_with_their_number() -> None:
    host = Host()
    host.selection.note_empty(GENERAL)
    host.selection.report_empty()
    for number in range(32):
        host.selection.note_empty(f"https://{HOST}/{number}.xml")
    host.selection.report_empty()
    host.selection.report_empty()
    assert host.findings == [
        {"code": "sitemap.leeg", "url": GENERAL},
        {"code": "sitemap.leeg", "url": f"https://{HOST}/0.xml", "seen": "32 bestanden"},
    ]
