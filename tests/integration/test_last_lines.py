"""What is appended to a file whose last line has no end: no record is glued to it, and none is lost."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.utils.command import DATA, Run, run_scrapy
from tests.utils.daily import FIRST, NEWER, Harvester, publish
from tests.utils.disturbed_runs import (
    ADD_POINTS,
    KILLED,
    SOON,
    Fallible,
    GatedSite,
    KillAt,
    harvested,
)
from woo_harvester.demo.site import Site


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def state(harvester: Harvester, *args: str) -> Run:
    return run_scrapy(["state", *args], harvester.folder)


def test_an_editor_that_strips_the_last_newline_costs_nothing(site: Site, harvester: Harvester) -> None:
    out = harvester.folder / "out.jsonl"
    days = [{"a": FIRST}, {"a": FIRST, "b": FIRST}, {"a": FIRST, "b": NEWER, "c": FIRST}]
    for documents in days:
        publish(site, documents)
        assert harvester.day("-o", "out.jsonl").returncode == 0
        out.write_bytes(out.read_bytes().rstrip(b"\n"))
    assert [loc.rpartition("/")[2] for loc in locs_of(out)] == ["a.pdf", "b.pdf", "b.pdf", "c.pdf"]
    checked = state(harvester, "check", "out.jsonl")
    assert checked.stdout == "3 documents in the state: 0 missing, 0 older, 0 extra.\n"


def locs_of(path: Path) -> list[str]:
    """The documents of the records in a file, whose last line may have no end."""
    return [json.loads(line)["document"]["weblocatie"] for line in path.read_bytes().splitlines()]


def test_after_the_recovery_of_a_lost_state_a_truncated_line_is_named_and_no_record_glued_to_it(
    site: Site, harvester: Harvester
) -> None:
    out = harvester.folder / "out.jsonl"
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day("-o", "out.jsonl")
    whole, part = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(whole + part[:50])
    (harvester.folder / DATA).rename(harvester.folder / "lost")
    installation = Fallible(harvester.folder, harvester.ca_bundle, harvester.sites)
    for day in range(3):
        run = installation.start("-o", "out.jsonl")
        assert run.status() == 0
        assert run.stderr.count(f"The last line of {out} was no record") == (0 if day else 1)
    assert out.read_bytes().startswith(whole + part[:50] + b"\n")
    assert state(harvester, "latest", "out.jsonl").stderr.endswith("Wrote 2 documents.\n")


GZIP = {
    "out.jsonl.gz": {"format": "jsonlines", "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"]}
}


@pytest.mark.parametrize("point", ["after the fsync", "after the commit", *ADD_POINTS])
def test_a_feed_that_is_written_as_one_is_added_as_one(
    point: str, site: Site, tmp_path: Path, ca_bundle: Path
) -> None:
    installation = Fallible(tmp_path, ca_bundle, [site])
    out = installation.folder / "out.jsonl.gz"
    publish(site, {"a": FIRST})
    assert installation.run(FEEDS=GZIP).returncode == 0
    before = out.read_bytes()
    publish(site, {"a": FIRST}, {f"b{number}": FIRST for number in range(50)})
    assert installation.start(FEEDS=GZIP, fault=KillAt(point)).status() == KILLED
    assert installation.run(FEEDS=GZIP).returncode == 0
    assert out.read_bytes().startswith(before)
    assert gzip.decompress(out.read_bytes()).count(b'weblocatie": "') == 51
    assert len(harvested(installation.folder)) == 51
    assert [*installation.folder.glob("*.unfinished")] == []


def test_a_file_that_a_run_writes_is_locked_for_others(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, {"a": FIRST}, {"b": FIRST})
    gated.gates.add("/s1.xml")
    started = installation.start(**SOON)
    started.wait_until(lambda: len(harvested(installation.folder, missing_ok=True)) == 1, "one is confirmed")
    (out,) = installation.folder.glob("records/*.jsonl")
    with out.open("ab") as file:
        file.write(b'{"id": "half of what the run writes')
    found = run_scrapy(["state", "latest", str(out)], installation.folder)
    assert found.returncode == 0
    assert found.stderr.startswith(f"scrapy state: {out}, line 2: a run is writing it, and it is left out\n")
    gated.gates.clear()
    assert started.status() == 0
