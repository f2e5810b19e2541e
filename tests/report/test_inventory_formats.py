from __future__ import annotations

import json
from pathlib import Path

from lxml import html

from tests.report.test_inventory import APRIL, HOST, finding, rows, run
from woo_harvester.report.html.environment import policy
from woo_harvester.report.inventory import read_inventory
from woo_harvester.report.inventory_formats import as_html, as_json, terminal_lines
from woo_harvester.report.run_folder import ReportsFolder


def test_the_page_says_what_to_fix_and_escapes_texts_of_publishers(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    run(tmp_path, 1, finding(organisation=evil, seen=evil, line=7, element="owmskern/title"))
    text = as_html(read_inventory(ReportsFolder(tmp_path), *APRIL))
    assert evil not in text
    page = html.document_fromstring(text)
    assert page.xpath("//h2/text()") == [evil]
    (item,) = page.xpath("//li")
    assert "regel 7, owmskern/title" in item.text_content()
    assert item.text_content().count(evil) == 1


def test_no_text_is_a_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(organisation="=HYPERLINK(1)"))
    assert rows(tmp_path)[0]["organisatie"] == "'=HYPERLINK(1)"


def test_json_has_every_case(tmp_path: Path) -> None:
    run(tmp_path, 1, *(finding(file=f"{number}.xml", line=number) for number in range(30)))
    inventory = read_inventory(ReportsFolder(tmp_path), *APRIL)
    (organisation,) = json.loads(as_json(inventory))["organisaties"]
    assert len(organisation["fouten"][0]["gevallen"]) == 30
    assert organisation["fouten"][0]["gevallen"][1] == {
        "url": f"https://{HOST}/xml/1.xml",
        "since": "2026-04-01T12:00:00+02:00",
        "last": "2026-04-01T12:00:00+02:00",
        "line": 1,
    }
    assert "en nog 10" in as_html(inventory)


def test_the_worst_comes_first(tmp_path: Path) -> None:
    few, many = (
        finding(organisation="Weinig"),
        [finding(file=f"{n}.xml", organisation="Veel") for n in range(3)],
    )
    run(tmp_path, 1, few, *many, finding("ipm.datum-nu", organisation="Veel"))
    assert [
        line.split(",")[0] for line in terminal_lines(read_inventory(ReportsFolder(tmp_path), *APRIL))
    ] == [
        "Veel",
        "  ipm.schema                      3 gevallen",
        "  ipm.datum-nu                    1 gevallen",
        "Weinig",
        "  ipm.schema                      1 gevallen",
    ]


def test_the_page_has_the_policy_and_the_style_of_the_report_and_needs_no_other_files(tmp_path: Path) -> None:
    run(tmp_path, 1, finding())
    page = html.document_fromstring(as_html(read_inventory(ReportsFolder(tmp_path), *APRIL)))
    assert page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content") == [policy()]
    assert page.xpath("//*[@src] | //link | //*[@style]") == []
    assert page.findtext(".//h1") == page.findtext(".//title")


def test_the_page_writes_numbers_and_days_as_dutch_does(tmp_path: Path) -> None:
    run(tmp_path, 1, *(finding(file=f"{number}.xml", line=1234) for number in range(1001)))
    run(tmp_path, 2)
    page = html.document_fromstring(as_html(read_inventory(ReportsFolder(tmp_path), *APRIL)))
    cells = [(each.get("data-l"), each.text) for each in page.xpath("//tbody/tr/td")]
    assert cells == [
        ("sinds", "01-04-2026 12:00"),
        ("gevallen", "1.001"),
        ("open", "0"),
        ("hersteld", "02-04-2026 13:00"),
    ]
    assert "van 01-04-2026 tot en met 30-04-2026, in 2 rondes" in page.text_content()
    assert "regel 1.234" in page.xpath("//li")[0].text_content()


def test_an_error_that_is_not_fixed_has_no_moment_of_that(tmp_path: Path) -> None:
    run(tmp_path, 1, finding())
    page = html.document_fromstring(as_html(read_inventory(ReportsFolder(tmp_path), *APRIL)))
    assert [(each.get("data-l"), each.text) for each in page.xpath("//td[contains(@class, 'fixed')]")] == [
        (None, None)
    ]
