from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lxml import html

from tests.report.test_inventory import APRIL, HOST, finding, rows, run
from woo_harvester.report.html.page import policy
from woo_harvester.report.inventory import Inventory, read_inventory
from woo_harvester.report.inventory_formats import as_csv, as_html, as_json, supplier_page, terminal_lines
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
        "sinds": "2026-04-01T12:00:00+02:00",
        "laatst": "2026-04-01T12:00:00+02:00",
        "regel": 1,
    }
    assert "en nog 10" in as_html(inventory)


def test_the_worst_comes_first(tmp_path: Path) -> None:
    few, many = (
        finding(organisation="Weinig"),
        [finding(file=f"{n}.xml", organisation="Veel") for n in range(3)],
    )
    run(tmp_path, 1, few, *many, finding("ipm.datum-nu", organisation="Veel"))
    lines = [*terminal_lines(read_inventory(ReportsFolder(tmp_path), *APRIL), Path("map"))]
    assert [line.split(",")[0] for line in lines] == [
        "Wat de harvester vond van 01-04-2026 tot en met 30-04-2026",
        f"Leverancier: {HOST}",
        "  Veel",
        "    ipm.schema                      3 gevallen",
        "    ipm.datum-nu                    1 geval",
        "  Weinig",
        "    ipm.schema                      1 geval",
        "Als HTML",
    ]
    assert lines[4].endswith("1 geval, 1 open, sinds 01-04-2026 12:00"), (
        "with the dates of the period and the pages"
    )


def test_the_page_has_the_policy_and_the_style_of_the_report_and_needs_no_other_files(tmp_path: Path) -> None:
    run(tmp_path, 1, finding())
    page = html.document_fromstring(as_html(read_inventory(ReportsFolder(tmp_path), *APRIL)))
    assert page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content") == [policy()]
    assert page.xpath("//*[@src] | //link | //*[@style]") == []
    assert page.findtext(".//h1") == page.findtext(".//title")
    (fixed,) = page.xpath("//td[contains(@class, 'fixed')]")
    assert (fixed.get("data-l"), fixed.text) == (None, None), "since the error is not fixed"


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


def two_suppliers(folder: Path, **given: Any) -> Inventory:
    """Return the inventory of two organisations, each with a supplier of its own."""
    own = finding("ipm.ongeldig", organisation="Dorp", seen="Start tag expected, '<' not found", line=3)
    run(folder, 1, own, *(finding(file=f"{number}.xml", organisation="Stad") for number in range(30)))
    return read_inventory(
        ReportsFolder(folder), *APRIL, supplier_of=lambda one, name, host: f"Bedrijf {one}", **given
    )


def test_the_page_of_a_supplier_says_all_of_its_errors_and_nothing_of_others(tmp_path: Path) -> None:
    inventory = two_suppliers(tmp_path)
    stad, dorp = inventory.suppliers
    text = supplier_page(inventory, stad, "beheer@voorbeeld.nl")
    page = html.document_fromstring(text)
    assert page.findtext(".//h1") == "Fouten in vergunningen: Bedrijf Stad"
    assert len(page.xpath("//li")) == 30, "with all files, since it is sent alone"
    assert "Vragen over dit overzicht: beheer@voorbeeld.nl" in page.text_content()
    assert "Dorp" not in text
    assert "JSON" not in text
    assert "Vragen over" not in supplier_page(inventory, dorp)


def test_the_complete_page_leads_to_the_page_of_each_supplier(tmp_path: Path) -> None:
    inventory = two_suppliers(tmp_path)
    page = html.document_fromstring(as_html(inventory, {"Bedrijf Stad": "a.html", "Bedrijf Dorp": "b.html"}))
    assert [(each.text, each.get("href")) for each in page.xpath("//table//th/a")] == [
        ("Bedrijf Stad", "a.html"),
        ("Bedrijf Dorp", "b.html"),
    ]
    assert html.document_fromstring(as_html(inventory)).xpath("//table//th/a") == []


def test_the_json_groups_by_supplier_too(tmp_path: Path) -> None:
    found = json.loads(as_json(two_suppliers(tmp_path)))["leveranciers"]
    assert [each["leverancier"] for each in found] == ["Bedrijf Stad", "Bedrijf Dorp"]
    assert [len(each["organisaties"]) for each in found] == [1, 1]
    assert found[0]["organisaties"][0]["fouten"][0]["gevallen"] == 30


def test_everything_is_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    inventory = two_suppliers(tmp_path, lang="en")
    (header, *_) = as_csv(inventory).splitlines()
    assert header.replace('"', "") == "organisation,name,code,severity,what,since,cases,open,fixed,supplier"
    forms = [as_csv(inventory), as_json(inventory), as_html(inventory)]
    forms += [
        supplier_page(inventory, inventory.suppliers[0]),
        "\n".join(terminal_lines(inventory, tmp_path)),
    ]
    for form in forms:
        for word in ("gevallen", "sinds", "fout", "leverancier", "organisatie", "rondes", "regel", "bericht"):
            assert word not in form.lower(), word
    assert 'lang="en"' in as_html(inventory)


def test_no_english_is_in_the_dutch_forms(tmp_path: Path) -> None:
    inventory = two_suppliers(tmp_path)
    for form in (as_csv(inventory), as_json(inventory), "\n".join(terminal_lines(inventory, tmp_path))):
        for word in ("error", "since", "cases", "fixed", "supplier", "until", "runs", '"line"', '"seen"'):
            assert word not in form, word
