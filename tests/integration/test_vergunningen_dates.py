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
    Permits,
    Town,
    Towns,
    about,
    causes,
    codes,
    files_asked,
    publish,
)
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
