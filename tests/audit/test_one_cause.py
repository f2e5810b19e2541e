# ruff: noqa: E501  -- a case a line
"""One mistake gives one finding, at the line and with the path of the element that is wrong."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from woo_harvester.audit.one_cause import EntryReporter
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.sitemaps import Coded, DiWoo, Handeling, sitemap
from woo_harvester.demo.sitemaps import Entry as Listed
from woo_harvester.diwoo.defaults import fill_in
from woo_harvester.diwoo.given import metadata_of
from woo_harvester.diwoo.mapping import map_metadata
from woo_harvester.findings import Finding, Reporter
from woo_harvester.record import Herkomst
from woo_harvester.sitemaps.decide import decide, find_loc_problem
from woo_harvester.sitemaps.facts import NO_MATCH, EntryFacts, Terms
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.tooi import bundled

NAMELESS = "6f1c2a34-9d0e-4b57-8a11-2f0d9b6c7e58.pdf"


def entry(name: str = "besluit.pdf", diwoo: DiWoo | None = GOOD) -> Listed:
    return Listed(loc=f"https://www.a.nl/{name}", lastmod=LASTMOD, diwoo=diwoo)


def found_on(given: Entry, found: list[Finding]) -> None:
    """Add what an audit finds on an entry."""
    report, now = EntryReporter(given, Reporter(found.append, line=given.line)), datetime.now(UTC)
    decision = decide(EntryFacts(given, problem=find_loc_problem(given.loc)), Terms(), now)
    for one in decision.findings:
        report(one.code, element=one.element, seen=one.seen)
    if decision.version is not None:
        record, lists = decision.version.record(given.loc, Herkomst()), bundled()
        map_metadata(metadata_of(given), record, lists, report, now)
        fill_in(record, NO_MATCH, None, lists.organisaties, report)
    report.finish(is_harvested=decision.version is not None)


def audited(path: Path) -> list[Finding]:
    """Return what an audit finds on the entries of a sitemap."""
    found: list[Finding] = []
    reader = UrlsetReader(lambda: [path.read_bytes()], 10_000_000)
    for batch in reader:
        for each in batch:
            found_on(each.parse(), found)
        reader.processed(len(batch))
    return found


def found_in(path: Path, changes: dict[str, str], text: str = "") -> list[Finding]:
    """Audit a sitemap with one entry, of which each element begins on a line of its own."""
    text = text or sitemap(entry()).decode()
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    path.write_text(text.replace("><", ">\n<"))
    return audited(path)


def line_in(path: Path, text: str) -> int:
    """Return the number of the first line with a text."""
    return next(n for n, line in enumerate(path.read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("diwoo", "name", "code", "element"),
    [
        (replace(GOOD, titel=None), "besluit.pdf", "titel.ontbreekt", "titelcollectie/officieleTitel"),
        (replace(GOOD, titel=None), NAMELESS, "titel.onbekend", "titelcollectie/officieleTitel"),
        (replace(GOOD, publisher=None), "besluit.pdf", "publisher.ontbreekt", "publisher"),
        (
            replace(GOOD, informatiecategorieen=[]),
            "besluit.pdf",
            "informatiecategorie.ontbreekt",
            "classificatiecollectie/informatiecategorieen/informatiecategorie",
        ),
        (
            replace(GOOD, handelingen=[]),
            "besluit.pdf",
            "documenthandeling.ontbreekt",
            "documenthandelingen/documenthandeling",
        ),
    ],
)
def test_what_is_missing_gives_one_finding_at_the_element_that_lacks_it(
    tmp_path: Path, diwoo: DiWoo, name: str, code: str, element: str
) -> None:
    path = tmp_path / "sitemap.xml"
    (finding,) = found_in(path, {}, sitemap(entry(name, diwoo)).decode())
    assert (finding.code, finding.element) == (code, element)
    assert finding.line == line_in(path, "<diwoo:DiWoo>")


@pytest.mark.parametrize(
    ("before", "after", "code", "element", "place"),
    [
        ("2024-05-01<", "31-02-2024<", "datum.ongeldig", "creatiedatum", "31-02-2024"),
        ("officieleTitel", "officieletitel", "metadata.element-onbekend", "titelcollectie/officieletitel", "<diwoo:officiele"),
        ("creatiedatum", "creatieDatum", "metadata.element-onbekend", "creatieDatum", "<diwoo:creatieDatum>"),
        ("</diwoo:creatiedatum>", "</diwoo:creatiedatum><diwoo:creatiedatum>2020-01-01</diwoo:creatiedatum>",
         "metadata.element-onbekend", "creatiedatum", "2020-01-01"),
        ("</diwoo:DiWoo>", "<diwoo:trefwoorden>water</diwoo:trefwoorden></diwoo:DiWoo>",
         "metadata.element-onbekend", "trefwoorden", "water"),
        ("https://standaarden.overheid.nl/diwoo", "http://standaarden.overheid.nl/diwoo",
         "metadata.naamruimte", "DiWoo", "<diwoo:DiWoo>"),
        ("</diwoo:Document>", "<diwoo:DiWoo/></diwoo:Document>", "metadata.schema", "DiWoo", "<diwoo:DiWoo/>"),
        ("</diwoo:DiWoo>", "<diwoo:language resource='x:y'>Klingon</diwoo:language></diwoo:DiWoo>",
         "waarde.label-onbekend", "language", "Klingon"),
    ],
)  # fmt: skip
def test_a_mistake_gives_one_finding_at_its_own_element(
    tmp_path: Path, before: str, after: str, code: str, element: str, place: str
) -> None:
    path = tmp_path / "sitemap.xml"
    (finding,) = found_in(path, {before: after})
    assert (finding.code, finding.element, finding.line) == (code, element, line_in(path, place))


def test_what_is_wrong_twice_gives_two_findings_each_at_its_own_line(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    again = "<diwoo:geldigheid><diwoo:begindatum>gisteren</diwoo:begindatum></diwoo:geldigheid></diwoo:DiWoo>"
    findings = found_in(path, {"</diwoo:DiWoo>": again, "2024-05-01<": "31-02-2024<"})
    assert [(finding.code, finding.line) for finding in findings] == [
        ("datum.ongeldig", line_in(path, "31-02-2024")),
        ("datum.ongeldig", line_in(path, "gisteren")),
    ]


def test_faults_that_no_finding_is_about_stay_and_wrong_namespaces_are_one(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    text = "<x:opsteller xmlns:x='urn:x'/><x:language xmlns:x='urn:x'/><diwoo:aggregatiekenmerk a='b'/>"
    findings = found_in(path, {"</diwoo:DiWoo>": text + "</diwoo:DiWoo>"})
    assert [(finding.code, finding.element) for finding in findings] == [
        ("metadata.schema", "DiWoo/opsteller"),
        ("metadata.schema", "DiWoo/aggregatiekenmerk"),
    ]


def test_a_loc_and_a_lastmod_have_their_own_line(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    (finding,) = found_in(path, {"https://www.a.nl": "http://www.a.nl"})
    assert (finding.code, finding.line) == ("loc.geen-https", line_in(path, "<loc>"))
    (finding,) = found_in(path, {"2024-05-01T12:00:00+02:00": "gisteren"})
    assert (finding.code, finding.line) == ("lastmod.ongeldig", line_in(path, "<lastmod>"))


def wrong_values(count: int) -> DiWoo:
    handelingen = [Handeling(Coded(f"fout {number}"), f"dag {number}") for number in range(count)]
    themas = [Coded(f"geen thema {number}") for number in range(count)]
    return replace(GOOD, handelingen=handelingen, themas=themas)


def work_of(path: Path, count: int) -> int:
    """Return how many calls the audit of one entry with so many wrong values takes."""
    path.write_bytes(sitemap(entry(diwoo=wrong_values(count))))
    audited(path)  # so that what is loaded once is there
    calls = 0

    def note(frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        found = audited(path)
    finally:
        sys.setprofile(None)
    assert len(found) >= 2 * count
    return calls


def test_the_work_for_an_entry_grows_no_faster_than_its_wrong_values(tmp_path: Path) -> None:
    few, many = (work_of(tmp_path / "sitemap.xml", count) for count in (150, 600))
    assert many < 5 * few
