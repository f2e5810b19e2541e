from __future__ import annotations

import re
from pathlib import Path

import pytest

from woo_harvester.state import NOWHERE
from woo_harvester.state.store import State, StateError


def test_what_one_run_has_released_another_can_lock(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'state.sqlite'}"
    for node in ("a", "b"):
        state = State.open_for_run(url, node, ["a.nl"])
        state.lock_hosts(["b.nl"])
        state.release()
        state.close()


def test_a_state_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=re.escape(str(tmp_path))):
        State.open_for_run(f"sqlite:///{tmp_path}", "a", [])


def test_what_one_run_has_locked_another_is_refused(postgresql_url: str) -> None:
    first = State.open_for_run(postgresql_url, "a", ["a.nl"])
    with pytest.raises(StateError, match=r"another run works on .*a\.nl.*: wait until it ends"):
        State.open_for_run(postgresql_url, "a", ["b.nl", "a.nl"])
    second = State.open_for_run(postgresql_url, "a", ["b.nl"])
    first.release()
    second.lock_hosts(["a.nl"])
    for state in (first, second):
        state.release()
        state.close()


def test_only_a_run_on_a_shared_state_shows_that_it_goes_on(state_url: str, database: str) -> None:
    state = State.open_for_run(state_url, "a", ["a.nl"])
    assert (state.heartbeat is not None) is (database == "postgresql")
    state.beat()
    state.release()
    state.close()


def test_a_state_of_nobody_else_needs_no_locks() -> None:
    state = State.open(NOWHERE)
    state.lock_hosts(["a.nl"])
    assert state.heartbeat is None
    state.beat()
    state.release()
    state.close()
