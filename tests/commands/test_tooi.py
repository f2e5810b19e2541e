"""``scrapy tooi``: the table of lists, and updates that change everything or nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tooi.folders import AMSTERDAM, GEMEENTEN, NIEUWSTAD
from tests.tooi.json_ld import header, organisation, tooi_site, written
from tests.utils.command import DATA, Run, run_scrapy
from tests.utils.tunnel import NamedSite, Tunnel
from woo_harvester.demo.server import Authority
from woo_harvester.tooi.list_files import bundled_editions

HOSTS = ["standaarden.overheid.nl", "repository.officiele-overheidspublicaties.nl"]
#: A newer list of municipalities, in which one is new and one is gone.
NEWER = written(
    [
        *(
            organisation(concept.uri, concept.label)
            for concept in (*bundled_editions()[GEMEENTEN].concepts, NIEUWSTAD)
            if concept != AMSTERDAM
        ),
        header(GEMEENTEN, 5),
    ]
)


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


def update(tooi: Callable[..., Run], ca: Authority, content: bytes = NEWER) -> Run:
    """Update from the site of TOOI, which has a newer list of municipalities."""
    with NamedSite(ca, HOSTS, tooi_site({GEMEENTEN: (5, content)})) as site, Tunnel(site.port) as tunnel:
        return tooi("update", env=tunnel.environment)


def test_an_update_says_what_changed_and_the_table_shows_it(
    tooi: Callable[..., Run], ca: Authority, tmp_path: Path
) -> None:
    path = tmp_path / DATA / "tooi.json"
    path.parent.mkdir()
    path.write_text("<html>")
    assert tooi().returncode == 1
    assert row(tooi())[0] == "4"
    done = update(tooi, ca)
    assert done.returncode == 0
    assert done.stderr.startswith(f"scrapy tooi: warning: {path} cannot be used: ")
    assert done.stdout.splitlines() == [
        f"{GEMEENTEN}: version 4 (2022-12-22) -> 5 (2026-01-02)",
        f"  - {AMSTERDAM.label} ({AMSTERDAM.uri})",
        f"  + {NIEUWSTAD.label} ({NIEUWSTAD.uri})",
        f"The next runs use the lists in {path}",
    ]
    shown = tooi()
    version, published, _, _, values, source, *_ = row(shown)
    assert (version, published, values, source) == ("5", "2026-01-02", "605", "update")
    assert shown.stdout.splitlines()[-1].startswith("16 lists, 0 older than a year")
    assert update(tooi, ca).stdout.startswith("16 lists, none of which has changed\n")


def test_an_update_that_cannot_be_used_changes_nothing(
    tooi: Callable[..., Run], ca: Authority, tmp_path: Path
) -> None:
    refused = update(tooi, ca, b"<!DOCTYPE html><p>Onderhoud")
    (line,) = refused.stderr.splitlines()
    assert (refused.returncode, refused.stdout) == (1, "")
    assert line.startswith("scrapy tooi: error: https://")
    assert line.endswith("; nothing was changed")
    assert not (tmp_path / DATA / "tooi.json").exists()


def test_a_data_folder_that_cannot_be_written_is_an_error(
    tooi: Callable[..., Run], ca: Authority, tmp_path: Path
) -> None:
    (tmp_path / DATA).write_text("in de weg")
    refused = update(tooi, ca)
    assert (refused.returncode, refused.stderr) == (
        1,
        f"scrapy tooi: error: {tmp_path / DATA}: File exists; nothing was changed\n",
    )


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["updaet"], "unknown action updaet: did you mean update?"),
        (["update", "lists"], "unknown action update lists"),
    ],
)
def test_what_makes_no_sense_ends_the_command(tooi: Callable[..., Run], args: list[str], line: str) -> None:
    done = tooi(*args)
    assert done.returncode == 2
    assert line in done.stderr + done.stdout
