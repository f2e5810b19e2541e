"""Findings on an index or a sitemap as a whole."""

from __future__ import annotations

import re
from itertools import product

import pytest

from tests.sitemaps.scanning import process
from woo_harvester.diwoo.given import DIWOO_NAMESPACE
from woo_harvester.findings import explain
from woo_harvester.sitemaps.file_findings import (
    ROOTS,
    Area,
    FileFinding,
    file_findings,
    other_kind_finding,
    read_error_code,
    read_error_finding,
)
from woo_harvester.sitemaps.reader import (
    GUIDE_MAXENTRIES,
    SITEMAP_NAMESPACE,
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
        assert findings(area, body) == [
            FileFinding("sitemap.kop", f'encoding="{label}"', 1, "gelezen als UTF-8")
        ]


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


def test_the_finding_on_what_stands_before_the_root_shows_what_is_wrong_there() -> None:
    declared = '<?xml version="1.0" encoding="UTF-8"?>'
    for head, seen in (
        (f"\n{declared}", f"<U+000A>{declared}"),
        (f" \ufeff\xa0{declared}\n", f"<U+0020><U+FEFF><U+00A0>{declared}"),
        (f"{declared}\n<!-- a -- b\n\u200b -->", f"{declared} <!-- a -- b <U+200B> -->"),
        (declared.replace("?>", ">"), declared.replace("?>", ">")),
        ("<? x?>", "<? x?>"),
    ):
        body = f"{head}<urlset {NAMESPACE}>{URL}</urlset>"
        action = "gelezen zonder wat er voor het hoofdelement staat"
        assert repaired_findings("sitemap", body) == [FileFinding("sitemap.kop", seen, 1, action)], head


def test_the_finding_on_signs_has_their_number() -> None:
    body = f"<urlset {NAMESPACE}>\n<!-- \x0b \x0b -->{URL.replace('https', chr(1) + 'https')}</urlset>"
    (found,) = repaired_findings("sitemap", body)
    assert (found.code, found.seen, found.line) == ("sitemap.tekens", "3 × U+000B, U+0001", 2)


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
