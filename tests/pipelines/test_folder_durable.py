from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from tests.conftest import ROOT
from tests.utils.disturbed_runs import small_disk
from woo_harvester.pipelines.folder import (
    ABANDONED_AFTER,
    WRITING,
    DurableFolder,
    InUseError,
)
from woo_harvester.pipelines.stored import path_of

CONTENT = b"besluit" * 1000
DIGEST = sha256(CONTENT).hexdigest()
MEGABYTE = 1024 * 1024


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DurableFolder]:
    with closing(DurableFolder(tmp_path / "store")) as made:
        yield made


def files(folder: DurableFolder) -> dict[str, bytes]:
    """All that is in the folder but its lock."""
    found = (path for path in folder.path.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder.path)): path.read_bytes() for path in found}


def test_a_file_is_written_under_its_name_and_nothing_is_left_beside_it(folder: DurableFolder) -> None:
    folder.write(path_of(DIGEST), BytesIO(CONTENT))
    assert files(folder) == {path_of(DIGEST): CONTENT}


def test_a_file_is_written_from_its_beginning_wherever_it_was_read_to(folder: DurableFolder) -> None:
    read = BytesIO(CONTENT)
    read.seek(500)
    folder.write(path_of(DIGEST), read)
    assert files(folder) == {path_of(DIGEST): CONTENT}


def test_a_file_may_be_read_by_whom_the_umask_lets(folder: DurableFolder) -> None:
    before = os.umask(0o027)
    try:
        folder.write(path_of(DIGEST), BytesIO(CONTENT))
    finally:
        os.umask(before)
    assert (folder.path / path_of(DIGEST)).stat().st_mode & 0o777 == 0o640


def test_the_folder_tells_what_it_has(folder: DurableFolder) -> None:
    assert not folder.has(path_of(DIGEST))
    folder.write(path_of(DIGEST), BytesIO(CONTENT))
    assert folder.has(path_of(DIGEST))
    assert folder.has(path_of(DIGEST), len(CONTENT))
    assert not folder.has(path_of(DIGEST), len(CONTENT) + 1)


def test_a_large_file_takes_little_memory(folder: DurableFolder) -> None:
    with TemporaryFile() as large:
        large.truncate(100 * MEGABYTE)
        tracemalloc.start()
        try:
            folder.write(path_of(DIGEST), large)
            assert tracemalloc.get_traced_memory()[1] < 5 * MEGABYTE
        finally:
            tracemalloc.stop()
    assert folder.has(path_of(DIGEST), 100 * MEGABYTE)


def test_of_a_file_for_which_there_is_no_room_nothing_is_left(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 512 * 1024) as disk, closing(DurableFolder(disk / "store")) as folder:
        with pytest.raises(OSError, match="No space left"):
            folder.write(path_of(DIGEST), BytesIO(bytes(MEGABYTE)))
        assert files(folder) == {}
        folder.write(path_of(DIGEST), BytesIO(CONTENT))
        assert files(folder) == {path_of(DIGEST): CONTENT}


def test_a_file_that_cannot_be_read_leaves_nothing(folder: DurableFolder) -> None:
    class Failing(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell():
                raise OSError(5, "Input/output error")
            return super().read(100)

    with pytest.raises(OSError, match="Input/output error"):
        folder.write(path_of(DIGEST), Failing(CONTENT))
    assert files(folder) == {}


KILLED = """
import os, signal, sys
from io import BytesIO
from pathlib import Path
from woo_harvester.pipelines.folder import DurableFolder

def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, sys.argv[3], kill)
DurableFolder(Path(sys.argv[1])).write(sys.argv[2], BytesIO(b"x" * 5_000_000))
"""


@pytest.mark.parametrize("point", ["fsync", "replace"])
def test_a_kill_leaves_no_part_of_a_file_under_its_name(folder: DurableFolder, point: str) -> None:
    command = [sys.executable, "-c", KILLED, str(folder.path), path_of(DIGEST), point]
    done = subprocess.run(command, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode < 0
    assert not folder.has(path_of(DIGEST))
    (left,) = files(folder)
    assert left.startswith(f"{WRITING}/{DIGEST}.")


def test_what_killed_runs_left_is_removed_when_it_is_old_and_nothing_else(folder: DurableFolder) -> None:
    workshop = folder.path / WRITING
    names = {
        "old": f"{DIGEST}.0123456789abcdef.part",
        "old text": f"{DIGEST}.text.json.0123456789abcdef.part",
        "under way": f"{DIGEST}.fedcba9876543210.part",
        "foreign": "somebody.part",
    }
    for kind, name in names.items():
        (workshop / name).touch()
        if kind != "under way":
            age = (workshop / name).stat().st_mtime - ABANDONED_AFTER - 60
            os.utime(workshop / name, (age, age))
    assert folder.remove_abandoned() == 2
    assert {path.name for path in workshop.iterdir()} == {"lock", names["under way"], names["foreign"]}


def test_runs_share_the_folder_and_removal_waits_for_all_of_them(folder: DurableFolder) -> None:
    folder.lock(alone=False)
    with closing(DurableFolder(folder.path)) as second, closing(DurableFolder(folder.path)) as third:
        second.lock(alone=False)
        with pytest.raises(InUseError, match=str(folder.path)):
            third.lock(alone=True)
        folder.close()
        second.close()
        third.lock(alone=True)


def _lock_and_die(path: Path) -> None:
    DurableFolder(path).lock(alone=True)
    os._exit(1)


def test_the_lock_of_a_process_that_died_is_gone(folder: DurableFolder) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_lock_and_die, args=(folder.path,))
    process.start()
    process.join()
    folder.lock(alone=False)


def test_the_files_are_listed_in_order_and_foreign_ones_are_not(folder: DurableFolder) -> None:
    digests = sorted(sha256(bytes([number])).hexdigest() for number in range(50))
    for digest in reversed(digests):
        folder.write(path_of(digest), BytesIO(b"123"))
    (folder.path / f"{path_of(digests[7])}.text.json").touch()  # of an earlier version
    for name in ("full/abc.pdf", "README", f"{digests[0][:2]}/x.pdf", f"00/ff{digests[0][2:]}"):
        (folder.path / name).parent.mkdir(exist_ok=True)
        (folder.path / name).touch()
    files = list(folder.files())
    assert [file.sha256 for file in files] == sorted([*digests, digests[7]])
    assert files[0].path == folder.path / path_of(digests[0])


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such folder"):
        DurableFolder.existing(tmp_path / "store")
    assert list(tmp_path.iterdir()) == []
