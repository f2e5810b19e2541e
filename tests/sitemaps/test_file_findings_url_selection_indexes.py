"""Which URLs of the indexes are requested, and which findings the others give."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sitemaps.selections import (
    CATEGORY_2,
    CATEGORY_14,
    GENERAL,
    HOST,
    INDEX,
    SITEMAP,
    Host,
)
from woo_harvester.sitemaps import file_findings
from woo_harvester.sitemaps.file_findings import Index, Sitemap


def not_read(code: str, url: str, *, line: int = 7, **more: str) -> dict[str, Any]:
    """Return the finding on an entry that is not followed."""
    given = {"code": code, "url": url, "line": line, "element": "sitemap/loc", "action": "niet gelezen"}
    return {**given, **more}


def test_a_sitemap_of_an_index_may_have_any_name_and_query_and_is_read_once() -> None:
    for path in ("/sitemap.xml", "/api/sitemap/2025/5.xml", "/sitemapindex-diwoo-infocat001.xml/p?page=1"):
        host = Host()
        found = [host.sitemap(f"https://{HOST}{path}") for _ in range(3)]
        assert found == [Sitemap(f"https://{HOST}{path}", INDEX), None, None]
        assert host.findings == []


def test_the_lowest_category_counts_in_whatever_order() -> None:
    for indexes, counts in (
        ((INDEX, CATEGORY_14), CATEGORY_14),
        ((CATEGORY_2, CATEGORY_14), CATEGORY_2),
        ((INDEX, CATEGORY_2, CATEGORY_14), CATEGORY_2),
    ):
        for order in permutations(indexes):
            host = Host()
            (sitemap,) = [found for index in order for found in host.sitemaps_of(index, SITEMAP)]
            assert sitemap.index == counts, order


def test_sitemaps_that_another_index_lists_too_are_counted_in_one_finding() -> None:
    host = Host()
    locs = [f"https://{HOST}/{number}.xml" for number in range(3)]
    same = Index(f"https://{HOST}/b/sitemapindex-diwoo-infocat014.xml", CATEGORY_14.name)
    first = host.sitemaps_of(CATEGORY_14, *locs)
    assert host.sitemaps_of(INDEX, *locs, *locs) == []
    assert host.sitemaps_of(CATEGORY_2, SITEMAP, *locs[:1]) == [Sitemap(SITEMAP, CATEGORY_2)]
    assert host.sitemaps_of(same, *locs[1:]) == []
    assert [sitemap.index for sitemap in first] == [CATEGORY_2, CATEGORY_14, CATEGORY_14]
    also = f"ook in {CATEGORY_14.url}"
    assert host.findings == [
        {"code": "index.dubbel", "url": GENERAL, "seen": f"3 sitemaps, {also}"},
        {"code": "index.strijdig", "url": CATEGORY_2.url, "seen": f"1 sitemap, {also}"},
        {"code": "index.dubbel", "url": same.url, "seen": f"2 sitemaps, {also}"},
    ]


@pytest.mark.parametrize("index", [INDEX, CATEGORY_14], ids=["itself", "another"])
def test_an_index_that_lists_an_index_of_robots_txt_is_reported_when_all_have_been_read(index: Index) -> None:
    host = Host()
    host.indexes(GENERAL, CATEGORY_14.url)
    assert host.sitemaps_of(index, GENERAL, CATEGORY_14.url, SITEMAP, GENERAL) == [Sitemap(SITEMAP, index)]
    assert host.codes == []
    for _ in range(2):
        assert list(host.selection.nested()) == []
        listed = (GENERAL, CATEGORY_14.url)
        assert host.findings == [not_read("index.genest", index.url, seen=seen) for seen in listed]


def test_an_index_of_robots_txt_that_lists_documents_is_read_as_a_sitemap_if_an_index_lists_it() -> None:
    for listed_by, counts, codes in (
        ((INDEX,), INDEX, []),
        ((INDEX, CATEGORY_14), CATEGORY_14, ["index.dubbel"]),
    ):
        host = Host()
        host.indexes(GENERAL, CATEGORY_2.url, CATEGORY_14.url)
        for index in listed_by:
            host.sitemaps_of(index, CATEGORY_2.url)
        host.selection.with_documents.add(CATEGORY_2.url)
        assert list(host.selection.nested()) == [Sitemap(CATEGORY_2.url, counts)]
        assert host.codes == codes


OTHERS = [f"https://{HOST}/{name}.xml" for name in ("sitemap_index", "read", "nieuws", "beeld")]


def test_an_audit_looks_into_the_other_sitemaps_of_robots_txt_that_it_does_not_read_anyway() -> None:
    host = Host()
    host.selection.looks = True
    host.indexes(GENERAL, *OTHERS, "http://www.gemeente.nl/s.xml", "https://elders.nl/s.xml")
    host.sitemaps_of(INDEX, OTHERS[1])
    assert host.findings == []
    assert [line.url for line in host.selection.others(2)] == [OTHERS[0], OTHERS[2]]
    assert host.codes == ["robots.andere-sitemap"] * 4
    assert list(host.selection.others(2)) == [], "each once"


def test_another_sitemap_with_documents_has_the_wrong_name() -> None:
    host = Host()
    host.selection.looks = True
    host.indexes(GENERAL, OTHERS[0])
    (line,) = host.selection.others(1)
    host.selection.report_other(line, has_documents=True)
    (finding,) = host.findings
    assert (finding["code"], finding["url"], finding["line"]) == ("index.naam", OTHERS[0], 2)


def test_the_sitemaps_of_another_index_that_may_be_missed_are_those_that_can_be_read() -> None:
    host = Host()
    host.indexes(GENERAL)
    host.sitemap(SITEMAP)
    listed = [GENERAL, SITEMAP, OTHERS[2], "http://www.gemeente.nl/s.xml", "", OTHERS[0]]
    assert host.selection.requestable(listed) == [OTHERS[2], OTHERS[0]]


#: The address of a sitemap that may not be requested, and the finding on it.
REFUSED = {
    "http://www.gemeente.nl/1.xml": "loc.geen-https",
    "javascript:alert(1)": "loc.ongeldig",
    "/sitemap-1.xml": "loc.ongeldig",
    "https://u:p@www.gemeente.nl/1.xml": "loc.inloggegevens",
    "https://www.gemeente.nl@elders.nl/1.xml": "loc.inloggegevens",
    "https://elders.nl/1.xml": "host.niet-geregistreerd",
    "https://www.gemeente.nl.elders.nl/1.xml": "host.niet-geregistreerd",
    "https://127.0.0.1/1.xml": "host.niet-geregistreerd",
}


def test_a_sitemap_that_may_not_be_requested_is_a_finding() -> None:
    host = Host()
    assert [host.sitemap(loc) for loc in REFUSED] == [None] * len(REFUSED)
    assert host.findings == [not_read(code, loc, seen=loc) for loc, code in REFUSED.items()]
    host = Host()
    assert host.sitemap("", line=12) is None
    assert host.findings == [not_read("loc.ontbreekt", GENERAL, line=12)]


@given(st.text())
def test_no_text_of_a_publisher_leads_to_a_host_that_is_not_registered(text: str) -> None:
    host = Host(registered=frozenset())
    assert host.indexes(text.replace("\n", " ")) == []
    assert host.sitemap(text) is None


def test_a_host_that_names_too_many_sitemaps_is_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_findings, "SITEMAPS_MAXIMUM", 3)
    host = Host()
    indexes = (INDEX, CATEGORY_2, CATEGORY_14)
    taken = [host.sitemaps_of(one, *(f"{one.url}/{number}" for number in range(6))) for one in indexes]
    assert [len(found) for found in taken] == [3, 0, 0]
    assert [(found["code"], found["url"], found["seen"]) for found in host.findings] == [
        ("index.te-groot", index.url, "meer dan 3 sitemaps") for index in indexes
    ]


def test_entries_that_list_an_index_count_for_the_bound_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_findings, "SITEMAPS_MAXIMUM", 2)
    host = Host()
    names = [f"https://{HOST}/{number}/sitemapindex-diwoo.xml" for number in range(4)]
    host.indexes(*names)
    host.sitemaps_of(INDEX, *names)
    assert list(host.selection.nested()) == []
    assert host.codes == ["index.te-groot", "index.genest", "index.genest"]
