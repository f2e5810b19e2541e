"""The test of a website as visitors make it: in a browser without script, of publishers who fix mistakes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import httpx
import pytest

from tests.integration.test_stop_own_side import children
from tests.portal.test_typed_hosts import HOSTILE
from tests.utils.browser import LARGE, PHONE, SMALL, violations
from tests.utils.command import start_forked
from tests.utils.disturbed_runs import GatedSite
from tests.utils.guard import is_alive
from tests.utils.portals import START, running_portal
from tests.utils.publishers import publish
from tests.utils.sites import MakeSite, write_register
from tests.utils.waiting import STUCK, wait_until
from woo_harvester.demo.publishers import Demo
from woo_harvester.demo.server import Page

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as BrowserPage

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with Demo(tmp_path_factory.mktemp("demo")) as made:
        yield made


@pytest.fixture(scope="module")
def portal(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A portal without records whose visitors may test again after a second."""
    settings: dict[str, Any] = {"WOO_REGISTER": demo.register_path, "WOO_TOETS_INTERVAL": 1}
    folder = tmp_path_factory.mktemp("portal")
    with running_portal(folder, "--toets", ca=demo.ca_path, **settings) as address:
        yield address


@contextmanager
def visitor(
    browser: Browser, address: str, *, width: int = LARGE, script: bool = False
) -> Iterator[BrowserPage]:
    """Give the page of a visitor whose browser is at an address, as nginx says."""
    context = browser.new_context(
        java_script_enabled=script,
        viewport={"width": width, "height": 900},
        extra_http_headers={"X-Forwarded-For": address},
    )
    yield context.new_page()
    context.close()


def typed(page: BrowserPage, portal: str, text: str) -> None:
    """Type a text into the form with the keyboard alone, and send it."""
    page.goto(f"{portal}/toets")
    page.focus("#site")
    page.keyboard.type(text)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def ask(portal: str, path: str, **options: Any) -> httpx.Response:
    return httpx.get(portal + path, trust_env=False, timeout=STUCK, **options)


def post(portal: str, site: str, address: str) -> httpx.Response:
    headers = {"X-Forwarded-For": address}
    data = {"site": site}
    return httpx.post(f"{portal}/toets", data=data, headers=headers, trust_env=False, timeout=STUCK)


def report_of(portal: str, host: str) -> dict[str, Any]:
    """The result of a host as JSON, when its test has ended."""
    path = f"/api/v0/toets/{host}"
    wait_until(lambda: ask(portal, path).status_code == 200, "the result")
    made: dict[str, Any] = ask(portal, path).json()
    return made


def test_the_publishers_of_the_demo_are_tested_and_what_one_fixes_is_shown(
    browser: Browser, portal: str, demo: Demo
) -> None:
    scores = {}
    for number, site in enumerate((demo.exemplary, demo.huge, demo.mistaken)):
        with visitor(browser, f"192.0.2.{number}") as page:
            typed(page, portal, f" HTTPS://{site.host.upper()}/woo ")
            assert page.url == f"{portal}/toets/{site.host}"
            page.wait_for_selector(".ring")  # the page was loaded again by itself, without a script
            scores[site] = page.text_content(".ring text")
            others = {each.host for each in demo.sites} - {site.host}
            assert not any(other in page.content() for other in others)
    assert [scores[demo.exemplary], scores[demo.huge]] == ["100", "100"]
    assert int(str(scores[demo.mistaken])) < 50
    robots = demo.mistaken.pages["/robots.txt"]
    assert isinstance(robots, Page)
    demo.mistaken.pages["/robots.txt"] = Page(str(robots.body).replace("http://", "https://"))
    with visitor(browser, "192.0.2.9") as page:
        page.goto(f"{portal}/toets/{demo.mistaken.host}")
        assert "50 van de 67 documenten" in str(page.text_content(".glance .headline"))
        assert page.locator(".lead").count() == 0  # of a sample, one sentence counts
        page.focus("text=Opnieuw toetsen")
        page.keyboard.press("Enter")
        page.wait_for_selector("h2:has-text('Hersteld sinds')")
        fixed = page.locator("h2:has-text('Hersteld sinds') + ul").text_content()
        assert "verwijst naar een sitemapindex met http in plaats van https" in str(fixed)
    after = report_of(portal, demo.mistaken.host)["hosts"][0]
    assert "index.geen-https" in after["changes"]["mended"]
    assert len(after["history"]) == 2


