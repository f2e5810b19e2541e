"""What may happen to a state and to a run: damage, an early end, no room, a second run, another project."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from tests.command import DATA
from tests.integration.daily import FIRST, causes, numbered, publish
from tests.integration.faults import (
    KILLED,
    FailAt,
    Fallible,
    GatedSite,
    NewerProgram,
    Started,
    errors,
    harvested,
    locs,
    small_disk,
)
from woo_harvester.demo.certificates import Authority
from woo_harvester.demo.server import Page
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.shards import shard_of
from woo_harvester.spiders.entries import Entries

Shards = tuple[Fallible, GatedSite, GatedSite]

SOON: dict[str, Any] = {"WOO_DURABLE_INTERVAL": 0.05}


def state_of(installation: Fallible) -> Path:
    return installation.folder / DATA / "woo-state.sqlite"


def two_sitemaps(site: GatedSite) -> None:
    """Publishes twelve documents, and three whose sitemap is not answered until the gate opens."""
    publish(site, {f"a{number}": FIRST for number in range(12)}, {f"b{number}": FIRST for number in range(3)})
    site.gates.add("/s1.xml")


def until_half(started: Started, site: GatedSite, installation: Fallible) -> None:
    """Go on when the first sitemap is harvested and confirmed, and the second is waited for."""
    started.wait_until(lambda: "/s1.xml" in site.held, "the second sitemap is asked for")
    started.wait_until(lambda: len(harvested(installation.folder)) == 12, "the first is confirmed")


# Ended by a signal


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_keeps_what_it_has_and_the_next_goes_on(
    number: signal.Signals, gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    started = installation.start("-o", "all.jsonl")
    started.wait_until(lambda: "/s1.xml" in gated.held, "the second sitemap is asked for")
    started.send(number)
    started.wait_until(lambda: "shutting down gracefully" in started.stderr, "it has heard")
    gated.gates.clear()
    ended = started.wait()
    assert (ended.returncode, ended.stats["finish_reason"]) == (0, "shutdown")
    assert "Traceback" not in ended.stderr
    assert harvested(installation.folder) == set(ended.locs)
    assert len(ended.locs) >= 12
    rest = installation.run()
    assert len(ended.locs) + len(rest.locs) == 15
    assert set(causes(rest).values()) <= {"aanlevering"}


def test_a_run_that_is_ended_withdraws_nothing(gated: GatedSite, installation: Fallible) -> None:
    two_sitemaps(gated)
    gated.gates.clear()
    installation.run()
    publish(gated, numbered(1), {})
    gated.gates.add("/s1.xml")
    started = installation.start()
    started.wait_until(lambda: "/s1.xml" in gated.held, "the second sitemap is asked for")
    started.send(signal.SIGTERM)
    started.wait_until(lambda: "shutting down gracefully" in started.stderr, "it has heard")
    gated.gates.clear()
    assert "intrekking" not in causes(started.wait()).values()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_can_be_ended_while_many_documents_wait_for_room(
    number: signal.Signals, gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(300))
    gated.pages["/d/*"] = Page(b"%PDF-1.4", content_type="application/pdf", delay=0.05)
    options = ("-a", "documents=head")
    started = installation.start(*options, WOO_HOST_BACKLOG=2, **SOON)
    started.wait_until(lambda: len(harvested(installation.folder)) > 5, "some are confirmed")
    started.send(number)
    ended = started.wait()
    assert (ended.returncode, ended.stats["finish_reason"]) == (0, "shutdown")
    assert "Traceback" not in ended.stderr
    assert 5 < len(ended.locs) < 300
    assert harvested(installation.folder) == set(ended.locs)
    gated.pages["/d/*"] = Page(b"%PDF-1.4", content_type="application/pdf")
    rest = installation.run(*options)
    assert sorted([*ended.locs, *rest.locs]) == sorted(
        gated.url(f"/d/doc{number}.pdf") for number in range(300)
    )


def test_a_second_ctrl_c_ends_it_at_once_and_nothing_is_lost(
    gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    started = installation.start("-o", "all.jsonl", **SOON)
    until_half(started, gated, installation)
    for heard in ("shutting down gracefully", "forcing unclean shutdown"):
        started.send(signal.SIGINT)
        started.wait_until(lambda heard=heard: heard in started.stderr, heard)  # type: ignore[misc]
    started.status()
    gated.gates.clear()
    assert installation.start("-o", "all.jsonl").status() == 0
    assert sorted(locs([installation.folder / "all.jsonl"])) == sorted(harvested(installation.folder))
    assert len(harvested(installation.folder)) == 15


def test_a_mistake_of_the_program_withdraws_nothing(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, {"a": FIRST, "b": FIRST}, {"c": FIRST, "d": FIRST})
    assert len(installation.run().records) == 4
    publish(gated, {"a": FIRST}, {"c": FIRST})
    broken = installation.run(fault=FailAt(Entries, "select", 1, RuntimeError("a mistake")))
    assert broken.records == []
    assert broken.about("intrekking.onvolledig")
    assert causes(installation.run()) == {"b": "intrekking", "d": "intrekking"}


# A state that cannot be used


def garbage(state: Path) -> None:
    state.write_bytes(b"this is no database, and it is not small either\n" * 1000)


def half(state: Path) -> None:
    os.truncate(state, state.stat().st_size // 2)


def nothing(state: Path) -> None:
    os.truncate(state, 0)


def middle(state: Path) -> None:
    size = state.stat().st_size
    with state.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (size - 8192))


@pytest.mark.parametrize("damage", [garbage, half, nothing, middle])
def test_a_damaged_state_is_named_with_what_to_do_and_never_begun_anew(
    damage: Callable[[Path], None], gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(20))
    assert len(installation.run().records) == 20
    state = state_of(installation)
    damage(state)
    before = state.read_bytes()
    refused = installation.run()
    assert refused.returncode == 1
    (line,) = errors(refused)
    assert str(state) in line
    assert "put a back-up in its place, or move the file away" in line
    assert refused.records == []
    assert state.read_bytes() == before
    assert "Traceback" not in refused.stderr


def test_a_state_of_a_newer_version_is_refused_and_of_an_older_one_migrated(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(3))
    assert len(installation.run().records) == 3
    newer = installation.run(fault=NewerProgram())
    assert (newer.returncode, newer.records) == (0, [])
    with closing(sqlite3.connect(state_of(installation))) as connection:
        assert connection.execute("SELECT count(new_column) FROM hosts").fetchone() == (1,)
    refused = installation.run()
    assert refused.returncode == 1
    (line,) = errors(refused)
    assert str(state_of(installation)) in line
    assert "newer version" in line
    assert installation.run(fault=NewerProgram()).returncode == 0


def test_a_state_that_is_a_folder_is_told(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, numbered(3))
    folder = installation.folder / "state"
    folder.mkdir()
    check_refused(installation, folder)


def test_a_state_whose_folder_cannot_be_made_is_told(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, numbered(3))
    file = installation.folder / "file"
    file.touch()
    check_refused(installation, file / "state.sqlite")


def test_a_state_that_may_not_be_written_is_told(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, numbered(3))
    state = installation.folder / "disk" / "state.sqlite"
    with small_disk(state.parent, 1024 * 1024, "ro"):
        check_refused(installation, state)


def check_refused(installation: Fallible, state: Path) -> None:
    refused = installation.run(WOO_STATE_URL=f"sqlite:///{state}")
    assert refused.returncode == 1
    (line,) = errors(refused)
    assert str(state) in line
    assert refused.records == []
    assert "Traceback" not in refused.stderr


def test_a_disk_without_room_for_the_state_ends_the_run_and_the_next_delivers_the_rest(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, *({f"{part}-{number}{'x' * 200}": FIRST for number in range(50)} for part in range(20)))
    state = installation.folder / "disk" / "state.sqlite"
    settings: dict[str, Any] = {"WOO_STATE_URL": f"sqlite:///{state}", "WOO_DURABLE_RECORDS": 10}
    with small_disk(state.parent, 400 * 1024):
        failed = installation.run("-o", "all.jsonl", **settings)
        assert failed.returncode == 1
        (line,) = errors(failed)
        assert str(state) in line
        assert "full" in line
        assert "Traceback" not in failed.stderr
        assert len(failed.records) < 1000
        moved = installation.folder / DATA / "woo-state.sqlite"
        moved.parent.mkdir()
        for file in state.parent.glob("state.sqlite*"):
            shutil.copy(file, moved.with_name(file.name.replace(state.name, moved.name)))
    assert harvested(installation.folder) <= set(failed.locs)
    assert installation.run("-o", "all.jsonl").returncode == 0
    everything = locs([installation.folder / "all.jsonl"])
    assert len(everything) == len(set(everything)) == 1000


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


def test_jobdir_is_refused(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, numbered(3))
    refused = installation.run(JOBDIR="job")
    assert refused.returncode == 1
    (line,) = errors(refused)
    assert "JOBDIR" in line
    assert gated.requests == []


# One run at a time


def test_a_second_run_over_the_same_hosts_is_refused_while_the_first_goes_on(
    gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    first = installation.start("-o", "all.jsonl", **SOON)
    until_half(first, gated, installation)
    asked = len(gated.requests)
    second = installation.start("-o", "all.jsonl")
    assert second.status() == 1
    (line,) = errors(second)
    assert f"another run works on {gated.host}" in line
    assert str(state_of(installation)) in line
    assert "Traceback" not in second.stderr
    assert len(gated.requests) == asked
    gated.gates.clear()
    assert first.status() == 0
    assert sorted(locs([installation.folder / "all.jsonl"])) == sorted(harvested(installation.folder))
    assert len(harvested(installation.folder)) == 15


def test_a_refused_run_does_not_empty_the_file_of_the_first(gated: GatedSite, installation: Fallible) -> None:
    two_sitemaps(gated)
    first = installation.start("-O", "all.jsonl", **SOON)
    until_half(first, gated, installation)
    assert installation.start("-O", "all.jsonl").status() == 1
    gated.gates.clear()
    assert first.status() == 0
    assert len(locs([installation.folder / "all.jsonl"])) == 15


def test_the_lock_of_a_killed_run_is_free_at_once(gated: GatedSite, installation: Fallible) -> None:
    two_sitemaps(gated)
    first = installation.start(**SOON)
    until_half(first, gated, installation)
    first.send(signal.SIGKILL)
    assert first.status() == KILLED
    gated.gates.clear()
    assert len(installation.run().records) == 3


@pytest.fixture
def shards(ca: Authority, ca_bundle: Path, tmp_path: Path) -> Iterator[Shards]:
    """An installation of two hosts, the first in shard 1 of 2 and the other in shard 2."""
    sites: dict[int, GatedSite] = {}
    with ExitStack() as stack:
        while len(sites) < 2:
            site = stack.enter_context(GatedSite(ca))
            sites.setdefault(shard_of(site.host, 2), site)
        for site in sites.values():
            two_sitemaps(site)
        yield Fallible(tmp_path, ca_bundle, [sites[1], sites[2]]), sites[1], sites[2]
        for site in sites.values():
            site.gates.clear()


def test_two_shards_run_side_by_side_on_one_state(shards: Shards) -> None:
    installation, one, other = shards
    first = installation.start("-a", "shard=1/2", "-o", "one.jsonl", **SOON)
    until_half(first, one, installation)
    other.gates.clear()
    assert installation.start("-a", "shard=2/2", "-o", "other.jsonl").status() == 0
    one.gates.clear()
    assert first.status() == 0
    for site, name in ((one, "one.jsonl"), (other, "other.jsonl")):
        found = locs([installation.folder / name])
        assert len(found) == 15
        assert all(loc.startswith(site.url("/")) for loc in found)
    assert len(harvested(installation.folder)) == 30


def test_a_shard_does_not_cut_the_file_that_another_is_writing(shards: Shards) -> None:
    installation, one, other = shards
    first = installation.start("-a", "shard=1/2", "-o", "one.jsonl", WOO_DURABLE_INTERVAL=600)
    first.wait_until(lambda: "/s1.xml" in one.held, "the second sitemap is asked for")
    with (installation.folder / "one.jsonl").open("ab") as file:
        file.write(b" ")  # as if a part of what is written had reached the disk
    written = (installation.folder / "one.jsonl").read_bytes()
    other.gates.clear()
    assert installation.start("-a", "shard=2/2", "-o", "other.jsonl").status() == 0
    assert (installation.folder / "one.jsonl").read_bytes() == written
    first.send(signal.SIGKILL)
    assert first.status() == KILLED
    # Cut by whoever comes first, now that nobody writes it.
    assert installation.start("-a", "shard=2/2").status() == 0
    assert (installation.folder / "one.jsonl").read_bytes() == b""


def test_two_shards_cannot_write_one_file(shards: Shards) -> None:
    installation, one, other = shards
    first = installation.start("-a", "shard=1/2", "-o", "all.jsonl", **SOON)
    until_half(first, one, installation)
    other.gates.clear()
    second = installation.start("-a", "shard=2/2", "-o", "all.jsonl")
    assert second.status() == 1
    (line,) = errors(second)
    assert "another run writes to" in line
    one.gates.clear()
    assert first.status() == 0
    assert sorted(locs([installation.folder / "all.jsonl"])) == sorted(harvested(installation.folder))
    assert installation.start("-a", "shard=2/2", "-o", "all.jsonl").status() == 0
    assert len(locs([installation.folder / "all.jsonl"])) == 30
