"""The same promises with a state in PostgreSQL, which runs on several machines share."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.integration.test_days import test_a_change, test_a_first_day, test_a_withdrawal
from tests.utils.command import Run, run_scrapy
from tests.utils.disturbed_runs import (
    KILLED,
    SOON,
    Fallible,
    Fault,
    GatedSite,
    Started,
    errors,
    locs,
    two_sitemaps,
)
from tests.utils.postgresql import Server, postgresql_server, postgresql_url, query, server
from tests.utils.waiting import wait_until
from woo_harvester.demo.site import Site

__all__ = [
    "postgresql_server",
    "postgresql_url",
    "test_a_change",
    "test_a_first_day",
    "test_a_withdrawal",
]


pytestmark = pytest.mark.integration


@dataclass
class Node(Fallible):
    """A machine whose runs keep their state in PostgreSQL."""

    url: str = ""
    name: str = "node1"

    def start(self, *args: str, fault: Fault | None = None, **settings: object) -> Started:
        given: dict[str, Any] = {"WOO_STATE_URL": self.url, "WOO_NODE": self.name, **settings}
        return super().start(*args, fault=fault, **given)

    def day(self, *args: str, **settings: object) -> Run:
        return super().day(*args, WOO_STATE_URL=self.url, **settings)

    def state(self, *args: str) -> Run:
        """``scrapy state`` on this machine."""
        return run_scrapy(["state", *args], self.folder, settings={"WOO_STATE_URL": self.url})

    def known(self) -> set[str]:
        """The documents that the state counts as harvested."""
        found = query(self.url, "SELECT loc FROM documents WHERE harvested IS NOT NULL")
        return {str(loc) for (loc,) in found}

    def until_half(self, started: Started, site: GatedSite) -> None:
        """Go on when the first sitemap is confirmed, and the second is waited for."""
        started.wait_until(lambda: "/s1.xml" in site.waiting, "the second sitemap is asked for")
        started.wait_until(lambda: len(self.known()) == 12, "the first is confirmed")


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site, postgresql_url: str) -> Node:
    """The installation for the test of another module."""
    return Node(tmp_path, ca_bundle, [site], postgresql_url)


@pytest.fixture
def nodes(tmp_path: Path, ca_bundle: Path, gated: GatedSite, postgresql_url: str) -> list[Node]:
    """Two machines."""
    two_sitemaps(gated)
    made = []
    for name in ("node1", "node2"):
        folder = tmp_path / name
        folder.mkdir()
        made.append(Node(folder, ca_bundle, [gated], postgresql_url, name))
    return made


def test_of_two_nodes_that_start_the_same_hosts_at_once_exactly_one_goes_on(
    nodes: list[Node], gated: GatedSite
) -> None:
    runs = [node.start("-o", "all.jsonl", **SOON) for node in nodes]
    wait_until(
        lambda: any(run.ended for run in runs) and "/s1.xml" in gated.waiting,
        "one ended, the other goes on",
    )
    refused = 0 if runs[0].ended else 1
    other = runs[1 - refused]
    assert runs[refused].status() == 1
    (line,) = errors(runs[refused])
    assert f"another run works on {gated.host} (process " in line
    assert f" on {nodes[1 - refused].name}, since 20" in line
    gated.gates.clear()
    assert other.status() == 0
    found = locs([node.folder / "all.jsonl" for node in nodes if (node.folder / "all.jsonl").exists()])
    assert sorted(found) == sorted(nodes[0].known())
    assert len(found) == 15


def test_the_hosts_of_a_killed_node_are_free_at_once_and_its_file_is_left_to_it(
    nodes: list[Node], gated: GatedSite
) -> None:
    first, second = nodes
    run = first.start("-o", "all.jsonl", **SOON)
    first.until_half(run, gated)
    run.send(signal.SIGKILL)
    assert run.status() == KILLED
    (left,) = first.folder.glob("all.jsonl.*")
    before = left.read_bytes()
    gated.gates.clear()
    assert len(second.run("-o", "rest.jsonl").records) == 3
    assert left.read_bytes() == before
    assert first.run("-o", "all.jsonl").returncode == 0
    found = locs([first.folder / "all.jsonl", second.folder / "rest.jsonl"])
    assert len(found) == len(set(found)) == 15


def test_an_operator_sees_who_works_on_what(nodes: list[Node], gated: GatedSite) -> None:
    first, second = nodes
    run = first.start(**SOON)
    first.until_half(run, gated)
    assert f"on node1 works on {gated.host} since 20" in second.state().stdout
    refused = second.state("forget", gated.host)
    assert refused.returncode == 1
    assert f"a run works on {gated.host} (process " in refused.stderr
    gated.gates.clear()
    assert run.status() == 0
    assert "works on" not in second.state().stdout
    assert "15 documents" in second.state().stdout


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that a test may kill."""
    with server() as started:
        yield started


def test_a_server_that_is_killed_ends_the_run_and_the_next_one_completes_it(
    tmp_path: Path, ca_bundle: Path, gated: GatedSite, own_server: Server
) -> None:
    two_sitemaps(gated)
    node = Node(tmp_path, ca_bundle, [gated], own_server.url)
    run = node.start("-o", "all.jsonl", **SOON)
    node.until_half(run, gated)
    own_server.kill()
    gated.gates.clear()
    assert run.status() == 1
    (line,) = errors(run)
    assert "the connection to the state postgresql+psycopg://…@127.0.0.1:" in line
    assert "was lost" in line
    assert "geheim" not in run.stderr
    assert "Traceback" not in run.stderr
    refused = node.start()
    assert refused.status() == 1
    (line,) = errors(refused)
    assert "cannot be used: connection failed" in line
    own_server.start()
    assert node.run("-o", "all.jsonl").returncode == 0
    found = Counter(locs([node.folder / "all.jsonl"]))
    assert len(found) == 15
    assert max(found.values()) <= 2, "the server may have lost the last commits, but comes with no more"
    assert set(found) == node.known()


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("postgresql+psycopg://woo:fout@{place}/postgres", "password authentication failed"),
        ("postgresql+psycopg://woo:geheim@{place}/nergens", 'database "nergens" does not exist'),
        ("postgresql+psycopg://woo:geheim@127.0.0.1:1/postgres", "connection failed"),
    ],
)
def test_a_server_that_cannot_be_used_is_one_clear_line(
    url: str, line: str, nodes: list[Node], postgresql_server: str, gated: GatedSite
) -> None:
    given = url.format(place=postgresql_server.rpartition("@")[2].partition("/")[0])
    refused = nodes[0].run(WOO_STATE_URL=given)
    assert refused.returncode == 1
    (error,) = errors(refused)
    assert line in error
    assert "Traceback" not in refused.stderr
    assert gated.requests == []
