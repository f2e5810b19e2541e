from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, update

from tests.state.processes import LOCKING, running
from woo_harvester.state.lastline import open_for_appending
from woo_harvester.state.locks import FileLocks
from woo_harvester.state.outputs import (
    UNFINISHED,
    RecordFile,
    StagedFile,
    cut_back,
    keep_durable,
    lock_name,
    open_output,
    unconfirmed,
)
from woo_harvester.state.schema import outputs

FIRST, SECOND = b'{"id": 1}\n', b'{"id": 2}\n'


def rows(connection: Connection) -> list[tuple[str, int, bool]]:
    columns = (outputs.c.path, outputs.c.durable, outputs.c.closed)
    return [tuple(row) for row in connection.execute(select(*columns))]


def killed_while_adding(path: Path, added: bytes, state: str) -> None:
    """Leave a file as a run does that is killed after it has added bytes, before the state knows them."""
    with open_for_appending(path) as file:
        staged = StagedFile(file, state)
        staged.write(added)
        staged.append()
        staged.close()
    assert unconfirmed(path).exists()


def truncated(path: Path) -> bytes:
    return path.with_name(f"{path.name}.truncated").read_bytes()


@pytest.fixture
def records(connection: Connection, tmp_path: Path) -> Path:
    """Write a file of two lines as a killed run leaves it: the state knows only the first."""
    path = tmp_path / "records.jsonl"
    path.write_bytes(FIRST)
    name = open_output(connection, path, 0)
    assert open_output(connection, path, 0) == name, "a state keeps its name"
    keep_durable(connection, {path: len(FIRST)})
    killed_while_adding(path, SECOND, name)
    return path


def test_what_a_killed_run_added_unknown_is_moved_aside(connection: Connection, records: Path) -> None:
    assert cut_back(connection, None).cut == {records: len(SECOND)}
    assert records.read_bytes() == FIRST
    assert truncated(records) == SECOND
    assert not unconfirmed(records).exists()
    assert rows(connection) == [(str(records), len(FIRST), True)]


@pytest.mark.parametrize("written", range(len(SECOND) + 1))
def test_a_run_that_was_killed_in_the_middle_of_a_line_is_cut_back_too(
    connection: Connection, records: Path, written: int
) -> None:
    os.truncate(records, len(FIRST) + written)
    assert cut_back(connection, None).cut == ({records: written} if written else {})
    assert records.read_bytes() == FIRST


def test_a_file_is_cut_back_only_once(connection: Connection, records: Path) -> None:
    cut_back(connection, None)
    records.write_bytes(FIRST + SECOND)
    assert cut_back(connection, None) == ({}, [])
    assert records.read_bytes() == FIRST + SECOND


def copied(path: Path) -> None:
    """Put a copy in the place of the file: it has another inode."""
    other = path.with_name("copy")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def written_again(path: Path) -> None:
    """Write other lines into the same file, which is as long as before."""
    path.write_bytes(b"x" * path.stat().st_size)


def appended(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"id": "own"}\n')


def written_by_another_state(path: Path) -> None:
    with open_for_appending(path) as file:
        staged = StagedFile(file, "other")
        staged.write(b'{"id": 3}\n')
        staged.append()
        staged.confirmed()
        staged.remove()


def killed_with_another_state(path: Path) -> None:
    """Have a run of another state write the same lines, and be killed at the same moment."""
    os.truncate(path, len(FIRST))
    killed_while_adding(path, SECOND, "other")


def ended_well(path: Path) -> None:
    """Leave the file as a run does that was not killed: the state that says so is a back-up of before."""
    unconfirmed(path).unlink()


def ended_well_and_killed_later(path: Path) -> None:
    name = json.loads(unconfirmed(path).read_bytes().splitlines()[-1])[0]
    unconfirmed(path).unlink()
    killed_while_adding(path, b'{"id": 3}\n', name)


@pytest.mark.parametrize(
    "happens",
    [
        copied,
        written_again,
        appended,
        written_by_another_state,
        killed_with_another_state,
        ended_well,
        ended_well_and_killed_later,
    ],
)
def test_nothing_is_cut_off_a_file_that_may_be_another_or_that_anybody_wrote_since(
    connection: Connection, records: Path, happens: Callable[[Path], None]
) -> None:
    happens(records)
    before = records.read_bytes()
    for _ in range(2):
        assert cut_back(connection, None) == ({}, [])
        assert records.read_bytes() == before
    assert not list(records.parent.glob("*.truncated"))


def test_a_file_that_was_closed_is_not_cut(connection: Connection, records: Path) -> None:
    keep_durable(connection, {records: 10}, closed=True)
    assert cut_back(connection, None) == ({}, [])
    assert records.read_bytes() == FIRST + SECOND


