from __future__ import annotations

import codecs
import os
import resource
import signal
from pathlib import Path

import pytest

from tests.state.processes import WRITING, running
from woo_harvester.state.lastline import (
    BLOCK,
    QuotedCellError,
    WriterError,
    end_last_line,
    open_for_appending,
)

COMPLETE = b'{"id": 1}'
PART = b'{"id": 2, "docu'


def end(path: Path, *, is_csv: bool = False) -> bytes | None:
    """End the last line of a file; return the content of the file of truncated lines."""
    with open_for_appending(path) as file:
        moved = end_last_line(file, is_csv=is_csv)
    aside = path.with_name(f"{path.name}.truncated")
    assert moved is None or moved.path == aside
    return aside.read_bytes() if aside.exists() else None


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.jsonl"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b""),
        (COMPLETE + b"\n", COMPLETE + b"\n"),
        (COMPLETE + b"\r\n", COMPLETE + b"\r\n"),
        (COMPLETE, COMPLETE + b"\n"),
        (COMPLETE + b"\n" + COMPLETE, COMPLETE + b"\n" + COMPLETE + b"\n"),
        (COMPLETE + b"\r\n" + COMPLETE + b"\r", COMPLETE + b"\r\n" + COMPLETE + b"\r\n"),
        (codecs.BOM_UTF8 + COMPLETE, codecs.BOM_UTF8 + COMPLETE + b"\n"),
        (codecs.BOM_UTF8, codecs.BOM_UTF8),
        (b"\n\n", b"\n\n"),
        (COMPLETE + b"\n  ", COMPLETE + b"\n  "),
        (COMPLETE + b"\n\r", COMPLETE + b"\n\r\n"),
        (b'{"t": "' + b"x" * 3 * BLOCK + b'"}', b'{"t": "' + b"x" * 3 * BLOCK + b'"}\n'),
    ],
    ids=lambda content: repr(content[:20]),
)
def test_a_complete_last_line_only_gets_a_line_end(path: Path, before: bytes, after: bytes) -> None:
    path.write_bytes(before)
    for _ in range(2):
        assert end(path) is None
        assert path.read_bytes() == after


@pytest.mark.parametrize("kept", [b"", COMPLETE + b"\n", b"geen json\n" + COMPLETE + b"\n"])
@pytest.mark.parametrize(
    "part",
    [PART, b"{", b'{"a": "\xc3', bytes(10), PART + bytes(100), b"[" * 100_000, b"x" * (2 * BLOCK + 5)],
    ids=lambda part: repr(part[:15]),
)
def test_a_truncated_last_line_is_moved_aside(path: Path, kept: bytes, part: bytes) -> None:
    path.write_bytes(kept + part)
    assert end(path) == part + b"\n"
    assert path.read_bytes() == kept
    assert end(path) == part + b"\n"


def test_truncated_lines_of_several_days_follow_each_other(path: Path) -> None:
    for part in (PART, b"{", PART):
        path.write_bytes(COMPLETE + b"\n" + part)
        end(path)
    assert end(path) == PART + b"\n{\n" + PART + b"\n"


@pytest.mark.parametrize("moved", [b"", b"{\n", PART + b"\n", b"{\n" + PART[:5], PART[:5]])
def test_a_kill_between_moving_aside_and_cutting_loses_nothing(path: Path, moved: bytes) -> None:
    path.write_bytes(COMPLETE + b"\n" + PART)
    path.with_name("records.jsonl.truncated").write_bytes(moved)
    found = end(path)
    assert found is not None
    assert found.startswith(moved)
    assert found.endswith(PART + b"\n")
    assert found.split(b"\n").count(PART) == 1
    assert path.read_bytes() == COMPLETE + b"\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a,b\r\n1,2", b"a,b\r\n1,2\r\n"),
        (b"a,b\r\n1,2\r", b"a,b\r\n1,2\r\n"),
        (b"a,b\r\n1,2\r\n", b"a,b\r\n1,2\r\n"),
        (b'a,b\r\n1,"x\r\ny ""z"""', b'a,b\r\n1,"x\r\ny ""z"""\r\n'),
        (b"", b""),
    ],
)
def test_the_last_row_of_csv_only_gets_a_line_end(path: Path, before: bytes, after: bytes) -> None:
    path.write_bytes(before)
    assert end(path, is_csv=True) is None
    assert path.read_bytes() == after


def test_csv_that_ends_inside_a_quoted_cell_is_refused_and_not_changed(path: Path) -> None:
    path.write_bytes(b'a,b\r\n1,"x\r\ny')
    with pytest.raises(
        QuotedCellError, match=r"records\.jsonl ends inside a quoted cell: remove its last row"
    ):
        end(path, is_csv=True)
    assert path.read_bytes() == b'a,b\r\n1,"x\r\ny'


def test_a_file_that_another_process_writes_is_refused_and_not_changed(path: Path) -> None:
    path.write_bytes(PART)
    with running(WRITING, path), pytest.raises(WriterError, match=r"records\.jsonl"):
        end(path)
    assert path.read_bytes() == PART
    assert end(path) == PART + b"\n"


def test_the_line_stays_if_the_other_file_cannot_be_created(path: Path) -> None:
    path.write_bytes(PART)
    path.with_name("records.jsonl.truncated").mkdir()
    with pytest.raises(IsADirectoryError):
        end(path)
    assert path.read_bytes() == PART


@pytest.mark.parametrize("content", [COMPLETE, PART + b"x" * 5000])
def test_a_full_disk_leaves_the_file_unchanged(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    aside = path.with_name("records.jsonl.truncated")
    aside.write_bytes(b"{\n")
    pid = os.fork()
    if not pid:  # a limit on the size of files fails a write half-way, as a full disk does
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit = len(content) if content == COMPLETE else 1000
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            end(path)
        except OSError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert path.read_bytes() == content
    assert aside.read_bytes() == b"{\n"


def test_a_file_and_its_folder_are_created(tmp_path: Path) -> None:
    assert end(tmp_path / "a" / "b" / "records.jsonl") is None
    assert (tmp_path / "a" / "b" / "records.jsonl").read_bytes() == b""
