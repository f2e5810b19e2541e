"""What a run may not cut: records of runs that ended well, of another state, and files of the operator."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.utils.command import run_scrapy
from tests.utils.daily import numbered, publish
from tests.utils.disturbed_runs import (
    KILLED,
    SOON,
    Fallible,
    GatedSite,
    KillAt,
    locs,
    state_of,
    two_sitemaps,
    until_half,
)


def back_up(installation: Fallible) -> Path:
    """Back up the state while a run goes on, as backup.md says."""
    path = installation.folder / "backup.sqlite"
    with closing(sqlite3.connect(state_of(installation))) as state, closing(sqlite3.connect(path)) as copy:
        state.backup(copy)
    return path


def restore(installation: Fallible, copy: Path) -> None:
    for suffix in ("-wal", "-shm"):
        Path(f"{state_of(installation)}{suffix}").unlink(missing_ok=True)
    state_of(installation).write_bytes(copy.read_bytes())


@pytest.mark.parametrize("args", [(), ("-o", "all.jsonl")], ids=str)
def test_a_back_up_of_a_state_during_a_run_that_ends_well_costs_no_document(
    args: tuple[str, ...], gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    started = installation.start(*args, **SOON)
    until_half(started, gated, installation)
    copy = back_up(installation)
    gated.gates.clear()
    assert started.status() == 0
    files = [*installation.folder.glob("records/*"), *installation.folder.glob("all.jsonl")]
    before = [path.read_bytes() for path in files]
    restore(installation, copy)
    fixed = run_scrapy(["state", "check", "--fix", *map(str, files)], installation.folder)
    assert "Took over 3 documents" in fixed.stderr
    run = installation.run("-o", "other.jsonl")
    assert (run.returncode, run.locs) == (0, [])
    assert [path.read_bytes() for path in files] == before


def test_what_the_state_takes_over_after_a_kill_is_not_cut_off_by_the_next_run(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(4))
    fault = KillAt("before the state learns of it", 1)
    assert installation.start(fault=fault).status() == KILLED
    (path,) = installation.folder.glob("records/*.jsonl")
    fixed = run_scrapy(["state", "check", "--fix", str(path)], installation.folder)
    assert "Took over 4 documents" in fixed.stderr
    for _ in range(2):
        assert installation.run().locs == []
        assert len(locs([path])) == 4
    checked = run_scrapy(["state", "check", str(path)], installation.folder)
    assert checked.returncode == 0, checked.stdout
