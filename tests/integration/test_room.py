"""No room for an output, the state or the report: a clear end, and the next run delivers the rest."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import DATA
from tests.utils.daily import FIRST, numbered, publish, xml
from tests.utils.disturbed_runs import (
    Fallible,
    GatedSite,
    Started,
    errors,
    harvested,
    locs,
    small_disk,
)
from woo_harvester.demo.server import Page
from woo_harvester.demo.sitemaps import DiWoo, Entry, sitemap

JSONLINES = {"format": "jsonlines"}


def fat(site: GatedSite, count: int) -> set[str]:
    """Publishes documents whose records are 30 kB each; gives their locs."""
    publish(site, {})
    metadata = DiWoo(titel="Besluit", omschrijvingen=["Omschrijving van het besluit. " * 1000])
    made = {site.url(f"/d/fat{number}.pdf") for number in range(count)}
    entries = (Entry(loc=loc, lastmod=FIRST, diwoo=metadata) for loc in sorted(made))
    site.pages["/s0.xml"] = Page(sitemap(*entries), content_type="application/xml")
    return made


def test_a_full_disk_ends_the_run_and_the_next_delivers_the_rest(
    gated: GatedSite, installation: Fallible
) -> None:
    expected = fat(gated, 30)
    feeds = {"other.csv": {"format": "csv"}, "room/out.jsonl": JSONLINES}
    with small_disk(installation.folder / "room", 512 * 1024):
        failed = installation.run(WOO_DURABLE_RECORDS=3, FEEDS=feeds)
        assert failed.returncode == 1
        (line,) = errors(failed)
        assert "an output could not be written" in line
        assert "Traceback" not in failed.stderr
        (path,) = (installation.folder / "room").glob("out.jsonl*")
        written = locs([path])
        assert 3 <= len(written) < len(expected)
        assert harvested(installation.folder) <= set(written)
        rest = installation.run("-o", "rest.jsonl")
        first = locs((installation.folder / "room").glob("out.jsonl*"))  # cut to what was durable
    assert rest.returncode == 0
    assert sorted([*first, *rest.locs]) == sorted(expected)


def test_a_report_that_finds_no_room_ends_the_run(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, dict.fromkeys((f"a{number}" for number in range(2000)), "no date"))
    with small_disk(installation.folder / "disk", 64 * 1024) as disk:
        failed = installation.run(WOO_REPORT_DIR=disk)
    assert failed.returncode == 1
    (line,) = errors(failed)
    assert str(disk) in line
    assert harvested(installation.folder) == set(failed.locs)
    assert len(failed.locs) + len(installation.run().locs) == 2000


def test_a_disk_that_is_full_for_everything_ends_the_run(
    gated: GatedSite, tmp_path: Path, ca_bundle: Path
) -> None:
    expected = fat(gated, 30)
    with small_disk(tmp_path / "disk", 768 * 1024) as disk:
        failed = Fallible(disk, ca_bundle, [gated]).start("-o", "out.jsonl", WOO_DURABLE_RECORDS=3)
        assert failed.status() == 1
        assert len(errors(failed)) == 1
        written = locs(disk.glob("out.jsonl*"))
        # Copied, since there is no room for what SQLite needs beside it.
        shutil.copytree(disk / DATA, tmp_path / "copy" / DATA)
        assert harvested(tmp_path / "copy") <= set(written) < expected


def test_a_disk_without_room_for_the_state_ends_the_run_and_the_next_delivers_the_rest(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, *({f"{part}-{number}{'x' * 200}": FIRST for number in range(50)} for part in range(20)))
    state = installation.folder / "disk" / "state.sqlite"
    settings: dict[str, Any] = {"WOO_STATE_URL": f"sqlite:///{state}", "WOO_DURABLE_RECORDS": 10}
    with small_disk(state.parent, 512 * 1024):
        failed = installation.run("-o", "all.jsonl", **settings)
        assert failed.returncode == 1
        (line,) = errors(failed)
        assert str(state) in line
        assert "full" in line
        assert "Traceback" not in failed.stderr
        written = set(locs(installation.folder.glob("all.jsonl*")))
        assert len(written) < 1000
        moved = installation.folder / DATA / "woo-state.sqlite"
        moved.parent.mkdir()
        for file in state.parent.glob("state.sqlite*"):
            shutil.copy(file, moved.with_name(file.name.replace(state.name, moved.name)))
    assert harvested(installation.folder) <= written
    assert installation.run("-o", "all.jsonl").returncode == 0
    everything = locs([installation.folder / "all.jsonl"])
    assert len(everything) == len(set(everything)) == 1000


MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class TemporaryFilesIn:
    """Has the process keep its temporary files in *folder*."""

    folder: Path

    def __call__(self) -> None:
        os.environ["TMPDIR"] = str(self.folder)


def check_end(failed: Started, disk: Path, installation: Fallible) -> None:
    """The run ended with a line that names the folder, and blamed nobody."""
    run = failed.wait()
    assert run.returncode == 1
    (line,) = errors(run)
    assert str(disk) in line
    assert "Traceback" not in run.stderr
    assert not [finding for finding in run.findings if finding["severity"] == "error"]
    assert harvested(installation.folder) == set(run.locs)


@pytest.mark.parametrize("size", [3 * MEGABYTE, 20 * MEGABYTE])
def test_a_document_that_finds_no_room_ends_the_run(
    size: int, gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(3))
    gated.pages["/d/*"] = Page(b"%PDF-1.7\n" + bytes(size))
    with small_disk(installation.folder / "disk", MEGABYTE) as disk:
        failed = installation.start("-a", "documents=download", fault=TemporaryFilesIn(disk))
        check_end(failed, disk, installation)
    assert len(gated.requested("/d/doc0.pdf")) <= 1
    again = installation.run("-a", "documents=download")
    assert again.returncode == 0
    assert len(again.records) == 3


def test_a_sitemap_that_finds_no_room_ends_the_run(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, numbered(1))
    gated.pages["/s0.xml"] = Page(xml(gated, {"doc0": FIRST}) + b" " * 3 * MEGABYTE)
    with small_disk(installation.folder / "disk", MEGABYTE) as disk:
        check_end(installation.start(fault=TemporaryFilesIn(disk)), disk, installation)
    assert installation.run().locs == [gated.url("/d/doc0.pdf")]
