from __future__ import annotations

import os
from pathlib import Path

import pytest

from woo_harvester.report.atomic import TEMPORARY, replace_file, replace_link


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    for content in (b"oud", b"nieuw"):
        replace_file(tmp_path / "a.svg", content)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.svg", b"nieuw")]


def test_a_link_leads_to_the_last_target_also_after_a_process_with_the_same_number_was_killed(
    tmp_path: Path,
) -> None:
    link = tmp_path / "latest"
    for target in ("een", "twee"):
        (tmp_path / target).mkdir()
        left = tmp_path / f"latest.{os.getpid()}.tmp"
        left.symlink_to("nergens")
        assert TEMPORARY.search(left.name)
        replace_link(link, target)
        assert link.readlink() == Path(target)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["een", "latest", "twee"]


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_what_is_no_link_is_not_replaced_by_one(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "latest")
    with pytest.raises(FileExistsError):
        replace_link(tmp_path / "latest", "een")
    assert not (tmp_path / "latest").is_symlink()
