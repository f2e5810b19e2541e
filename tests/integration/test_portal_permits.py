"""The pages and the map of permits in a real browser: by keyboard, without script, checked by axe-core."""

from __future__ import annotations

import re
from collections.abc import Iterator
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


#: Marks next to each other on several maps, so that they can be too small or too near to touch.
RECORDS = [
    permit("eik", DAM, **CASE),
    permit("weg", is_withdrawn=True),
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
    "near": f"/vergunningen/kaart?midden={DAM['lat'] + 0.03},{DAM['lon'] + 0.02}&zoom=13",
    "empty map": "/vergunningen/kaart?midden=53.2,6.5&zoom=12",
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


@pytest.mark.parametrize("name", ["map", "near"])
@pytest.mark.parametrize("width", [SMALL, LARGE])
def test_each_mark_on_a_map_is_large_enough_to_touch_and_none_covers_another(
    browser: Browser, portal: str, name: str, width: int
) -> None:
    page = opened(browser, portal + PATHS[name], width)
    boxes = [each.bounding_box() for each in page.locator(".map a circle").all()]
    assert len(boxes) > 1
    circles = [
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"]) for box in boxes if box
    ]
    assert min(size for _, _, size in circles) >= 22  # WCAG 2.5.8: 24 pixels, with the line around it
    for number, (x, y, size) in enumerate(circles):
        for other_x, other_y, other in circles[number + 1 :]:
            assert max(abs(x - other_x), abs(y - other_y)) >= 0.9 * max(size, other)
    page.close()


@pytest.mark.parametrize("script", [True, False])
def test_a_keyboard_alone_goes_from_the_list_by_the_map_to_a_permit(
    browser: Browser, portal: str, script: bool
) -> None:
    context = browser.new_context(java_script_enabled=script)
    page = context.new_page()
    page.goto(portal + "/vergunningen?zoektekst=boom")

    def follow(selector: str) -> None:
        tab_to(page, selector) if script else page.focus(selector)
        page.keyboard.press("Enter")

    follow("a[href*='/kaart']")
    page.wait_for_url("**/vergunningen/kaart?zoektekst=boom")
    for _ in range(8):
        if page.locator(".map a[href^='/vergunning/']").count():
            break
        with page.expect_navigation():
            follow(".map a[href*='zoom=']")
    follow(".map a[href^='/vergunning/']")
    page.wait_for_url("**/vergunning/*-*")
    assert "boom" in str(page.text_content("h1"))
    context.close()


def test_the_focus_on_a_mark_is_to_be_seen(browser: Browser, portal: str) -> None:
    page = opened(browser, portal + PATHS["map"])
    stroke = "getComputedStyle(document.querySelector('.map a circle')).strokeWidth"
    assert page.evaluate(stroke) == "3px"
    tab_to(page, ".map a")
    assert page.evaluate(stroke) == "6px"
    page.close()


def test_the_form_narrows_to_a_place_and_keeps_the_words(browser: Browser, portal: str) -> None:
    page = opened(browser, portal + "/vergunningen?zoektekst=boom")
    page.fill("#plaats", "52.39,4.9")
    page.select_option("#afstand", "2000")
    page.click("#filters button")
    page.wait_for_url(re.compile("plaats=52.39"))
    assert "Binnen 2 kilometer" in str(page.text_content(".chosen"))
    assert page.input_value("#zoektekst") == "boom"
    page.close()


def test_a_page_asks_for_its_style_and_for_nothing_from_elsewhere(browser: Browser, portal: str) -> None:
    page = browser.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(portal + PATHS["map"])
    own = [url.removeprefix(portal)[:7] for url in requests[1:] if not url.endswith("/favicon.ico")]
    assert own == ["/stijl-"]
    assert [text for text in complaints if "favicon" not in text and "404" not in text] == []
    page.close()
