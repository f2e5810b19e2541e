"""A real Chromium for tests of pages, and what they check in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.conftest import skip_or_fail

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SMALL, PHONE, LARGE = 320, 390, 1280
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


def opened(browser: Browser, url: str, width: int = LARGE) -> tuple[Page, list[str], list[str]]:
    """Return the page, with what it asks for and what it complains of."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(url)
    return page, requests, complaints


def violations(page: Page) -> str:
    """Return a report of what axe-core finds on a page with all its details open; empty if it is nothing."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    # What fades in has little contrast until then.
    page.evaluate("Promise.allSettled(document.getAnimations().map(each => each.finished))")
    results = Axe().run(page, options=AXE)
    return str(results.generate_report()) if results.violations_count else ""


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(300):
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not come to {selector}")
