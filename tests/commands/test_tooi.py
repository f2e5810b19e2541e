"""``scrapy tooi``: the table of lists, and updates that change everything or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tooi.folders import (
    AMSTERDAM,
    GEMEENTEN,
    NIEUWSTAD,
    change_list,
    make_folder,
    with_nieuwstad,
    without_amsterdam,
)
from tests.tooi.json_ld import header, organisation, tooi_site, written
from tests.utils.command import DATA, Run, run_scrapy
from tests.utils.sites import MakeSite
from tests.utils.tunnel import NamedSite, Tunnel
from woo_harvester.demo.server import Authority, Page
from woo_harvester.tooi.lists import bundled_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = make_folder(tmp_path / "lists")
    change_list(made, change=lambda rows: with_nieuwstad(without_amsterdam(rows)))
    return made


@pytest.fixture
def tooi(tmp_path: Path, ca_bundle: Path) -> Callable[..., Run]:
    def run(*args: str, **options: object) -> Run:
        return run_scrapy(["tooi", *args], tmp_path, ca_bundle, **options)  # type: ignore[arg-type]

    return run


def row(run: Run, name: str = GEMEENTEN) -> list[str]:
    (line,) = [line for line in run.stdout.splitlines() if line.startswith(f"{name} ")]
    return line.split()[1:]


def test_the_lists_of_the_project_are_shown_with_their_age(tooi: Callable[..., Run]) -> None:
    shown = tooi()
    assert (shown.returncode, shown.stderr) == (0, "")
    version, published, checked, days, values, *source = row(shown)
    assert (version, published, checked, values) == ("4", "2022-12-22", "-", "605")
    assert source == ["project", "(old)"]
    assert int(days) > 1000
    assert max(map(len, shown.stdout.splitlines())) < 110


def test_an_update_from_a_folder_says_what_changed_and_the_table_shows_it(
    tooi: Callable[..., Run], folder: Path, tmp_path: Path
) -> None:
    done = tooi("update", "--from", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{GEMEENTEN}: version 4 (2022-12-22) -> 5 (2026-01-02): 1 new, 1 gone, 0 with another label",
        f"The next runs use the lists in {tmp_path / DATA / 'tooi.json'}",
    ]
    version, published, _, _, values, source, *_ = row(tooi())
    assert (version, published, values, source) == ("5", "2026-01-02", "605", "update")


def test_the_same_update_changes_nothing_and_an_older_none(tooi: Callable[..., Run], folder: Path) -> None:
    tooi("update", "--from", str(folder))
    again = tooi("update", "--from", str(folder))
    assert again.stdout.startswith("16 lists, none of which has changed\n")
    change_list(folder, version=4, published="2022-12-22")
    older = tooi("update", "--from", str(folder))
    assert (older.returncode, older.stdout.splitlines()[0]) == (
        0,
        f"{GEMEENTEN}: not used, since version 5 is newer",
    )
    assert row(tooi())[0] == "5"


def test_an_update_from_the_site_of_tooi_is_the_default(tooi: Callable[..., Run], ca: Authority) -> None:
    concepts = bundled_files()[GEMEENTEN].concepts
    nodes = [organisation(concept.uri, concept.label) for concept in concepts]
    newer = written([*nodes, organisation(*NIEUWSTAD), header(GEMEENTEN, 5)])
    names = ["standaarden.overheid.nl", "repository.officiele-overheidspublicaties.nl"]
    with NamedSite(ca, names, tooi_site({GEMEENTEN: (5, newer)})) as site, Tunnel(site.port) as tunnel:
        done = tooi("update", env=tunnel.environment)
    assert (done.returncode, done.stderr) == (0, "")
    line = f"{GEMEENTEN}: version 4 (2022-12-22) -> 5 (2026-01-02): 1 new, 0 gone, 0 with another label"
    assert done.stdout.splitlines()[0] == line
    shown = tooi()
    assert shown.stdout.splitlines()[-1].startswith("16 lists, 0 older than a year")
    assert row(shown, "scw_talen")[3] in ("0", "1")  # midnight may pass between the two


def cut_off(folder: Path) -> None:
    path = folder / "scw_toplijst.csv"
    path.write_bytes(path.read_bytes()[:2000])


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (cut_off, "scw_toplijst"),
        (lambda folder: (folder / "index.csv").write_text("<html>"), "index.csv: expected the columns"),
        (lambda folder: (folder / "scw_talen.csv").unlink(), "scw_talen.csv: No such file or directory"),
    ],
)
def test_an_update_that_cannot_be_used_changes_nothing(
    tooi: Callable[..., Run], folder: Path, damage: Callable[[Path], object], reason: str
) -> None:
    change_list(folder, change=lambda rows: [*rows, AMSTERDAM])
    tooi("update", "--from", str(folder))
    before = tooi().stdout
    damage(folder)
    refused = tooi("update", "--from", str(folder))
    (line,) = refused.stderr.splitlines()
    assert (refused.returncode, refused.stdout) == (1, "")
    assert line.startswith("scrapy tooi: error: ")
    assert reason in line
    assert line.endswith("; nothing was changed")
    assert tooi().stdout == before


def test_a_page_in_place_of_a_list_on_the_web_changes_nothing(
    tooi: Callable[..., Run], folder: Path, make_site: MakeSite, tmp_path: Path
) -> None:
    pages = {f"/{path.name}": Page(path.read_bytes()) for path in folder.iterdir()}
    page = Page("<!DOCTYPE html><p>Onderhoud", content_type="text/html")
    site = make_site({**pages, "/scw_talen.csv": page})
    refused = tooi("update", "--from", site.url("/"))
    assert refused.returncode == 1
    assert re.search(r"scw_talen.csv: expected the columns uri,label, got <!DOCTYPE html>", refused.stderr)
    assert not (tmp_path / DATA / "tooi.json").exists()


def test_lists_that_somebody_damaged_are_reported_and_replaced(
    tooi: Callable[..., Run], folder: Path, tmp_path: Path
) -> None:
    tooi("update", "--from", str(folder))
    (tmp_path / DATA / "tooi.json").write_text("{}")
    shown = tooi()
    assert shown.returncode == 1
    assert "tooi.json cannot be used: it lacks the list 'rwc_" in shown.stderr
    assert row(shown)[:1] == ["4"]
    replaced = tooi("update", "--from", str(folder))
    assert replaced.returncode == 0
    path = tmp_path / DATA / "tooi.json"
    assert replaced.stderr.startswith(f"scrapy tooi: warning: {path} cannot be used: ")
    assert (tooi().returncode, row(tooi())[0]) == (0, "5")


def test_a_data_folder_that_cannot_be_written_is_an_error(
    tooi: Callable[..., Run], folder: Path, tmp_path: Path
) -> None:
    (tmp_path / DATA).write_text("in de weg")
    refused = tooi("update", "--from", str(folder))
    (line,) = refused.stderr.splitlines()
    assert (refused.returncode, line) == (
        1,
        f"scrapy tooi: error: {tmp_path / DATA}: File exists; nothing was changed",
    )


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["updaet"], "unknown action updaet: did you mean update?"),
        (["update", "lists"], "unknown action update lists"),
        (["--from", "lists"], "--from belongs to: scrapy tooi update"),
        (["update", "--from", ""], "--from: expected a URL or a folder, got nothing"),
        (["update", "--form", "x"], "unknown option --form: scrapy tooi -h"),
    ],
)
def test_what_makes_no_sense_ends_the_command(tooi: Callable[..., Run], args: list[str], line: str) -> None:
    done = tooi(*args)
    assert done.returncode == 2
    assert line in done.stderr + done.stdout
