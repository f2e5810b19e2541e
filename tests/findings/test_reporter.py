"""The reporter that everything uses to report a finding."""

from __future__ import annotations

from typing import Any

import pytest

from woo_harvester.findings import Finding, Reporter

LOC = "https://www.gemeente.nl/besluit.pdf"


def test_a_finding_has_the_context_that_is_bound() -> None:
    findings: list[Finding] = []
    report = Reporter(
        findings.append,
        url=LOC,
        host="www.gemeente.nl",
        organisation="https://identifier.overheid.nl/tooi/id/gemeente/gm0363",
        sitemap="https://www.gemeente.nl/sitemap.xml",
        line=12,
    )
    report("datum.ongeldig", element="creatiedatum", seen="1 april", action="weggelaten")
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


def test_each_is_sent_and_its_code_kept_once_in_order_of_appearance() -> None:
    findings: list[Finding] = []
    report = Reporter(findings.append, url=LOC)
    for code in ("titel.ontbreekt", "datum.ongeldig", "titel.ontbreekt"):
        report(code)
    assert [finding.code for finding in findings] == ["titel.ontbreekt", "datum.ongeldig", "titel.ontbreekt"]
    assert report.codes == ["titel.ontbreekt", "datum.ongeldig"]


def test_context_that_is_given_with_a_code_counts_for_that_finding_only() -> None:
    findings: list[Finding] = []
    report = Reporter(findings.append, url=LOC, host="www.gemeente.nl", line=1)
    report("metadata.schema", line=5, host=None)
    report("metadata.schema")
    assert [(finding.host, finding.line) for finding in findings] == [(None, 5), ("www.gemeente.nl", 1)]


def test_the_last_error_is_kept_and_only_errors_say_since_when() -> None:
    findings: list[Finding] = []
    report = Reporter(findings.append, url=LOC, since="2026-11-01T06:00:00Z")
    report("titel.ontbreekt")
    assert report.error is None
    report("document.leeg")
    report("document.te-groot")
    assert report.error == findings[-1]
    assert [finding.since for finding in findings] == [None, "2026-11-01T06:00:00Z", "2026-11-01T06:00:00Z"]


def test_a_reporter_about_something_adds_to_the_context_and_begins_anew() -> None:
    findings: list[Finding] = []
    report = Reporter(findings.append, host="www.gemeente.nl", url="https://www.gemeente.nl/sitemap.xml")
    report("sitemap.onbereikbaar")
    about = report.about(url="", line=3)
    assert (about.codes, about.error) == ([], None)
    about("loc.ontbreekt")
    assert findings[-1] == Finding(code="loc.ontbreekt", host="www.gemeente.nl", url="", line=3)
    assert report.codes == ["sitemap.onbereikbaar"]


def test_what_a_reporter_about_something_is_not_given_it_has_from_the_first_one() -> None:
    for name in ["url", "host", "organisation", "sitemap", "line", "since"]:
        findings: list[Finding] = []
        names = ("url", "host", "organisation", "sitemap", "line", "since")
        first: dict[str, Any] = dict(zip(names, (LOC, "a", "b", "c", 1, "d"), strict=True))
        given: dict[str, Any] = {name: dict(zip(names, ("", "A", "B", "C", 2, "D"), strict=True))[name]}
        Reporter(findings.append, **first).about(**given)("document.leeg")
        assert findings == [Finding(code="document.leeg", **(first | given))], name


def test_a_finding_that_is_sent_gets_the_context_that_it_lacks() -> None:
    findings: list[Finding] = []
    report = Reporter(findings.append, url=LOC, host="www.gemeente.nl", line=1, since="2026-11-01T06:00:00Z")
    report.send(Finding(code="ipm.datum", line=7))
    report.send(Finding(code="titel.ontbreekt", host="www.a.nl"))
    assert findings == [
        Finding(code="ipm.datum", url=LOC, host="www.gemeente.nl", line=7, since="2026-11-01T06:00:00Z"),
        Finding(code="titel.ontbreekt", url=LOC, host="www.a.nl", line=1),
    ]


def test_an_unknown_code_fails_where_it_is_reported() -> None:
    with pytest.raises(ValueError, match=r"No finding 'titel\.weg'"):
        Reporter(lambda _: None, url=LOC)("titel.weg")


def test_an_element_that_is_only_misspelt_is_not_reported_as_absent() -> None:
    sent: list[Finding] = []
    report = Reporter(sent.append)
    report.absent("titel.ontbreekt", element="titelcollectie/officieleTitel", action="x")
    report.misspelt = frozenset({"titelcollectie"})
    report.absent("titel.ontbreekt", element="titelcollectie/officieleTitel", action="x")
    report.absent("creatiedatum.ontbreekt", element="creatiedatum")
    assert [(each.code, each.element, each.action) for each in sent] == [
        ("titel.ontbreekt", "titelcollectie/officieleTitel", "x"),
        ("creatiedatum.ontbreekt", "creatiedatum", None),
    ]
