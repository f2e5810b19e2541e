"""Which URLs of robots.txt are requested, and which findings the others give."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sitemaps.selections import (
    CATEGORY_2,
    CATEGORY_14,
    GENERAL,
    HOST,
    INDEX,
    ROBOTS,
    Host,
    category_index,
)


def test_indexes_are_read_once_in_the_order_of_robots_txt_on_any_registered_host_and_port() -> None:
    host = Host()
    body = f"Sitemap: {GENERAL}\nSitemap: /sitemapindex-diwoo.xml"
    assert list(host.selection.indexes(body.encode(), ROBOTS)) == [INDEX]
    assert host.indexes(GENERAL) == [], "in a robots.txt that is read again"
    urls = [
        *(category_index(number).url for number in (14, 2, 17)),
        GENERAL,
        "https://documenten.gemeente.nl/sitemapindex-diwoo.xml",
        "https://www.gemeente.nl:8443/api/sitemapindex-diwoo.xml?a=b",
        "https://WWW.Gemeente.NL:443/sitemapindex-diwoo.xml",
    ]
    other = Host()
    assert (other.indexes(*urls), other.findings) == (urls, [])


def near_miss(name: str, code: str) -> tuple[str, list[str], dict[str, Any]]:
    url = f"https://{HOST}/{name}"
    return f"/{name}", [], {"code": code, "url": url, "seen": f"/{name}", "action": "niet gelezen"}


OTHER_CASE = f"https://{HOST}/SitemapIndex-DiWoo.xml"
JOINED = rf"{CATEGORY_2.url}\n{CATEGORY_14.url}"
#: A line of robots.txt, the indexes that are read of it, and the finding on it.
LINES = {
    "no index": ("https://elders.nl/sitemap.xml", [], {"code": "robots.andere-sitemap", "url": ROBOTS}),
    "another name": near_miss("sitemap-diwoo.xml", "index.naam"),
    "packed": near_miss("sitemapindex-diwoo.xml.gz", "index.naam"),
    "no category of two digits": near_miss("sitemapindex-diwoo-infocat18.xml", "index.infocat-onbekend"),
    "no known category": near_miss("sitemapindex-diwoo-infocat018.xml", "index.infocat-onbekend"),
    "relative": (
        "/x/sitemapindex-diwoo.xml",
        [f"https://{HOST}/x/sitemapindex-diwoo.xml"],
        {"code": "robots.sitemap-relatief", "url": f"https://{HOST}/x/sitemapindex-diwoo.xml"},
    ),
    "other letter case": (OTHER_CASE, [OTHER_CASE], {"code": "index.hoofdletters", "url": OTHER_CASE}),
    "two joined lines": (
        JOINED,
        [CATEGORY_2.url, CATEGORY_14.url],
        {
            "code": "robots.samengevoegd",
            "url": ROBOTS,
            "seen": f"Sitemap: {JOINED}",
            "action": "gelezen als 2 adressen",
        },
    ),
}


@pytest.mark.parametrize(("line", "read", "finding"), LINES.values(), ids=LINES.keys())
def test_a_line_that_is_not_as_it_should_be_is_a_finding(
    line: str, read: list[str], finding: dict[str, Any]
) -> None:
    host = Host()
    assert host.indexes(GENERAL, line) == [GENERAL, *read]
    assert host.findings == [{"line": 2, "seen": line, **finding}]


#: The address of an index that may not be requested, and the finding on it.
REFUSED = {
    f"http://{HOST}/sitemapindex-diwoo.xml": "index.geen-https",
    "ftp://www.gemeente.nl/sitemapindex-diwoo.xml": "loc.ongeldig",
    "https://u:p@www.gemeente.nl/sitemapindex-diwoo.xml": "loc.inloggegevens",
    "https://elders.nl/sitemapindex-diwoo.xml": "host.niet-geregistreerd",
    "https://www.gemeente.nl:9999/sitemapindex-diwoo.xml": "host.niet-geregistreerd",
    "https://[x/sitemapindex-diwoo.xml": "loc.ongeldig",
}


def test_an_index_that_may_not_be_requested_is_named_and_a_finding() -> None:
    for url, code in REFUSED.items():
        host = Host()
        assert (host.indexes(url), host.selection.names_index) == ([], True), url
        (given,) = host.findings
        assert given == {"code": code, "url": url, "line": 1, "seen": url, "action": "niet gelezen"}


def test_what_is_no_index_names_none() -> None:
    for name in ("sitemap-diwoo.xml", "sitemapindex-diwoo-infocat018.xml", "sitemap.xml"):
        host = Host()
        assert (host.indexes(f"https://{HOST}/{name}"), host.selection.names_index) == ([], False), name
    host = Host()
    assert list(host.selection.indexes(b"Allow: /sitemapindex-diwoo.xml", ROBOTS)) == []
    assert (host.codes, host.selection.names_index) == (["robots.regel-genegeerd"], False)


def test_an_index_that_the_spider_does_not_follow_is_named_and_not_read() -> None:
    host = Host()
    host.selection.follows = lambda url: "infocat014" in url
    assert host.indexes(CATEGORY_2.url, CATEGORY_14.url) == [CATEGORY_14.url]
    assert host.selection.named == {CATEGORY_2.url, CATEGORY_14.url}
    assert host.selection.is_narrowed
    assert host.findings == []


def test_an_index_with_another_name_that_the_spider_follows_is_read_with_a_finding() -> None:
    other, unknown = "index.naam", "index.infocat-onbekend"
    for name, code in (("sitemap_index", other), ("diwoo", other), ("a-infocat018", unknown)):
        host = Host()
        url = f"https://{HOST}/{name}.xml"
        host.selection.follows = lambda url: True
        assert host.indexes(GENERAL, url) == [GENERAL, url]
        assert host.findings == [{"code": code, "url": url, "line": 2, "seen": url, "action": "toch gelezen"}]
        assert (host.selection.misnamed, host.selection.is_narrowed) == ([], False)


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
