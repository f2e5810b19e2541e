from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from tests.report.runs import HOST, about_document, read, write_run
from woo_harvester.findings import Language, Severity
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.junit import junit


def junit_of(folder: Path, lang: Language) -> str:
    finding = about_document("loc.ongeldig", url="x", seen="x")
    run = write_run(folder / "woo-1", [read(harvested=1, findings=[finding])], [finding])
    assemble_report(run, lang=lang)
    return junit(run, frozenset({Severity.ERROR}))


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        (
            "nl",
            [
                'name="documenten"',
                "1 van de 2 documenten wordt geoogst",
                "Fout: De &lt;loc&gt;",
                "(1 keer)",
                "x (in https://www.a.nl/api/sitemap/2025/5.xml), regel 1",
            ],
        ),
        (
            "en",
            [
                'name="documents"',
                "1 of the 2 documents is harvested",
                "Error: The &lt;loc&gt;",
                "(1 time)",
                "x (in https://www.a.nl/api/sitemap/2025/5.xml), line 1",
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
