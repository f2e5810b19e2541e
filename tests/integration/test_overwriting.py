"""A file that a run replaces (``-O``): it is there until the run has ended."""

from __future__ import annotations

import csv
import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.integration.stopping import stopped
from tests.utils.command import environment, in_project, read_lines
from tests.utils.daily import FIRST, NEWER, Harvester, publish
from tests.utils.disturbed_runs import (
    SOON,
    Fallible,
    GatedSite,
    harvested,
    locs,
    two_sitemaps,
    until_half,
)
from tests.utils.vergunningen import FOLDER, Permits, about
from tests.utils.vergunningen import publish as publish_permits
from woo_harvester.demo.site import Site
from woo_harvester.kinds import Kind
from woo_harvester.outputs.columns import columns_of

ALL = {"DELTAFETCH_ENABLED": 0}
NAMES = ("woo.jsonl", "woo.csv", "woo.json", "woo.xml")
#: The setting FEEDS for a file of each format, which is replaced.
REPLACING = {name: {"format": name.partition(".")[2], "overwrite": True} for name in NAMES}
DIED = "ended before it could: the records that it delivered are in "


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    publish(site, {"a": FIRST, "b": FIRST})
    return Harvester(tmp_path, ca_bundle, [site])


def beside(path: Path) -> list[Path]:
    """What is beside a file, with a name that begins with its name."""
    return [other for other in path.parent.glob(f"{path.name}.*") if other != path]


def contents(folder: Path) -> dict[str, bytes]:
    """Return what each of the files has."""
    return {name: (folder / name).read_bytes() for name in NAMES}


def test_a_run_replaces_the_files_when_it_has_ended(gated: GatedSite, installation: Fallible) -> None:
    folder = installation.folder
    for name in NAMES:
        (folder / name).write_text("old", encoding="utf-8")
        (folder / name).chmod(0o640)
    two_sitemaps(gated)
    started = installation.start(FEEDS=REPLACING, **SOON)
    started.wait_until(lambda: "/s1.xml" in gated.waiting, "the second sitemap is asked for")
    started.wait_until(lambda: bool(beside(folder / NAMES[0])), "the first is delivered")
    assert set(contents(folder).values()) == {b"old"}
    gated.gates.clear()
    assert started.status() == 0
    first = contents(folder)
    for name, content in first.items():
        assert gated.url("/d/a0.pdf").encode() in content, name
        assert gated.url("/d/b0.pdf").encode() in content, name
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o640, name
        assert beside(folder / name) == [], name
    publish(gated, {f"a{n}": FIRST if n else NEWER for n in range(12)}, {f"b{n}": FIRST for n in range(3)})
    assert installation.run(FEEDS=REPLACING).returncode == 0
    for name, content in contents(folder).items():
        assert gated.url("/d/a0.pdf").encode() in content, name
        assert gated.url("/d/a1.pdf").encode() not in content, name


def test_a_run_that_is_stopped_replaces_nothing_and_names_its_records(
    gated: GatedSite, installation: Fallible
) -> None:
    folder = installation.folder
    for name in NAMES:
        (folder / name).write_bytes(b"old")
    two_sitemaps(gated)
    started = installation.start(FEEDS=REPLACING, **SOON)
    started.wait_until(lambda: "/s1.xml" in gated.waiting, "the second sitemap is asked for")
    ended = stopped(started)
    gated.gates.clear()
    again = installation.run(FEEDS=REPLACING)
    known = harvested(folder)
    for name in NAMES:
        (kept,) = beside(folder / name)
        count = "12 records" if name == "woo.jsonl" else f"{kept.stat().st_size:,} bytes"
        line = f"{name} is as it was, since the run was stopped: its {count} are in {kept}"
        assert line in ended.stderr, name
        assert str(kept) not in again.stderr, "it was named once"
        delivered = kept.read_bytes() + (folder / name).read_bytes()
        assert [loc for loc in known if loc.encode() not in delivered] == [], name
    assert (ended.returncode, len(known)) == (0, 15)


def test_a_run_that_is_stopped_gives_a_file_that_was_not_there_its_name(
    gated: GatedSite, installation: Fallible
) -> None:
    path = installation.folder / "woo.jsonl"
    two_sitemaps(gated)
    started = installation.start("-O", path.name, **SOON)
    until_half(started, gated, installation)
    assert stopped(started).returncode == 0
    assert set(locs([path])) == harvested(installation.folder)
    assert (len(locs([path])), beside(path)) == (12, [])


