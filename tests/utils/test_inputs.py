from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.state.processes import WRITING, running
from woo_harvester.utils.inputs import check_regular, is_being_written, parse_json, parse_object, read_columns


@pytest.mark.parametrize("text", ['{"a": 1}', b'{"a": 1}', b'\xef\xbb\xbf{"a": 1}\r\n'])
def test_json_is_read_from_text_and_from_bytes_with_or_without_a_byte_order_mark(text: str | bytes) -> None:
    assert parse_json(text) == parse_object(text) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
        ("9" * 5000, "limit"),
        ('"\\ud800"', "half of a surrogate pair"),
        ('{"\\udc00": 1}', "half of a surrogate pair"),
        (b'"\xed\xa0\x80"', "can't decode"),
        ('{"a": 1}'.encode("utf-16"), "can't decode"),
        (b"\0" * 10, "Expecting value"),
        (b"", "Expecting value"),
    ],
)
def test_what_cannot_be_read_is_a_value_error_of_one_line(text: str | bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why) as raised:
        parse_json(text)
    assert len(str(raised.value).splitlines()) == 1


def test_a_complete_surrogate_pair_is_text() -> None:
    assert parse_json('"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


@pytest.mark.parametrize("text", ["[]", "1", "null", '"a"'])
def test_what_is_not_an_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected an object of JSON"):
        parse_object(text)


def test_a_file_is_regular_and_a_pipe_a_folder_and_nothing_are_not(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    check_regular(tmp_path / "file")
    for name, why in [
        ("pipe", "expected a file, got a pipe"),
        ("folder", "Is a directory"),
        ("none", "No such file"),
    ]:
        with pytest.raises(OSError, match=why):
            check_regular(tmp_path / name)


def test_a_file_that_another_process_has_locked_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.touch()
    assert not is_being_written(path)
    with running(WRITING, path):
        assert is_being_written(path)
    assert not is_being_written(path)


def test_columns_of_csv_are_read_by_name_with_the_line_of_each_row() -> None:
    text = '\ufeffb,x,a\r\n1,,"twee\nregels"\r\n\r\n 3 ,,\r\n'
    assert list(read_columns(text.encode(), ("a", "b"))) == [(3, ["twee\nregels", "1"]), (5, ["", "3"])]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"a\n1\n", "expected the columns a,b; b is missing"),
        (b"", "expected the columns a,b; a and b is missing"),
        (b"a,b\n\xff,1\n", "codec can't decode"),
        (b'a,b\n"1', "unexpected end of data"),
    ],
)
def test_csv_that_is_broken_or_lacks_a_column_is_a_value_error(data: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        list(read_columns(data, ("a", "b")))
