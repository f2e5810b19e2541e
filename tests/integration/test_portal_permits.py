"""The pages and the map of permits in a real browser: by keyboard, without script, checked by axe-core."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from tests.portal.short_records import DAM, DOM, permit
from tests.utils.browser import LARGE, SMALL, tab_to, violations
from tests.utils.portals import portal_over

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.integration

CASE: dict[str, Any] = {
    "description": "Een eik kappen.",
    "temporal": {"start": "2026-01-01", "end": "2026-01-31"},
    "product": {"producttype": {"label": "kapvergunning"}, "activiteit": [{"label": "kappen"}]},
    "termijn": {"fase": "bezwaar", "termijnsoortPeriode": [{"termijnsoort": "bezwaartermijn"}]},
    "creator": {"scheme": "overheid:Gemeente", "label": "Amsterdam"},
}


def near(place: dict[str, float], north: float, east: float) -> dict[str, float]:
    return {"lat": round(place["lat"] + north, 6), "lon": round(place["lon"] + east, 6)}


#: Many are near each other, so that marks could cover each other. No two of "boom" are at one place.
RECORDS = [
    permit("eik", DAM, **CASE),
    permit("weg", is_withdrawn=True),
    permit("flat 1", DOM),
    permit("flat 2", DOM),
    permit("plaatsloos"),
    permit("Zeer" * 40 + " lange titel", DOM),
    *(permit(f"boom {n}", near(DAM, n * 0.003, (n * 7 % 11) * 0.004), **CASE) for n in range(1, 40)),
]
PATHS = {
    "list": "/vergunningen",
    "chosen": "/vergunningen?zoektekst=boom&fase=bezwaar&plaats=52.3731,4.8926&afstand=25000&sorteer=afstand",
    "nothing": "/vergunningen?zoektekst=nietsvandit&lopend=ja",
    "permit": f"/vergunning/{RECORDS[0]['id']}",
    "withdrawn": f"/vergunning/{RECORDS[1]['id']}",
    "map": "/vergunningen/kaart",
    "empty map": "/vergunningen/kaart?zoektekst=nietsvandit",
}


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with portal_over(RECORDS, tmp_path_factory.mktemp("portal")) as address:
        yield address


def opened(browser: Browser, url: str, width: int = LARGE) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(url)
    return page


@pytest.mark.parametrize("name", PATHS)
def test_a_page_is_accessible_in_both_colours_and_fits_a_small_screen(
    browser: Browser, portal: str, name: str
) -> None:
    page = opened(browser, portal + PATHS[name])
    assert violations(page) == ""
    page.emulate_media(color_scheme="dark")
    assert violations(page) == "", "dark"
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": SMALL, "height": 900})
    page.reload()
    assert violations(page) == "", SMALL
    assert page.evaluate("document.documentElement.scrollWidth") == SMALL
    page.close()


@pytest.mark.parametrize("width", [SMALL, LARGE])
def test_each_mark_on_the_map_is_large_enough_to_touch_and_none_covers_another(
    browser: Browser, portal: str, width: int
) -> None:
    page = opened(browser, portal + PATHS["map"], width)
    page.locator(".mark > *").nth(1).wait_for()
    boxes = [box for each in page.locator(".mark > *").all() if (box := each.bounding_box())]
    assert len(boxes) > 1
    assert min(box["width"] for box in boxes) >= 24  # WCAG 2.5.8
    for one, other in combinations(boxes, 2):
        assert max(abs(one["x"] - other["x"]), abs(one["y"] - other["y"])) >= one["width"]
    page.close()


def test_a_keyboard_alone_goes_from_the_list_by_the_map_to_a_permit(browser: Browser, portal: str) -> None:
    page = opened(browser, portal + "/vergunningen?zoektekst=boom")
    tab_to(page, "a[href*='/kaart']")
    page.keyboard.press("Enter")
    page.wait_for_selector(".mark")
    assert page.text_content("[role=status]") == "39 vergunningen op de kaart."
    while not page.locator(".mark a").count():
        tab_to(page, ".mark button")
        page.keyboard.press("Enter")
        page.wait_for_timeout(500)  # the map moves
    tab_to(page, ".mark a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/vergunning/*-*")
    assert "boom" in str(page.text_content("h1"))
    page.close()


def test_permits_at_one_place_are_a_list_at_their_mark(browser: Browser, portal: str) -> None:
    page = opened(browser, f"{portal}/vergunningen/kaart?zoektekst=flat")
    page.click(".mark button")
    assert sorted(page.locator(".leaflet-popup li").all_text_contents()) == ["Zaak flat 1", "Zaak flat 2"]
    assert violations(page) == ""
    page.emulate_media(color_scheme="dark")
    assert violations(page) == "", "dark"
    page.close()


def test_the_list_of_a_part_of_the_map_has_what_that_part_shows(browser: Browser, portal: str) -> None:
    page = opened(browser, f"{portal}/vergunningen/kaart?id={RECORDS[0]['id']}")
    page.wait_for_selector(".mark")
    page.click(".map-part")
    assert "Op een deel van de kaart" in str(page.text_content(".chosen"))
    assert page.locator(".hit").count() == 1
    page.close()


@pytest.mark.parametrize("query", ["zoektekst=nietsvandit", "zoektekst=plaatsloos"])
def test_a_map_with_nothing_on_it_says_so(browser: Browser, portal: str, query: str) -> None:
    page = opened(browser, f"{portal}/vergunningen/kaart?{query}")
    page.wait_for_selector("[role=status]:not(:empty)")
    assert str(page.text_content("[role=status]")).startswith("Er staat niets op deze kaart")
    page.close()


def test_without_a_script_the_map_leads_to_the_list(browser: Browser, portal: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{portal}/vergunningen/kaart?zoektekst=eik")
    assert "heeft JavaScript nodig" in str(page.text_content("main"))
    page.click("text=Toon de lijst van deze vergunningen")
    page.wait_for_url("**/vergunningen?zoektekst=eik")
    context.close()


def test_the_map_asks_for_its_files_permits_and_tiles_and_stands_without_tiles(
    browser: Browser, portal: str
) -> None:
    page = browser.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(portal + PATHS["map"])
    page.wait_for_selector(".mark")
    own = {url.removeprefix(portal)[:7] for url in requests[1:] if not url.endswith("/favicon.ico")}
    assert own - {"/icoon-", "data:im"} == {"/stijl-", "/kaart-", "/vergun", "http://"}
    # In the place of a tile that does not come, Leaflet has a picture of one pixel, which is not asked for.
    assert not [text for text in complaints if "ERR_" not in text and "data:image/gif" not in text]
    page.close()
