from __future__ import annotations

import os
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from tests.state.processes import LOCKING, running
from woo_harvester.state.lock import FileLocks
from woo_harvester.state.outputs import cut_back, keep_durable, lock_name, open_output
from woo_harvester.state.schema import outputs


def rows(connection: Connection) -> list[tuple[str, int, bool]]:
    columns = (outputs.c.path, outputs.c.durable, outputs.c.closed)
    return [tuple(row) for row in connection.execute(select(*columns))]


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Write a file of two lines, the second of which is truncated; return its durable size."""
    path = tmp_path / "records.jsonl"
    path.write_bytes(b'{"id": 1}\n{"id"')
    return path


def test_a_file_of_a_killed_run_is_cut_back_to_its_last_durable_line(
    connection: Connection, records: Path
) -> None:
    open_output(connection, records, 0)
    keep_durable(connection, {records: 10})
    assert cut_back(connection, None) == {records: 5}
    assert records.read_bytes() == b'{"id": 1}\n'


def test_a_file_is_cut_back_only_once(connection: Connection, records: Path) -> None:
    open_output(connection, records, 10)
    cut_back(connection, None)
    records.write_bytes(b'{"id": 1}\n{"id": 2}\n')
    assert cut_back(connection, None) == {}
    assert records.stat().st_size == 20


def test_a_file_that_was_closed_is_not_cut(connection: Connection, records: Path) -> None:
    open_output(connection, records, 0)
    keep_durable(connection, {records: 10}, closed=True)
    assert cut_back(connection, None) == {}
    assert rows(connection) == [(str(records), 10, True)]


@pytest.mark.parametrize("size", [15, 99])
def test_a_file_without_bytes_that_are_not_durable_is_not_cut(
    connection: Connection, records: Path, size: int
) -> None:
    open_output(connection, records, size)
    assert cut_back(connection, None) == {}
    assert records.stat().st_size == 15


def test_a_file_that_is_gone_is_skipped(connection: Connection, records: Path) -> None:
    open_output(connection, records, 5)
    records.unlink()
    assert cut_back(connection, None) == {}
    assert not records.exists()


def test_a_file_that_is_appended_to_again_keeps_its_content(connection: Connection, records: Path) -> None:
    open_output(connection, records, 0)
    keep_durable(connection, {records: 10}, closed=True)
    open_output(connection, records, 10)
    assert rows(connection) == [(str(records), 10, False)]


def test_a_file_that_a_run_on_other_hosts_is_writing_is_not_cut(
    connection: Connection, records: Path, tmp_path: Path
) -> None:
    state = tmp_path / "s.sqlite"
    open_output(connection, records, 10)
    with FileLocks.beside(state) as locks:
        with running(LOCKING, state, records) as other:
            assert cut_back(connection, locks) == {}
            assert records.stat().st_size == 15
            assert rows(connection) == [(str(records), 10, False)]
            other.kill()
            other.wait()
        assert cut_back(connection, locks) == {records: 5}


def test_the_lock_is_released_after_cutting(connection: Connection, records: Path, tmp_path: Path) -> None:
    open_output(connection, records, 10)
    with FileLocks.beside(tmp_path / "s.sqlite") as locks:
        cut_back(connection, locks)
        pid = os.fork()
        if not pid:
            os._exit(not FileLocks.beside(tmp_path / "s.sqlite").try_acquire(str(records)))
        assert os.waitpid(pid, 0)[1] == 0


def test_a_file_of_another_machine_is_not_cut(connection: Connection, records: Path) -> None:
    open_output(connection, records, 10, "node1")
    assert cut_back(connection, None, "node2") == {}
    assert records.stat().st_size == 15
    keep_durable(connection, {records: 12}, "node2", closed=True)
    assert cut_back(connection, None, "node1") == {records: 5}


def test_a_file_is_locked_by_its_machine_and_path() -> None:
    assert lock_name(Path("/srv/a.jsonl"), "node1") == "node1:/srv/a.jsonl"
    assert lock_name(Path("/srv/a.jsonl")) == "/srv/a.jsonl"


@pytest.mark.parametrize("content", [b"", b'{"id"'])
def test_a_file_that_a_killed_run_made_and_that_has_no_durable_record_is_removed(
    connection: Connection, tmp_path: Path, content: bytes
) -> None:
    made, given = tmp_path / "made.jsonl", tmp_path / "given.jsonl"
    for path in (made, given):
        path.write_bytes(content)
        open_output(connection, path, 0, made=path == made)
    assert cut_back(connection, None) == ({made: 5, given: 5} if content else {})
    assert [path.name for path in tmp_path.iterdir()] == ["given.jsonl"]
    assert given.read_bytes() == b""


def test_a_file_with_a_durable_record_stays_though_a_killed_run_made_it(
    connection: Connection, records: Path
) -> None:
    open_output(connection, records, 0, made=True)
    keep_durable(connection, {records: 10})
    assert cut_back(connection, None) == {records: 5}
    assert records.read_bytes() == b'{"id": 1}\n'
