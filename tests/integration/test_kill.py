"""Kill -9 at any moment: in the end the outputs hold what an undisturbed run would have written."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.utils.command import Line
from tests.utils.daily import FIRST, NEWER, Documents, causes, publish
from tests.utils.disturbed_runs import (
    ADD_POINTS,
    KILLED,
    POINTS,
    REPLACE_POINTS,
    Fallible,
    KillAt,
    Started,
    harvested,
    kill_when,
    latest,
    lines,
)
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.site import Site

HOSTS = 2
#: Number of seeds: one for each mode with each of the outputs. For many more: ``benchmarks/kills.py``.
SEEDS = int(os.environ.get("KILL_SEEDS", "6"))
#: Small, so that a short run comes to many commits.
SETTINGS: dict[str, Any] = {"WOO_DURABLE_RECORDS": 5, "WOO_DURABLE_INTERVAL": 0.1, "WOO_HOST_BACKLOG": 2}
#: Documents that may be under way at once: not durable yet, or asked for, or in the pipelines.
UNDER_WAY = SETTINGS["WOO_DURABLE_RECORDS"] + HOSTS * (SETTINGS["WOO_HOST_BACKLOG"] + 1)

MODES = ("none", "head")
#: Of a run: arguments, settings, and the patterns of the files of each output.
OUTPUTS: dict[str, tuple[tuple[str, ...], dict[str, Any], tuple[str, ...]]] = {
    "a file a run": ((), {}, ("records/*.jsonl",)),
    "one file that is appended to": (("-o", "all.jsonl"), {}, ("all.jsonl",)),
    "two outputs": (
        (),
        {"FEEDS": {f"{name}/%(run)s.jsonl": {"format": "jsonlines"} for name in ("one", "two")}},
        ("one/*.jsonl", "two/*.jsonl"),
    ),
}


@dataclass(frozen=True)
class World:
    """Publishers as they are on the second day, and an installation that knows the first."""

    sites: list[Site]
    known: Path
    """The folder of the installation, to be copied."""
    ca_bundle: Path
    expected: dict[str, dict[str, Line]]
    """By mode: the latest version of each document after an undisturbed run."""
    requests: dict[str, int]
    """By mode: how many requests that run made."""

    def installation(self, folder: Path) -> Fallible:
        """A copy of it."""
        shutil.copytree(self.known, folder, dirs_exist_ok=True)
        return Fallible(folder, self.ca_bundle, self.sites)

    def asked(self) -> int:
        """How many requests came in until now."""
        return sum(len(site.requests) for site in self.sites)

    def kill(self, started: Started, chance: Random, mode: str = "none") -> None:
        """Kill a run at any moment between its first request and its end."""
        number = self.asked() + chance.randint(1, self.requests[mode])
        assert kill_when(started, self.asked, number, chance.uniform(0, 0.05)), "it was done before"


@pytest.fixture(scope="module")
def world(ca: Authority, ca_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with ExitStack() as stack:
        sites = [stack.enter_context(Site(ca)) for _ in range(HOSTS)]
        known = tmp_path_factory.mktemp("known")
        for site in sites:
            site.pages["/d/*"] = Page(b"%PDF-1.4", content_type="application/pdf", delay=0.005)
            publish(site, *first_day())
        first = Fallible(known, ca_bundle, sites).run("-a", "documents=head", "-o", "first.jsonl")
        assert len(first.records) == HOSTS * 30
        for site in sites:
            publish(site, *second_day())
            for path, page in site.pages.items():
                assert isinstance(page, Page)
                site.pages[path] = replace(page, delay=page.delay or 0.02)
        world = World(sites, known, ca_bundle, {}, {})
        for mode in MODES:
            folder = tmp_path_factory.mktemp(mode)
            installation = world.installation(folder)
            before = world.asked()
            run = installation.run("-a", f"documents={mode}", **SETTINGS)
            world.requests[mode] = world.asked() - before
            assert Counter(causes(run).values()) == {"aanlevering": 30, "wijziging": 6, "intrekking": 3}
            world.expected[mode] = latest([folder / "first.jsonl", *folder.glob("records/*.jsonl")])
        yield world


def first_day() -> list[Documents]:
    """Three sitemaps of ten documents."""
    return [{f"doc{number}-{part}": FIRST for number in range(10)} for part in range(3)]


def second_day() -> list[Documents]:
    """Of each one document is gone, and two have changed; three sitemaps are new."""
    changed = [
        {name: NEWER if name.startswith(("doc1-", "doc2-")) else lastmod for name, lastmod in listed.items()}
        for listed in first_day()
    ]
    for listed in changed:
        del listed[next(iter(listed))]
    return [*changed, *({f"new{number}-{part}": FIRST for number in range(10)} for part in range(3))]


def files(folder: Path, pattern: str) -> list[Path]:
    """Those of an output, oldest first, with what the first day gave."""
    return [*folder.glob("first.jsonl"), *sorted(folder.glob(pattern))]


def twice(records: list[Line]) -> int:
    """How many records are there that were there already."""
    versions = Counter((record["id"], record["versies"][0]["oorzaak"]) for record in records)
    return sum(versions.values()) - len(versions)


def asked_twice(sites: list[Site]) -> int:
    """How many requests for documents were made that were made already."""
    asked = [
        (site.port, request.path) for site in sites for request in site.requests if request.method == "HEAD"
    ]
    return len(asked) - len(set(asked))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_after_kills_at_any_moment_nothing_is_lost_or_torn(seed: int, world: World, tmp_path: Path) -> None:
    chance = Random(seed)
    mode = MODES[seed % 2]
    args, feeds, patterns = OUTPUTS[list(OUTPUTS)[seed % 3]]
    installation = world.installation(tmp_path)
    for site in world.sites:
        site.requests.clear()
    options = ("-a", f"documents={mode}", *args)
    kills = chance.randint(1, 2)
    # What the first run had durably, the second does not ask for; all files it does.
    for requests in (mode, "none")[:kills]:
        world.kill(installation.start(*options, **SETTINGS, **feeds), chance, requests)
    assert installation.run(*options, **SETTINGS, **feeds).stats["finish_reason"] == "finished"
    for pattern in patterns:
        found = files(tmp_path, pattern)
        assert latest(found) == world.expected[mode]
        assert twice(list(lines(found))) <= (kills * UNDER_WAY if len(patterns) > 1 else 0)
    assert asked_twice(world.sites) <= kills * UNDER_WAY
    everything = {record["document"]["weblocatie"] for record in world.expected[mode].values()}
    assert harvested(tmp_path) == everything


def in_threes(points: Iterable[str]) -> list[list[str]]:
    """Return all points, three together."""
    rest = list(points)
    return [rest[start : start + 3] for start in range(0, len(rest), 3)]


def killed_in_turn(installation: Fallible, points: list[str], *args: str, **settings: Any) -> Iterator[str]:
    """Run until each point has killed a run, and then once more; yield what ended each run when it has."""
    for point in points:
        fault = KillAt(point, 2 if point in POINTS else 1)  # a run comes to the others once
        assert installation.start(*args, fault=fault, **settings).status() == KILLED, point
        yield point
    assert installation.start(*args, **settings).status() == 0
    yield "its end"


@pytest.mark.parametrize(
    ("points", "outputs"),
    [
        *((points, outputs) for points in in_threes(POINTS) for outputs in list(OUTPUTS)[1:]),
        *((points, "one file that is appended to") for points in in_threes(ADD_POINTS)),
    ],
    ids=str,
)
def test_kills_between_the_output_and_the_state_lose_nothing(
    points: list[str], outputs: str, world: World, tmp_path: Path
) -> None:
    args, feeds, patterns = OUTPUTS[outputs]
    installation = world.installation(tmp_path)
    if points[0] in ADD_POINTS:  # a file without content would be replaced
        (tmp_path / "first.jsonl").rename(tmp_path / "all.jsonl")
    assert list(killed_in_turn(installation, points, *args, **SETTINGS, **feeds))
    for pattern in patterns:
        found = files(tmp_path, pattern)
        assert latest(found) == world.expected["none"]
        assert twice(list(lines(found))) <= (len(points) * UNDER_WAY if len(patterns) > 1 else 0)


@pytest.mark.parametrize(
    "points", [*in_threes(POINTS), *([point] for point in REPLACE_POINTS)], ids="; ".join
)
def test_kills_of_runs_that_replace_a_file_lose_nothing_either(
    points: list[str], world: World, tmp_path: Path
) -> None:
    out = tmp_path / "all.jsonl"
    old, placed = b"old\n", []
    installation = world.installation(tmp_path)
    out.write_bytes(old)
    for ended in killed_in_turn(installation, points, "-O", "all.jsonl", **SETTINGS):
        if out.read_bytes() != old:
            placed.append(out.rename(tmp_path / f"placed at {ended}.jsonl"))
            out.write_bytes(old)
    kept = [path for path in tmp_path.glob("all.jsonl.*.unfinished") if path.stat().st_size]
    found = sorted([tmp_path / "first.jsonl", *kept, *placed], key=lambda path: path.stat().st_mtime)
    assert latest(found) == world.expected["none"]
    assert twice(list(lines(found))) == 0
