"""The report in a real browser: opened from its file, used with a keyboard, checked by axe-core."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.report.runs import HOST, about_file, read_permits, write_run
from tests.utils.browser import PHONE, SMALL, opened, tab_to, violations
from tests.utils.reports import coverage_of_many, page_of_supplier, publishers, report_of_many_hosts
from woo_harvester.report.assemble import make_report
from woo_harvester.report.html.page import FIRST_ROWS, ONE_PAGE_HOSTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of one host, of several, and an overview with a page for each host; with runs before them."""
    made = {}
    for name, number in (("few", 4), ("several", 12), ("many", ONE_PAGE_HOSTS + 5)):
        folder = tmp_path_factory.mktemp(name)
        accounts, findings = publishers(number)
        make_report(write_run(folder / "woo-1", accounts, findings[2:]))
        make_report(write_run(folder / "woo-2", accounts, findings[:-2]))
        made[name] = make_report(write_run(folder / "woo-3", accounts, findings))
    made["host"] = made["many"].parents[1] / "hosts" / f"{HOST}.html"
    folder = tmp_path_factory.mktemp("one")
    accounts, findings = publishers(3)
    own = [found for found in findings if found.host == HOST]
    made["one"] = make_report(write_run(folder / "woo-1", accounts[:1], own), history=False)
    english = tmp_path_factory.mktemp("english")
    for day in ("21", "22"):
        coverage = coverage_of_many(tmp_path_factory.mktemp("coverage") / f"woo-{day}")
    made["coverage"] = coverage
    permits = [about_file("ipm.schema", f"www.{name}.nl", line=3) for name in "abc"]
    of_permits = [read_permits(each.host or "", each) for each in permits]
    made["permits"] = make_report(write_run(english / "vergunningen-1", of_permits, permits), history=False)
    made["supplier"] = page_of_supplier(tmp_path_factory.mktemp("inventory"))
    made["english"] = make_report(write_run(english / "woo-1", accounts, findings), lang="en", history=False)
    return made


#: Pages that together have each kind of part: axe takes long for each further host on a page.
NAMES = ["one", "few", "many", "host", "english", "coverage", "supplier", "permits"]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_asks_for_nothing_else_and_is_accessible_in_both_colours_and_at_each_width(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    page, requests, complaints = opened(browser, pages[name].as_uri())
    assert requests == [pages[name].as_uri()]
    assert violations(page) == ""
    page.emulate_media(color_scheme="dark")
    assert violations(page) == "", "dark"
    page.emulate_media(color_scheme="light")
    for width in (PHONE, SMALL):
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()
        assert width == SMALL or violations(page) == "", width
        assert_fits(page, width)
    assert complaints == []
    page.close()


def assert_fits(page: Page, width: int) -> None:
    """The page need not be scrolled sideways, nor any table on it."""
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    tables = "[...document.querySelectorAll('.scroll')].filter(each => each.scrollWidth > each.clientWidth)"
    assert page.evaluate(f"{tables}.length") == 0, width


def test_on_a_phone_a_host_is_a_card_with_its_score_first(browser: Browser, pages: dict[str, Path]) -> None:
    page, _, _ = opened(browser, pages["several"].as_uri(), PHONE)
    card = page.locator("#tabel-hosts tbody tr").nth(1)
    assert card.inner_text().split("\n")[0] == card.locator(".points").text_content()
    boxes = [each.bounding_box() for each in card.locator("th, td").all()]
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE for box in boxes)
    score, name, organisation = boxes[:3]
    assert score is not None
    assert name is not None
    assert organisation is not None
    assert score["x"] + score["width"] <= name["x"]
    assert name["y"] < organisation["y"]
    label = "each => getComputedStyle(each, '::before').content"
    assert card.locator("td[data-l]").first.evaluate(label) == '"vermeld "'
    page.locator("#tabel-hosts thead button").first.click()
    assert page.get_attribute("#tabel-hosts thead th:nth-child(1)", "aria-sort") == "ascending"
    page.close()


def test_the_report_of_a_register_is_short_and_its_filter_searches_all_hosts(
    browser: Browser, tmp_path: Path
) -> None:
    path = report_of_many_hosts(tmp_path, 900, days=1)
    page, _, complaints = opened(browser, path.as_uri())
    height = "document.documentElement.scrollHeight"
    assert page.evaluate(height) < 10_000
    rows = page.locator("#tabel-hosts tbody tr")
    assert (rows.count(), page.locator("#tabel-hosts tbody tr:visible").count()) == (900, FIRST_ROWS)
    line = page.locator(".more")
    assert line.locator("button, span").all_text_contents() == ["Toon alle 900", "De eerste 50 van 900"]
    page.fill("#zoek-hosts", "ede")
    assert page.text_content("[role=status]") == "129 gevonden"
    assert page.locator("#tabel-hosts tbody tr:visible").count() == FIRST_ROWS
    page.fill("#zoek-hosts", "sudwest FRYSLAN 898")
    assert page.locator("#tabel-hosts tbody tr:visible").count() == 1
    assert line.is_hidden()
    page.fill("#zoek-hosts", "")
    page.locator("#tabel-hosts thead button").first.press("Enter")
    page.locator("#tabel-hosts thead button").first.press("Enter")
    assert set(page.locator("#tabel-hosts tbody tr:visible .points").all_text_contents()) == {"100"}
    assert page.locator("#tabel-hosts tbody tr:visible").count() == FIRST_ROWS
    line.locator("button").press("Enter")
    assert page.locator("#tabel-hosts tbody tr:visible").count() == 900
    assert page.evaluate("document.activeElement.closest('tr').rowIndex") == FIRST_ROWS + 1
    assert line.is_hidden()
    page.set_viewport_size({"width": PHONE, "height": 844})
    page.reload()
    assert page.evaluate(height) < 20_000
    assert complaints == []
    page.close()


