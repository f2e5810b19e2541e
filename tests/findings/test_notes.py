"""Notes about one document."""

from __future__ import annotations

import pytest

from woo_harvester.findings import Finding
from woo_harvester.findings.notes import Notes

LOC = "https://www.gemeente.nl/besluit.pdf"


def test_each_note_is_a_finding_about_the_document_where_it_stands() -> None:
    findings: list[Finding] = []
    notes = Notes(
        findings.append,
        url=LOC,
        host="www.gemeente.nl",
        organisation="https://identifier.overheid.nl/tooi/id/gemeente/gm0363",
        sitemap="https://www.gemeente.nl/sitemap.xml",
        line=12,
    )
    notes("datum.ongeldig", element="creatiedatum", seen="1 april", action="weggelaten")
    assert findings == [
        Finding(
            code="datum.ongeldig",
            url=LOC,
            host="www.gemeente.nl",
            organisation="https://identifier.overheid.nl/tooi/id/gemeente/gm0363",
            sitemap="https://www.gemeente.nl/sitemap.xml",
            line=12,
            element="creatiedatum",
            seen="1 april",
            action="weggelaten",
        )
    ]


def test_each_is_reported_and_its_code_kept_once_in_order_of_appearance() -> None:
    findings: list[Finding] = []
    notes = Notes(findings.append, url=LOC)
    for code in ("titel.ontbreekt", "datum.ongeldig", "titel.ontbreekt"):
        notes(code)
    assert [finding.code for finding in findings] == ["titel.ontbreekt", "datum.ongeldig", "titel.ontbreekt"]
    assert notes.codes == ["titel.ontbreekt", "datum.ongeldig"]


def test_what_becomes_known_later_counts_for_later_notes() -> None:
    findings: list[Finding] = []
    notes = Notes(findings.append, url=LOC)
    notes("lastmod.ontbreekt")
    notes.organisation = "90000001"
    notes("titel.ontbreekt")
    assert [finding.organisation for finding in findings] == [None, "90000001"]


def test_an_unknown_code_fails_where_it_is_noted() -> None:
    with pytest.raises(ValueError, match=r"No finding 'titel\.weg'"):
        Notes(lambda _: None, url=LOC)("titel.weg")
