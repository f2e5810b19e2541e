"""What may happen to a state: damage, another version, no room, a commit that fails."""

from __future__ import annotations

import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from tests.utils.daily import FIRST, numbered, publish
from tests.utils.disturbed_runs import (
    SOON,
    FailAt,
    Fallible,
    GatedSite,
    errors,
    harvested,
    locs,
    small_disk,
    state_of,
    two_sitemaps,
    until_half,
)
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.state.store import StateError


def middle(state: Path) -> None:
    size = state.stat().st_size
    with state.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (size - 8192))


def test_a_damaged_state_is_named_with_what_to_do_and_never_begun_anew(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(20))
    assert len(installation.run().records) == 20
    state = state_of(installation)
    middle(state)
    before = state.read_bytes()
    refused = installation.run()
    assert refused.returncode == 1
    (line,) = errors(refused)
    assert str(state) in line
    assert "put a back-up in its place, or move the file away" in line
    assert refused.records == []
    assert state.read_bytes() == before
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("feeds", [{"all.jsonl": {"format": "jsonlines"}}, {}])
@pytest.mark.parametrize("count", [1, 3])
def test_a_commit_that_fails_once_ends_the_run_and_the_next_delivers_the_rest(
    count: int, feeds: dict[str, Any], gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(10), {f"more{number}": FIRST for number in range(10)})
    failure = OperationalError("COMMIT", {}, sqlite3.OperationalError("disk I/O error"))
    fault = FailAt(StateKeeper, "_confirm", count, failure)
    failed = installation.run(fault=fault, FEEDS=feeds, WOO_DURABLE_RECORDS=5)
    assert failed.returncode == 1
    (line,) = errors(failed)
    assert line.endswith("cannot be used: disk I/O error")
    known = harvested(installation.folder)
    assert len(known) == (5 if feeds else 1) * (count - 1)
    rest = installation.run("-o", "all.jsonl", WOO_DURABLE_RECORDS=5)
    assert rest.returncode == 0
    assert len(harvested(installation.folder)) == 20
    if feeds:
        found = locs([installation.folder / "all.jsonl"])
        assert len(found) == len(set(found)) == 20


def test_a_commit_whose_answer_is_lost_loses_no_document(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, numbered(20))
    fault = FailAt(StateKeeper, "durable", 2, StateError("the connection was lost"))
    failed = installation.run("-o", "all.jsonl", fault=fault, WOO_DURABLE_RECORDS=5)
    assert failed.returncode == 1
    assert set(locs(installation.folder.glob("all.jsonl*"))) == harvested(installation.folder)
    rest = installation.run("-o", "all.jsonl", WOO_DURABLE_RECORDS=5)
    assert rest.returncode == 0
    found = locs([installation.folder / "all.jsonl"])
    assert len(found) == len(set(found)) == len(harvested(installation.folder)) == 20


def test_a_file_of_a_killed_run_that_cannot_be_finished_is_reported_and_nothing_is_asked_for(
    gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    with small_disk(installation.folder / "out", 1024 * 1024) as disk:
        killed = installation.start("-o", str(disk / "all.jsonl"), **SOON)
        until_half(killed, gated, installation)
        killed.kill(after=0)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        gated.requests.clear()
        refused = installation.run("-o", "other.jsonl")
    assert refused.returncode == 1
    (line,) = errors(refused)
    assert "cannot be finished" in line
    assert "all.jsonl" in line
    assert gated.requests == []


#: An extension that somebody else has broken.
BROKEN = """
class Breaks:
    @classmethod
    def from_crawler(cls, crawler):
        crawler.spider.first_requests = lambda: {}["host"]
        return cls()
"""


def test_a_run_that_cannot_start_for_another_reason_ends_with_status_1_and_its_log(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(3))
    (installation.folder / "broken.py").write_text(BROKEN)
    refused = installation.run(EXTENSIONS={"broken.Breaks": 1})
    assert refused.returncode == 1
    assert errors(refused) == ["scrapy crawl: error: the run could not start: KeyError: 'host'"]
    assert "Traceback" in refused.stderr
