"""The site that ``make site`` builds: complete, without a dead link, and without a request to elsewhere."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from lxml import html

from tests.conftest import ROOT, skip_or_fail
from tests.utils.browser import LARGE, PHONE, browser, violations
from tests.utils.waiting import wait_until
from tools.reference.__main__ import EXPLAINED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["browser"]

PAGES = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))

#: A page of each kind, for what takes long to check.
SAMPLES = ["index", "how-to/daily", "how-to/op-windows", "commands", "explained"]


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a folder that has the sources, as ``make site`` does."""
    if importlib.util.find_spec("zensical") is None:
        skip_or_fail("needs zensical: make install-dev")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def copy_sources(folder: Path) -> None:
    for name in ("docs", "tools/theme"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "mkdocs.yml", folder)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site."""
    folder = tmp_path_factory.mktemp("site")
    copy_sources(folder)
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_links_that_lead_nowhere_fail_the_build(tmp_path: Path) -> None:
    copy_sources(tmp_path)
    with (tmp_path / "docs" / "index.md").open("a", encoding="utf-8") as file:
        file.write("\n[x](nowhere.md)\n\n[x](settings.md#nothing)\n")
    done = build(tmp_path)
    assert done.returncode != 0
    for fault in ("page does not exist", "anchor does not exist"):
        assert fault in done.stdout + done.stderr


def test_every_page_has_its_place_in_the_order() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    assert sorted(re.findall(r"([\w/-]+\.md)$", nav, flags=re.MULTILINE)) == PAGES
    sections = re.findall(r"^  - ([\w-]+):", nav, flags=re.MULTILINE)
    order = ["Home", "Tutorials", "How-to", "Reference", "Explanation"]
    assert sections == [name for name in order if name in sections]


def test_every_link_of_the_built_pages_leads_to_a_page_and_a_part(site: Path) -> None:
    trees = {path: html.parse(path) for path in site.rglob("*.html") if path.name != "404.html"}
    ids = {path: set(tree.xpath("//@id")) | set(tree.xpath("//a/@name")) for path, tree in trees.items()}
    assert len(trees) == len(PAGES) + len(EXPLAINED)
    for path, tree in trees.items():
        for given in tree.xpath("//@href | //img/@src | //script/@src"):
            url, part = urldefrag(urljoin(path.as_uri(), given))
            if urlsplit(url).scheme != "file":
                continue
            target = Path(unquote(urlsplit(url).path))
            assert target.is_file(), f"{path.name}: {given}"
            assert not part or target not in ids or unquote(part) in ids[target], f"{path.name}: {given}"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback; yield its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def home(site: Path) -> Iterator[str]:
    """Return the address of the site on a server."""
    with served(site) as address:
        yield address


@contextmanager
def visited(browser: Browser, home: str) -> Iterator[Page]:
    """Yield a page of the browser; check in the end that it asked nothing elsewhere, and had no error."""
    page = browser.new_page(viewport={"width": LARGE, "height": 800})
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert asked
    assert [url for url in asked if not url.startswith((home, "data:", "blob:", "about:"))] == []
    assert errors == []


def test_no_page_asks_for_anything_elsewhere(browser: Browser, home: str) -> None:
    with visited(browser, home) as page:
        for name in PAGES:
            page.goto(f"{home}{name.removesuffix('.md')}.html")
            assert page.locator("article h1").count() == 1, name


def open_search(page: Page) -> None:
    """Press the key of the search until it has the focus: the page may not listen to keys yet."""
    for _ in range(100):
        page.keyboard.press("/")
        page.wait_for_timeout(500)
        if page.locator("input:focus").count():  # in a shadow tree
            page.keyboard.press("Control+A")  # what is typed next replaces a key that was pressed too often
            return
    pytest.fail("the search did not open")


@pytest.mark.parametrize("way", ["on a server", "as files"])
def test_the_search_finds_a_setting_and_leads_to_it(
    browser: Browser, site: Path, home: str, way: str
) -> None:
    address = home if way == "on a server" else f"{site.as_uri()}/"
    with visited(browser, address) as page:
        page.goto(f"{address}index.html")
        open_search(page)
        page.keyboard.type("WOO_WITHDRAW_SHARE")
        hit = page.locator("a[href*='settings.html']").filter(has_text="Register, value lists").first
        hit.wait_for(timeout=60_000)
        hit.click()
        page.wait_for_url(re.compile(r"settings\.html"))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_page_fits_the_width_and_is_accessible(browser: Browser, home: str, name: str) -> None:
    with visited(browser, home) as page:
        for width in (PHONE, LARGE):
            page.set_viewport_size({"width": width, "height": 800})
            for dark in (False, True):
                page.emulate_media(color_scheme="dark" if dark else "light")
                page.goto(f"{home}{name}.html")
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                assert violations(page) == "", f"{width} pixels, dark: {dark}"


def test_an_anchor_opens_its_finding_on_a_phone_without_a_script(browser: Browser, home: str) -> None:
    with closing(browser.new_page(java_script_enabled=False)) as page:
        page.set_viewport_size({"width": PHONE, "height": 800})
        page.goto(f"{home}uitleg.html")
        assert page.evaluate("document.documentElement.scrollHeight") < 1500
        page.goto(f"{home}uitleg.html#loc.geen-https")
        entry = page.locator("details[open] > details[open]", has_text="loc.geen-https")
        top = "entry => entry.getBoundingClientRect().y"
        wait_until(lambda: 0 <= entry.evaluate(top) < 400, "the entry to be in view")


def in_dutch(name: str) -> bool:
    """Return whether a page has more articles in Dutch than in English."""
    words = re.findall(r"\w+", (ROOT / "docs" / name).read_text(encoding="utf-8"))
    return sum(map(words.count, ("de", "het", "een"))) > sum(map(words.count, ("the", "a", "an")))


def test_what_is_in_dutch_says_so(site: Path) -> None:
    dutch = [name.removesuffix(".md") for name in PAGES if in_dutch(name)]
    assert "how-to/op-windows" in dutch
    for name in PAGES:
        tree = html.parse(site / f"{name.removesuffix('.md')}.html")
        (heading,) = tree.xpath("//article//h1")
        language = "nl" if name.removesuffix(".md") in dutch else "en"
        assert heading.xpath("ancestor::*[@lang][1]/@lang") == [language], name
    links = html.parse(site / "index.html").xpath("//nav//a[@lang='nl']/@href")
    assert sorted(links) == [f"./{name}.html" for name in dutch]


def test_the_button_copies_the_commands_without_their_output(browser: Browser, home: str) -> None:
    with visited(browser, home) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"{home}how-to/upkeep.html")
        page.get_by_role("button", name="Copy to clipboard").first.click()
        page.get_by_text("Copied to clipboard").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == "du -sh .scrapy records reports"
