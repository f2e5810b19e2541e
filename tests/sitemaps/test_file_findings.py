"""Findings on an index or a sitemap as a whole."""

from __future__ import annotations

import re
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sitemaps.scanning import process
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
from woo_harvester.diwoo.given import DIWOO_NAMESPACE
from woo_harvester.findings import explain
from woo_harvester.sitemaps.file_findings import (
    ROOTS,
    Area,
    FileFinding,
    Index,
    Sitemap,
    file_findings,
    other_kind_finding,
    read_error_code,
    read_error_finding,
)
from woo_harvester.sitemaps.reader import (
    GUIDE_MAXENTRIES,
    SITEMAP_NAMESPACE,
    Entry,
    FileContents,
    OtherRootError,
    SitemapReader,
)
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.sitemaps.xml_stream import GUIDE_MAXSIZE, ErrorReason, SitemapError

MAXSIZE = 1_000_000
NAMESPACE = f'xmlns="{SITEMAP_NAMESPACE}"'
URL = "<url><loc>https://a.nl/1.pdf</loc></url>"
SITEMAP = "<sitemap><loc>https://a.nl/1.xml</loc></sitemap>"
REASONS: tuple[ErrorReason, ...] = ("ongeldig", "afgebroken", "te-groot", "doctype")
ROOTS_LOST: dict[Area, str] = {"sitemap": "documenten", "index": "sitemaps"}
NO = "niet gelezen"


def unknown(seen: str, element: str) -> FileFinding:
    return FileFinding("sitemap.element-onbekend", seen, 2, NO, element)


def capitals(seen: str, read_as: str) -> FileFinding:
    return FileFinding("sitemap.hoofdletters", seen, 2, f"gelezen als {read_as}")


def test_every_reason_of_a_read_error_has_a_finding() -> None:
    cases: list[Area] = ["index", "sitemap"]
    for area in cases:
        assert all(explain(read_error_code(area, reason)).severity == "error" for reason in REASONS), area


def findings(area: Area, body: str, **counts: int) -> list[FileFinding]:
    """Return the findings on a file with this content, as if its reader had these counts."""
    contents: FileContents
    if area == "sitemap":
        reader = UrlsetReader(lambda: [body.encode()], MAXSIZE)
        process(reader)
        contents = reader.contents
    else:
        contents = SitemapReader([body.encode()], "sitemapindex", MAXSIZE)
        list(contents)
    for name, count in counts.items():
        setattr(contents, name, count)
    return list(file_findings(area, contents))


def repaired_findings(area: Area, body: str) -> list[FileFinding]:
    """Return the findings on a file that can be read once it is repaired."""
    reading = RepairingReader(lambda: [body.encode()], ROOTS[area], MAXSIZE)
    assert sum(map(len, reading))
    return list(file_findings(area, reading.current))


def other_kind(area: Area, body: str) -> FileFinding:
    with pytest.raises(OtherRootError) as caught:
        list(SitemapReader([body.encode()], ROOTS[area], MAXSIZE))
    return other_kind_finding(area, caught.value)


def test_a_file_beyond_the_norm_is_a_finding_with_both_its_sizes() -> None:
    index = f"<sitemapindex {NAMESPACE}>{SITEMAP}</sitemapindex>"
    assert findings("sitemap", f"<urlset {NAMESPACE}>{URL}</urlset>", entries=GUIDE_MAXENTRIES) == []
    assert findings("index", index, entries=GUIDE_MAXENTRIES, size=GUIDE_MAXSIZE) == []
    for sizes, seen in (
        ({"entries": 50_001, "size": 7}, "50001 verwijzingen, 7 bytes"),
        ({"size": GUIDE_MAXSIZE + 1}, "1 verwijzingen, 52428801 bytes"),
    ):
        assert findings("index", index, **sizes) == [FileFinding("index.boven-norm", seen)]


def test_another_namespace_is_a_finding() -> None:
    for namespace, seen in (("urn:x", "urn:x"), ("", "geen naamruimte")):
        found = FileFinding("sitemap.naamruimte", seen)
        assert findings("sitemap", f'<urlset xmlns="{namespace}">{URL}</urlset>') == [found]
        assert findings("index", f'<sitemapindex xmlns="{namespace}">{SITEMAP}</sitemapindex>') == [found]


def test_an_entry_in_another_namespace_than_its_root_is_a_finding_and_a_prefix_is_none() -> None:
    for attributes, name, seen in (
        ('xmlns:x="urn:x"', "x:url", "urn:x"),
        ("", 'url xmlns=""', "geen naamruimte"),
        (f'xmlns:x="{SITEMAP_NAMESPACE}"', "x:url", None),
    ):
        entry = f"<{name}><loc>https://a.nl/2</loc></{name.partition(' ')[0]}>"
        for area, root in ROOTS.items():
            given = entry if area == "sitemap" else entry.replace("url", "sitemap")
            right = URL if area == "sitemap" else SITEMAP
            found = findings(area, f"<{root} {NAMESPACE} {attributes}>\n{right}\n{given}{given}</{root}>")
            element = f"{root}/{'url' if area == 'sitemap' else 'sitemap'}"
            expected = [FileFinding("sitemap.naamruimte", seen, 3, element=element)] if seen else []
            assert found == expected, (area, attributes)


