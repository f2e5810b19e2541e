"""Which URLs of robots.txt and of the indexes are requested, and which findings the others give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.findings import Finding, Reporter
from woo_harvester.sitemaps import url_selection
from woo_harvester.sitemaps.names import IndexName, NameMatch, index_name
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.url_selection import Index, Sitemap, UrlSelection

HOST = "www.gemeente.nl"
ROBOTS = f"https://{HOST}/robots.txt"
GENERAL = f"https://{HOST}/sitemapindex-diwoo.xml"
INDEX = Index(GENERAL, index_name(GENERAL))
SITEMAP = f"https://{HOST}/sitemap-1.xml"


@dataclass
class Host:
    """A host that is read: the URLs selected, and the findings noted meanwhile."""

    registered: frozenset[str] = frozenset({HOST, "documenten.gemeente.nl", "www.gemeente.nl:8443"})
    findings: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.selection = UrlSelection(self.registered.__contains__, Reporter(self.keep))

    def keep(self, finding: Finding) -> None:
        found = finding.as_dict()
        del found["severity"]
        self.findings.append(found)

    @property
    def codes(self) -> list[str]:
        return [finding["code"] for finding in self.findings]

    def indexes(self, *values: str) -> list[str]:
        """Return the URLs of the indexes in a robots.txt with these ``Sitemap:`` lines."""
        body = "".join(f"Sitemap: {value}\n" for value in values).encode(errors="replace")
        return [index.url for index in self.selection.indexes(body, ROBOTS)]

    def sitemap(self, loc: str, line: int = 7) -> Sitemap | None:
        """Return the sitemap of an entry of the index."""
        return self.selection.sitemap(Entry(loc, None, line, None), INDEX)


# robots.txt


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


# Indexes


def test_a_sitemap_of_an_index_may_have_any_name_and_query() -> None:
    for path in ("/sitemap.xml", "/api/sitemap/2025/5.xml", "/sitemapindex-diwoo-infocat001.xml/p?page=1"):
        host = Host()

        assert host.sitemap(f"https://{HOST}{path}") == Sitemap(f"https://{HOST}{path}", INDEX)
        assert host.findings == []


def test_the_same_sitemap_is_read_once() -> None:
    host = Host()

    assert [host.sitemap(SITEMAP) is not None for _ in range(3)] == [True, False, False]
    assert host.findings == []


def test_an_entry_without_loc_is_a_finding_with_its_line() -> None:
    host = Host()

    assert host.sitemap("", line=12) is None
    assert host.findings == [
        {
            "code": "loc.ontbreekt",
            "url": GENERAL,
            "line": 12,
            "element": "sitemap/loc",
            "action": "niet gelezen",
        }
    ]


@pytest.mark.parametrize(
    ("loc", "code"),
    [
        ("http://www.gemeente.nl/1.xml", "loc.geen-https"),
        ("javascript:alert(1)", "loc.ongeldig"),
        ("file:///etc/passwd", "loc.ongeldig"),
        ("/sitemap-1.xml", "loc.ongeldig"),
        ("www.gemeente.nl/1.xml", "loc.ongeldig"),
        ("https://www.gemeente.nl/een twee.xml", "loc.ongeldig"),
        ("https://u:p@www.gemeente.nl/1.xml", "loc.inloggegevens"),
        ("https://www.gemeente.nl@elders.nl/1.xml", "loc.inloggegevens"),
        ("https://elders.nl/1.xml", "host.niet-geregistreerd"),
        ("https://www.gemeente.nl.elders.nl/1.xml", "host.niet-geregistreerd"),
        ("https://127.0.0.1/1.xml", "host.niet-geregistreerd"),
    ],
)
def test_a_sitemap_that_may_not_be_requested_is_a_finding(loc: str, code: str) -> None:
    host = Host()

    assert host.sitemap(loc) is None
    assert host.findings == [
        {
            "code": code,
            "url": loc,
            "line": 7,
            "element": "sitemap/loc",
            "seen": loc,
            "action": "niet gelezen",
        }
    ]


@given(st.text())
def test_no_text_of_a_publisher_leads_to_a_host_that_is_not_registered(text: str) -> None:
    host = Host(registered=frozenset())

    assert host.indexes(text.replace("\n", " ")) == []
    assert host.sitemap(text) is None


def test_a_host_that_names_too_many_sitemaps_is_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_selection, "SITEMAPS_MAXIMUM", 3)
    host = Host()
    taken = [host.sitemap(f"https://{HOST}/{number}.xml") for number in range(6)]
    assert [found is not None for found in taken] == [True, True, True, False, False, False]
    (finding,) = host.findings
    assert (finding["code"], finding["url"]) == ("index.te-groot", GENERAL)
    assert finding["seen"] == "meer dan 3 sitemaps"
