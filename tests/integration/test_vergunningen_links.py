"""Messages behind scripts, and links that lead to something else."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Mapping

import pytest

from tests.integration.entry_towns import page
from tests.integration.same_days import permit_days
from tests.utils.calendar import Story
from tests.utils.vergunningen import FOLDER, NEWER, OLD, XML, Permits, Town, Towns, causes, codes
from woo_harvester.demo.server import Page, Request, redirect

#: A link to each kind of script. Not each of them says that it sends XML.
SCRIPTS = {
    "zaak.php?id=1": XML,
    "zaak.php?id=2": "text/html; charset=utf-8",
    "zaak.aspx?id=3": "text/xml",
    "zaak.jsp;jsessionid=A1?id=4": XML,
    "zaak.ashx?id=5": "application/octet-stream",
    "zaak.do?id=6": XML,
    "zaak.cfm?id=7": "text/plain",
    "download.php?bestand=z.xml": "application/x-download",
    "?id=9": XML,
    "zaak10.asp": "application/vnd.overheid+xml",
}


def offer(site: Town, pages: Mapping[str, Page], date: str | None = OLD) -> None:
    """Have the site list these links, and answer at each of them."""
    rows = "\n".join(f'<a href="{name}">{name}</a>' + (f"   {date}   2345" if date else "") for name in pages)
    site.pages[FOLDER] = page(f"<pre>{rows}</pre>")
    for name, answer in pages.items():
        site.pages[FOLDER + name] = answer


def scripts(site: Town) -> dict[str, Page]:
    """Return a message behind each script, two files, and one that is compressed."""
    pages = {
        name: Page(site.about(number), content_type=media_type)
        for number, (name, media_type) in enumerate(SCRIPTS.items(), start=1)
    }
    pages["11.xml"] = Page(site.about(11), content_type=XML)
    pages["12.xml.gz"] = Page(gzip.compress(site.about(12)), content_type="application/gzip")
    compressed = {"Content-Encoding": "gzip"}
    pages["13.xml.gz"] = Page(gzip.compress(site.about(13)), content_type=XML, headers=compressed)
    return pages


def asked(site: Town) -> list[str]:
    """Return what was asked for besides the page, and forget these requests."""
    found = [
        request.target.removeprefix(FOLDER)
        for request in site.requests
        if request.target not in ("/robots.txt", FOLDER)
    ]
    site.requests.clear()
    return sorted(found)


def days_pass(permits: Permits, host: str, days: int) -> None:
    """Let the state think that a host's files were read so many days ago."""
    (path,) = permits.folder.rglob("woo-state.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE permit_files SET read_at = read_at - ?, first_seen = first_seen - ?, "
            "faults_since = faults_since - ? "
            "WHERE entry_id IN (SELECT id FROM permit_entries WHERE host = ?)",
            (days * 86_400, days * 86_400, days * 86_400, host),
        )
    connection.close()


@pytest.mark.parametrize("date", [OLD, None])
@permit_days.story
def test_messages_behind_scripts_are_read_and_what_changes_of_them(date: str | None, site: Town) -> Story:
    pages = scripts(site)
    offer(site, pages, date)
    first = yield
    assert causes(first) == {str(number): "aanlevering" for number in range(1, 14)}
    assert {code for code, _ in codes(first)} <= {"ipm.zonder-datum"}
    site.requests.clear()
    second = yield
    assert second.records == []
    assert (asked(site) == []) is (date is not None), "a date in the listing shows what is new"
    pages["zaak.php?id=2"] = Page(site.about(2, "U", title="Verleend"), content_type="text/html")
    offer(site, pages, NEWER if date else None)
    assert causes((yield)) == {"2": "wijziging"}
    del pages["zaak.php?id=1"]
    offer(site, pages, NEWER if date else None)
    assert (yield).records == []


@permit_days.story
def test_what_is_no_message_is_asked_for_once_and_again_later(towns: Towns, site: Town) -> Story:
    error = Page("<!DOCTYPE html><html>Onderhoud</html>", content_type="text/html")
    good = Page(site.about(1), content_type=XML)
    menu = dict.fromkeys(("contact", "login.php"), page("een menu"))
    offer(site, {**menu, "zaak.php?id=1": error, "2.xml": Page(site.about(2))}, None)
    assert causes((yield)) == {"2": "aanlevering"}
    assert asked(site) == ["2.xml", "contact", "login.php", "zaak.php?id=1"]
    offer(site, {**menu, "zaak.php?id=1": good, "2.xml": Page(site.about(2))}, None)
    again = yield
    assert (again.records, asked(site)) == ([], ["2.xml"])
    assert "ipm.link-overgeslagen" not in again.codes
    days_pass(towns, site.host, 1)
    assert causes((yield)) == {"1": "aanlevering"}
    assert asked(site) == ["2.xml", "contact", "login.php", "zaak.php?id=1"]