def test_a_keyboard_sorts_the_hosts(browser: Browser, pages: dict[str, Path]) -> None:
    page, _, _ = opened(browser, pages["several"].as_uri())
    names = "[...document.querySelectorAll('#tabel-hosts tbody th')].map(each => each.textContent)"
    assert page.evaluate(names)[0] == "www.b.nl:8443"
    tab_to(page, "#tabel-hosts thead th:nth-child(2) button")
    page.keyboard.press("Enter")
    ascending = page.evaluate(names)
    assert ascending == sorted(ascending, key=natural)
    page.keyboard.press("Enter")
    assert page.evaluate(names) == ascending[::-1]
    assert page.get_attribute("#tabel-hosts thead th:nth-child(2)", "aria-sort") == "descending"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    scores = page.evaluate(
        "[...document.querySelectorAll('#tabel-hosts tbody tr')].map(each => +each.cells[0].dataset.v)"
    )
    assert scores == sorted(scores)
    assert page.get_attribute("#tabel-hosts thead th:nth-child(2)", "aria-sort") == "none"
    page.close()


def test_a_keyboard_finds_a_host_and_opens_its_page(browser: Browser, pages: dict[str, Path]) -> None:
    page, _, _ = opened(browser, pages["many"].as_uri())
    tab_to(page, "#zoek-hosts")
    page.keyboard.type("amsterdam www.a")
    assert page.locator("#tabel-hosts tbody tr:visible").count() == 1
    assert page.text_content("[role=status]") == "1 gevonden"
    tab_to(page, f"#tabel-hosts a[href='../hosts/{HOST}.html']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/hosts/www.a.nl.html")
    assert page.text_content("h1") == HOST
    page.close()


def test_a_keyboard_opens_a_long_list_of_coverage_and_finds_an_organisation_in_it(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page, _, _ = opened(browser, pages["coverage"].as_uri())
    tab_to(page, "#no_location summary")
    page.keyboard.press("Enter")
    tab_to(page, "#zoek-no_location")
    page.keyboard.type("rwt 39")
    assert page.locator("#tabel-no_location tbody tr:visible").count() == 1
    assert page.locator("#tabel-no_location tbody tr:visible th").text_content() == "Stichting 39"
    tab_to(page, "header.page a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/index.html")
    assert page.locator("a[href='coverage.html']").count() == 1
    page.close()


def test_a_keyboard_skips_to_the_content_and_opens_a_finding(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page, _, _ = opened(browser, pages["one"].as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "inhoud"
    tab_to(page, ".finding:not([open]) summary")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open")
    page.close()


def test_without_its_script_everything_is_there(browser: Browser, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["several"].as_uri())
    assert page.locator("#tabel-hosts tbody tr").count() == 12
    assert page.locator("#tabel-hosts thead th").first.text_content() == "Score"
    page.locator(".finding:not([open]) summary").first.click()
    assert page.locator("#zoek-hosts").count() == 0
    page.goto(pages["many"].as_uri())
    assert page.locator("#tabel-hosts tbody tr:visible").count() == ONE_PAGE_HOSTS + 5
    assert page.locator(".more").count() == 0
    context.close()


@pytest.mark.parametrize("script", [True, False])
def test_on_paper_every_finding_is_open_and_every_host_begins_a_page(
    browser: Browser, pages: dict[str, Path], script: bool
) -> None:
    from pypdfium2 import PdfDocument

    context = browser.new_context(java_script_enabled=script)
    page = context.new_page()
    page.goto(pages["several"].as_uri())
    with PdfDocument(page.pdf(format="A4")) as document:
        paper = [sheet.get_textpage().get_text_range() for sheet in document]
    first_lines = [sheet.splitlines()[0].strip() for sheet in paper]
    names = page.locator("article.host h2").all_text_contents()
    assert len(names) == 12
    assert [name for name in names if first_lines.count(name) != 1] == []
    findings = page.locator(".finding").count()
    assert findings > 5
    assert "".join(paper).count("Waarom dit telt") == findings
    assert "Direct naar de inhoud" not in "".join(paper)
    context.close()


def test_paper_has_all_hosts_of_a_long_table_and_its_head_on_each_page(
    browser: Browser, pages: dict[str, Path]
) -> None:
    from pypdfium2 import PdfDocument

    page, _, complaints = opened(browser, pages["many"].as_uri())
    assert page.locator("#tabel-hosts tbody tr:visible").count() == FIRST_ROWS
    page.emulate_media(media="print")
    assert page.locator("#tabel-hosts tbody tr:visible").count() == ONE_PAGE_HOSTS + 5
    assert page.locator(".more").is_hidden()
    with PdfDocument(page.pdf(format="A5")) as document:
        paper = [sheet.get_textpage().get_text_range() for sheet in document]
    rows = [sheet for sheet in paper if sheet.count("Amsterdam") > 5]
    assert len(rows) > 1
    assert [sheet for sheet in rows if "Organisatie" not in sheet] == []
    assert complaints == []
    page.close()


def test_what_stands_on_the_page_is_its_language(browser: Browser, pages: dict[str, Path]) -> None:
    page, _, _ = opened(browser, pages["english"].as_uri())
    assert page.get_attribute("html", "lang") == "en"
    assert page.title().startswith("Harvest report")
    page.close()


def natural(name: str) -> list[tuple[bool, int, str]]:
    """As people sort names: gemeente-2 comes before gemeente-10."""
    import re

    return [
        (not part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in re.split(r"(\d+)", name)
        if part
    ]