def test_a_loc_in_another_namespace_is_a_finding_if_it_is_the_only_one() -> None:
    image = '<x:loc xmlns:x="urn:x">https://a.nl/image</x:loc>'
    cases: dict[str, str | None] = {
        '<x:loc xmlns:x="urn:x">https://a.nl/2</x:loc>': "urn:x",
        '<loc xmlns="">https://a.nl/2</loc>': "geen naamruimte",
        f'<x:loc xmlns:x="{SITEMAP_NAMESPACE}">https://a.nl/2</x:loc>': None,
        f"{image}<loc>https://a.nl/2</loc>": None,
        f"<loc>https://a.nl/2</loc>{image}": None,
    }
    for (loc, seen), (area, root) in product(cases.items(), ROOTS.items()):
        name = "url" if area == "sitemap" else "sitemap"
        xml = f"<{root} {NAMESPACE}>\n<{name}>{loc}</{name}></{root}>"
        expected = [FileFinding("sitemap.naamruimte", seen, 2, element=f"{root}/{name}/loc")] if seen else []
        assert findings(area, xml) == expected, (area, loc)
        reader = SitemapReader([xml.encode()], root, 10_000)
        read = [entry.loc for batch in reader for entry in batch]
        assert (read, reader.complete) == (["https://a.nl/2"], True)


#: The area, the root, what stands in it, and the finding on it.
INSIDE: list[tuple[Area, str, str, FileFinding]] = [
    ("index", "urlset", SITEMAP, FileFinding("index.andere-wortel", "<urlset> met 1 sitemap", 2)),
    ("index", "urlset", SITEMAP * 2, FileFinding("index.andere-wortel", "<urlset> met 2 sitemaps", 2)),
    ("index", "urlset", "", FileFinding("index.andere-wortel", "<urlset> met 0 sitemaps", 2)),
    ("index", "sitemaps", SITEMAP, FileFinding("index.andere-wortel", "<sitemaps> met 1 sitemap", 2)),
    (
        *("sitemap", "sitemapindex", URL * 3),
        FileFinding("sitemap.andere-wortel", "<sitemapindex> met 3 documenten", 2),
    ),
    ("sitemap", "UrlSet", URL, FileFinding("sitemap.andere-wortel", "<UrlSet> met 1 document", 2)),
    ("index", "sitemapindex", URL + SITEMAP + URL, FileFinding("index.gemengd", "2 documenten", action=NO)),
    ("sitemap", "urlset", URL + SITEMAP + URL, FileFinding("sitemap.gemengd", "1 sitemap", action=NO)),
    ("sitemap", "urlset", "<item/>", unknown("<item>", "urlset/item")),
    ("sitemap", "urlset", f"{URL}<item/><doc/><item/>", unknown("3 × <item>, <doc>", "urlset/item")),
    ("sitemap", "urlset", f"<urls>{URL * 2}</urls>", unknown("<urls><url>", "urlset/urls")),
    ("sitemap", "urlset", "Fout in database", unknown("Fout in database", "urlset")),
    ("index", "sitemapindex", f"{SITEMAP}<item/>", unknown("<item>", "sitemapindex/item")),
    ("sitemap", "urlset", "<URL><loc>x</loc></URL>", capitals("<URL>", "<url>")),
    ("sitemap", "urlset", "<Url><LOC>x</LOC></Url>" * 2, capitals("4 × <Url>, <LOC>", "<url>, <loc>")),
    ("index", "sitemapindex", "<SITEMAP><loc>x</loc></SITEMAP>", capitals("<SITEMAP>", "<sitemap>")),
]
#: The severity of findings that other tests do not name.
SEVERITIES = {
    "sitemap.element-onbekend": "error",
    "sitemap.hoofdletters": "warning",
    "sitemap.kop": "warning",
}


def test_what_stands_below_the_root_is_a_finding_if_it_should_not_or_the_root_is_another() -> None:
    for area, root, inside, found in INSIDE:
        assert findings(area, f"\n<{root} {NAMESPACE}>{inside}</{root}>") == [found], inside
    assert {code: explain(code).severity for code in SEVERITIES} == SEVERITIES


def test_a_declared_encoding_that_cannot_be_is_a_finding_and_all_is_read() -> None:
    for (area, root), label in product(ROOTS.items(), ("utf-16", "UTF-32", "unicode")):
        entry = URL if area == "sitemap" else SITEMAP
        body = f'<?xml version="1.0" encoding="{label}"?>\n<{root} {NAMESPACE}>{entry}</{root}>'
        assert findings(area, body) == [FileFinding("sitemap.kop", label, 1, "gelezen als UTF-8")]


