# ruff: noqa: E501  -- a case a line
"""One mistake gives one finding."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from woo_harvester.audit.one_cause import EntryReporter
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.sitemaps import DiWoo, sitemap
from woo_harvester.demo.sitemaps import Entry as Listed
from woo_harvester.diwoo.given import given_metadata
from woo_harvester.diwoo.metadata import fill_in, map_metadata
from woo_harvester.findings import Finding, Reporter
from woo_harvester.record import Herkomst
from woo_harvester.sitemaps.decide import NO_MATCH, EntryFacts, Terms, decide, find_loc_problem
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.tooi.lists import bundled

#: Own metadata without a fault, and the end of a document.
EXTRA = (
    "<diwoo:extraMetadata><diwoo:namespace>https://a.nl/</diwoo:namespace><diwoo:prefix>a</diwoo:prefix>"
    "<diwoo:extraMetadatavelden><diwoo:extraMetadataveld><diwoo:key>k</diwoo:key><diwoo:values>"
    "<diwoo:value>v</diwoo:value></diwoo:values></diwoo:extraMetadataveld></diwoo:extraMetadatavelden>"
    "</diwoo:extraMetadata></diwoo:Document>"
)
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
        map_metadata(given_metadata(given), record, lists, report, now)
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


@pytest.mark.parametrize(
    ("diwoo", "name", "code"),
    [
        (replace(GOOD, titel=None), "besluit.pdf", "titel.ontbreekt"),
        (replace(GOOD, titel=None), NAMELESS, "titel.onbekend"),
        (replace(GOOD, publisher=None), "besluit.pdf", "publisher.ontbreekt"),
        (replace(GOOD, informatiecategorieen=[]), "besluit.pdf", "informatiecategorie.ontbreekt"),
        (replace(GOOD, handelingen=[]), "besluit.pdf", "documenthandeling.ontbreekt"),
    ],
)
def test_what_is_missing_gives_one_finding(tmp_path: Path, diwoo: DiWoo, name: str, code: str) -> None:
    (finding,) = found_in(tmp_path / "sitemap.xml", {}, sitemap(entry(name, diwoo)).decode())
    assert finding.code == code


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("2024-05-01<", "31-02-2024<", "datum.ongeldig"),
        ("officieleTitel", "officieletitel", "sitemap.hoofdletters"),
        ("creatiedatum", "creatieDatum", "sitemap.hoofdletters"),
        ("diwoo:DiWoo>", "diwoo:diwoo>", "sitemap.hoofdletters"),
        ("creatiedatum", "creatie_datum", "metadata.element-onbekend"),
        ("soortHandeling", "soortHandelingen", "metadata.element-onbekend"),
        ("</diwoo:Document>", EXTRA.replace("namespace>", "namespaces>"), "metadata.element-onbekend"),
        ("</diwoo:Document>", EXTRA.replace("prefix>", "prefixes>"), "metadata.element-onbekend"),
        ("</diwoo:creatiedatum>", "</diwoo:creatiedatum><diwoo:creatiedatum>2020-01-01</diwoo:creatiedatum>", "metadata.dubbel"),
        ("<diwoo:titelcollectie>", "<diwoo:titelcollectie><diwoo:officieleTitel>Twee</diwoo:officieleTitel></diwoo:titelcollectie><diwoo:titelcollectie>", "metadata.dubbel"),
        ("<diwoo:documenthandelingen>", "<diwoo:trefwoorden/><diwoo:documenthandelingen>", "metadata.element-onbekend"),
        ("</diwoo:informatiecategorieen>", "</diwoo:informatiecategorieen><diwoo:trefwoorden>water</diwoo:trefwoorden>", "metadata.tekst"),
        ("<diwoo:creatiedatum>", "los<diwoo:creatiedatum>", "metadata.tekst"),
        ("https://standaarden.overheid.nl/diwoo", "http://standaarden.overheid.nl/diwoo", "metadata.naamruimte"),
        ("</diwoo:DiWoo>", "<naamOpsteller xmlns='urn:x'>Jan</naamOpsteller></diwoo:DiWoo>", "metadata.naamruimte"),
        ("diwoo:Document>", "Document>", "metadata.naamruimte"),
        ("</diwoo:Document>", "<diwoo:DiWoo><diwoo:naamOpsteller>Jan</diwoo:naamOpsteller></diwoo:DiWoo></diwoo:Document>", "metadata.dubbel"),
        ("</diwoo:Document>", "<m:MDTO xmlns:m='https://www.nationaalarchief.nl/mdto'/></diwoo:Document>", "metadata.mdto"),
        ("<diwoo:creatiedatum>2024-05-01<", "<diwoo:creatiedatum><", "creatiedatum.ontbreekt"),
        ("<diwoo:creatiedatum>2024-05-01<", "<diwoo:creatiedatum>2024-05-01T10:00:00<", "metadata.schema"),
        ("<diwoo:creatiedatum>", "<diwoo:creatiedatum soort='x'>", "metadata.schema"),
        ("<diwoo:atTime>2024-05-01T10:00:00</diwoo:atTime>", "", "metadata.schema"),
        ("</diwoo:DiWoo>", "<diwoo:language resource='x:y'>Klingon</diwoo:language></diwoo:DiWoo>", "waarde.label-onbekend"),
    ],
)  # fmt: skip
def test_a_mistake_gives_one_finding(tmp_path: Path, before: str, after: str, code: str) -> None:
    (finding,) = found_in(tmp_path / "sitemap.xml", {before: after})
    assert finding.code == code


def test_faults_that_no_finding_is_about_stay_and_wrong_namespaces_are_one(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    text = "<x:opsteller xmlns:x='urn:x'/><x:language xmlns:x='urn:x'/><diwoo:aggregatiekenmerk a='b'/>"
    findings = found_in(path, {"</diwoo:DiWoo>": text + "</diwoo:DiWoo>"})
    assert [(finding.code, finding.element) for finding in findings] == [
        ("metadata.naamruimte", "DiWoo/opsteller"),
        ("metadata.schema", "DiWoo/aggregatiekenmerk"),
    ]
