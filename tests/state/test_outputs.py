from __future__ import annotations

import codecs
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.state.processes import WRITING, running
from woo_harvester.state.outputs import LEFT_UNFINISHED, UNFINISHED
from woo_harvester.state.schema import outputs
from woo_harvester.state.store import State, StateError

FIRST, SECOND, OTHER, CUT = b'{"id": 1}\n', b'{"id": 2}\n', b'{"id": "other"}\n', b'{"id": 3'


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "records.jsonl"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / f"records.jsonl.woo-1{UNFINISHED}"


def died(
    state: State, own: Path, target: Path | None, form: str = "jsonl", content: bytes = FIRST + SECOND
) -> None:
    """Write a file as a run leaves it that died: the state knows some records, and another is truncated."""
    with state.outputs.open(own, target, form) as file:
        file.write(content)
        with state.begin() as connection:
            state.outputs.keep_durable(connection, file)
        file.write(CUT)


def rows(state: State) -> int:
    with state.begin() as connection:
        return len(connection.execute(select(outputs)).all())


def test_what_a_dead_run_delivered_is_added_once(state: State, own: Path, target: Path) -> None:
    for before in (None, b"", OTHER):
        died(state, own, target)
        target.unlink(missing_ok=True)
        if before is not None:
            target.write_bytes(before)
        assert state.recover() == [f"Added to {target} what a run that died had delivered"], before
        assert state.recover() == [], before
        assert target.read_bytes() == (before or b"") + FIRST + SECOND, before
        assert (own.exists(), rows(state)) == (False, 0), before


def test_a_run_that_died_when_its_file_had_both_names_is_not_added_again(
    state: State, own: Path, target: Path
) -> None:
    died(state, own, target)
    target.hardlink_to(own)
    assert (state.recover(), own.exists(), target.read_bytes()) == ([], False, FIRST + SECOND + CUT)


