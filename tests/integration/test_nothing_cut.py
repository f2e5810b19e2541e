"""What a run may not cut: records of runs that ended well, of another state, and files of the operator."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.utils.command import run_scrapy
from tests.utils.daily import FIRST, NEWER, numbered, publish
from tests.utils.disturbed_runs import (
    KILLED,
    SOON,
    Fallible,
    GatedSite,
    KillAt,
    errors,
    harvested,
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


def record_files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in [*folder.glob("records/*"), *folder.glob("all.jsonl*")]}


def writes(installation: Fallible) -> bool:
    """Return whether the state knows that a run writes to a file."""
    if not state_of(installation).exists():
        return False
    with closing(sqlite3.connect(state_of(installation))) as connection, suppress(sqlite3.OperationalError):
        return bool(connection.execute("SELECT path FROM outputs WHERE NOT closed").fetchall())
    return False


@pytest.mark.parametrize("args", [(), ("-o", "all.jsonl"), ("-o", "all.csv"), ("-O", "all.jsonl")], ids=str)
@pytest.mark.parametrize("is_confirmed", [True, False])
def test_a_back_up_of_a_state_during_a_run_that_ends_well_costs_no_record(
    is_confirmed: bool, args: tuple[str, ...], gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    started = installation.start(*args, **(SOON if is_confirmed else {"WOO_DURABLE_INTERVAL": 600}))
    if is_confirmed:
        until_half(started, gated, installation)
    started.wait_until(lambda: writes(installation), "a file is written")
    copy = back_up(installation)
    gated.gates.clear()
    assert started.status() == 0
    publish(gated, {**numbered(11), "a0": NEWER}, {"b9": FIRST})
    assert installation.run(*args).returncode == 0
    before = record_files(installation.folder)
    restore(installation, copy)
    for _ in range(2):
        assert installation.run("-o", "other.jsonl").returncode == 0
        assert {path: path.read_bytes() for path in before} == before
    restore(installation, copy)
    run = installation.run(*args)
    assert run.returncode == 0
    assert "Moved" not in run.stderr
    if args[:1] != ("-O",):
        for path, content in before.items():
            assert path.read_bytes().startswith(content)


def test_what_a_run_of_another_state_added_to_the_file_stays(
    gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    path = installation.folder / "all.jsonl"
    started = installation.start("-o", path.name, **SOON)
    until_half(started, gated, installation)
    assert started.kill(after=0)
    gated.gates.clear()
    other = f"sqlite:///{installation.folder / 'other.sqlite'}"
    assert installation.start("-o", path.name, WOO_STATE_URL=other).status() == 0
    before = path.read_bytes()
    assert len(locs([path])) == 12 + 15
    assert installation.start("-o", path.name).status() == 0
    assert path.read_bytes().startswith(before)
    assert len(locs([path])) == 12 + 15 + 3


def test_what_the_state_takes_over_after_a_kill_is_not_cut_off_by_the_next_run(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, numbered(4))
    args = ("-o", "all.jsonl")
    fault = KillAt("before the state learns of it", 1)
    assert installation.start(*args, fault=fault).status() == KILLED
    fixed = run_scrapy(["state", "check", "--fix", "all.jsonl"], installation.folder)
    assert "Moved" in fixed.stderr
    for _ in range(2):
        assert installation.run(*args).returncode == 0
        assert len(locs([installation.folder / "all.jsonl"])) == 4
    checked = run_scrapy(["state", "check", "all.jsonl"], installation.folder)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("is_replaced", [True, False])
def test_what_a_run_writes_after_somebody_removed_or_replaced_its_file_comes_again(
    is_replaced: bool, gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    path = installation.folder / "all.jsonl"
    started = installation.start("-o", path.name, **SOON)
    until_half(started, gated, installation)
    if is_replaced:
        copy = path.with_name("copy")
        copy.write_bytes(path.read_bytes())
        copy.replace(path)
    else:
        path.unlink()
    gated.gates.clear()
    run = started.wait()
    assert run.returncode == 1
    assert [line for line in errors(run) if "somebody removed or replaced the file" in line]
    assert len(harvested(installation.folder)) == 12
    assert installation.run("-o", path.name).returncode == 0
    assert len(set(locs([path]))) == (15 if is_replaced else 3)
    assert not [*installation.folder.glob("all.jsonl.*")]