#: The area, a file that is not of it, the code of the finding on it, and what was seen.
OTHER_KINDS: list[tuple[Area, str, str, str]] = [
    ("index", f"<urlset>{URL}</urlset>", "index.is-urlset", "<urlset> met 1 document"),
    (
        *("index", f"<sitemapindex>{URL * 2}</sitemapindex>"),
        *("index.is-urlset", "<sitemapindex> met 2 documenten"),
    ),
    ("index", "<rss/>", "index.ongeldig", "<rss>"),
    ("sitemap", f"<urlset>{SITEMAP}</urlset>", "index.genest", "<urlset> met 1 sitemap"),
    (
        *("sitemap", f"<sitemapindex>{SITEMAP}</sitemapindex>"),
        *("index.genest", "<sitemapindex> met 1 sitemap"),
    ),
    ("sitemap", "<rss/>", "sitemap.wortelelement", "<rss>"),
]


def test_a_file_of_another_kind_says_what_is_lost() -> None:
    for area, body, code, seen in OTHER_KINDS:
        assert other_kind(area, body) == FileFinding(code, seen, 1, NO), body
        assert explain(code).severity == "error"


def test_a_root_of_documents_is_no_sitemap_and_is_read_with_their_number() -> None:
    document = "<diwoo:Document><loc>https://a.nl/1.pdf</loc></diwoo:Document>"
    root = f'diwoo:Documents {NAMESPACE} xmlns:diwoo="{DIWOO_NAMESPACE}"'
    body, seen = f"<{root}>{document * 3}</diwoo:Documents>", "<Documents> met 3 documenten"
    assert findings("sitemap", body) == [FileFinding("sitemap.andere-wortel", seen, line=1)]
    assert other_kind("index", body) == FileFinding("index.is-urlset", seen, 1, NO)
    none = FileFinding("sitemap.andere-wortel", "<Documents> met 0 documenten", line=1)
    assert findings("sitemap", f"<{root}><diwoo:Document/></diwoo:Documents>") == [none]


def test_what_was_repaired_in_a_file_is_reported_at_its_line() -> None:
    cases: list[Area] = ["index", "sitemap"]
    for area in cases:
        root = f'<x {NAMESPACE} xsi:y="z">'.replace("<x", "<" + ROOTS[area])
        loc = "<loc>https://a.nl/?a=1&b=2</loc>"
        body = f"\n{root}\n" + re.sub("<loc>.*</loc>", loc, URL if area == "sitemap" else SITEMAP)
        assert repaired_findings(area, f"{body}</{ROOTS[area]}>") == [
            FileFinding(
                "sitemap.voorvoegsel", "xsi", 2, "gelezen als http://www.w3.org/2001/XMLSchema-instance"
            ),
            FileFinding("sitemap.ampersand", "https://a.nl/?a=1&b=2", 3, "gelezen als &amp;"),
        ], area


def test_the_finding_on_ampersands_names_the_first_lines() -> None:
    for lines, more in (
        (1, ""),
        (2, "; ook op regel 3"),
        (10, "; ook op regel 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        (11, "; ook op regel 3, 4, 5, 6, 7, 8, 9, 10, 11 en verder"),
        (500, "; ook op regel 3, 4, 5, 6, 7, 8, 9, 10, 11 en verder"),
    ):
        body = f"<urlset {NAMESPACE}>" + "\n<url><loc>https://a.nl/?a&b&c</loc></url>" * lines + "</urlset>"
        found = FileFinding("sitemap.ampersand", "https://a.nl/?a&b&c", 2, f"gelezen als &amp;{more}")
        assert repaired_findings("sitemap", body) == [found], lines


def test_the_finding_on_a_broken_file_says_what_is_lost() -> None:
    error = SitemapError("ongeldig", "x", 7)
    assert read_error_finding("sitemap", error) == FileFinding("sitemap.ongeldig", "x", 7)
    for area, lost in ROOTS_LOST.items():
        error.lost = 3
        found = FileFinding(f"{area}.ongeldig", "x", 7, f"ongeveer 3 {lost} niet gelezen")
        assert read_error_finding(area, error) == found


# Which URLs of robots.txt are requested, and which findings the others give.


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
    monkeypatch.setattr("woo_harvester.sitemaps.file_findings.SITEMAPS_MAXIMUM", 3)
    host = Host()
    indexes = (INDEX, CATEGORY_2, CATEGORY_14)
    taken = [host.sitemaps_of(one, *(f"{one.url}/{number}" for number in range(6))) for one in indexes]
    assert [len(found) for found in taken] == [3, 0, 0]
    assert [(found["code"], found["url"], found["seen"]) for found in host.findings] == [
        ("index.te-groot", index.url, "meer dan 3 sitemaps") for index in indexes
    ]


def test_entries_that_list_an_index_count_for_the_bound_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woo_harvester.sitemaps.file_findings.SITEMAPS_MAXIMUM", 2)
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


def test_the_signs_around_a_sitemap_are_left_out() -> None:
    host, entry = Host(), Entry(f" {LISTED}\u200b", None, 7, None)
    entry.tidy()
    found = host.selection.sitemap(entry, INDEX)
    assert found is not None
    assert found.url == LISTED
    assert [(each["code"], each["seen"]) for each in host.findings] == [("loc.tekens", f" {LISTED}<U+200B>")]