def test_a_run_that_died_while_it_added_goes_on_where_it_stopped(
    state: State, own: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for added in range(len(FIRST + SECOND) + 1):
        died(state, own, target)
        target.write_bytes(OTHER)
        dies_while_it_adds(state, target, added, monkeypatch)
        state.recover()
        assert target.read_bytes() == OTHER + FIRST + SECOND, added


def dies_while_it_adds(state: State, target: Path, added: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space")

    with monkeypatch.context() as patched:
        patched.setattr("woo_harvester.state.outputs.append", fail)
        with pytest.raises(StateError, match="cannot be finished: no space"):
            state.recover()
    with target.open("ab") as file:
        file.write((FIRST + SECOND)[:added])


def test_what_others_wrote_since_stays_and_the_records_come_after_it(
    state: State, own: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for since in (b"", OTHER, b"\n" + OTHER):
        died(state, own, target)
        target.write_bytes(OTHER)
        dies_while_it_adds(state, target, len(FIRST) + 3, monkeypatch)
        before = target.read_bytes() + since if since else b""  # emptied by somebody
        target.write_bytes(before)
        state.recover()
        assert target.read_bytes() == before + FIRST + SECOND, since


def test_two_runs_that_add_to_a_new_file_at_the_same_moment_are_both_in_it(
    state: State, own: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    died(state, own, target)
    real = os.link

    def link(path: Path, to: str) -> None:
        target.write_bytes(OTHER)  # the other run was the first
        real(path, to)

    monkeypatch.setattr("os.link", link)
    state.recover()
    assert target.read_bytes() == OTHER + FIRST + SECOND


def test_a_file_system_without_locks_has_files_of_runs_too(
    state: State, tmp_path: Path, own: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", fail)
    died(state, own, target)
    assert state.recover() == [], "nobody knows whether its run goes on"
    list(state.outputs.add(own))
    assert target.read_bytes().startswith(FIRST + SECOND)


def test_a_header_of_csv_is_added_once(state: State, tmp_path: Path, target: Path) -> None:
    header = codecs.BOM_UTF8 + b'"id","titel"\r\n'
    for number, there in enumerate((header, header + b'"0",""\r\n'), 1):
        row = b'"%d",""\r\n' % number
        died(state, tmp_path / "own", target, "csv", header + row)
        target.write_bytes(there)
        state.recover()
        assert target.read_bytes() == there + row
    died(state, tmp_path / "own", target, "csv", b'"3",""\r\n')
    state.recover()
    assert target.read_bytes() == there + row + b'"3",""\r\n', "it was written without a header"
    target.unlink()
    died(state, tmp_path / "own", target, "csv", header + row)
    state.recover()
    assert target.read_bytes() == header + row


def test_a_last_line_without_its_end_gets_it_and_is_named_if_it_is_no_record(
    state: State, tmp_path: Path, target: Path
) -> None:
    named = f"The last line of {target} was no record: it is as it was, and the new records are below it"
    for before, form, after, is_named in (
        (b'{"id": 0}', "jsonl", b'{"id": 0}\n', False),
        (codecs.BOM_UTF8 + b'{"id": 0}\r', "jsonl", codecs.BOM_UTF8 + b'{"id": 0}\r\n', False),
        (OTHER + b"  ", "jsonl", OTHER + b"  \n", False),
        (OTHER + b'{"id": 0, "docu', "jsonl", OTHER + b'{"id": 0, "docu\n', True),
        (b"\0" * 10, "jsonl", b"\0" * 10 + b"\n", True),
        (b"a,b\r\n1,2", "csv", b"a,b\r\n1,2\n", False),
        (b"\x1f\x8b", "", b"\x1f\x8b", False),
    ):
        died(state, tmp_path / "own", target, form)
        target.write_bytes(before)
        assert state.recover()[1:] == [named] * is_named, before
        assert target.read_bytes() == after + FIRST + SECOND, before


def test_a_file_that_is_added_to_no_other_is_cut_or_removed_and_named_if_it_was_to_replace_one(
    state: State, tmp_path: Path
) -> None:
    grown, unfinished, empty = (
        tmp_path / name for name in ("grown", f"new{UNFINISHED}", f"empty{UNFINISHED}")
    )
    for path in (grown, unfinished, empty):
        died(state, path, None, content=b"" if path == empty else FIRST)
    assert state.recover() == [LEFT_UNFINISHED % unfinished]
    assert grown.read_bytes() == unfinished.read_bytes() == FIRST
    assert (empty.exists(), rows(state)) == (False, 0)


def test_a_file_is_never_made_longer(state: State, own: Path, target: Path) -> None:
    died(state, own, target)
    os.truncate(own, 5)
    state.recover()
    assert target.read_bytes() == FIRST[:5]


def test_a_file_that_is_gone_is_forgotten(state: State, own: Path, target: Path) -> None:
    died(state, own, target)
    own.unlink()
    assert (state.recover(), target.exists(), rows(state)) == ([], False, 0)


def test_the_file_of_a_run_that_goes_on_stays(state: State, own: Path, target: Path) -> None:
    died(state, own, target)
    with own.open("r+b") as file, running(WRITING, own):
        assert state.recover() == []
        assert file.read() == FIRST + SECOND + CUT
    live = own.with_name("live")
    with state.outputs.open(live, target, "jsonl"):  # a crawl in this process
        state.recover()
        assert (live.exists(), rows(state)) == (True, 1)


@pytest.fixture
def nodes(state_url: str, tmp_path: Path) -> Iterator[tuple[State, State]]:
    states = State.open_for_run(state_url, "a", []), State.open_for_run(state_url, "b", [])
    yield states
    for each in states:
        each.release()
        each.close()


def test_a_file_of_another_machine_stays(nodes: tuple[State, State], tmp_path: Path, target: Path) -> None:
    one, other = nodes
    died(one, tmp_path / "own", target)
    assert (other.recover() == []) is one.is_shared
    assert target.exists() is not one.is_shared
