from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.report.runs import HOST, about_document, about_host, read, write_run
from woo_harvester.findings import Finding, Language, Severity, explain
from woo_harvester.report import audit_formats as module
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.audit_formats import junit, sarif
from woo_harvester.utils.program import VERSION


def junit_of(folder: Path, lang: Language) -> str:
    finding = about_document("loc.ongeldig", url="x", seen="x")
    run = write_run(folder / "woo-1", [read(harvested=1, findings=[finding])], [finding])
    assemble_report(run, lang=lang)
    return junit(run, frozenset({Severity.ERROR}))


def log(folder: Path, *findings: Finding, lang: Language = "nl") -> dict[str, Any]:
    """The only run of the log."""
    run = write_run(folder / "woo-1", [read(harvested=1, findings=findings)], findings)
    assemble_report(run)
    made = json.loads(sarif(run, lang))
    assert made["version"] == "2.1.0"
    [only] = made["runs"]
    assert isinstance(only, dict)
    return only


SENTENCES = {
    "nl": "Het gaat om {url} (in https://www.a.nl/api/sitemap/2025/5.xml), regel 7. Het element is loc."
    " De harvester deed daarmee dit: overgeslagen.",
    "en": "It is about {url} (in https://www.a.nl/api/sitemap/2025/5.xml), line 7. The element is loc."
    " The harvester did this with it: skipped.",
}


SOURCE = {"nl": "De regel staat in: {}.", "en": "The rule is in: {}."}


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        (
            "nl",
            [
                'name="documenten"',
                "1 van de 2 documenten wordt geoogst",
                "Fout: De &lt;loc&gt;",
                "Dit is één keer gevonden.",
                "Het gaat om x (in https://www.a.nl/api/sitemap/2025/5.xml), regel 1.",
            ],
        ),
        (
            "en",
            [
                'name="documents"',
                "1 of the 2 documents is harvested",
                "Error: The &lt;loc&gt;",
                "This was found once.",
                "It is about x (in https://www.a.nl/api/sitemap/2025/5.xml), line 1.",
            ],
        ),
    ],
)
def test_all_of_it_is_in_one_language(lang: Language, expected: list[str], tmp_path: Path) -> None:
    text = junit_of(tmp_path, lang)
    assert [part for part in expected if part not in text] == []


def test_a_host_with_a_document_that_is_lost_fails(tmp_path: Path) -> None:
    suite = etree.fromstring(junit_of(tmp_path, "nl")).find("testsuite")
    assert suite is not None
    assert dict(suite.attrib) == {
        "name": HOST,
        "tests": "2",
        "failures": "2",
        "errors": "0",
        "skipped": "0",
    }
    assert [dict(case.attrib) for case in suite] == [
        {"name": "documenten", "classname": HOST, "time": "0"},
        {"name": "loc.ongeldig", "classname": HOST, "time": "0"},
    ]
    lost, wrong = suite.iter("failure")
    message = "1 van de 2 documenten wordt geoogst."
    assert dict(lost.attrib) == {"message": message, "type": "documenten"}
    assert suite.findtext("testcase/system-out") == message
    assert wrong.get("type") == "error"


# The findings of an audit as SARIF, for code hosts.
@pytest.mark.parametrize("lang", ["nl", "en"])
def test_a_finding_is_a_result_at_its_sitemap_and_line(tmp_path: Path, lang: Language) -> None:
    url = "https://www.a.nl/een twee.pdf"
    finding = about_document(
        "loc.ongeldig", number=7, url=url, element="loc", seen=url, action="overgeslagen"
    )
    made = log(tmp_path, finding, lang=lang)
    explained = explain("loc.ongeldig", lang)
    assert made["language"] == lang
    assert made["columnKind"] == "unicodeCodePoints"
    assert made["results"] == [
        {
            "ruleId": "loc.ongeldig",
            "level": "error",
            "message": {"text": f"{explained.what} {SENTENCES[lang].format(url=url)} {explained.mend}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "https://www.a.nl/api/sitemap/2025/5.xml"},
                        "region": {"startLine": 7},
                    }
                }
            ],
        }
    ]
    assert made["tool"]["driver"]["version"] == VERSION
    assert made["tool"]["driver"]["rules"] == [
        {
            "id": "loc.ongeldig",
            "shortDescription": {"text": explained.what},
            "fullDescription": {"text": f"{explained.why} {SOURCE[lang].format(explained.source)}"},
            "help": {"text": explained.mend},
            "defaultConfiguration": {"level": "error"},
        }
    ]


@pytest.mark.parametrize(
    ("finding", "uri"),
    [
        (about_host("robots.te-groot", url="https://www.a.nl/een twee.txt?a=b#c"), "een%20twee.txt?a=b#c"),
        (about_host("robots.te-groot", url=None), HOST),
    ],
)
def test_a_finding_without_sitemap_is_at_its_url_or_host(tmp_path: Path, finding: Finding, uri: str) -> None:
    [result] = log(tmp_path, finding)["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"].removeprefix("https://www.a.nl/") == uri
    assert "region" not in location


def test_errors_come_first_and_findings_about_no_host_are_left_out(tmp_path: Path) -> None:
    made = log(
        tmp_path,
        about_document("creatiedatum.ontbreekt"),
        about_document("titel.ontbreekt"),
        Finding(code="register.url-ongeldig", seen="geen"),
        about_document("loc.geen-https"),
        about_document("titel.ontbreekt", number=2),
    )
    assert [(result["ruleId"], result["level"]) for result in made["results"]] == [
        ("loc.geen-https", "error"),
        ("titel.ontbreekt", "warning"),
        ("titel.ontbreekt", "warning"),
        ("creatiedatum.ontbreekt", "note"),
    ]
    rules = [rule["id"] for rule in made["tool"]["driver"]["rules"]]
    assert rules == ["creatiedatum.ontbreekt", "loc.geen-https", "titel.ontbreekt"]


def test_only_as_many_results_as_a_code_host_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_RESULTS", 2)
    findings = [about_document("titel.ontbreekt", number=number) for number in range(1, 4)]
    made = log(tmp_path, *findings, about_document("loc.geen-https"))
    assert [result["ruleId"] for result in made["results"]] == ["loc.geen-https", "titel.ontbreekt"]


def test_a_finding_that_costs_less_at_a_host_is_a_note(tmp_path: Path) -> None:
    (result,) = log(tmp_path, about_host("register.domein-ontbreekt", lowered_to=Severity.INFO))["results"]
    assert result["level"] == "note"


def test_a_finding_that_the_report_leaves_out_is_no_result(tmp_path: Path) -> None:
    made = log(tmp_path, about_host("index.naam"), about_host("robots.geen-diwoo-index"))
    assert [result["ruleId"] for result in made["results"]] == ["index.naam"]
