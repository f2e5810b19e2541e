from __future__ import annotations

from pathlib import Path

import pytest

from tests.permits.test_inventory import HOST, finding, run
from tests.utils.command import REPORTS, run_scrapy

PERIOD = ["--from", "2026-04-01", "--until", "2026-04-30"]


def test_suppliers_come_from_a_file_and_each_has_a_page(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding(), finding(organisation="Dorp"), finding(organisation="Elders"))
    given = "organisatie,leverancier\ngemeente Amsterdam,Bedrijf A\nDorp,Bedrijf A\n"
    (tmp_path / "leveranciers.csv").write_text(given, encoding="utf-8")
    run_scrapy(["inventory", *PERIOD], tmp_path)
    args = ["inventory", *PERIOD, "--suppliers=leveranciers.csv", "--lang=en"]
    done = run_scrapy(args, tmp_path, settings={"WOO_CONTACT": "beheer@voorbeeld.nl"})
    folder = tmp_path / REPORTS / "inventory-2026-04-01-2026-04-30"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"3 errors of 2 suppliers in 1 run: {folder}\n"
    assert (folder / "inventory.csv").read_bytes().startswith(b'\xef\xbb\xbf"supplier","organisation"')
    pages = tmp_path / REPORTS / "inventory-2026-04-01-2026-04-30" / "suppliers"
    names = sorted(path.name for path in pages.iterdir())
    assert {path.name for path in pages.iterdir()} == {names[0], f"2-{HOST}.html"}
    text = (pages / names[0]).read_text(encoding="utf-8")
    assert "gemeente Amsterdam" in text
    assert "beheer@voorbeeld.nl" in text
    assert "Elders" not in text


def test_a_file_of_suppliers_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "leveranciers.csv").write_text("naam;leverancier\n", encoding="utf-8")
    done = run_scrapy(["inventory", "--suppliers=leveranciers.csv"], tmp_path)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith("scrapy inventory: error: --suppliers: leveranciers.csv: expected the columns")
    assert not (tmp_path / REPORTS).exists()


def test_without_a_run_nothing_was_judged(tmp_path: Path) -> None:
    done = run_scrapy(["inventory"], tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("scrapy inventory: error: no run of vergunningen from ")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["gm0363"], "takes no arguments"),
        (["--from", "gisteren"], "--from: expected a date such as 2026-04-01, got gisteren"),
        (["--lang", "de"], "invalid choice: 'de'"),
    ],
)
def test_what_makes_no_sense_ends_the_command(args: list[str], line: str, tmp_path: Path) -> None:
    done = run_scrapy(["inventory", *args], tmp_path)
    assert (done.returncode, line in done.stderr + done.stdout) == (2, True)
