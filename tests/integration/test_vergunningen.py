"""``scrapy crawl vergunningen`` from day to day: what is asked for, and the records that come of it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path

from tests.integration.same_days import permit_days
from tests.utils.calendar import Story
from tests.utils.command import DATA
from tests.utils.vergunningen import (
    FOLDER,
    NEWER,
    Permits,
    Town,
    Towns,
    about,
    causes,
    codes,
    files_asked,
    publish,
)
from woo_harvester.demo.permit_messages import document_message
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.utils.dates import day_of

INVALID = b"<message/>"


@permit_days.story
def test_a_case_becomes_a_record(towns: Towns, site: Town) -> Story:
    towns.organisations = {"Gemeente Voorbeeldstad": [site.url("/woo")]}
    publish(
        site,
        {
            "1.xml": site.about(1),
            "1-besluit.xml": document_message(case=site.case(1), identifier=site.case(1) + "/b.pdf"),
        },
    )
    run = yield
    assert run.findings == []
    assert run.records == [
        {
            "id": run.records[0]["id"],
            "vergunning": {
                "identifier": site.case(1),
                "title": "Kappen van twee eiken",
                "language": "nl",
                "type": {"scheme": "overheid:Informatietype", "label": "vergunning"},
                "creator": {"scheme": "overheid:Gemeente", "label": "Voorbeeldstad"},
                "modified": "2026-04-01",
                "product": {"producttype": {"scheme": "overheidvg:Product", "label": "kapvergunning"}},
            },
            "documenten": run.records[0]["documenten"],
            "versies": [
                {
                    "oorzaak": "aanlevering",
                    "transactie": "C",
                    "transactieID": "1",
                    "volgnummer": 0,
                    "aanmaakdatum": "2026-04-01",
                    "mutatiedatumtijd": "2026-04-01T10:00:00+02:00",
                }
            ],
            "herkomst": {
                "ingang": site.url(FOLDER),
                "bestand": site.url(FOLDER + "1.xml"),
                "opgehaald": run.records[0]["herkomst"]["opgehaald"],
                "organisatie": "90000100",
            },
        }
    ]
    assert [document["identifier"] for document in run.records[0]["documenten"]] == [site.case(1) + "/b.pdf"]


@permit_days.story
def test_with_nothing_new_no_file_is_asked_for_again(towns: Towns, site: Town) -> Story:
    publish(site, {f"{number}.xml": site.about(number) for number in range(20)})
    assert len((yield).records) == 20
    assert len(files_asked(site)) == 20
    again = towns.run(site.url(FOLDER))
    assert (again.records, files_asked(site)) == ([], [])
    assert again.stats["woo/berichten/unchanged"] == 20


@permit_days.story
def test_a_file_that_is_replaced_changes_its_case(site: Town) -> Story:
    publish(site, {"1.xml": site.about(1), "2.xml": site.about(2)})
    yield
    files_asked(site)
    publish(
        site, {"1.xml": site.about(1, "U", title="Kappen van drie eiken", aanmaakdatum="2026-04-02")}, NEWER
    )
    run = yield
    assert causes(run) == {"1": "wijziging"}, "and a file that disappears means nothing"
    assert run.records[0]["vergunning"]["title"] == "Kappen van drie eiken"
    assert files_asked(site) == ["1.xml"]


@permit_days.story
def test_on_a_page_without_dates_files_are_asked_for_conditionally(towns: Towns, site: Town) -> Story:
    files = {
        "1.xml": Page(site.about(1), content_type="text/xml", headers={"ETag": '"a"'}),
        "2.xml": Page(site.about(2), headers={"Last-Modified": "Wed, 01 Apr 2026 08:00:00 GMT"}),
        "3.xml": Page(site.about(3)),
    }
    publish(site, files, date=None)
    run = yield
    dates = {record["versies"][0].get("mutatiedatumtijd") for record in run.records}
    assert "2026-04-01T10:00:00+02:00" in dates
    files_asked(site)
    again = towns.run(site.url(FOLDER))
    assert (again.records, again.stats["woo/berichten/unchanged"]) == ([], 3)
    conditions = {
        request.path.rpartition("/")[2]: [name for name in request.headers if name.startswith("if-")]
        for request in site.requests
        if request.path.endswith(".xml")
    }
    assert conditions == {"1.xml": ["if-none-match"], "2.xml": ["if-modified-since"], "3.xml": []}


@permit_days.story
def test_an_invalid_file_is_reported_in_each_run_without_asking_for_it_until_it_is_fixed(site: Town) -> Story:
    publish(site, {"1.xml": INVALID})
    begun = datetime.now(UTC).replace(microsecond=0)
    first = yield
    assert codes(first) == [("ipm.schema", "1.xml")]
    files_asked(site)
    second = yield
    assert (codes(second), files_asked(site)) == (codes(first), [])
    (found,), (since,) = first.findings, second.findings
    # The file was read before the finding was reported, perhaps in an earlier second.
    read, reported = (datetime.fromisoformat(at) for at in (since["since"], found["at"]))
    assert begun <= read <= reported
    assert {key: since[key] for key in found if key != "at"} == {
        key: found[key] for key in found if key != "at"
    }
    publish(site, {"1.xml": site.about(1)}, NEWER)
    healed = yield
    assert (causes(healed), healed.findings) == ({"1": "aanlevering"}, [])
    assert (yield).findings == []


@permit_days.story
def test_a_304_that_nobody_asked_for_is_not_believed(site: Town) -> Story:
    publish(site, {"1.xml": site.about(1)})
    yield
    publish(site, {"1.xml": Page(b"", status=304)}, NEWER)
    assert codes((yield)) == [("ipm.bericht-onbereikbaar", "1.xml")]
    publish(site, {"1.xml": site.about(1, "U", title="Verleend", aanmaakdatum="2026-04-02")}, NEWER)
    assert causes((yield)) == {"1": "wijziging"}


@permit_days.story
def test_a_message_that_could_not_be_fetched_is_tried_again(site: Town) -> Story:
    publish(site, {"1.xml": Page(status=404), "2.xml": INVALID})
    run = yield
    assert codes(run) == [("ipm.bericht-onbereikbaar", "1.xml"), ("ipm.schema", "2.xml")]
    publish(site, {"1.xml": site.about(1), "2.xml": Page(status=404)}, NEWER)
    run = yield
    assert causes(run) == {"1": "aanlevering"}
    assert codes(run) == [("ipm.bericht-onbereikbaar", "2.xml"), ("ipm.schema", "2.xml")], (
        "it is still invalid"
    )


@permit_days.story
def test_two_minutes_are_by_the_clock_of_the_server(site: Town) -> Story:
    """A server whose clock is an hour slow: its files are as old as it says."""
    slow = datetime.now(UTC) - timedelta(hours=1)
    publish(site, {"1.xml": site.about(1)}, date=f"{slow:%d-%b-%Y %H:%M}")
    page = site.pages[FOLDER]
    assert isinstance(page, Page)
    site.pages[FOLDER] = Page(
        page.body, content_type="text/html", headers={"Date": format_datetime(slow, usegmt=True)}
    )
    yield
    files_asked(site)
    yield
    assert files_asked(site) == ["1.xml"]


TODAY = day_of(datetime.now(UTC))
TOMORROW = str(TODAY + timedelta(days=2))
YESTERDAY = str(TODAY - timedelta(days=2))
TYPO = "2096-04-01"


@permit_days.story
def test_a_message_of_the_future_is_not_applied_and_keeps_no_other_back(site: Town) -> Story:
    publish(site, {"1.xml": site.about(1, aanmaakdatum=TYPO), "2.xml": site.about(2)})
    run = yield
    assert causes(run) == {"2": "aanlevering"}
    (finding,) = run.findings
    assert (finding["code"], finding["severity"]) == ("ipm.datum-toekomst", "error")
    assert (finding["seen"], finding["element"]) == (TYPO, "aanmaakdatum")
    files_asked(site)
    run = yield
    assert (run.records, codes(run)) == ([], [("ipm.datum-toekomst", "1.xml")]), "it is reported each day"
    assert files_asked(site) == [], "without being fetched"
    publish(site, {"1.xml": site.about(1, aanmaakdatum="2026-04-01"), "2.xml": site.about(2)}, NEWER)
    run = yield
    assert (causes(run), codes(run)) == ({"1": "aanlevering"}, [])


def test_a_message_is_applied_when_its_day_has_come(site: Site, tmp_path: Path, ca_bundle: Path) -> None:
    town = Permits(tmp_path, ca_bundle)
    publish(site, {"1.xml": about(1, aanmaakdatum=TOMORROW)})
    assert codes(town.run(site.url(FOLDER))) == [("ipm.datum-toekomst", "1.xml")]
    # Days later: the same file, of which the state knows that its day had not come.
    past = about(1, aanmaakdatum=YESTERDAY)
    publish(site, {"1.xml": past})
    with closing(sqlite3.connect(tmp_path / DATA / "woo-state.sqlite")) as connection, connection:
        ((faults,),) = connection.execute("SELECT faults FROM permit_files").fetchall()
        (fault,) = json.loads(faults)
        row = json.dumps([{**fault, "seen": YESTERDAY}]), sha256(past).digest()
        connection.execute("UPDATE permit_files SET faults = ?, digest = ?", row)
    run = town.run(site.url(FOLDER))
    assert (causes(run), codes(run)) == ({"1": "aanlevering"}, [])
    files_asked(site)
    run = town.run(site.url(FOLDER))
    assert (run.records, run.findings, files_asked(site)) == ([], [], [])
