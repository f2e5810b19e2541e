"""Entry pages of permits as they are requested, and what a page shows only after many links or days."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.utils.command import DATA, Run
from tests.utils.hostile import RawSite, truncated
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import (
    FOLDER,
    OLD,
    XML,
    Permits,
    about,
    case,
    causes,
    codes,
    listing,
    publish,
    publish_more,
)
from woo_harvester.demo.server import Authority, Certificate, Page, Request
from woo_harvester.demo.site import Site
from woo_harvester.permits.demo_messages import delete_message
from woo_harvester.utils.dates import day_of

pytestmark = pytest.mark.integration


@pytest.fixture
def permits(tmp_path: Path, ca_bundle: Path) -> Permits:
    return Permits(tmp_path, ca_bundle)


def days_later(permits: Permits, days: int) -> None:
    """Make the runs so far those of some days ago: only the state knows when they were."""
    moments = {
        "permit_entries": ("complete_since", "complete_at", "gone_at"),
        "permit_files": ("first_seen", "read_at", "gone_at", "faults_since"),
    }
    path = permits.folder / DATA / "woo-state.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, columns in moments.items():
            changes = ", ".join(f"{name} = {name} - {days * 86_400}" for name in columns)
            connection.execute(f"UPDATE {table} SET {changes}")


def test_a_url_may_answer_with_a_list_of_entry_pages(permits: Permits, make_site: MakeSite) -> None:
    lists, site = make_site(), make_site()
    publish(site, {"a.xml": about(1)})
    csv = f"organisatie,url\nGemeente Voorbeeldstad,{site.url(FOLDER)}\n"
    lists.pages["/ingangen"] = Page(csv, content_type="text/csv; charset=utf-8", status=206)
    broken = permits.run(lists.url("/ingangen"), RETRY_TIMES=0)
    assert [found["seen"] for found in broken.about("ipm.ingang-onbereikbaar")] == ["HTTP 206"]
    lists.pages["/ingangen"] = Page(csv, content_type="text/csv; charset=utf-8")
    run = permits.run(lists.url("/ingangen"))
    assert causes(run) == {"1": "aanlevering"}
    assert run.records[0]["herkomst"]["organisatie"] == "Gemeente Voorbeeldstad"
    lists.pages["/ingangen"] = Page("naam\n", content_type="text/csv")
    failed = permits.run(lists.url("/ingangen"))
    assert (failed.returncode, "expected the columns organisatie,url" in failed.stderr) == (2, True)


class _QuietHandler(SimpleHTTPRequestHandler):
    """Python's own server, whose listing has no dates."""

    def log_message(self, *_: object) -> None:
        pass


def _page(*links: str) -> Page:
    return Page("".join(f'<a href="{link}">{link}</a>' for link in links), content_type="text/html")


def test_whatever_pages_and_files_answer_each_good_message_is_harvested(
    permits: Permits, ca: Authority
) -> None:
    with ExitStack() as stack:
        page, own, other, forbidden, partly, missing = (stack.enter_context(Site(ca)) for _ in range(6))
        expired = stack.enter_context(Site(ca, certificate=Certificate.EXPIRED))
        broken, cut = (stack.enter_context(RawSite(ca, {})) for _ in range(2))
        permits.organisations = {
            "Gemeente Twee Hosts": [page.url("/woo"), own.url("/woo")],
            "Gemeente Elders": [other.url("/woo")],
        }
        for site, name, number in ((own, "b.xml", 2), (other, "c.xml", 3)):
            site.pages[f"/{name}"] = Page(about(number), content_type=XML)
        publish(page, {"a.xml": about(1), "half.xml": Page(about(9), status=206, content_type=XML)})
        page.pages[FOLDER] = _page("a.xml", "half.xml", own.url("/b.xml"), other.url("/c.xml"))
        publish(forbidden, {"a.xml": about(9)})
        forbidden.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /\n")
        publish(partly, {"a.xml": about(4), "verboden.xml": about(9)})
        partly.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /xml/verboden\n")
        broken.behaviours[FOLDER] = truncated(b"<html><a href='a.xml'>")
        publish(cut, {"b.xml": about(5)})
        cut.pages[FOLDER] = _page("a.xml", "b.xml")
        cut.behaviours[f"{FOLDER}a.xml"] = truncated(about(9)[:500])
        folder = permits.folder / "www"
        folder.mkdir()
        (folder / "a.xml").write_bytes(about(6))
        plain = ThreadingHTTPServer(("127.0.0.1", 0), partial(_QuietHandler, directory=str(folder)))
        with plain:
            Thread(target=plain.serve_forever, daemon=True).start()
            sites = (page, forbidden, partly, missing, expired, broken, cut)
            entries = [site.url(FOLDER) for site in sites] + [f"http://localhost:{plain.server_port}/"]
            run = permits.run(",".join(entries), RETRY_TIMES=0)
            plain.shutdown()
        assert set(causes(run)) == {"1", "2", "4", "5", "6"}, "an entry page may be http"
        assert other.requests == []
        assert found(run, page, "ipm.bericht-onbereikbaar") == ["HTTP 206"]
        assert codes(run).count(("host.niet-geregistreerd", "c.xml")) == 1
        assert found(run, forbidden, "robots.verboden") != []
        assert found(run, partly, "robots.verboden") != []
        assert [request.path for request in forbidden.requests] == ["/robots.txt"]
        assert found(run, missing, "ipm.ingang-onbereikbaar") == ["HTTP 404"]
        assert found(run, expired, "tls.ongeldig") != []
        assert found(run, broken, "ipm.ingang-onbereikbaar") == ["afgebroken"]
        assert run.host(broken.host)["entry_pages"] == {"incomplete": 1}
        assert len(found(run, cut, "ipm.bericht-onbereikbaar")) == 1


