from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from woo_portal.embedded.lines import NewLines, Position


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "woo.jsonl"


def read(
    path: Path, after: Position | None = None, *, max_line: int = 1000
) -> tuple[list[bytes | None], Position]:
    lines = NewLines(path, after, max_line=max_line)
    try:
        return list(lines), lines.position
    finally:
        lines.close()


def test_a_file_that_grows_gives_its_new_lines_and_a_last_line_without_an_end_waits(path: Path) -> None:
    position = None
    for added, expected in (
        (b"one\ntwo\n", [b"one", b"two"]),
        (b"", []),
        (b"thr", []),
        (b"ee\n", [b"three"]),
    ):
        with path.open("ab") as file:
            file.write(added)
        lines, position = read(path, position)
        assert lines == expected


def test_a_file_in_the_place_of_another_is_read_from_its_beginning(tmp_path: Path) -> None:
    path, new = tmp_path / "woo.jsonl", tmp_path / "new"
    path.write_bytes(b"one\ntwo\n")
    _, position = read(path)
    new.write_bytes(b"one\ntwo\nthree\n")
    new.replace(path)
    assert read(path, position)[0] == [b"one", b"two", b"three"]


def test_a_file_that_was_written_anew_is_read_from_its_beginning(path: Path) -> None:
    for content in (b"one\nnew\nthree\n", b"new\ntwo\nthree\n", b"one\n"):
        path.write_bytes(b"one\ntwo\n")
        _, position = read(path)
        with path.open("r+b") as file:  # the same inode
            file.truncate(0)
            file.write(content)
        assert read(path, position)[0] == content.splitlines(), content


def test_a_line_that_is_too_long_is_passed_over_and_one_without_an_end_waits(path: Path) -> None:
    path.write_bytes(b"x" * 999 + b"\n" + b"y" * 1000 + b"\n" + b"z" * 3_000_000 + b"\ntwo\n" + b"x" * 5000)
    lines, position = read(path)
    assert lines == [b"x" * 999, b"y" * 1000, None, b"two"]
    assert read(path, position)[0] == []


def test_a_compressed_file_is_read_once_and_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "woo.jsonl.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n"))
    lines, position = read(path)
    assert lines == [b"one", b"two"]
    assert read(path, position)[0] == []
    path.write_bytes(gzip.compress(b"one\ntwo\nthree and more\n"))
    assert read(path, position)[0] == [b"one", b"two", b"three and more"]


def test_a_compressed_file_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "woo.jsonl.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n"))
    lines = NewLines(path)
    assert next(iter(lines)) == b"one"
    position = lines.position
    lines.close()
    assert read(path, position)[0] == [b"two"]


def test_a_compressed_file_that_is_cut_off_gives_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "woo.jsonl.gz"
    for keep in (-4, -12, 5):
        path.write_bytes(gzip.compress(b"one\n" * 1000)[:keep])
        lines = NewLines(path)
        assert set(lines) <= {b"one"}, keep
        assert str(path) in (lines.fault or ""), keep
        lines.close()
