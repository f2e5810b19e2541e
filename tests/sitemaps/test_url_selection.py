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


def category_index(number: int) -> Index:
    url = f"https://{HOST}/sitemapindex-diwoo-infocat{number:03}.xml"
    return Index(url, index_name(url))


CATEGORY_2, CATEGORY_14 = category_index(2), category_index(14)


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

    def sitemap(self, loc: str, line: int = 7, index: Index = INDEX) -> Sitemap | None:
        """Return the sitemap of an entry of the index."""
        return self.selection.sitemap(Entry(loc, None, line, None), index)

    def sitemaps_of(self, index: Index, *locs: str) -> list[Sitemap]:
        """Return the new sitemaps of an index that lists these, when all of it has been read."""
        found = [self.sitemap(loc, index=index) for loc in locs]
        self.selection.report_shared(index)
        return [sitemap for sitemap in found if sitemap is not None]


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


@pytest.mark.parametrize(
    ("indexes", "counts"),
    [
        ((INDEX, CATEGORY_14), CATEGORY_14),
        ((CATEGORY_14, INDEX), CATEGORY_14),
        ((CATEGORY_14, CATEGORY_2), CATEGORY_2),
        ((CATEGORY_2, CATEGORY_14), CATEGORY_2),
        ((CATEGORY_14, INDEX, CATEGORY_2), CATEGORY_2),
        ((INDEX, CATEGORY_2, CATEGORY_14), CATEGORY_2),
    ],
)
def test_the_lowest_category_counts_in_whatever_order_indexes_list_a_sitemap(
    indexes: tuple[Index, ...], counts: Index
) -> None:
    host = Host()

    (sitemap,) = [found for index in indexes for found in host.sitemaps_of(index, SITEMAP)]
    assert sitemap.index == counts


def test_sitemaps_that_another_index_lists_too_are_counted_in_one_finding() -> None:
    host = Host()
    locs = [f"https://{HOST}/{number}.xml" for number in range(3)]

    assert len(host.sitemaps_of(INDEX, *locs)) == 3
    assert host.sitemaps_of(CATEGORY_14, *locs, *locs) == []
    assert host.findings == [
        {"code": "index.dubbel", "url": CATEGORY_14.url, "seen": f"3 sitemaps, ook in {GENERAL}"}
    ]


def test_a_sitemap_in_indexes_of_two_categories_is_another_finding() -> None:
    host = Host()

    for index in (CATEGORY_14, INDEX, CATEGORY_2):
        host.sitemaps_of(index, SITEMAP)
    assert host.findings == [
        {"code": "index.dubbel", "url": GENERAL, "seen": f"1 sitemap, ook in {CATEGORY_14.url}"},
        {"code": "index.strijdig", "url": CATEGORY_2.url, "seen": f"1 sitemap, ook in {CATEGORY_14.url}"},
    ]


def test_two_indexes_of_the_same_category_are_not_in_conflict() -> None:
    host = Host()
    other = Index(f"https://{HOST}/b/sitemapindex-diwoo-infocat014.xml", CATEGORY_14.name)

    (sitemap,) = [*host.sitemaps_of(CATEGORY_14, SITEMAP), *host.sitemaps_of(other, SITEMAP)]
    assert sitemap.index is CATEGORY_14
    assert host.codes == ["index.dubbel"]


@pytest.mark.parametrize("index", [INDEX, CATEGORY_14], ids=["itself", "another"])
def test_an_index_that_lists_an_index_of_robots_txt_is_reported_when_all_have_been_read(index: Index) -> None:
    host = Host()
    host.indexes(GENERAL, CATEGORY_14.url)

    assert host.sitemaps_of(index, GENERAL, SITEMAP) == [Sitemap(SITEMAP, index)]
    assert host.codes == []
    assert list(host.selection.nested()) == []
    assert host.findings == [
        {
            "code": "index.genest",
            "url": index.url,
            "line": 7,
            "element": "sitemap/loc",
            "seen": GENERAL,
            "action": "niet gelezen",
        }
    ]
    assert list(host.selection.nested()) == []
    assert len(host.findings) == 1


def test_each_index_that_lists_an_index_has_one_finding_for_it() -> None:
    host = Host()
    host.indexes(GENERAL, CATEGORY_14.url)

    host.sitemaps_of(INDEX, GENERAL, CATEGORY_14.url, GENERAL)
    host.sitemaps_of(CATEGORY_14, GENERAL)
    assert list(host.selection.nested()) == []
    assert [(found["code"], found["url"], found["seen"]) for found in host.findings] == [
        ("index.genest", GENERAL, GENERAL),
        ("index.genest", GENERAL, CATEGORY_14.url),
        ("index.genest", CATEGORY_14.url, GENERAL),
    ]


def test_two_indexes_may_list_an_index_with_documents() -> None:
    host = Host()
    host.indexes(GENERAL, CATEGORY_2.url, CATEGORY_14.url)

    for index in (INDEX, CATEGORY_14):
        host.sitemaps_of(index, CATEGORY_2.url)
    host.selection.with_documents.add(CATEGORY_2.url)
    (sitemap,) = host.selection.nested()
    assert sitemap.index == CATEGORY_14
    assert host.codes == ["index.dubbel"]


def test_an_index_of_robots_txt_that_lists_documents_is_read_as_a_sitemap_if_an_index_lists_it() -> None:
    host = Host()
    host.indexes(GENERAL, CATEGORY_14.url)

    host.sitemaps_of(INDEX, CATEGORY_14.url)
    host.selection.with_documents.add(CATEGORY_14.url)
    assert list(host.selection.nested()) == [Sitemap(CATEGORY_14.url, INDEX)]
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


def test_entries_that_list_an_index_count_for_the_bound_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_selection, "SITEMAPS_MAXIMUM", 2)
    host = Host()
    names = [f"https://{HOST}/{number}/sitemapindex-diwoo.xml" for number in range(4)]
    host.indexes(*names)

    host.sitemaps_of(INDEX, *names)
    assert list(host.selection.nested()) == []
    assert host.codes == ["index.te-groot", "index.genest", "index.genest"]


def test_each_index_beyond_the_bound_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_selection, "SITEMAPS_MAXIMUM", 1)
    host = Host()
    for index in (INDEX, CATEGORY_2, CATEGORY_14):
        host.sitemaps_of(index, *(f"{index.url}/{number}" for number in range(3)))
    assert [(found["code"], found["url"]) for found in host.findings] == [
        ("index.te-groot", index.url) for index in (INDEX, CATEGORY_2, CATEGORY_14)
    ]