@pytest.mark.parametrize("width", [LARGE, PHONE, SMALL])
def test_each_page_is_accessible_and_fits(browser: Browser, portal: str, demo: Demo, width: int) -> None:
    post(portal, demo.mistaken.host, f"198.51.100.{width}")
    report_of(portal, demo.mistaken.host)
    with visitor(browser, "192.0.2.20", width=width, script=True) as page:
        for path in ("/toets", f"/toets/{demo.mistaken.host}", f"/toets/{demo.expired.host}"):
            page.goto(portal + path)
            schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
            for scheme in schemes:
                page.emulate_media(color_scheme=scheme)
                assert violations(page) == "", (path, scheme)
            assert page.evaluate("document.documentElement.scrollWidth") == width, path
        typed(page, portal, "gemeente")
        assert violations(page) == ""
        typed(page, portal, "javascript:alert(1)")
        assert page.title().startswith("Fout: ")
        assert violations(page) == ""
        page.goto(f"{portal}/toets/{demo.mistaken.host}")
        page.emulate_media(media="print")
        assert not page.is_visible("text=Opnieuw toetsen")
        assert page.is_visible(".finding:not([open]) .body")


def test_hostile_things_that_are_typed_start_nothing(browser: Browser, portal: str) -> None:
    with visitor(browser, "192.0.2.30") as page:
        for text in filter(str.isprintable, HOSTILE):
            page.goto(f"{portal}/toets")
            page.fill("#site", text)
            if text:  # the browser itself refuses an empty field
                with page.expect_navigation():
                    page.press("#site", "Enter")
                assert "zoals www.uwgemeente.nl." in str(page.text_content("#fout")), text
                assert page.url == f"{portal}/toets"
        for text in HOSTILE:
            sent = text.encode(errors="surrogatepass").decode("latin-1")
            assert post(portal, sent, "192.0.2.30").status_code == 400, text
    assert ask(portal, "/gezond").status_code == 200


def test_two_visitors_at_once_see_their_places_and_one_starts_no_two_tests(
    browser: Browser, tmp_path: Path, make_site: MakeSite, gated: GatedSite, ca_bundle: Path
) -> None:
    other = make_site()
    for site in (gated, other):
        publish(site, "/a.pdf")
    register = write_register(tmp_path / "register.xml", {"Een": [gated.url()], "Twee": [other.url()]})
    gated.gates.add("/robots.txt")
    with (
        running_portal(tmp_path, "--toets", ca=ca_bundle, WOO_REGISTER=register) as portal,
        visitor(browser, "192.0.2.1") as first,
        visitor(browser, "192.0.2.2", script=True) as second,
    ):
        typed(first, portal, "Een")
        with first.expect_navigation():
            first.get_by_role("button", name=gated.host).press("Enter")
        assert "De toets is bezig" in str(first.text_content("main"))
        typed(second, portal, other.host)
        assert "Uw toets is nummer 1 in de rij" in str(second.text_content("main"))
        second.click("text=Zet dat uit")
        assert violations(second) == ""
        assert ask(portal, f"/api/v0/toets/{other.host}").json() == {"plaats": 1}
        assert ask(portal, f"/toets/{other.host}?vernieuwen=nee").headers.get("refresh") is None
        refused = post(portal, "www.a.nl", "192.0.2.2")
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 60
        gated.gates.clear()
        first.wait_for_selector(".ring")
        assert report_of(portal, other.host)["hosts"][0]["listed"] == 1
        assert len(other.requested("/robots.txt")) == 1
        again = post(portal, other.host, "192.0.2.3")
        assert (again.status_code, again.headers["location"]) == (303, f"/toets/{other.host}")
        page = ask(portal, f"/toets/{other.host}").text
        assert "Opnieuw toetsen kan over 10 minuten." in page
        assert "Opnieuw toetsen</button>" not in page
        assert len(other.requested("/robots.txt")) == 1


