"""The portal's pages in a real browser: by keyboard, without script, on paper, checked by axe-core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.portal.records import LOC, OTHER, bare, full, withdrawn
from tests.utils.browser import LARGE, SMALL, Scheme, tab_to, violations
from tests.utils.portals import portal_over
from woo_harvester.utils.urls import record_id

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.integration

LONG = "Besluit-over-de-" + "zeer" * 40 + " lange titel"

PATHS = {
    "start": "/",
    "search": "/?q=besluit",
    "chosen": "/?q=stikstof&organisatie=https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
    "&openbaarmakingsdatum_van=2024-01-01",
    "nothing": "/?q=nietsvandit&thema=x",
    "document": f"/document/{record_id(LOC)}",
    "bare document": f"/document/{record_id(OTHER)}",
    "withdrawn": f"/document/{record_id('https://www.amsterdam.nl/weg.pdf')}",
    "organisation": "/organisatie/gemeente/gm0363",
    "organisations": "/organisaties",
    "category": "/categorie/c_99a836c7",
    "not found": "/niets",
    "wrong": "/?sorteer=duurste",
}


#: Pages that together have each kind of part: colours and layout need no more.
WITH_ALL_KINDS_OF_PARTS = ("start", "chosen", "document", "organisations")


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    many = [bare(f"https://www.amsterdam.nl/{number}.pdf", f"Besluit {number}") for number in range(25)]
    records = [full(), bare(), withdrawn(), bare("https://www.amsterdam.nl/" + "x" * 200, LONG), *many]
    with portal_over(records, tmp_path_factory.mktemp("portal")) as address:
        yield address


def opened(
    browser: Browser, url: str, width: int = LARGE, scheme: Scheme = "light"
) -> tuple[Page, list[str]]:
    """The page, with what it complains of."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(url)
    return page, [each for each in complaints if "the server responded with a status of 4" not in each]


@pytest.mark.parametrize("name", PATHS)
def test_a_page_asks_for_its_style_and_for_nothing_from_elsewhere(
    browser: Browser, portal: str, name: str
) -> None:
    page = browser.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(portal + PATHS[name])
    own = [url.removeprefix(portal) for url in requests[1:] if not url.endswith("/favicon.ico")]
    assert [url[:7] for url in own] == ["/stijl-"]
    assert page.evaluate("getComputedStyle(document.querySelector('header.site')).borderBottomWidth") == "3px"
    page.close()


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [
        *((name, "light", LARGE) for name in PATHS),
        *((name, "dark", LARGE) for name in WITH_ALL_KINDS_OF_PARTS),
        *((name, "light", SMALL) for name in WITH_ALL_KINDS_OF_PARTS),
    ],
)
def test_axe_finds_no_violation(browser: Browser, portal: str, name: str, scheme: Scheme, width: int) -> None:
    page, complaints = opened(browser, portal + PATHS[name], width, scheme)
    assert violations(page) == ""
    assert complaints == []
    page.close()


@pytest.mark.parametrize("name", PATHS)
def test_a_small_screen_need_not_be_scrolled_sideways(browser: Browser, portal: str, name: str) -> None:
    page, _ = opened(browser, portal + PATHS[name], SMALL)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == SMALL
    page.close()


@pytest.mark.parametrize("script", [True, False])
def test_a_keyboard_alone_searches_chooses_a_filter_and_opens_a_document(
    browser: Browser, portal: str, script: bool
) -> None:
    context = browser.new_context(java_script_enabled=script)
    page = context.new_page()
    page.goto(portal)
    page.keyboard.press("Tab")
    assert page.locator(":focus").text_content() == "Direct naar de inhoud"
    tab_to(page, "#q") if script else page.focus("#q")
    page.keyboard.type("stikstof")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=stikstof")
    assert page.text_content("#gevonden") == "1 document"
    choice = "#filters .counts a[href*='documentsoort']"
    tab_to(page, choice) if script else page.focus(choice)
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=stikstof&documentsoort=**")
    assert "Documentsoort: Convenant" in str(page.text_content(".chosen"))
    tab_to(page, ".hit a") if script else page.focus(".hit a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/document/*")
    assert "Convenant over stikstof" in str(page.text_content("h1"))
    context.close()


def test_the_focus_is_always_to_be_seen(browser: Browser, portal: str) -> None:
    page, _ = opened(browser, portal + PATHS["chosen"])
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(outline) != "none", page.evaluate("document.activeElement.outerHTML")
    page.close()


def test_forms_narrow_a_search_and_keep_the_rest(browser: Browser, portal: str) -> None:
    page, _ = opened(browser, portal + "/?q=besluit")
    page.select_option("#volgorde", "titel")
    page.fill("#van", "2024-01-01")
    page.click("text=Toepassen")
    page.wait_for_url("**/?q=besluit&openbaarmakingsdatum_van=2024-01-01&**")
    assert page.input_value("#volgorde") == "titel"
    assert page.input_value("#van") == "2024-01-01"
    page.fill("#q", "kaart")
    page.click("form[role=search] button")
    page.wait_for_url("**/?q=kaart&openbaarmakingsdatum_van=2024-01-01&sorteer=titel")
    page.close()


def test_on_paper_a_document_is_complete_and_a_search_has_no_filters(browser: Browser, portal: str) -> None:
    from pypdfium2 import PdfDocument

    def paper(path: str) -> str:
        page, _ = opened(browser, portal + path)
        with PdfDocument(page.pdf(format="A4")) as document:
            text = " ".join(sheet.get_textpage().get_text_range() for sheet in document)
        page.close()
        return " ".join(text.split())

    document = paper(PATHS["document"])
    for shown in ("Convenant over stikstof", LOC, "Zo kan het beter", "wijk", "Noord", "Geoogst"):
        assert shown in document, document
    assert "Direct naar de inhoud" not in document
    search = paper(PATHS["search"])
    assert "Besluit" in search
    assert "Toepassen" not in search
    assert "Organisaties" not in search


def test_every_page_is_in_dutch_and_has_one_heading_of_its_own(browser: Browser, portal: str) -> None:
    seen = []
    for path in PATHS.values():
        page, _ = opened(browser, portal + path)
        assert page.get_attribute("html", "lang") == "nl"
        assert page.locator("h1").count() == 1
        seen.append(page.title())
        page.close()
    assert all(title.endswith(" – Woo-documenten") for title in seen)
    assert len(set(seen)) == len(seen)
