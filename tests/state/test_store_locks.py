from __future__ import annotations

import re
from pathlib import Path

import pytest

from woo_harvester.state import NOWHERE
from woo_harvester.state.lastline import open_for_appending
from woo_harvester.state.outputs import StagedFile
from woo_harvester.state.store import State, StateError


def test_what_one_run_has_released_another_can_lock(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'state.sqlite'}"
    for node in ("a", "b"):
        state = State.open_for_run(url, node, ["a.nl"])
        state.lock_hosts(["b.nl"])
        state.lock_output(tmp_path / "records.jsonl")
        state.release()
        state.close()


def test_what_is_not_durable_is_cut_off_the_file_of_a_run_that_was_killed(tmp_path: Path) -> None:
    url, path = f"sqlite:///{tmp_path / 'state.sqlite'}", tmp_path / "records.jsonl"
    path.write_bytes(b"durable\n")
    killed = State.open_for_run(url, "a", [])
    with killed.begin() as connection:
        name = killed.open_output(connection, path, 0, made=False)
        killed.keep_durable(connection, {path: 8})
    with open_for_appending(path) as file:
        staged = StagedFile(file, name)
        staged.write(b"not known\n")
        staged.append()
        staged.close()
    killed.release()
    killed.close()
    after = State.open_for_run(url, "a", [])
    with after.begin() as connection:
        assert after.cut_back(connection).cut == {path: 10}
        assert after.cut_back(connection).cut == {}
    assert path.read_bytes() == b"durable\n"
    after.release()
    after.close()


def test_a_state_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=re.escape(str(tmp_path))):
        State.open_for_run(f"sqlite:///{tmp_path}", "a", [])


def test_what_one_run_has_locked_another_is_refused(postgresql_url: str, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    first = State.open_for_run(postgresql_url, "a", ["a.nl"])
    first.lock_output(path)
    with pytest.raises(StateError, match=r"another run works on .*a\.nl.*: wait until it ends"):
        State.open_for_run(postgresql_url, "a", ["b.nl", "a.nl"])
    second = State.open_for_run(postgresql_url, "a", ["b.nl"])
    with pytest.raises(StateError, match=re.escape(str(path))):
        second.lock_output(path)
    first.release()
    second.lock_hosts(["a.nl"])
    second.lock_output(path)
    for state in (first, second):
        state.release()
        state.close()


def test_only_a_run_on_a_shared_state_shows_that_it_goes_on(state_url: str, database: str) -> None:
    state = State.open_for_run(state_url, "a", ["a.nl"])
    assert (state.heartbeat is not None) is (database == "postgresql")
    state.beat()
    state.release()
    state.close()


def test_a_state_of_nobody_else_needs_no_locks(tmp_path: Path) -> None:
    state = State.open(NOWHERE)
    state.lock_hosts(["a.nl"])
    state.lock_output(tmp_path / "records.jsonl")
    assert state.heartbeat is None
    state.beat()
    state.release()
    state.close()