@permit_days.story
def test_a_new_date_in_the_listing_has_a_link_asked_for_again(site: Town) -> Story:
    offer(site, {"zaak/1": page("Nog niet klaar")}, OLD)
    assert (yield).records == []
    offer(site, {"zaak/1": Page(site.about(1), content_type=XML)}, NEWER)
    assert causes((yield)) == {"1": "aanlevering"}


@permit_days.story
def test_a_file_that_was_an_error_page_for_a_day_is_read_though_its_date_is_the_same(
    towns: Towns, site: Town
) -> Story:
    offer(site, {"1.xml": Page("<!DOCTYPE html><html>Onderhoud</html>", content_type="text/html")})
    assert codes((yield)) == [("ipm.ongeldig", "1.xml")]
    offer(site, {"1.xml": Page(site.about(1), content_type=XML)})
    assert codes((yield)) == [("ipm.ongeldig", "1.xml")], "it is not asked for in each run"
    days_pass(towns, site.host, 1)
    run = yield
    assert (causes(run), codes(run)) == ({"1": "aanlevering"}, [])


@permit_days.story
def test_links_that_were_passed_over_are_counted_in_one_finding_a_page(site: Town, other: Town) -> Story:
    pages = {
        "1.xml": Page(site.about(1)),
        "berichten.zip": Page(b"PK"),
        "oud.xml.bak": Page(b"x"),
        "zaak.php?id=2": Page("kapot", status=500),
        "zaak.php?id=3": redirect(other.url("/elders.xml")),
        "alles.php": Page(b"PK", content_type="application/zip"),
        "contact": page("een menu"),
        "lees.txt": Page("niets"),
        "?C=N;O=D": page("andersom"),
    }
    offer(site, pages)
    offer(other, {"1.xml": Page(other.about(1))})
    for _ in range(2):
        run = yield
        (found,) = (line for line in run.findings if line["code"] == "ipm.link-overgeslagen")
        assert (found["severity"], found["url"]) == ("warning", site.url(FOLDER))
        assert found["seen"].startswith("5 links: 2 van een ander type, zoals ")
        assert "3 niet opgehaald, zoals " in found["seen"]
        assert not other.requested("/elders.xml")
    pages["zaak.php?id=2"] = Page(site.about(2), content_type=XML)
    offer(site, pages)
    assert causes((yield)) == {"2": "aanlevering"}, "a failure is tried in each run"


@pytest.mark.parametrize("status", [404, 410])
@permit_days.story
def test_a_dead_link_that_never_was_a_message_is_asked_for_again_later(
    status: int, towns: Towns, site: Town
) -> Story:
    pages = {
        "weg.php?id=1": Page(status=status),
        "zaak.php?id=2": Page(site.about(2), content_type=XML),
        "3.xml": Page(site.about(3)),
    }
    offer(site, pages, None)
    assert "ipm.link-overgeslagen" not in (yield).codes
    site.requests.clear()
    for name in ("zaak.php?id=2", "3.xml"):
        pages[name] = Page(status=status)
    offer(site, pages, None)
    for _ in range(2):
        run = yield
        assert asked(site) == ["3.xml", "zaak.php?id=2"]
        assert sorted(codes(run)) == [
            ("ipm.bericht-onbereikbaar", "3.xml"),
            ("ipm.bericht-onbereikbaar", "zaak.php?id=2"),
        ]
    days_pass(towns, site.host, 1)
    pages["weg.php?id=1"] = Page(site.about(1), content_type=XML)
    offer(site, pages, None)
    assert causes((yield)) == {"1": "aanlevering"}


@permit_days.story
def test_of_a_million_links_to_a_script_a_thousand_are_asked_for_in_a_run(towns: Towns, site: Town) -> Story:
    def answer(request: Request) -> Page:
        is_message = request.target.endswith("=1500")
        return Page(site.about(1), content_type=XML) if is_message else page("niets")

    site.pages[FOLDER] = page("".join(f"<a href='zaak.php?id={number}'>x</a>" for number in range(1700)))
    site.pages[FOLDER + "zaak.php"] = answer
    fast = {"CONCURRENT_REQUESTS_PER_DOMAIN": 16, "WOO_HOST_BACKLOG": 16}
    run = towns.run(site.url(FOLDER), **fast)
    assert 1000 <= len(asked(site)) <= 1016
    (found,) = (line for line in run.findings if line["code"] == "ipm.link-overgeslagen")
    assert found["seen"].startswith("nog niet opgevraagd: ")
    days_pass(towns, site.host, 1)
    run = towns.run(site.url(FOLDER), **fast)
    assert causes(run) == {"1": "aanlevering"}, "the others are asked for in the next run, beside those again"
    assert "ipm.link-overgeslagen" not in run.codes
    assert (yield).records == []
