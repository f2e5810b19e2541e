"""Harvests of documents and of permits at the same time: one host, one state, one working folder."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.utils.command import DATA, REPORTS, environment, in_project, read_lines, run_scrapy
from tests.utils.daily import numbered
from tests.utils.daily import publish as publish_documents
from tests.utils.disturbed_runs import KILLED, SOON, Fallible, GatedSite, Started, harvested
from tests.utils.vergunningen import FOLDER, about, publish

pytestmark = pytest.mark.integration

SPIDERS = ("woo", "vergunningen")
METRICS = {"WOO_METRICS_FILE": "metrics/%(spider)s.prom"}
FILES = {f"{number}.xml": about(number) for number in range(6)}
CASES = {str(number) for number in range(6)}
LAST = f"{FOLDER}5.xml"


def start(installation: Fallible, site: GatedSite, spider: str, *args: str, **settings: object) -> Started:
    """Begin a run of either spider over the same host, in the folder and with the register of both."""
    given = {**SOON, **METRICS, **settings}
    if spider == "woo":
        return installation.start(*args, **given)
    register = installation.arguments()[3]
    command = ["crawl", "vergunningen", "-a", f"entries={site.url(FOLDER)}", "-a", register, *args]
    argv = in_project(command, installation.folder, given)
    return Started(argv, installation.folder, environment(installation.ca_bundle), None)


@pytest.fixture
def town(gated: GatedSite) -> GatedSite:
    """Return a municipality that publishes documents and permits on one host; both have a gate half-way."""
    publish_documents(gated, numbered(10), {f"later{number}": None for number in range(5)})
    publish(gated, FILES)
    gated.gates |= {"/s1.xml", LAST}
    return gated


def cases(folder: Path) -> set[str]:
    """Return the cases that the state of the installation counts as delivered."""
    path = folder / DATA / "woo-state.sqlite"
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT identifier FROM permit_cases WHERE batch IS NULL")
        return {identifier.rpartition("/")[2] for (identifier,) in rows}


def begin_both(installation: Fallible, town: GatedSite) -> tuple[Started, Started]:
    """Begin both runs at the same moment; return them half-way."""
    woo, permits = (start(installation, town, spider) for spider in SPIDERS)
    woo.wait_until(lambda: "/s1.xml" in town.waiting, "the second sitemap is asked for")
    permits.wait_until(lambda: LAST in town.waiting, "the last message is asked for")
    return woo, permits


def test_both_harvest_one_host_at_the_same_time_on_one_new_state(
    installation: Fallible, town: GatedSite
) -> None:
    folder = installation.folder
    runs = begin_both(installation, town)
    town.gates.clear()
    assert [(run.status(), run.stderr.count("ERROR")) for run in runs] == [(0, 0), (0, 0)]
    assert (len(harvested(folder)), cases(folder)) == (15, CASES)
    for spider, count in zip(SPIDERS, (15, 6), strict=True):
        (records,) = folder.glob(f"records/{spider}-*.jsonl")
        assert len(read_lines(records)) == count
        (report,) = folder.glob(f"{REPORTS}/{spider}-*/")
        stats = json.loads((report / "stats.json").read_text(encoding="utf-8"))
        assert (stats["finish_reason"], stats["item_scraped_count"]) == ("finished", count)
        metrics = (folder / "metrics" / f"{spider}.prom").read_text(encoding="utf-8")
        assert re.findall(r"woo_run_finished.*", metrics)[-1] == f'woo_run_finished{{spider="{spider}"}} 1.0'
    checked = run_scrapy(["monitor"], folder)
    assert checked.returncode == 0
    assert re.findall(r"^(\w+)-20", checked.stdout, re.MULTILINE) == ["vergunningen", "woo"]


@pytest.mark.parametrize("killed", SPIDERS)
def test_a_kill_of_one_leaves_the_other_as_it_is_and_comes_right_the_next_day(
    installation: Fallible, town: GatedSite, killed: str
) -> None:
    runs = dict(zip(SPIDERS, begin_both(installation, town), strict=True))
    runs[killed].send(signal.SIGKILL)
    assert runs.pop(killed).status() == KILLED
    (other,) = runs
    # A run that begins meanwhile finishes the file of the killed one, and leaves that of the other.
    town.gates.discard("/s1.xml" if killed == "woo" else LAST)
    assert start(installation, town, killed).status() == 0
    town.gates.clear()
    assert runs[other].status() == 0
    for spider in SPIDERS:
        again = start(installation, town, spider).wait()
        assert (again.returncode, again.records) == (0, [])
    written = [line for path in installation.folder.glob("records/*.jsonl") for line in read_lines(path)]
    assert {
        line["vergunning"]["identifier"].rpartition("/")[2] for line in written if "vergunning" in line
    } == CASES
    documents = {line["document"]["weblocatie"] for line in written if "document" in line}
    assert documents == harvested(installation.folder)
    assert len(documents) == 15
