"""One run at a time on a host of a state; runs on other hosts may have one file."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.utils.disturbed_runs import (
    KILLED,
    SOON,
    Fallible,
    GatedSite,
    errors,
    harvested,
    locs,
    state_of,
    two_sitemaps,
    until_half,
)
from tests.utils.sites import in_shards
from woo_harvester.demo.server import Authority

Shards = tuple[Fallible, GatedSite, GatedSite]


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
    with ExitStack() as stack:
        sites = in_shards(lambda: stack.enter_context(GatedSite(ca)), 2)
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


def test_a_shard_leaves_the_file_that_another_is_writing_and_removes_that_of_a_killed_one(
    shards: Shards,
) -> None:
    installation, one, other = shards
    first = installation.start("-a", "shard=1/2", "-o", "one.jsonl", WOO_DURABLE_INTERVAL=600)
    first.wait_until(lambda: "/s1.xml" in one.waiting, "the second sitemap is asked for")
    first.wait_until(lambda: any(installation.folder.glob("one.jsonl.*")), "a record was made")
    other.gates.clear()
    for is_there in (True, False):
        assert installation.start("-a", "shard=2/2", "-o", "other.jsonl").status() == 0
        assert any(installation.folder.glob("one.jsonl*")) is is_there, "it had no durable record"
        assert first.kill(after=0)


def test_two_shards_may_add_to_one_file(shards: Shards) -> None:
    installation, one, other = shards
    first = installation.start("-a", "shard=1/2", "-o", "all.jsonl", **SOON)
    until_half(first, one, installation)
    other.gates.clear()
    assert installation.start("-a", "shard=2/2", "-o", "all.jsonl").status() == 0
    one.gates.clear()
    assert first.status() == 0
    assert sorted(locs([installation.folder / "all.jsonl"])) == sorted(harvested(installation.folder))
    assert len(locs([installation.folder / "all.jsonl"])) == 30
