"""The files of value lists: what can be used, and what is said of the rest."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.tooi.folders import (
    GEMEENTEN,
    NIEUWSTAD,
    TODAY,
    TOOI,
    change_index,
    change_list,
    make_folder,
    with_nieuwstad,
)
from woo_harvester.tooi.list_files import MAXSIZE, Edition, ListsError, read_from_folder, read_lists
from woo_harvester.tooi.lists import NAMES, bundled_files
from woo_harvester.tooi.values import Concept

THEMES = "scw_toplijst"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "lists")


def error_of(folder: Path) -> str:
    with pytest.raises(ListsError) as raised:
        read_lists(read_from_folder(folder), NAMES, TODAY)
    (line,) = str(raised.value).splitlines()
    return line


def test_a_copy_of_the_lists_of_the_project_has_the_same_values(folder: Path) -> None:
    read = read_lists(read_from_folder(folder), NAMES, TODAY)
    assert {name: file.concepts for name, file in read.items()} == {
        name: file.concepts for name, file in bundled_files().items()
    }
    assert not any(file.edition.is_bundled for file in read.values())


def test_a_changed_list_has_its_own_edition_and_values(folder: Path) -> None:
    change_list(folder, change=with_nieuwstad, checked="2026-11-20")
    file = read_lists(read_from_folder(folder), NAMES, TODAY)[GEMEENTEN]
    assert file.concepts[-1] == Concept(*NIEUWSTAD)
    assert file.edition == Edition(
        f"https://identifier.overheid.nl/tooi/set/{GEMEENTEN}/5",
        date(2026, 1, 2),
        606,
        date(2026, 11, 20),
        is_bundled=False,
    )
    assert file.edition.version == 5


def test_a_list_is_as_old_as_the_last_look_at_its_newest_version() -> None:
    edition = Edition("https://identifier.overheid.nl/tooi/set/x/5", date(2026, 11, 1), 1)
    assert edition.age(TODAY) == 20
    checked = Edition(edition.set_uri, edition.published, 1, date(2026, 11, 20))
    assert checked.age(TODAY) == 1


def test_other_columns_lists_and_a_byte_order_mark_make_no_difference(folder: Path) -> None:
    path = folder / f"{THEMES}.csv"
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(f"{line},x" for line in lines), "utf-8-sig")
    change_index(folder, THEMES, {"xsd_simple_type": "themalijst"})
    with (folder / "index.csv").open("a") as file:
        file.write("../../etc/passwd,x,gisteren,veel,\n")
    assert read_lists(read_from_folder(folder), NAMES, TODAY)[THEMES].concepts == (
        bundled_files()[THEMES].concepts
    )


def write(content: bytes, name: str = THEMES) -> Callable[[Path], object]:
    return lambda folder: (folder / f"{name}.csv").write_bytes(content)


def cut(folder: Path) -> None:
    path = folder / f"{THEMES}.csv"
    path.write_bytes(path.read_bytes()[:-100])


def of_themes(uri: str, label: str) -> Callable[[Path], None]:
    return lambda folder: change_list(folder, THEMES, lambda rows: [*rows, (uri, label)])


def in_index(**values: str) -> Callable[[Path], None]:
    return lambda folder: change_index(folder, THEMES, values)


def test_a_file_that_cannot_be_used_is_an_error_of_one_line(folder: Path) -> None:
    cases: list[tuple[Callable[[Path], object], str]] = [
        (lambda folder: (folder / "index.csv").unlink(), "index.csv: No such file or directory"),
        (lambda folder: (folder / f"{THEMES}.csv").unlink(), "scw_toplijst.csv: No such file"),
        (write(b"<!DOCTYPE html><html><body>Onderhoud</body></html>"), "columns uri,label, got <!DOCTYPE"),
        (write(b""), "scw_toplijst.csv: expected the columns uri,label, got nothing"),
        (write(b"uri,label\n"), "scw_toplijst has 0 values, and 92 were expected"),
        (write(b"uri;label\n"), "expected the columns uri,label, got uri;label"),
        (write("uri,label\nhttps://a.nl/é,é\n".encode("latin-1")), "scw_toplijst.csv is not UTF-8"),
        (write("uri,label\n".encode("utf-16")), "scw_toplijst.csv is not UTF-8"),
        (write(b'uri,label\n"https://a.nl/1,x\n'), "scw_toplijst.csv is not CSV"),
        (write(b"uri,label\n" + b"x" * MAXSIZE), f"larger than {MAXSIZE:,} bytes"),
        (cut, "scw_toplijst"),
        (of_themes("afval", "afval"), "scw_toplijst: expected the URI of a value, got afval"),
        (of_themes("https://a.nl/a b", "x"), "expected the URI of a value, got https://a.nl/a b"),
        (of_themes("https://a.nl/1", ""), "expected a label for https://a.nl/1, got nothing"),
        (of_themes("https://a.nl/1", "x\x1b[2J"), "expected a label for https://a.nl/1, got x [2J"),
        (of_themes("https://a.nl/1", "x" * 1001), "expected a label for https://a.nl/1, got xxx"),
        (of_themes("https://a.nl/" + "x" * 3000, "x"), "expected the URI of a value"),
        (
            lambda folder: change_list(folder, THEMES, lambda rows: [*rows, rows[0]]),
            "c_68609e19 is there twice",
        ),
        (
            lambda folder: change_list(folder, change=lambda rows: [*rows, ("https://a.nl/gm1", "x")]),
            f"{GEMEENTEN}: expected the TOOI URI of an organisation, got https://a.nl/gm1",
        ),
        (in_index(values="93"), "scw_toplijst has 92 values, and 93 were expected"),
        (in_index(values="veel"), "index.csv: scw_toplijst: invalid literal"),
        (in_index(published="gisteren"), "index.csv: scw_toplijst: Invalid isoformat string"),
        (in_index(published="2042-01-01"), "scw_toplijst: 2042-01-01 lies in the future"),
        (in_index(checked="2042-01-01"), "scw_toplijst: 2042-01-01 lies in the future"),
        (
            in_index(tooi_set="https://a.nl/1"),
            "such as https://identifier.overheid.nl/tooi/set/scw_toplijst/1, got https://a.nl/1",
        ),
        (in_index(list="scw_andere", tooi_set="x"), "index.csv lacks the list scw_toplijst"),
        (write(b"list,tooi_set,published,values\n", "index"), "index.csv lacks the list"),
        (write(b"list,uri\n", "index"), "index.csv: expected the columns list,tooi_set,published,values"),
    ]
    for number, (damage, reason) in enumerate(cases):
        copied = shutil.copytree(folder, folder.with_name(f"damaged{number}"))
        damage(copied)
        assert reason in error_of(copied), number


def test_a_folder_in_place_of_a_file_is_an_error(folder: Path) -> None:
    (folder / f"{THEMES}.csv").unlink()
    (folder / f"{THEMES}.csv").mkdir()
    assert error_of(folder).endswith(f"{THEMES}.csv: Is a directory")


def test_a_pipe_in_place_of_a_file_is_an_error(folder: Path) -> None:
    (folder / "index.csv").unlink()
    os.mkfifo(folder / "index.csv")
    assert "index.csv: expected a file, got a pipe or a device" in error_of(folder)


def test_the_clock_of_another_machine_may_be_a_day_ahead(folder: Path) -> None:
    change_index(folder, THEMES, {"checked": TODAY + timedelta(days=1)})
    assert read_lists(read_from_folder(folder), NAMES, TODAY)[THEMES].edition.checked
    change_index(folder, THEMES, {"checked": TODAY + timedelta(days=2)})
    assert "lies in the future" in error_of(folder)


def test_the_organisations_of_each_list_have_uris_of_organisations() -> None:
    organisations = [file for name, file in bundled_files().items() if name.startswith("rwc_")]
    assert all(concept.uri.startswith(TOOI) for file in organisations for concept in file.concepts)
