"""No room for what is fetched: that is the operator's affair, and no publisher is told of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.utils.daily import FIRST, numbered, publish, xml
from tests.utils.disturbed_runs import Fallible, GatedSite, Started, errors, harvested, small_disk
from woo_harvester.demo.server import Page

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
