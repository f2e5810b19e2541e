"""The report in a real browser: opened from its file, used with a keyboard, checked by axe-core."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.conftest import skip_or_fail
from tests.report.coverages import HOSTS, registered, run_with_each_gap
from tests.report.runs import HOST, ORGANISATION, about_document, about_host, read, write_run
from woo_harvester.findings import Finding
from woo_harvester.report.funnel import Account
from woo_harvester.report.html.page import ONE_PAGE_HOSTS
from woo_harvester.report.outputs import make_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.integration

Scheme = Literal["light", "dark"]
SMALL, LARGE = 320, 1280
#: Elements without a violation are checked, and not described, which takes most of the time.
AXE = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; nothing is downloaded."""
    found = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    executable = next(filter(None, found), None)
    if executable is None:
        skip_or_fail("needs a browser: apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Root, as in a container, has no sandbox.
        started = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield started
        started.close()


def publishers(number: int) -> tuple[list[Account], list[Finding]]:
    """Hosts of every kind: well, with faults, unreachable, without organisation, shared."""
    seen = "http://www.a.nl/documenten/jaarverslag van de gemeente.pdf"
    faults = [
        about_document("loc.geen-https", url=seen, seen=seen),
        about_document("titel.ontbreekt", number=2, element="titelcollectie/officieleTitel"),
        about_document("lastmod.ongeldig", number=3, seen="vorige week dinsdag"),
        about_document("creatiedatum.ontbreekt", number=4),
        about_document("loc.ongeldig", number=5, url="javascript:alert(1)", seen="x" * 400),
    ]
    shared = [about_host("sitemap.naamruimte", host=host, seen="urn:x") for host in (HOST, "www.c.nl")]
    missing = about_host("robots.ontbreekt", host="www.b.nl:8443")
    well = read("www.c.nl", harvested=3)
    well.organisations = [ORGANISATION, {"id": "2", "name": "Waterschap Vallei en Veluwe"}]
    accounts = [
        read(harvested=7, unchanged=2, findings=faults),
        Account("www.b.nl:8443", visited=True, complete=False),
        well,
        *(read(f"open.gemeente-{each}.nl", harvested=each % 5 + 1) for each in range(number - 3)),
    ]
    return accounts, [*faults, *shared, missing, Finding(code="register.onbereikbaar")]


def coverage_of_many(folder: Path) -> Path:
    """The page of coverage of a register with many organisations without a location, and long addresses."""
    without = [registered(f"Stichting {number}", kind="rwt") for number in range(40)]
    long = registered(
        "Regionale uitvoeringsdienst", f"https://lang.nl/zoek?q={'x' * 400}", "https://lang.nl/b"
    )
    hosts = {**HOSTS, "lang.nl": ("tls.ongeldig", "het certificaat is verlopen")}
    run = run_with_each_gap(folder, hosts, *without, long)
    make_report(run)
    return run.coverage_page


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of one host, of several, and an overview with a page for each host; with runs before them."""
    made = {}
    for name, number in (("several", 12), ("many", ONE_PAGE_HOSTS + 5)):
        folder = tmp_path_factory.mktemp(name)
        accounts, findings = publishers(number)
        make_report(write_run(folder / "woo-1", accounts, findings[2:]))
        make_report(write_run(folder / "woo-2", accounts, findings[:-2]))
        made[name] = make_report(write_run(folder / "woo-3", accounts, findings))
    made["host"] = made["many"].parent / "hosts" / f"{HOST}.html"
    folder = tmp_path_factory.mktemp("one")
    accounts, findings = publishers(3)
    own = [found for found in findings if found.host == HOST]
    made["one"] = make_report(write_run(folder / "woo-1", accounts[:1], own), history=False)
    english = tmp_path_factory.mktemp("english")
    for day in ("21", "22"):
        coverage = coverage_of_many(tmp_path_factory.mktemp("coverage") / f"woo-{day}")
    made["coverage"] = coverage
    made["english"] = make_report(write_run(english / "woo-1", accounts, findings), lang="en", history=False)
    return made


NAMES = ["one", "several", "many", "host", "english", "coverage"]


def opened(
    browser: Browser, path: Path, width: int = LARGE, scheme: Scheme = "light"
) -> tuple[Page, list[str], list[str]]:
    """The page, with what it asks for and what it complains of."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    return page, requests, complaints


@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens_from_its_file_and_asks_for_nothing_else(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    page, requests, complaints = opened(browser, pages[name])
    assert requests == [pages[name].as_uri()]
    assert complaints == []
    page.close()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("scheme", "width"), [("light", LARGE), ("dark", LARGE), ("light", SMALL)])
def test_axe_finds_no_violation(
    browser: Browser, pages: dict[str, Path], name: str, scheme: Scheme, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page, _, _ = opened(browser, pages[name], width, scheme)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    results = Axe().run(page, options=AXE)
    assert results.violations_count == 0, results.generate_report()
    page.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_small_screen_need_not_be_scrolled_sideways(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    page, _, _ = opened(browser, pages[name], SMALL)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == SMALL
    page.close()


def test_a_keyboard_sorts_the_hosts(browser: Browser, pages: dict[str, Path]) -> None:
    page, _, _ = opened(browser, pages["several"])
    names = "[...document.querySelectorAll('#tabel-hosts tbody th')].map(each => each.textContent)"
    assert page.evaluate(names)[0] == "www.b.nl:8443"
    tab_to(page, "#tabel-hosts thead th:nth-child(1) button")
    page.keyboard.press("Enter")
    ascending = page.evaluate(names)
    assert ascending == sorted(ascending, key=natural)
    page.keyboard.press("Enter")
    assert page.evaluate(names) == ascending[::-1]
    assert page.get_attribute("#tabel-hosts thead th:nth-child(1)", "aria-sort") == "descending"
    tab_to(page, "#tabel-hosts thead th:nth-child(3) button")
    page.keyboard.press("Space")
    scores = page.evaluate(
        "[...document.querySelectorAll('#tabel-hosts tbody tr')].map(each => +each.cells[2].dataset.v)"
    )
    assert scores == sorted(scores)
    assert page.get_attribute("#tabel-hosts thead th:nth-child(1)", "aria-sort") == "none"
    page.close()


def test_a_keyboard_finds_a_host_and_opens_its_page(browser: Browser, pages: dict[str, Path]) -> None:
    page, _, _ = opened(browser, pages["many"])
    tab_to(page, "#zoek-hosts")
    page.keyboard.type("amsterdam www.a")
    assert page.locator("#tabel-hosts tbody tr:visible").count() == 1
    assert page.text_content("[role=status]") == "1 gevonden"
    tab_to(page, f"#tabel-hosts a[href='hosts/{HOST}.html']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/hosts/www.a.nl.html")
    assert page.text_content("h1") == HOST
    page.close()


def test_a_keyboard_opens_a_long_list_of_coverage_and_finds_an_organisation_in_it(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page, _, _ = opened(browser, pages["coverage"])
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
    page, _, _ = opened(browser, pages["one"])
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
    assert page.locator("#tabel-hosts thead th").first.text_content() == "Host"
    page.locator(".finding:not([open]) summary").first.click()
    assert page.locator("#zoek-hosts").count() == 0
    context.close()


def test_on_paper_every_finding_is_open(browser: Browser, pages: dict[str, Path]) -> None:
    page, _, complaints = opened(browser, pages["one"])
    page.emulate_media(media="print")
    hidden = page.locator(".finding:not([open]) .body dd").first
    assert hidden.evaluate("each => each.getBoundingClientRect().height") > 0
    assert page.locator(".skip").is_hidden()
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert complaints == []
    page.close()


def test_what_stands_on_the_page_is_its_language(browser: Browser, pages: dict[str, Path]) -> None:
    page, _, _ = opened(browser, pages["english"])
    assert page.get_attribute("html", "lang") == "en"
    assert page.title().startswith("Harvest report")
    page.close()


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(300):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not come to {selector}")


def natural(name: str) -> list[tuple[bool, int, str]]:
    """As people sort names: gemeente-2 comes before gemeente-10."""
    import re

    return [
        (not part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in re.split(r"(\d+)", name)
        if part
    ]
