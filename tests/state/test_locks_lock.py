from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.state.processes import LOCKING, running
from woo_harvester.state.locks import FileLocks, LockedError

PROBE = """
import sys
from pathlib import Path
from woo_harvester.state.locks import FileLocks
locks = FileLocks.beside(Path(sys.argv[1]))
print([name for name in sys.argv[2:] if locks.try_acquire(name)])
"""


@pytest.fixture
def state_file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "state.sqlite"


def test_a_host_that_another_process_has_locked_is_refused_by_name_until_it_is_killed(
    state_file: Path,
) -> None:
    with running(LOCKING, state_file, "a.nl", "b.nl") as process, FileLocks.beside(state_file) as locks:
        with pytest.raises(LockedError, match=r"^b\.nl$"):
            locks.acquire(["c.nl", "b.nl", "d.nl"])
        assert not locks.try_acquire("a.nl")
        locks.acquire(["c.nl", "d.nl", "a.nl:8443"])
        process.kill()
        process.wait()
        assert locks.try_acquire("a.nl")


def test_one_lock_can_be_released_without_the_others(state_file: Path) -> None:
    with FileLocks.beside(state_file) as locks:
        locks.acquire(["a.nl", "b.nl"])
        locks.release_one("a.nl")
        command = [sys.executable, "-c", PROBE, str(state_file), "a.nl", "b.nl"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "['a.nl']\n"
    assert (state_file.parent / "state.sqlite.lock").read_bytes() == b""
    assert not state_file.exists()


def test_a_file_that_cannot_be_locked_is_not_taken_for_one_that_is_locked(state_file: Path) -> None:
    locks = FileLocks.beside(state_file)
    locks.release()
    with pytest.raises(ValueError, match="closed file"):
        locks.acquire(["a.nl"])
