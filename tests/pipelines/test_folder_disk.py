"""When files wait for the disk together, and when one by one."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from woo_harvester.pipelines import folder
from woo_harvester.pipelines.folder import Disk, sync_file_system


@pytest.fixture
def descriptors(tmp_path: Path) -> Iterator[list[int]]:
    with ExitStack() as stack:
        yield [stack.enter_context((tmp_path / str(number)).open("wb")).fileno() for number in range(6)]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make the file system one that can be synced at once; return what is called."""
    made: list[str] = []
    monkeypatch.setattr(folder, "_syncs_at_once", lambda descriptor: True)
    monkeypatch.setattr(folder, "sync_file_system", lambda descriptor: made.append("all"))
    monkeypatch.setattr(os, "fsync", lambda descriptor: made.append("one"))
    return made


def test_many_files_wait_for_the_disk_once(descriptors: list[int], calls: list[str]) -> None:
    Disk(descriptors[0]).sync(descriptors)
    assert calls == ["all"]


def test_a_few_files_and_those_of_another_file_system_wait_one_by_one(
    descriptors: list[int], calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Disk(descriptors[0]).sync(descriptors[:2])
    assert calls == ["one", "one"]
    calls.clear()
    monkeypatch.setattr(folder, "_syncs_at_once", lambda descriptor: False)
    Disk(descriptors[0]).sync(descriptors)
    assert calls == ["one"] * 6


def test_a_disk_that_others_keep_busy_is_waited_for_file_by_file(
    descriptors: list[int], calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([0.0, 0.5, 10.0, 13.0])
    monkeypatch.setattr(folder, "monotonic", lambda: next(moments))
    busy = Disk(descriptors[0])
    for _ in range(3):
        busy.sync(descriptors)
    assert calls == ["all", "all"] + ["one"] * 6


def test_an_error_of_the_disk_is_raised_with_its_text() -> None:
    with pytest.raises(OSError, match="Bad file descriptor"):
        sync_file_system(1_000_000)


def test_the_real_call_succeeds(descriptors: list[int]) -> None:
    if hasattr(ctypes.CDLL(None), "syncfs"):
        sync_file_system(descriptors[0])


@pytest.mark.parametrize(
    ("system", "release", "kind", "expected"),
    [
        ("Linux", "6.1.0-18-amd64", "ext4", True),
        ("Linux", "5.8", "xfs", True),
        ("Linux", "5.7.19", "ext4", False),
        ("Linux", "6.1.0", "nfs4", False),
        ("Linux", "6.1.0", "fuse.sshfs", False),
        ("Linux", "unknown", "ext4", False),
        ("Darwin", "23.4.0", "ext4", False),
    ],
)
def test_only_what_is_known_to_be_as_sure_is_synced_at_once(
    system: str,
    release: str,
    kind: str,
    expected: bool,
    tmp_path: Path,
    descriptors: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = os.fstat(descriptors[0]).st_dev
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        f"22 1 0:5 / /proc rw shared:1 - proc proc rw\n"
        f"23 1 {os.major(device)}:{os.minor(device)} / /data rw shared:2 master:1 - {kind} /dev/vdb rw\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(folder, "_MOUNTS", mounts)
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "release", lambda: release)
    assert folder._syncs_at_once(descriptors[0]) is (expected and hasattr(ctypes.CDLL(None), "syncfs"))


def test_an_unknown_device_is_not_synced_at_once(
    tmp_path: Path, descriptors: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "_MOUNTS", tmp_path / "none")
    assert folder._syncs_at_once(descriptors[0]) is False