def test_a_claim_is_not_followed_through_a_link(connection: Connection, records: Path) -> None:
    unconfirmed(records).rename(records.with_name("elsewhere"))
    unconfirmed(records).symlink_to("elsewhere")
    assert cut_back(connection, None) == ({}, [])
    assert records.with_name("elsewhere").exists()


def test_a_file_that_is_gone_is_skipped(connection: Connection, records: Path) -> None:
    records.unlink()
    assert cut_back(connection, None) == ({}, [])
    assert not list(records.parent.iterdir())


def test_a_file_that_is_appended_to_again_keeps_its_content(connection: Connection, records: Path) -> None:
    keep_durable(connection, {records: 10}, closed=True)
    open_output(connection, records, 10)
    assert rows(connection) == [(str(records), 10, False)]


def test_a_file_that_a_run_on_other_hosts_is_writing_is_not_cut(
    connection: Connection, records: Path, tmp_path: Path
) -> None:
    state = tmp_path / "s.sqlite"
    with FileLocks.beside(state) as locks:
        with running(LOCKING, state, records) as other:
            assert cut_back(connection, locks) == ({}, [])
            assert records.read_bytes() == FIRST + SECOND
            assert rows(connection) == [(str(records), len(FIRST), False)]
            other.kill()
            other.wait()
        assert cut_back(connection, locks).cut == {records: len(SECOND)}


def test_the_lock_is_released_after_cutting(connection: Connection, records: Path, tmp_path: Path) -> None:
    with FileLocks.beside(tmp_path / "s.sqlite") as locks:
        cut_back(connection, locks)
        pid = os.fork()
        if not pid:
            os._exit(not FileLocks.beside(tmp_path / "s.sqlite").try_acquire(str(records)))
        assert os.waitpid(pid, 0)[1] == 0


def test_a_file_of_another_machine_is_not_cut(connection: Connection, records: Path) -> None:
    connection.execute(update(outputs).values(node="node1"))
    assert cut_back(connection, None, "node2") == ({}, [])
    keep_durable(connection, {records: 12}, "node2", closed=True)
    assert cut_back(connection, None, "node1").cut == {records: len(SECOND)}


def test_a_file_is_locked_by_its_machine_and_path() -> None:
    assert lock_name(Path("/srv/a.jsonl"), "node1") == "node1:/srv/a.jsonl"
    assert lock_name(Path("/srv/a.jsonl")) == "/srv/a.jsonl"


@pytest.mark.parametrize("is_made", [True, False])
def test_only_an_empty_file_that_a_killed_run_made_is_removed(
    connection: Connection, tmp_path: Path, is_made: bool
) -> None:
    empty, full, added = (tmp_path / name for name in ("empty", "full", "added"))
    empty.touch()
    full.write_bytes(FIRST)
    for path in (empty, full, added):
        name = open_output(connection, path, 0, made=is_made)
    killed_while_adding(added, SECOND, name)
    assert cut_back(connection, None).cut == {added: len(SECOND)}
    assert full.read_bytes() == FIRST
    assert truncated(added) == SECOND
    assert [path.exists() for path in (empty, added)] == [not is_made] * 2


def test_an_unfinished_file_is_named_once_if_it_has_content(connection: Connection, tmp_path: Path) -> None:
    full, empty = (tmp_path / f"{name}.jsonl.20260101T000000Z{UNFINISHED}" for name in ("full", "empty"))
    for path in (full, empty):
        path.touch()
        name = open_output(connection, path, 0, made=True)
    full.write_bytes(FIRST)
    keep_durable(connection, {full: len(FIRST)})
    killed_while_adding(full, SECOND, name)
    assert cut_back(connection, None) == ({full: len(SECOND)}, [full])
    assert cut_back(connection, None) == ({}, [])
    assert (full.read_bytes(), empty.exists()) == (FIRST, False)


@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("in_steps", [False, True])
def test_nothing_is_added_to_a_file_that_is_gone(tmp_path: Path, replaces: bool, in_steps: bool) -> None:
    file = RecordFile(tmp_path / "records.jsonl", replaces=replaces)
    writer = file.open("state", in_steps=in_steps)
    writer.write(FIRST)
    assert file.append() == len(FIRST)
    file.confirmed()
    file.output.unlink()
    file.output.write_bytes(SECOND)
    writer.write(FIRST)
    with pytest.raises(FileNotFoundError, match="somebody removed or replaced the file"):
        file.append()
    file.abandon()
    assert file.output.read_bytes() == SECOND


def test_a_file_that_was_renamed_is_added_to(tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "records.jsonl", replaces=False)
    file.path.rename(tmp_path / "records.1.jsonl")
    file.open("state", in_steps=True).write(FIRST)
    assert file.append() == len(FIRST)
    file.confirmed()
    file.close()
    assert (tmp_path / "records.1.jsonl").read_bytes() == FIRST
