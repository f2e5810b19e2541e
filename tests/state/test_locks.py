from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests.conftest import ROOT
from tests.state.processes import LOCKING, LOCKING_STATE, running
from tests.utils.postgresql import command, query
from tests.utils.waiting import wait_until
from woo_harvester.state.locks import FORGET_AFTER, FileLocks, LockedError, LockOwner, Locks, lock_owners
from woo_harvester.state.schema import locks as table
from woo_harvester.state.store import State, StateError

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


#: Locks names as its input says, prints the outcome, and keeps the locks until its input ends.
RACING = """
import sys
from woo_harvester.state.locks import LockedError
from woo_harvester.state.store import State
state = State.open(sys.argv[1])
locks = state.locks("racing")
print("ready", flush=True)
sys.stdin.readline()
try:
    locks.acquire(sys.argv[2:])
    print("acquired", flush=True)
except LockedError:
    print("locked", flush=True)
sys.stdin.read()
"""


def racing(url: str, names: Sequence[str]) -> subprocess.Popen[str]:
    """Start a process that takes these locks when it gets a line."""
    command = [sys.executable, "-c", RACING, url, *names]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def locks_of(state: State, owner: str = "process 2 on hier") -> Locks:
    locks = state.locks(owner)
    assert locks is not None
    return locks


@pytest.fixture
def shared(postgresql_url: str) -> Iterator[State]:
    with closing(State.open(postgresql_url)) as opened:
        yield opened


def owners(state: State) -> list[LockOwner]:
    with state.begin() as connection:
        return lock_owners(connection)


def test_a_host_that_another_run_has_locked_names_its_owner(shared: State, postgresql_url: str) -> None:
    locks = locks_of(shared)
    named = r"^b\.nl \(process 1 on elders, since 20..-..-..T..:..:..\+0.:00\)$"
    with running(LOCKING_STATE, postgresql_url, "a.nl", "b.nl"):
        with pytest.raises(LockedError, match=named):
            locks.acquire(["c.nl", "b.nl", "d.nl"])
        assert not locks.try_acquire("a.nl")
        # A run that could not lock all names has locked none.
        assert [one.names for one in owners(shared)] == [["a.nl", "b.nl"]]
        locks.acquire(["c.nl", "a.nl:8443"])


def test_a_killed_process_releases_its_locks(shared: State, postgresql_url: str) -> None:
    locks = locks_of(shared)
    with running(LOCKING_STATE, postgresql_url, "a.nl") as process:
        assert not locks.try_acquire("a.nl")
        process.kill()
        process.wait()
        wait_until(lambda: locks.try_acquire("a.nl"), "the lock is free")
    assert [(one.owner, one.names) for one in owners(shared)] == [("process 2 on hier", ["a.nl"])]


def test_rows_of_a_killed_run_are_hidden_and_then_removed(shared: State, postgresql_url: str) -> None:
    with running(LOCKING_STATE, postgresql_url, "a.nl") as process:
        process.kill()
        process.wait()
    wait_until(lambda: not owners(shared), "PostgreSQL has noticed that the process is gone")
    with shared.begin() as connection:
        assert connection.execute(select(table.c.name)).scalars().all() == ["a.nl"]
        connection.execute(update(table).values(beat=table.c.beat - FORGET_AFTER - 1))
    locks_of(shared).acquire(["b.nl"])
    with shared.begin() as connection:
        assert connection.execute(select(table.c.name)).scalars().all() == ["b.nl"]


def test_a_name_is_locked_once_and_can_be_released_without_the_others(
    shared: State, postgresql_url: str
) -> None:
    locks = locks_of(shared)
    locks.acquire(["a.nl", "b.nl"])
    locks.acquire(["a.nl"])
    assert locks.try_acquire("a.nl")
    locks.release_one("a.nl")
    with closing(State.open(postgresql_url)) as other:
        assert [name for name in ("a.nl", "b.nl") if locks_of(other).try_acquire(name)] == ["a.nl"]
    locks.release()
    wait_until(lambda: owners(shared) == [], "the server ends the session of the other")


def test_the_heartbeat_is_seen_by_others(shared: State) -> None:
    locks = locks_of(shared)
    locks.acquire(["a.nl"])
    with shared.begin() as connection:
        connection.execute(update(table).values(beat=5))
    locks.beat()
    (one,) = owners(shared)
    assert one.beat >= one.since


def test_exactly_one_of_several_processes_can_lock_the_same_hosts(shared: State, postgresql_url: str) -> None:
    names = [f"{number}.nl" for number in range(50)]
    with ExitStack() as stack:
        orders = [names, names[::-1]] * 2
        started = [stack.enter_context(racing(postgresql_url, order)) for order in orders]
        assert [process.stdout.readline() for process in started if process.stdout] == ["ready\n"] * 4
        for process in started:
            print(file=process.stdin, flush=True)
        outcomes = [process.stdout.readline() for process in started if process.stdout]
        for process in started:
            process.communicate()
    assert sorted(outcomes) == ["acquired\n", "locked\n", "locked\n", "locked\n"]


def test_locks_lost_with_the_connection_stay_lost(shared: State, postgresql_url: str) -> None:
    locks = locks_of(shared)
    locks.acquire(["a.nl"])
    (pid,) = query(postgresql_url, "SELECT pid FROM pg_locks WHERE locktype = 'advisory'")[0]
    command(postgresql_url, f"SELECT pg_terminate_backend({pid})")
    lost = r"the connection to the state .* was lost.*: the next run goes on"
    for _ in range(2):
        with pytest.raises(StateError, match=lost):
            locks.beat()


def test_a_lock_of_another_program_is_not_reported(shared: State, postgresql_url: str) -> None:
    with closing(State.open(postgresql_url)) as other, other.begin() as connection:
        connection.exec_driver_sql("SELECT pg_advisory_lock(5)")
        assert owners(shared) == []
    with closing(State.open("sqlite://")) as state:
        assert (state.locks("x"), owners(state)) == (None, []), "a state in a file has none"