def test_a_run_that_came_to_a_bound_replaces_nothing(harvester: Harvester) -> None:
    path = harvester.folder / "woo.jsonl"
    path.write_bytes(b'{"id": "old"}\n')
    run = harvester.day("-O", path.name, CLOSESPIDER_ITEMCOUNT=1)
    assert (run.returncode, path.read_bytes()) == (0, b'{"id": "old"}\n')
    assert run.stats["finish_reason"].startswith("closespider_")


def test_a_run_that_ended_says_what_it_replaced(harvester: Harvester) -> None:
    path = harvester.folder / "woo.jsonl"
    path.write_bytes(b'{"id": "1"}\n\n{"id": "2"}\n{"id": "3"}')
    last = "woo.jsonl: 2 records, in the place of 3 records"
    assert harvester.day("-O", path.name).stderr.splitlines()[-1] == last
    assert "in the place of" not in harvester.day("-O", "new.jsonl", **ALL).stderr, "none was there"
    (harvester.folder / "woo.xml").write_bytes(b"<items/>")
    feeds = json.dumps({"woo.xml": {**REPLACING["woo.xml"]}})
    assert "bytes, in the place of 8 bytes" in harvester.day(FEEDS=feeds, **ALL).stderr


def test_what_a_killed_run_delivered_is_kept_and_the_next_run_names_it_once(
    gated: GatedSite, installation: Fallible
) -> None:
    path = installation.folder / "woo.jsonl"
    path.write_bytes(b'{"id": "old"}\n')
    two_sitemaps(gated)
    started = installation.start("-O", path.name, **SOON)
    until_half(started, gated, installation)
    assert started.kill(after=0)
    assert path.read_bytes() == b'{"id": "old"}\n'
    gated.gates.clear()
    second = installation.run("-O", path.name)
    (kept,) = beside(path)
    assert f"{DIED}{kept}" in second.stderr
    assert (len(locs([kept])), len(locs([path]))) == (12, 3)
    assert set(locs([kept, path])) == harvested(installation.folder)
    third = installation.run("-O", path.name)
    assert DIED not in third.stderr
    assert (len(locs([kept])), len(locs([path]))) == (12, 0)


def test_a_pipe_and_standard_output_are_written_to_as_they_are(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, {"a": FIRST, "b": FIRST})
    pipe, received = installation.folder / "pipe.jsonl", installation.folder / "received.jsonl"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert installation.start("-O", "pipe.jsonl").status() == 0
    reader.join(60)
    assert read[0].count(b"\n") == 2
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    publish(gated, {"a": NEWER, "b": NEWER})
    received.write_bytes(b"before\n")
    argv = in_project(installation.arguments("-o", "/dev/stdout:jsonlines"), installation.folder, {})
    with received.open("ab") as stdout:
        subprocess.run(
            [sys.executable, "-m", "scrapy", *argv],
            cwd=installation.folder,
            env=environment(installation.ca_bundle),
            stdout=stdout,
            check=True,
        )
    before, *lines = received.read_bytes().splitlines()
    assert (before, len(lines)) == (b"before", 2)
    assert beside(received) == []


def csv_rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_permits_are_not_lost_either(tmp_path: Path, ca_bundle: Path, site: Site) -> None:
    permits = Permits(tmp_path, ca_bundle, {"Gemeente": [site.url("/woo")]})
    files = {f"{number}.xml": about(number, identifier=site.url(f"/zaak/{number}")) for number in (1, 2)}
    publish_permits(site, files)
    outputs = ("-O", "zaken.jsonl", "-O", "zaken.csv", "-O", "zaken.geojson")
    first = permits.run(site.url(FOLDER), *outputs)
    assert len(first.records) == 2
    header, *rows = csv_rows(tmp_path / "zaken.csv")
    assert header == list(columns_of(Kind.vergunningen))
    assert {row[header.index("link")] for row in rows} == {
        record["vergunning"]["identifier"] for record in first.records
    }
    assert permits.run(site.url(FOLDER), *outputs, **ALL).returncode == 0
    assert len(read_lines(tmp_path / "zaken.jsonl")) == 2
    assert (tmp_path / "zaken.geojson").read_bytes().count(b'"Feature"') == 2
