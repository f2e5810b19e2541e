"""The aanmaakdatum of permit messages, from day to day: in the future, made on request, too late."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from tests.utils.calendar import Calendar, Story
from tests.utils.command import DATA
from tests.utils.vergunningen import (
    FOLDER,
    NEWER,
    OLD,
    Permits,
    Town,
    Towns,
    about,
    causes,
    codes,
    files_asked,
    publish,
    publish_more,
)
from woo_harvester.demo.permit_messages import delete_message
from woo_harvester.demo.site import Site
from woo_harvester.utils.dates import day_of

TODAY = day_of(datetime.now(UTC))
TOMORROW = str(TODAY + timedelta(days=2))
YESTERDAY = str(TODAY - timedelta(days=2))
TYPO = "2096-04-01"

calendar = Calendar(Towns)


@calendar.story
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


@calendar.story
def test_a_change_of_the_future_leaves_its_case_as_it_is(site: Town) -> Story:
    publish(site, {"1.xml": site.about(1, title="Eerst")})
    yield
    publish(site, {"2.xml": site.about(1, "U", title="Later", aanmaakdatum=TYPO)})
    assert (yield).records == []
    publish(site, {"3.xml": site.about(1, "U", title="Nu", aanmaakdatum="2026-04-02")})
    run = yield
    assert run.records[0]["vergunning"]["title"] == "Nu"


@calendar.story
def test_a_date_that_is_made_on_request_changes_nothing_each_day(site: Town) -> Story:
    for day, date in (("2026-04-01", OLD), ("2026-04-02", NEWER), ("2026-04-03", "03-Apr-2026 10:00")):
        publish(site, {"1.xml": site.about(1, aanmaakdatum=day)}, date)
        run = yield
        assert causes(run) == ({"1": "aanlevering"} if day == "2026-04-01" else {})
        assert codes(run) == ([] if day == "2026-04-01" else [("ipm.datum-gegenereerd", "1.xml")])
    publish(site, {"1.xml": site.about(1, "U", title="Echt", aanmaakdatum="2026-04-04")}, "04-Apr-2026 10:00")
    assert causes((yield)) == {"1": "wijziging"}


@calendar.story
def test_a_delete_that_comes_too_late_is_heard_of(site: Town) -> Story:
    publish(site, {"2.xml": site.about(1, "U", aanmaakdatum="2026-04-05")})
    yield
    gone = delete_message(transactie_id="9", aanmaakdatum="2026-04-03", identifier=site.case(1))
    publish_more(site, {"3.xml": gone})
    run = yield
    assert (run.records, codes(run)) == ([], [("ipm.niet-toegepast", "3.xml")])
    assert run.findings[0]["seen"] == (
        "D van 2026-04-03, transactieID 9; verwerkt is U van 2026-04-05, transactieID 1"
    )


@calendar.story
def test_the_time_of_a_day_decides_which_message_is_the_last(site: Town) -> Story:
    publish(
        site,
        {
            "a.xml": site.about(
                1, "U", title="Middag", aanmaakdatum="2026-04-01T15:00:00", transactie_id="1"
            ),
            "b.xml": site.about(
                1, "C", title="Ochtend", aanmaakdatum="2026-04-01T09:00:00", transactie_id="2"
            ),
        },
    )
    run = yield
    assert run.records[0]["vergunning"]["title"] == "Middag"


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