def found(run: Run, site: Site | RawSite, code: str) -> list[str | None]:
    """Return what was seen by each finding of a code about a site."""
    return [line.get("seen") for line in run.about(code) if line["host"] == site.host]


def test_of_a_million_links_to_a_script_a_thousand_are_asked_for_in_a_run(
    permits: Permits, site: Site
) -> None:
    def answer(request: Request) -> Page:
        is_message = request.target.endswith("=1300")
        return Page(about(1), content_type=XML) if is_message else _page("niets")

    site.pages[FOLDER] = _page(*(f"zaak.php?id={number}" for number in range(1700)))
    site.pages[FOLDER + "zaak.php"] = answer
    fast = {"CONCURRENT_REQUESTS_PER_DOMAIN": 16, "WOO_HOST_BACKLOG": 16}
    run = permits.run(site.url(FOLDER), **fast)
    assert 1000 <= len(site.requested(FOLDER + "zaak.php")) <= 1016
    (late,) = run.about("ipm.link-overgeslagen")
    assert late["seen"].endswith("(nog niet opgevraagd)")
    days_later(permits, 1)
    run = permits.run(site.url(FOLDER), **fast)
    assert causes(run) == {"1": "aanlevering"}, "the others are asked for in the next run, beside some again"


def test_what_is_wrong_with_a_page_over_days_is_one_finding_each(permits: Permits, site: Site) -> None:
    entry = site.url(FOLDER)
    today = day_of(datetime.now(UTC))
    ended = [str(today - timedelta(days=days)) for days in (365, 366, 367)]
    period = "<dcterms:temporal><start>2020-01-01</start><end>{}</end></dcterms:temporal>"
    old = {f"{number}.xml": about(number, kern=period.format(day)) for number, day in enumerate(ended)}
    publish(site, old | {"gaat.xml": about(8)})
    publish_more(site, {"zonder.xml": about(9)}, date=None)

    def seen(code: str) -> list[str]:
        return [
            line["seen"] for line in run.about(code) if (line["severity"], line["url"]) == ("info", entry)
        ]

    run = permits.run(entry)
    assert seen("ipm.verlopen") == [f"2 zaken; het eerst afgelopen: {case(2)}, op {ended[2]}"]
    assert seen("ipm.zonder-datum") == ["1 bestand zonder datum, Last-Modified en ETag"]
    publish(site, old)
    run = permits.run(entry)
    assert [text.partition(", ")[0] for text in seen("ipm.te-kort")] == ["2 bestanden"]
    assert run.records == [], "a file that goes says nothing of its case"
    gone = delete_message(identifier=case(2), aanmaakdatum="2026-04-03")
    longer = about(1, "U", aanmaakdatum="2026-04-03", kern=period.format("2096-01-01"))
    publish_more(site, {"weg.xml": gone, "langer.xml": longer})
    run = permits.run(entry)
    assert (causes(run), run.findings) == ({"2": "intrekking", "1": "wijziging"}, [])


def test_a_page_that_grows_for_a_year_is_reported(permits: Permits, site: Site) -> None:
    entry = site.url(FOLDER)
    links = {f"{number}.xml": OLD for number in range(1001)}
    publish(site, dict.fromkeys(links, about(1)))
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 50, "AUTOTHROTTLE_ENABLED": False}
    assert permits.run(entry, **settings).findings == []
    days_later(permits, 366)
    (growing,) = permits.run(entry).findings
    assert growing["code"] == "ipm.groeiend"
    assert growing["seen"].startswith("1001 bestanden; sinds 20")
    links.pop("7.xml")
    site.pages[FOLDER] = Page(listing(links), content_type="text/html")
    assert permits.run(entry).findings == [], "1000 are not too many"
