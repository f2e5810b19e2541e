"""The portal's pages in a real browser: by keyboard, without script, on paper, checked by axe-core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest
from lxml import html

from tests.portal.records import LOC, OTHER, bare, full, withdrawn
from tests.portal.routes.test_document_copies import CONTENT, kept
from tests.utils.browser import LARGE, PHONE, SMALL, opened, tab_to, violations
from tests.utils.portals import portal_over
from woo_harvester.utils.urls import record_id

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.integration

LONG = "Besluit-over-de-" + "zeer" * 40 + " lange titel"

PATHS = {
    "start": "/",
    "search": "/?q=besluit&start=20",
    "search page": "/zoek",
    "chosen": "/?q=stikstof&organisatie=https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
    "&openbaarmakingsdatumVan=2024-01-01",
    "nothing": "/?q=nietsvandit&thema=x",
    "suggestion": "/?q=beslut",
    "document": f"/document/{record_id(LOC)}",
    "bare document": f"/document/{record_id(OTHER)}",
    "withdrawn": f"/document/{record_id('https://www.amsterdam.nl/weg.pdf')}",
    "organisation": "/organisatie/gemeente/gm0363",
    "organisations": "/organisaties",
    "looked up": "/organisaties?naam=dienst+1",
    "narrowed": "/?zoektekst=dienst&bevat-organisatie=dienst+1",
    "about": "/over",
    "changes": "/wijzigingen",
    "category": "/categorie/c_99a836c7",
    "not found": "/niets",
    "wrong": "/?q=stikstof&sorteer=duurste&thema=x",
    "wrong days": "/zoek?q=stikstof&openbaarmakingsdatumVan=2025-01-01&openbaarmakingsdatumTot=2024-01-01",
}


#: Pages that together have each kind of part: colours and layout need no more.
WITH_ALL_KINDS_OF_PARTS = ("start", "chosen", "document", "organisations")


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    many = [bare(f"https://www.amsterdam.nl/{number}.pdf", f"Besluit {number}") for number in range(25)]
    for number in range(120):  # so many organisations that their list is split by letter
        many.append(service := bare(f"https://www.dienst.nl/{number}.pdf"))
        service["document"]["publisher"] = service["document"]["verantwoordelijke"] = {
            "label": f"Dienst {number}"
        }
        service["herkomst"]["standaardwaarden"] = {}
    store, document = tmp_path_factory.mktemp("store"), full()
    document["versies"][0]["bestanden"][0]["pad"] = kept(store)
    records = [document, bare(), withdrawn(), bare("https://www.amsterdam.nl/" + "x" * 200, LONG), *many]
    with portal_over(
        records, tmp_path_factory.mktemp("portal"), FILES_STORE=store, WOO_PORTAL_FILES=True
    ) as address:
        yield address


@pytest.mark.parametrize("name", PATHS)
def test_a_page_asks_for_its_style_alone_and_is_accessible_and_fits_a_small_screen(
    browser: Browser, portal: str, name: str
) -> None:
    page, requests, complaints = opened(browser, portal + PATHS[name])
    own = {url.removeprefix(portal)[:7] for url in requests[1:]}
    assert {"/stijl-"} <= own <= {"/stijl-", "/icoon-"}
    assert page.evaluate("getComputedStyle(document.querySelector('header.site')).borderBottomWidth") == "3px"
    assert violations(page) == ""
    if name in WITH_ALL_KINDS_OF_PARTS:
        page.emulate_media(color_scheme="dark")
        assert violations(page) == "", "dark"
        page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": SMALL, "height": 900})
    page.reload()
    assert name not in WITH_ALL_KINDS_OF_PARTS or violations(page) == "", SMALL
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == SMALL
    assert [each for each in complaints if "the server responded with a status of 4" not in each] == []
    assert page.get_attribute("html", "lang") == "nl"
    assert page.locator("h1").count() == 1
    assert page.title().endswith(" – Woo-documenten")
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
    tab_to(page, "#zoektekst") if script else page.focus("#zoektekst")
    page.keyboard.type("stikstof")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?zoektekst=stikstof")
    assert page.text_content("#gevonden") == "1 document"
    choice = "#filter-documentsoort input"
    tab_to(page, choice) if script else page.focus(choice)
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?zoektekst=stikstof&*documentsoort=**")
    assert "Documentsoort: Convenant" in str(page.text_content(".chosen"))
    tab_to(page, ".hit a") if script else page.focus(".hit a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/document/*")
    assert "Convenant over stikstof" in str(page.text_content("h1"))
    context.close()


@pytest.mark.parametrize("script", [True, False])
def test_a_keyboard_alone_downloads_the_copy_of_a_document(
    browser: Browser, portal: str, script: bool
) -> None:
    context = browser.new_context(java_script_enabled=script)
    page = context.new_page()
    page.goto(portal + PATHS["document"])
    link = ".files a[download]"
    tab_to(page, link) if script else page.focus(link)
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "convenant.pdf"
    assert download.value.path().read_bytes() == CONTENT
    context.close()


def test_the_focus_is_always_to_be_seen(browser: Browser, portal: str) -> None:
    page, *_ = opened(browser, portal + PATHS["chosen"])
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(outline) != "none", page.evaluate("document.activeElement.outerHTML")
    page.close()


def test_the_filters_are_beside_the_hits_and_folded_on_a_phone(browser: Browser, portal: str) -> None:
    for width, is_open in ((LARGE, True), (PHONE, False)):
        page, *_ = opened(browser, portal + PATHS["search"], width)
        assert page.is_visible("#van") == page.is_visible("text=Toepassen") == is_open, width
        assert page.is_visible("#filters > summary") != is_open, width
        page.close()


def test_on_paper_a_document_is_complete_and_a_search_has_no_filters(browser: Browser, portal: str) -> None:
    from pypdfium2 import PdfDocument

    def paper(path: str) -> str:
        page, *_ = opened(browser, portal + path)
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


def test_every_page_has_a_title_of_its_own(portal: str) -> None:
    paths = [path for name, path in PATHS.items() if name != "wrong days"]  # as the other wrong question
    answers = [httpx.get(portal + path, trust_env=False).text for path in paths]
    assert len({html.fromstring(answer).findtext(".//title") for answer in answers}) == len(paths)
