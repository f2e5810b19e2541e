"""What an operator does between runs, and what the next run makes of it."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import pytest

from tests.utils.command import DATA, Run, run_scrapy, start_forked
from tests.utils.daily import FIRST, NEWER, Harvester, causes, numbered, publish
from tests.utils.waiting import wait_until
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def state(harvester: Harvester, *args: str) -> Run:
    return run_scrapy(["state", *args], harvester.folder)


def files(harvester: Harvester) -> list[str]:
    return [str(path) for path in sorted(harvester.folder.glob("records/*.jsonl"))]


def test_records_of_many_runs_and_the_state_agree_each_day(site: Site, harvester: Harvester) -> None:
    for day in (
        {"a": FIRST, "b": FIRST, "zonder": None},
        {"a": NEWER, "zonder": "gisteren", "c": FIRST},  # changed, withdrawn, new
        {"a": NEWER, "b": NEWER, "zonder": FIRST},  # back again, withdrawn, given a lastmod
    ):
        publish(site, day)
        harvester.day()
        check = state(harvester, "check", *files(harvester))
        assert (check.returncode, check.stdout) == (
            0,
            "3 documents in the state: 0 missing, 0 older, 0 extra.\n",
        )
    latest = state(harvester, "latest", *files(harvester), "-O", "nu.jsonl")
    assert causes(latest) == {"a": "wijziging", "b": "herpublicatie", "zonder": "wijziging"}


def test_lost_records_are_found_forgotten_and_harvested_again(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day()
    for path in files(harvester):
        Path(path).unlink()
    publish(site, {"a": FIRST, "b": FIRST, "c": FIRST})
    harvester.day()
    check = state(harvester, "check", "-v", *files(harvester))
    lost = [line.split()[1] for line in check.stdout.splitlines() if line.startswith("missing")]
    assert sorted(lost) == [site.url("/d/a.pdf"), site.url("/d/b.pdf")]
    state(harvester, "forget", *lost)
    assert causes(harvester.day()) == {"a": "aanlevering", "b": "aanlevering"}
    assert state(harvester, "check", *files(harvester)).returncode == 0


@pytest.mark.parametrize("steps", ["fix, run", "run, fix, run"])
def test_after_an_old_back_up_is_restored_state_records_and_site_agree(
    site: Site, harvester: Harvester, steps: str
) -> None:
    """The steps are those of docs/how-to/backup.md; the names of documents say what became of them since."""
    at_the_back_up = ("stays", "gone", "returned", "changed", "changed-and-gone")
    publish(site, dict.fromkeys((*at_the_back_up, "again", "again-and-gone"), FIRST))
    harvester.day()
    publish(site, dict.fromkeys(at_the_back_up, FIRST))
    harvester.day()
    path = harvester.folder / DATA / "woo-state.sqlite"
    with closing(sqlite3.connect(path)) as now, closing(sqlite3.connect(harvester.folder / "kopie")) as copy:
        now.backup(copy)
    since = dict.fromkeys(
        ("changed", "changed-and-gone", "again", "again-and-gone", "new", "new-and-gone"), NEWER
    )
    publish(site, {"stays": FIRST, **since})
    assert set(causes(harvester.day()).values()) == {
        "wijziging",
        "intrekking",
        "herpublicatie",
        "aanlevering",
    }
    publish(site, {"stays": FIRST, "returned": FIRST, **since})
    assert causes(harvester.day()) == {}, "its lastmod is no newer"

    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    copyfile(harvester.folder / "kopie", path)
    left = {name: lastmod for name, lastmod in since.items() if not name.endswith("-gone")}
    listed = {"stays": FIRST, "returned": FIRST, **left}
    publish(site, listed)
    for step in steps.split(", "):
        if step == "run":
            harvester.day()
        else:
            done = state(harvester, "check", "--fix", *files(harvester))
            assert (done.returncode, "0 missing, 0 older, 0 extra" in done.stdout) == (0, True), done
    there = {site.url(f"/d/{name}.pdf") for name in listed}
    latest = state(harvester, "latest", *files(harvester)).stdout.splitlines()
    assert {json.loads(line)["document"]["weblocatie"] for line in latest} == there
    with closing(sqlite3.connect(path)) as now:
        published = now.execute("SELECT loc FROM documents WHERE harvested AND withdrawn IS NULL").fetchall()
    assert {loc for (loc,) in published} == there
    assert state(harvester, "check", *files(harvester)).returncode == 0
    assert causes(harvester.day()) == {}


def test_the_monitor_names_a_killed_run_until_the_next_run_has_ended(
    tmp_path: Path, ca_bundle: Path, site: Site, harvester: Harvester
) -> None:
    publish(site, numbered(3))
    assert harvester.day().returncode == 0
    site.pages["/d/*"] = Page(b"%PDF-1.7", delay=60)
    before = len(site.requests)
    publish(site, numbered(4, NEWER))
    going = start_forked(harvester.arguments("-a", "documents=download"), tmp_path, ca_bundle)
    wait_until(lambda: len(site.requests) > before + 3, "it requests documents", lambda: not going.ended)
    time.sleep(5)  # a run that has just begun may not have its lock yet
    goes_on = run_scrapy(["monitor"], tmp_path)
    assert goes_on.returncode == 0, goes_on.stdout
    going.send(signal.SIGKILL)
    going.process.join(60)
    newest = max((tmp_path / "reports").glob("woo-*"))
    dead = run_scrapy(["monitor"], tmp_path)
    assert (dead.returncode, dead.stderr) == (1, "")
    assert f"  FAILED   the run came to its end\n           {newest.name} did not end" in dead.stdout
    site.pages["/d/*"] = Page(b"%PDF-1.7")
    assert harvester.day().returncode == 0
    assert run_scrapy(["monitor"], tmp_path).returncode == 0
