"""Findings about an entry page after several days: files that go, files without a date, cases that ended."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.integration.same_days import permit_days
from tests.utils.calendar import Calendar, Story
from tests.utils.command import DATA, Run
from tests.utils.hostile import truncated
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import (
    FOLDER,
    NEWER,
    OLD,
    XML,
    Permits,
    RawTown,
    Town,
    Towns,
    about,
    causes,
    codes,
    listing,
    publish,
    publish_more,
)
from woo_harvester.demo.permit_messages import delete_message, document_message
from woo_harvester.demo.server import Page
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.urls import record_id

TODAY = day_of(datetime.now(UTC))

#: The period of running permits is of no interest after 30 days.
short_period = Calendar(Towns, WOO_PERMIT_EXPIRED_DAYS=30)


@pytest.fixture
def permits(tmp_path: Path, ca_bundle: Path) -> Permits:
    return Permits(tmp_path, ca_bundle)


def days_later(folder: Path, days: int) -> None:
    """Make the runs so far those of some days ago: only the state knows when they were."""
    seconds = days * 86_400
    moments = {
        "permit_entries": ("complete_since", "complete_at", "gone_at"),
        "permit_files": ("first_seen", "read_at", "dated_at", "gone_at"),
    }
    with closing(sqlite3.connect(folder / DATA / "woo-state.sqlite")) as connection, connection:
        for table, columns in moments.items():
            changes = ", ".join(f"{name} = {name} - {seconds}" for name in columns)
            connection.execute(f"UPDATE {table} SET {changes}")


def seen(run: Run, code: str) -> list[str]:
    return [line["seen"] for line in run.findings if line["code"] == code]


# Files that go.


@permit_days.story
def test_files_that_went_within_a_week_are_one_finding_of_one_day(site: Town) -> Story:
    publish(site, {f"{number}.xml": site.about(number) for number in range(4)})
    assert codes((yield)) == []
    publish(site, {"0.xml": site.about(0)})
    run = yield
    (finding,) = run.findings
    assert (finding["code"], finding["severity"], finding["url"]) == ("ipm.te-kort", "info", site.url(FOLDER))
    assert finding["seen"] == f"3 bestanden, zoals {site.url(FOLDER)}1.xml"
    assert run.records == []
    assert codes((yield)) == [], "they are gone, and went only once"


@permit_days.story
def test_a_page_that_is_not_read_to_its_end_lacks_nothing(site: RawTown) -> Story:
    files = {"1.xml": site.about(1), "2.xml": site.about(2)}
    publish(site, files)
    yield
    site.behaviours[FOLDER] = truncated(listing({"1.xml": OLD}).encode())
    assert codes((yield)) == [("ipm.ingang-onbereikbaar", "")]
    del site.behaviours[FOLDER]
    site.pages[FOLDER] = Page(status=503)
    assert codes((yield)) == [("ipm.ingang-onbereikbaar", "")]
    site.pages[FOLDER] = Page("<html><body>Even geduld</body></html>", content_type="text/html")
    assert codes((yield)) == [("ipm.ingang-zonder-links", "")]
    publish(site, files)
    assert codes((yield)) == []


def test_a_host_that_is_no_longer_the_organisations_takes_no_file_from_the_page(
    permits: Permits, make_site: MakeSite
) -> None:
    page, files = make_site(), make_site()
    permits.organisations = {"Gemeente Twee Hosts": [page.url("/woo"), files.url("/woo")]}
    publish(page, {"1.xml": about(1)})
    files.pages["/2.xml"] = Page(about(2), content_type=XML)
    body = f'<a href="1.xml">1</a> {OLD} <a href="{files.url("/2.xml")}">2</a> {OLD}'
    page.pages[FOLDER] = Page(body, content_type="text/html")
    assert set(causes(permits.run(page.url(FOLDER)))) == {"1", "2"}
    permits.organisations = {"Gemeente Twee Hosts": [page.url("/woo")]}
    assert codes(permits.run(page.url(FOLDER))) == [("host.niet-geregistreerd", "2.xml")]


def test_a_page_that_grows_for_a_year_is_reported(permits: Permits, make_site: MakeSite) -> None:
    site = make_site()
    entry = site.url(FOLDER)
    links = {f"{number}.xml": OLD for number in range(1001)}
    publish(site, dict.fromkeys(links, about(1)))
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 50, "AUTOTHROTTLE_ENABLED": False}
    assert permits.run(entry, **settings).findings == []
    days_later(permits.folder, 364)
    assert permits.run(entry).findings == []
    days_later(permits.folder, 2)
    run = permits.run(entry)
    assert [line["code"] for line in run.findings] == ["ipm.groeiend"]
    assert run.findings[0]["seen"].startswith("1001 bestanden; sinds 20")
    links.pop("7.xml")
    site.pages[FOLDER] = Page(listing(links), content_type="text/html")
    assert permits.run(entry).findings == [], "1000 are not too many"
    publish_more(site, {"nieuw.xml": about(1)})
    assert permits.run(entry).findings == [], "one went today"


# Files without a date.


@permit_days.story
def test_files_without_any_date_are_one_finding_of_each_day(site: Town) -> Story:
    publish(site, {f"{number}.xml": site.about(number) for number in range(3)}, None)
    dated = Page(site.about(3), content_type=XML, headers={"Last-Modified": "Wed, 01 Apr 2026 08:00:00 GMT"})
    tagged = Page(site.about(4), content_type=XML, headers={"ETag": '"4"'})
    site.pages |= {f"{FOLDER}3.xml": dated, f"{FOLDER}4.xml": tagged}
    names = {f"{number}.xml": None for number in range(5)}
    site.pages[FOLDER] = Page(listing(names), content_type="text/html")
    for _ in range(2):
        run = yield
        (finding,) = run.findings
        assert (finding["code"], finding["severity"]) == ("ipm.zonder-datum", "info")
        assert finding["seen"] == "3 bestanden zonder datum, Last-Modified en ETag"
        assert finding["url"] == site.url(FOLDER)


# Cases that ended.


def period(start: str, end: str) -> str:
    return f"<dcterms:temporal><start>{start}</start><end>{end}</end></dcterms:temporal>"


@short_period.story
def test_cases_that_ended_long_ago_are_one_finding_until_they_are_deleted(site: Town) -> Story:
    days_ago = {days: str(TODAY - timedelta(days=days)) for days in (30, 31, 32)}
    files = {
        "1.xml": site.about(1, kern=period("2020-01-01", days_ago[30])),
        "2.xml": site.about(2, kern=period("2020-01-01", days_ago[31])),
        "3.xml": site.about(3, kern=period(days_ago[32], "2020-01-01")),
        "4.xml": site.about(4),
    }
    publish(site, files)
    for _ in range(2):
        run = yield
        (finding,) = (line for line in run.findings if line["code"] == "ipm.verlopen")
        assert (finding["severity"], finding["url"]) == ("info", site.url(FOLDER))
        assert finding["seen"] == f"2 zaken; het eerst afgelopen: {site.case(3)}, op {days_ago[32]}"
    deleted = delete_message(identifier=site.case(3), transactie_id="9", aanmaakdatum="2026-04-03")
    extended = site.about(2, "U", aanmaakdatum="2026-04-03", kern=period("2020-01-01", "2096-01-01"))
    publish_more(site, {"weg.xml": deleted, "langer.xml": extended})
    run = yield
    assert (causes(run), run.findings) == ({"3": "intrekking", "2": "wijziging"}, [])
    assert (yield).findings == []


# A case whose URL moves between http and https.


@pytest.mark.parametrize("first", ["http", "https"])
@permit_days.story
def test_a_case_whose_url_gets_another_scheme_is_the_same_case(first: str, site: Town) -> Story:
    second = "https" if first == "http" else "http"
    old, new = (site.case(1).replace("https", scheme) for scheme in (first, second))
    publish(site, {"1.xml": site.about(1, identifier=old), "b.xml": document_message(case=new)})
    run = yield
    assert [(each["id"], each["vergunning"]["identifier"]) for each in run.records] == [(record_id(old), old)]
    assert [each["title"] for each in run.records[0]["documenten"]] == ["Besluit"]
    moved = site.about(1, "U", identifier=new, aanmaakdatum="2026-04-02", title="Verhuisd")
    publish_more(site, {"2.xml": moved})
    run = yield
    assert causes(run) == {"1": "wijziging"}
    assert [(each["id"], each["vergunning"]["identifier"]) for each in run.records] == [(record_id(old), new)]
    assert [each["title"] for each in run.records[0]["documenten"]] == ["Besluit"]
    assert (yield).records == []
    publish_more(site, {"weg.xml": delete_message(identifier=old, aanmaakdatum="2026-04-03")})
    run = yield
    assert (causes(run), run.records[0]["id"]) == ({"1": "intrekking"}, record_id(old))
    back = site.about(1, "U", identifier=new, aanmaakdatum="2026-04-04")
    publish_more(site, {"terug.xml": back}, NEWER)
    run = yield
    assert (causes(run), run.records[0]["id"]) == ({"1": "herpublicatie"}, record_id(old))
