"""The value lists in the data folder, over several updates and with edits by strangers."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tests.tooi.folders import (
    AMSTERDAM,
    GEMEENTEN,
    NIEUWSTAD,
    TODAY,
    change_list,
    make_folder,
    with_nieuwstad,
    without_amsterdam,
)
from woo_harvester.tooi.list_files import Edition, ListFile, read_from_folder, read_lists, set_uri
from woo_harvester.tooi.lists import NAMES, bundled, bundled_files
from woo_harvester.tooi.stored import FILE, KnownLists, compare, known_lists, store_lists
from woo_harvester.tooi.values import Concept


def update(data: Path, folder: Path) -> None:
    known = known_lists(data)
    made = compare(known, read_lists(read_from_folder(folder), NAMES, TODAY))
    store_lists(data, made.lists, made.former)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "lists")


@pytest.fixture
def data(tmp_path: Path, folder: Path) -> Path:
    """Return a data folder with a newer list of municipalities."""
    change_list(folder, change=with_nieuwstad)
    update(tmp_path / "data", folder)
    return tmp_path / "data"


OLD, NEW, OTHER = Concept(*AMSTERDAM), Concept(*NIEUWSTAD), Concept("https://a.nl/3", "drie")


def known(*concepts: Concept, version: int = 4, day: int = 1, checked: date | None = None) -> KnownLists:
    edition = Edition(set_uri(GEMEENTEN, version), date(2026, 1, day), len(concepts), checked)
    return KnownLists({GEMEENTEN: ListFile(edition, concepts)}, {})


def given(*concepts: Concept, version: int = 5, day: int = 2) -> dict[str, ListFile]:
    return dict(known(*concepts, version=version, day=day).files)


def test_without_a_folder_the_lists_of_the_project_are_used(tmp_path: Path) -> None:
    known = known_lists(tmp_path)
    assert known.problem is None
    assert known.value_lists() is bundled()


def test_newer_lists_are_used(data: Path) -> None:
    lists = known_lists(data).value_lists()
    assert lists.organisaties.by_uri(NIEUWSTAD[0]) == Concept(*NIEUWSTAD)
    assert lists.organisaties.by_label("Gemeente Nieuwstad") == Concept(*NIEUWSTAD)
    assert (lists.editions[GEMEENTEN].version, lists.editions[GEMEENTEN].is_bundled) == (5, False)
    assert bundled().organisaties.by_uri(NIEUWSTAD[0]) is None


def test_a_value_that_vanished_stays_known_over_all_later_updates(data: Path, folder: Path) -> None:
    change_list(folder, change=lambda rows: [row for row in rows if row != NIEUWSTAD], version=6)
    update(data, folder)
    change_list(folder, change=without_amsterdam, version=7, published="2026-02-02")
    update(data, folder)
    organisations = known_lists(data).value_lists().organisaties
    for gone in (NIEUWSTAD, AMSTERDAM):
        assert organisations.by_uri(gone[0]) == organisations.by_label(gone[1]) == Concept(*gone)


def test_a_label_that_went_to_another_uri_means_the_new_one(data: Path, folder: Path) -> None:
    newer = (NIEUWSTAD[0].replace("9101", "9102"), NIEUWSTAD[1])
    change_list(folder, change=lambda rows: [*rows[:-1], newer], version=6)
    update(data, folder)
    organisations = known_lists(data).value_lists().organisaties
    assert organisations.by_label(NIEUWSTAD[1]) == Concept(*newer)
    assert organisations.by_uri(NIEUWSTAD[0]) == Concept(*NIEUWSTAD)


def test_a_release_with_a_newer_list_comes_before_an_older_one_in_the_folder(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "lists")
    change_list(folder, change=with_nieuwstad, version=3, published="2020-01-01")
    store_lists(tmp_path, read_lists(read_from_folder(folder), NAMES, TODAY), {})  # an update of years ago
    known = known_lists(tmp_path)
    assert known.files[GEMEENTEN] == bundled_files()[GEMEENTEN]
    assert known.value_lists().organisaties.by_uri(NIEUWSTAD[0]) == Concept(*NIEUWSTAD)


def test_a_kill_leaves_the_old_lists(data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_list(folder, change=without_amsterdam, version=6)
    before = known_lists(data)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, step, killed)
            with pytest.raises(KeyboardInterrupt):
                update(data, folder)
        assert known_lists(data) == before
    update(data, folder)
    assert known_lists(data).files[GEMEENTEN].edition.version == 6


def test_a_file_that_somebody_damaged_is_left_alone_and_replaced_by_the_next_update(
    data: Path, folder: Path
) -> None:
    path = data / FILE
    good = path.read_bytes()
    for content in (
        b"",
        b"<html>",
        b"{}",
        good[:5000],
        good.replace(b'"label"', b'"naam"', 1),
        good.replace(NIEUWSTAD[0].encode(), b"weg"),
        good.replace(b'"values": 606', b'"values": 605'),
    ):
        path.write_bytes(content)
        assert content != good
        known = known_lists(data)
        assert known.value_lists() is bundled()
        (line,) = (known.problem or "").splitlines()
        assert line.startswith(f"{path} cannot be used: ")
        assert path.read_bytes() == content
    update(data, folder)
    assert known_lists(data).problem is None
    assert known_lists(data).files[GEMEENTEN].edition.version == 5


def test_what_is_new_what_is_gone_and_what_has_another_label_is_said() -> None:
    renamed = replace(OTHER, label="derde")
    (change,) = compare(known(OLD, OTHER), given(NEW, renamed)).changes
    assert (change.added, change.removed, change.renamed) == ([NEW], [OLD], [(OTHER, renamed)])
    assert (change.before.version, change.after.version) == (4, 5)


def test_a_value_that_is_gone_stays_known_until_it_is_back() -> None:
    first = compare(known(OLD, OTHER), given(OTHER))
    assert first.former == {GEMEENTEN: [OLD]}
    second = compare(KnownLists(first.lists, first.former), given(OTHER, NEW, version=6))
    assert second.former == {GEMEENTEN: [OLD]}
    third = compare(KnownLists(second.lists, second.former), given(OTHER, NEW, OLD, version=7))
    assert third.former == {GEMEENTEN: []}


def test_an_older_edition_does_not_replace_the_one_in_use() -> None:
    for version, day in [(5, 1), (4, 2)]:
        before = known(OLD, version=5, day=2)
        update = compare(before, given(NEW, version=version, day=day))
        assert (update.lists, update.changes, update.older) == (before.files, [], [GEMEENTEN]), version


def test_the_same_edition_with_other_values_replaces_it() -> None:
    update = compare(known(OLD), given(OLD, NEW, version=4, day=1))
    assert [change.added for change in update.changes] == [[NEW]]


def test_the_day_of_the_last_look_is_kept_while_the_version_is_the_same() -> None:
    before = known(OLD, checked=date(2026, 3, 1))
    assert compare(before, given(OLD, version=4, day=1)).lists[GEMEENTEN].edition.checked == date(2026, 3, 1)
    assert compare(before, given(OLD)).lists[GEMEENTEN].edition.checked is None