def test_a_killed_server_comes_back_with_its_results_and_an_empty_queue(
    tmp_path: Path, make_site: MakeSite, gated: GatedSite, ca_bundle: Path
) -> None:
    other = make_site()
    for site in (gated, other):
        publish(site, "/a.pdf")
    settings = {
        "WOO_REGISTER": write_register(tmp_path / "register.xml", {"Wij": [gated.url(), other.url()]}),
        "WOO_TOETS_INTERVAL": 1,
    }

    def start() -> tuple[Any, str]:
        process = start_forked(["portal", "--port", "0", "--toets"], tmp_path, ca_bundle, settings=settings)
        wait_until(lambda: "\n" in process.stdout or process.ended, "the portal says where it is")
        return process, process.stdout.removeprefix(START).split()[0].rstrip("/")

    process, portal = start()
    post(portal, gated.host, "192.0.2.1")
    before = report_of(portal, gated.host)
    gated.gates.add("/robots.txt")
    post(portal, gated.host, "192.0.2.2")
    wait_until(lambda: "/robots.txt" in gated.waiting, "the second test asks")
    post(portal, other.host, "192.0.2.3")
    process.send(signal.SIGKILL)
    process.done(STUCK)
    orphans = list(tmp_path.glob("**/toets/*/woo-*"))
    assert len(orphans) == 2
    process, portal = start()
    page = ask(portal, f"/toets/{gated.host}").text
    assert "De laatste toets is niet afgekomen." in page
    assert report_of(portal, gated.host)["run"] == before["run"]
    assert ask(portal, f"/api/v0/toets/{other.host}").status_code == 404
    post(portal, other.host, "192.0.2.3")  # the queue is empty, so that it begins at once
    assert report_of(portal, other.host)["hosts"][0]["listed"] == 1
    wait_until(lambda: post(portal, gated.host, "192.0.2.4").status_code == 303, "it may be tested again")
    wait_until(lambda: children(process.process.pid), "an audit")
    audits = children(process.process.pid)
    process.send(signal.SIGTERM)
    assert process.done(STUCK).returncode == 0
    wait_until(lambda: not any(map(is_alive, audits)), "the audits end with the portal")


def test_a_host_with_a_private_address_gets_no_request(
    tmp_path: Path, make_site: MakeSite, ca_bundle: Path
) -> None:
    site = make_site()
    publish(site, "/a.pdf")
    settings: dict[str, Any] = {
        "WOO_REGISTER": write_register(tmp_path / "register.xml", {"Wij": [site.url()]}),
        "WOO_ALLOW_PRIVATE_HOSTS": 0,
    }
    with running_portal(tmp_path, "--toets", ca=ca_bundle, **settings) as portal:
        assert post(portal, site.host, "192.0.2.1").status_code == 303
        (host,) = report_of(portal, site.host)["hosts"]
    assert [row["code"] for row in host["findings"]] == ["host.prive-adres"]
    assert site.requests == []


def test_a_portal_of_several_processes_has_no_queue(tmp_path: Path) -> None:
    process = start_forked(
        ["portal", "--port", "0", "--toets"], tmp_path, settings={"WOO_PORTAL_PROCESSES": 2}
    )
    done = process.done(STUCK)
    assert (done.returncode, done.stdout) == (1, "")
    line = "WOO_TOETS has its queue in one process: expected WOO_PORTAL_PROCESSES=1"
    assert done.stderr == f"scrapy portal: error: {line}\n"
