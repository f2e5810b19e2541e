"""Findings on an index or a sitemap as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import pytest

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
    Entry,
    OtherRootError,
    SitemapReader,
)
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.scanner import NotPlainError, ScannedEntry, UrlsetReader
from woo_harvester.sitemaps.xml_stream import GUIDE_MAXSIZE, ErrorReason, SitemapError

MAXSIZE = 1_000_000
NAMESPACE = f'xmlns="{SITEMAP_NAMESPACE}"'
URL = "<url><loc>https://a.nl/1.pdf</loc></url>"
SITEMAP = "<sitemap><loc>https://a.nl/1.xml</loc></sitemap>"
REASONS: tuple[ErrorReason, ...] = ("ongeldig", "afgebroken", "te-groot", "doctype")


@pytest.mark.parametrize("area", ["index", "sitemap"])
def test_every_reason_of_a_read_error_has_a_finding(area: Area) -> None:
    assert all(explain(read_error_code(area, reason)).severity == "error" for reason in REASONS)


def findings(area: Area, body: str, **counts: int) -> list[FileFinding]:
    """Return the findings on a file with this content, as if its reader had these counts."""
    chunks = [body.encode()]
    reader = UrlsetReader(lambda: chunks, MAXSIZE) if area == "sitemap" else index_reader(chunks)
    for batch in reader:
        if isinstance(reader, UrlsetReader):
            reader.processed(parsed(batch))
    contents = reader.contents if isinstance(reader, UrlsetReader) else reader
    for name, count in counts.items():
        setattr(contents, name, count)
    return list(file_findings(area, contents))


def index_reader(chunks: list[bytes]) -> SitemapReader:
    return SitemapReader(chunks, "sitemapindex", MAXSIZE)


def parsed(batch: Sequence[Entry | ScannedEntry]) -> int:
    """Return how many entries the scanner can read."""
    count = 0
    with suppress(NotPlainError):
        for entry in batch:
            entry.parse()
            count += 1
    return count


def repaired_findings(area: Area, body: str) -> list[FileFinding]:
    """Return the findings on a file that can be read once it is repaired."""
    reading = RepairingReader(lambda: [body.encode()], ROOTS[area], MAXSIZE)
    assert sum(map(len, reading))
    return list(file_findings(area, reading.current))


def other_kind(area: Area, body: str) -> FileFinding:
    with pytest.raises(OtherRootError) as caught:
        list(SitemapReader([body.encode()], ROOTS[area], MAXSIZE))
    return other_kind_finding(area, caught.value)


def test_a_file_within_the_norm_and_in_the_right_namespace_gives_no_finding() -> None:
    assert findings("sitemap", f"<urlset {NAMESPACE}>{URL}</urlset>", entries=GUIDE_MAXENTRIES) == []
    index = f"<sitemapindex {NAMESPACE}>{SITEMAP}</sitemapindex>"
    assert findings("index", index, entries=GUIDE_MAXENTRIES, size=GUIDE_MAXSIZE) == []


def test_the_finding_on_a_file_beyond_the_norm_shows_both_its_sizes() -> None:
    index = f"<sitemapindex {NAMESPACE}>{SITEMAP}</sitemapindex>"
    assert findings("index", index, entries=50_001, size=7) == [
        FileFinding("index.boven-norm", "50001 verwijzingen, 7 bytes")
    ]
    assert findings("index", index, size=GUIDE_MAXSIZE + 1) == [
        FileFinding("index.boven-norm", "1 verwijzingen, 52428801 bytes")
    ]


@pytest.mark.parametrize(("namespace", "seen"), [("urn:x", "urn:x"), ("", "geen naamruimte")])
def test_another_namespace_is_a_finding(namespace: str, seen: str) -> None:
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


@pytest.mark.parametrize(
    ("loc", "seen"),
    [
        ('<x:loc xmlns:x="urn:x">https://a.nl/2</x:loc>', "urn:x"),
        ('<loc xmlns="">https://a.nl/2</loc>', "geen naamruimte"),
        (f'<x:loc xmlns:x="{SITEMAP_NAMESPACE}">https://a.nl/2</x:loc>', None),
        ('<x:loc xmlns:x="urn:x">https://a.nl/image</x:loc><loc>https://a.nl/2</loc>', None),
        ('<loc>https://a.nl/2</loc><x:loc xmlns:x="urn:x">https://a.nl/image</x:loc>', None),
    ],
)
def test_a_loc_in_another_namespace_is_a_finding_if_it_is_the_only_one(loc: str, seen: str | None) -> None:
    for area, root in ROOTS.items():
        name = "url" if area == "sitemap" else "sitemap"
        xml = f"<{root} {NAMESPACE}>\n<{name}>{loc}</{name}></{root}>"
        expected = [FileFinding("sitemap.naamruimte", seen, 2, element=f"{root}/{name}/loc")] if seen else []
        assert findings(area, xml) == expected, area
        reader = SitemapReader([xml.encode()], root, 10_000)
        assert ([entry.loc for batch in reader for entry in batch], reader.complete) == (
            ["https://a.nl/2"],
            True,
        )


@pytest.mark.parametrize(
    ("area", "root", "content", "seen"),
    [
        ("index", "urlset", SITEMAP, "<urlset> met 1 sitemap"),
        ("index", "urlset", SITEMAP * 2, "<urlset> met 2 sitemaps"),
        ("index", "urlset", "", "<urlset> met 0 sitemaps"),
        ("index", "sitemaps", SITEMAP, "<sitemaps> met 1 sitemap"),
        ("sitemap", "sitemapindex", URL * 3, "<sitemapindex> met 3 documenten"),
        ("sitemap", "sitemapindex", "", "<sitemapindex> met 0 documenten"),
        ("sitemap", "UrlSet", URL, "<UrlSet> met 1 document"),
    ],
)
def test_a_file_with_another_root_is_a_finding(area: Area, root: str, content: str, seen: str) -> None:
    body = f"\n<{root} {NAMESPACE}>{content}</{root}>"
    assert findings(area, body) == [FileFinding(f"{area}.andere-wortel", seen, line=2)]


def test_entries_of_the_other_kind_among_those_of_a_file_are_counted() -> None:
    assert findings("index", f"<sitemapindex {NAMESPACE}>{URL}{SITEMAP}{URL}</sitemapindex>") == [
        FileFinding("index.gemengd", "2 documenten", action="niet gelezen")
    ]
    assert findings("sitemap", f"<urlset {NAMESPACE}>{URL}{SITEMAP}{URL}</urlset>") == [
        FileFinding("sitemap.gemengd", "1 sitemap", action="niet gelezen")
    ]


@pytest.mark.parametrize(
    ("area", "inside", "seen", "element"),
    [
        ("sitemap", "<item/>", "<item>", "urlset/item"),
        ("sitemap", f"{URL}<item/><doc/><item/>", "3 × <item>, <doc>", "urlset/item"),
        ("sitemap", f"<urls>{URL * 2}</urls>", "<urls><url>", "urlset/urls"),
        ("sitemap", "Fout in database", "Fout in database", "urlset"),
        ("index", f"{SITEMAP}<item/>", "<item>", "sitemapindex/item"),
    ],
)
def test_elements_that_no_root_may_have_are_errors(area: Area, inside: str, seen: str, element: str) -> None:
    root = ROOTS[area]
    found = FileFinding("sitemap.element-onbekend", seen, 1, "niet gelezen", element)
    assert findings(area, f"<{root} {NAMESPACE}>{inside}</{root}>") == [found]
    assert explain(found.code).severity == "error"


@pytest.mark.parametrize(
    ("area", "inside", "seen", "read_as"),
    [
        ("sitemap", "<URL><loc>x</loc></URL>", "<URL>", "<url>"),
        ("sitemap", "<Url><LOC>x</LOC></Url>" * 2, "4 × <Url>, <LOC>", "<url>, <loc>"),
        ("index", "<SITEMAP><loc>x</loc></SITEMAP>", "<SITEMAP>", "<sitemap>"),
    ],
)
def test_names_with_other_capitals_are_a_warning(area: Area, inside: str, seen: str, read_as: str) -> None:
    root = ROOTS[area]
    found = FileFinding("sitemap.hoofdletters", seen, 1, f"gelezen als {read_as}")
    assert findings(area, f"<{root} {NAMESPACE}>{inside}</{root}>") == [found]
    assert explain(found.code).severity == "warning"


@pytest.mark.parametrize("area", ROOTS)
@pytest.mark.parametrize("label", ["utf-16", "UTF-32", "unicode"])
def test_a_declared_encoding_that_cannot_be_is_a_warning_and_all_is_read(area: Area, label: str) -> None:
    root, entry = ROOTS[area], URL if area == "sitemap" else SITEMAP
    body = f'<?xml version="1.0" encoding="{label}"?>\n<{root} {NAMESPACE}>{entry}</{root}>'
    found = FileFinding("sitemap.kop", label, 1, "gelezen als UTF-8")
    assert findings(area, body) == [found]
    assert explain(found.code).severity == "warning"


@pytest.mark.parametrize(
    ("area", "body", "code", "seen"),
    [
        ("index", f"<urlset>{URL}</urlset>", "index.is-urlset", "<urlset> met 1 document"),
        (
            "index",
            f"<sitemapindex>{URL * 2}</sitemapindex>",
            "index.is-urlset",
            "<sitemapindex> met 2 documenten",
        ),
        ("index", "<rss/>", "index.ongeldig", "<rss>"),
        ("sitemap", f"<urlset>{SITEMAP}</urlset>", "index.genest", "<urlset> met 1 sitemap"),
        (
            "sitemap",
            f"<sitemapindex>{SITEMAP}</sitemapindex>",
            "index.genest",
            "<sitemapindex> met 1 sitemap",
        ),
        ("sitemap", "<rss/>", "sitemap.wortelelement", "<rss>"),
    ],
)
def test_a_file_of_another_kind_says_what_is_lost(area: Area, body: str, code: str, seen: str) -> None:
    found = other_kind(area, body)
    assert found == FileFinding(code, seen, 1, "niet gelezen")
    assert explain(code).severity == "error"


def test_a_root_of_documents_is_no_sitemap_and_is_read_with_their_number() -> None:
    document = "<diwoo:Document><loc>https://a.nl/1.pdf</loc></diwoo:Document>"
    root = f'diwoo:Documents {NAMESPACE} xmlns:diwoo="{DIWOO_NAMESPACE}"'
    body = f"<{root}>{document * 3}</diwoo:Documents>"
    assert findings("sitemap", body) == [
        FileFinding("sitemap.andere-wortel", "<Documents> met 3 documenten", line=1)
    ]
    assert other_kind("index", body) == FileFinding(
        "index.is-urlset", "<Documents> met 3 documenten", 1, "niet gelezen"
    )
    assert findings("sitemap", f"<{root}><diwoo:Document/></diwoo:Documents>") == [
        FileFinding("sitemap.andere-wortel", "<Documents> met 0 documenten", line=1)
    ]


@pytest.mark.parametrize("area", ["index", "sitemap"])
def test_what_was_repaired_in_a_file_is_reported_at_its_line(area: Area) -> None:
    root = f'<x {NAMESPACE} xsi:y="z">'.replace("<x", "<" + ROOTS[area])
    loc = "<loc>https://a.nl/?a=1&b=2</loc>"
    body = f"\n{root}\n" + re.sub("<loc>.*</loc>", loc, URL if area == "sitemap" else SITEMAP)
    assert repaired_findings(area, f"{body}</{ROOTS[area]}>") == [
        FileFinding("sitemap.voorvoegsel", "xsi", 2, "gelezen als http://www.w3.org/2001/XMLSchema-instance"),
        FileFinding("sitemap.ampersand", "https://a.nl/?a=1&b=2", 3, "gelezen als &amp;"),
    ]


@pytest.mark.parametrize(
    ("lines", "action"),
    [
        (1, "gelezen als &amp;"),
        (2, "gelezen als &amp;; ook op regel 3"),
        (10, "gelezen als &amp;; ook op regel 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        (11, "gelezen als &amp;; ook op regel 3, 4, 5, 6, 7, 8, 9, 10, 11 en verder"),
        (500, "gelezen als &amp;; ook op regel 3, 4, 5, 6, 7, 8, 9, 10, 11 en verder"),
    ],
)
def test_the_finding_on_ampersands_names_the_first_lines(lines: int, action: str) -> None:
    body = f"<urlset {NAMESPACE}>" + "\n<url><loc>https://a.nl/?a&b&c</loc></url>" * lines + "</urlset>"
    assert repaired_findings("sitemap", body) == [
        FileFinding("sitemap.ampersand", "https://a.nl/?a&b&c", 2, action)
    ]


@pytest.mark.parametrize(
    ("area", "lost", "finding"),
    [
        ("sitemap", 3, FileFinding("sitemap.ongeldig", "x", 7, "ongeveer 3 documenten niet gelezen")),
        ("index", 1, FileFinding("index.ongeldig", "x", 7, "ongeveer 1 sitemap niet gelezen")),
        ("sitemap", 0, FileFinding("sitemap.ongeldig", "x", 7)),
    ],
)
def test_the_finding_on_a_broken_file_says_what_is_lost(area: Area, lost: int, finding: FileFinding) -> None:
    error = SitemapError("ongeldig", "x", 7)
    error.lost = lost
    assert read_error_finding(area, error) == finding
