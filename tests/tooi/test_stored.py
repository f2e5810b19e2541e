"""The value lists in the data folder, newer or older than those of the project, and damaged by strangers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tooi.folders import AMSTERDAM, GEMEENTEN, NIEUWSTAD, TODAY, with_newer, with_nieuwstad
from woo_harvester.tooi.list_files import bundled_editions
from woo_harvester.tooi.lists import ValueLists, bundled
from woo_harvester.tooi.stored import FILE, known_editions, store_editions

NEWER = with_newer(GEMEENTEN, with_nieuwstad)


def test_without_a_folder_the_lists_of_the_project_are_used(tmp_path: Path) -> None:
    assert known_editions(tmp_path) is bundled_editions()
    assert known_editions(tmp_path / "none") is bundled_editions()


def test_newer_lists_are_used_and_a_value_that_vanished_stays_known(tmp_path: Path) -> None:
    store_editions(tmp_path / "data", NEWER)
    lists = ValueLists.make(known_editions(tmp_path / "data"))
    assert lists.organisaties.by_uri(NIEUWSTAD.uri) == NIEUWSTAD
    assert lists.organisaties.by_label("Gemeente Nieuwstad") == NIEUWSTAD
    assert lists.organisaties.by_uri(AMSTERDAM.uri) == lists.organisaties.by_label("gemeente amsterdam")
    assert lists.organisaties.by_uri(AMSTERDAM.uri) == AMSTERDAM
    assert lists.editions[GEMEENTEN].version == 50
    assert bundled().organisaties.by_uri(NIEUWSTAD.uri) is None


def test_a_release_with_a_newer_list_comes_before_an_older_one_in_the_folder(tmp_path: Path) -> None:
    store_editions(tmp_path, with_newer(GEMEENTEN, with_nieuwstad, version=3))
    assert known_editions(tmp_path) == bundled_editions()


def test_a_kill_leaves_the_old_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_editions(tmp_path, NEWER)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, step, killed)
            with pytest.raises(KeyboardInterrupt):
                store_editions(tmp_path, with_newer(GEMEENTEN, with_nieuwstad, version=51))
        assert known_editions(tmp_path) == NEWER


def test_a_file_that_somebody_damaged_is_an_error_of_one_line(tmp_path: Path) -> None:
    store_editions(tmp_path, NEWER)
    path = tmp_path / FILE
    good = path.read_bytes()
    for content in (b"", b"<html>", b"[]", good[:5000], good.replace(b'"label"', b'"naam"', 1)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"tooi\.json cannot be used: ") as raised:
            known_editions(tmp_path)
        assert len(str(raised.value).splitlines()) == 1
        assert path.read_bytes() == content


def test_a_list_is_as_old_as_the_last_look_at_its_newest_version() -> None:
    edition = NEWER[GEMEENTEN]
    assert edition.age(TODAY) == 323
    assert type(edition)(5, edition.published, (), checked=TODAY).age(TODAY) == 0
