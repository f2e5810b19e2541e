"""The indexes and sitemaps of a host: which are requested, and what is reported of the others."""

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
    ROBOTS,
    Host,
    category_index,
)
from tests.sitemaps.selections import SITEMAP as LISTED
from woo_harvester.sitemaps.reader import (
    Entry,
)
from woo_harvester.sitemaps.selection import Index, Sitemap


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
    "unseen": (
        f"https://{HOST}/a b/sitemapindex-diwoo.xml\u200b",
        [f"https://{HOST}/a%20b/sitemapindex-diwoo.xml"],
        {
            "code": "loc.tekens",
            "url": f"https://{HOST}/a%20b/sitemapindex-diwoo.xml",
            "seen": f"https://{HOST}/a b/sitemapindex-diwoo.xml<U+200B>",
            "action": f"gelezen als https://{HOST}/a%20b/sitemapindex-diwoo.xml",
        },
    ),
    "unseen sign before": (
        f"\xa0https://{HOST}/x/sitemapindex-diwoo.xml",
        [f"https://{HOST}/x/sitemapindex-diwoo.xml"],
        {
            "code": "loc.tekens",
            "url": f"https://{HOST}/x/sitemapindex-diwoo.xml",
            "seen": f"<U+00A0>https://{HOST}/x/sitemapindex-diwoo.xml",
            "action": f"gelezen als https://{HOST}/x/sitemapindex-diwoo.xml",
        },
    ),
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


def test_a_line_that_is_not_as_it_should_be_is_a_finding() -> None:
    for line, read, finding in LINES.values():
        host = Host()
        assert host.indexes(GENERAL, line) == [GENERAL, *read], (line, read, finding)
        assert host.findings == [{"line": 2, "seen": line, **finding}], (line, read, finding)


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


# Which URLs of the indexes are requested, and which findings the others give.


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
            (sitemap,) = [found for index in order for found in host.sitemaps_of(index, LISTED)]
            assert sitemap.index == counts, order


def test_sitemaps_that_another_index_lists_too_are_counted_in_one_finding() -> None:
    host = Host()
    locs = [f"https://{HOST}/{number}.xml" for number in range(3)]
    same = Index(f"https://{HOST}/b/sitemapindex-diwoo-infocat014.xml", CATEGORY_14.name)
    first = host.sitemaps_of(CATEGORY_14, *locs)
    assert host.sitemaps_of(INDEX, *locs, *locs) == []
    assert host.sitemaps_of(CATEGORY_2, LISTED, *locs[:1]) == [Sitemap(LISTED, CATEGORY_2)]
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
    assert host.sitemaps_of(index, GENERAL, CATEGORY_14.url, LISTED, GENERAL) == [Sitemap(LISTED, index)]
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
    host.sitemap(LISTED)
    listed = [GENERAL, LISTED, OTHERS[2], "http://www.gemeente.nl/s.xml", "", OTHERS[0]]
    assert host.selection.requestable(listed) == [OTHERS[2], OTHERS[0]]


#: The address of a sitemap that may not be requested, and the finding on it.
REFUSED_SITEMAPS = {
    "http://www.gemeente.nl/1.xml": "loc.geen-https",
    "javascript:alert(1)": "loc.ongeldig",
    "https://u:p@www.gemeente.nl/1.xml": "loc.inloggegevens",
    "https://www.gemeente.nl@elders.nl/1.xml": "loc.inloggegevens",
    "https://elders.nl/1.xml": "host.niet-geregistreerd",
    "https://www.gemeente.nl.elders.nl/1.xml": "host.niet-geregistreerd",
    "https://127.0.0.1/1.xml": "host.niet-geregistreerd",
}


def test_a_sitemap_that_may_not_be_requested_is_a_finding() -> None:
    host = Host()
    assert [host.sitemap(loc) for loc in REFUSED_SITEMAPS] == [None] * len(REFUSED_SITEMAPS)
    assert host.findings == [not_read(code, loc, seen=loc) for loc, code in REFUSED_SITEMAPS.items()]
    host = Host()
    assert host.sitemap("", line=12) is None
    assert host.findings == [not_read("loc.ontbreekt", GENERAL, line=12)]


@given(st.text())
def test_no_text_of_a_publisher_leads_to_a_host_that_is_not_registered(text: str) -> None:
    host = Host(registered=frozenset())
    assert host.indexes(text.replace("\n", " ")) == []
    assert host.sitemap(text) is None


def test_a_host_that_names_too_many_sitemaps_is_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woo_harvester.sitemaps.selection.SITEMAPS_MAXIMUM", 3)
    host = Host()
    indexes = (INDEX, CATEGORY_2, CATEGORY_14)
    taken = [host.sitemaps_of(one, *(f"{one.url}/{number}" for number in range(6))) for one in indexes]
    assert [len(found) for found in taken] == [3, 0, 0]
    assert [(found["code"], found["url"], found["seen"]) for found in host.findings] == [
        ("index.te-groot", index.url, "meer dan 3 sitemaps") for index in indexes
    ]


def test_entries_that_list_an_index_count_for_the_bound_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woo_harvester.sitemaps.selection.SITEMAPS_MAXIMUM", 2)
    host = Host()
    names = [f"https://{HOST}/{number}/sitemapindex-diwoo.xml" for number in range(4)]
    host.indexes(*names)
    host.sitemaps_of(INDEX, *names)
    assert list(host.selection.nested()) == []
    assert host.codes == ["index.te-groot", "index.genest", "index.genest"]


def test_a_relative_address_in_an_index_is_completed_with_that_of_the_index() -> None:
    for loc in ("/sitemap-1.xml", f"//{HOST}/sitemap-1.xml", "sitemap-1.xml", "./x/../sitemap-1.xml"):
        host = Host()
        found = host.sitemap(loc)
        assert found is not None, loc
        assert found.url == LISTED, loc
        finding = {"code": "index.adres-relatief", "url": GENERAL, "line": 7, "element": "sitemap/loc"}
        assert host.findings == [{**finding, "seen": loc, "action": f"gelezen als {LISTED}"}], loc


def test_an_address_with_quotes_around_it_is_not_a_relative_one() -> None:
    host = Host()
    assert host.sitemap(f'"{LISTED}"') is None
    assert host.codes == ["loc.ongeldig"]


def test_the_signs_around_a_sitemap_are_left_out() -> None:
    host, entry = Host(), Entry(f" {LISTED}\u200b", None, 7, None)
    entry.tidy()
    found = host.selection.sitemap(entry, INDEX)
    assert found is not None
    assert found.url == LISTED
    assert [(each["code"], each["seen"]) for each in host.findings] == [("loc.tekens", f" {LISTED}<U+200B>")]
