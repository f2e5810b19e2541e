from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.report.test_inventory import HOST, finding, run
from tests.utils.command import REPORTS, run_scrapy
from woo_harvester.demo.site import RooEntry, register_xml

NIEUWSTAD = "https://identifier.overheid.nl/tooi/id/gemeente/gm9101"


def test_all_three_are_written_beside_the_reports_and_shown(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding())
    done = run_scrapy(["inventory", "--from", "2026-04-01", "--until", "2026-04-30"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "Wat de harvester vond van 01-04-2026 tot en met 30-04-2026, in 1 ronde.\n"
        f"Leverancier: {HOST}\n  gemeente Amsterdam\n    ipm.schema"
    )
    folder = tmp_path / REPORTS / "inventory-2026-04-01-2026-04-30"
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")} == {
        "inventory.html",
        "inventory.csv",
        "inventory.json",
        f"suppliers/{HOST}.html",
    }


def test_suppliers_come_from_a_file_and_each_has_a_page(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding(), finding(organisation="Dorp"), finding(organisation="Elders"))
    given = "organisatie,leverancier\ngemeente Amsterdam,Bedrijf A\nDorp,Bedrijf A\n"
    (tmp_path / "leveranciers.csv").write_text(given, encoding="utf-8")
    period = ["--from", "2026-04-01", "--until", "2026-04-30"]
    run_scrapy(["inventory", *period], tmp_path)
    args = ["inventory", *period, "--suppliers=leveranciers.csv", "--lang=en"]
    done = run_scrapy(args, tmp_path, settings={"WOO_CONTACT": "beheer@voorbeeld.nl"})
    assert (done.returncode, "Supplier: Bedrijf A\n  Dorp\n" in done.stdout) == (0, True), done.stderr
    pages = tmp_path / REPORTS / "inventory-2026-04-01-2026-04-30" / "suppliers"
    assert {path.name for path in pages.iterdir()} == {"bedrijf-a.html", f"{HOST}.html"}
    text = (pages / "bedrijf-a.html").read_text(encoding="utf-8")
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


def test_one_goes_to_a_file_or_to_standard_output(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding())
    period = ["--from", "2026-04-01", "--until", "2026-04-30"]
    done = run_scrapy(["inventory", *period, "--format", "json"], tmp_path)
    assert json.loads(done.stdout)["rondes"] == 1
    (tmp_path / "fouten.csv").symlink_to("doel.csv")
    run_scrapy(["inventory", *period, "--output=fouten.csv"], tmp_path)
    assert (tmp_path / "fouten.csv").is_symlink()
    assert (tmp_path / "fouten.csv").read_bytes().startswith(b'\xef\xbb\xbf"organisatie","naam","code"')


def test_without_a_run_nothing_was_judged(tmp_path: Path) -> None:
    for given in ([], ["--format", "json"], ["-O", "fouten.csv"]):
        done = run_scrapy(["inventory", *given], tmp_path)
        assert (done.returncode, done.stdout) == (1, ""), given
        assert done.stderr.startswith("scrapy inventory: error: no run of vergunningen from "), given
    assert not (tmp_path / "fouten.csv").exists()


def test_a_name_that_only_the_register_has_is_shown(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding(organisation=NIEUWSTAD), finding(organisation="4711"))
    register = tmp_path / "roo.xml"
    entries = [
        RooEntry(naam="Gemeente Nieuwstad", systeem_id="1", tooi=NIEUWSTAD),
        RooEntry(naam="Stichting Het Dorp", systeem_id="4711", type="rwt"),
    ]
    register.write_text(register_xml(entries), encoding="utf-8")
    inventory = ["inventory", "--from", "2026-04-01", "--until", "2026-04-30", "--format", "json"]
    done = run_scrapy(inventory, tmp_path, settings={"WOO_REGISTER": register})
    assert done.stderr == ""
    names = {each["organisatie"]: each["naam"] for each in json.loads(done.stdout)["organisaties"]}
    assert names == {NIEUWSTAD: "Gemeente Nieuwstad", "4711": "Stichting Het Dorp"}


def test_without_a_register_such_an_organisation_has_its_identifier(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding(organisation=NIEUWSTAD))
    inventory = ["inventory", "--from", "2026-04-01", "--until", "2026-04-30", "--format", "json"]
    done = run_scrapy(inventory, tmp_path)
    (line,) = done.stderr.splitlines()
    assert line.startswith("scrapy inventory: names that only the register has are left out: ")
    (found,) = json.loads(done.stdout)["organisaties"]
    assert (done.returncode, found["naam"]) == (0, NIEUWSTAD)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["gm0363"], "takes no arguments"),
        (["--from", "gisteren"], "--from: expected a date such as 2026-04-01, got gisteren"),
        (["--from", "2026-05-01", "--until", "2026-04-01"], "expected a period"),
        (["--lang", "de"], "expected nl or en"),
        (["-O", "fouten.pdf"], "expected a file that ends in .html, .csv or .json"),
        (["--format", "pdf"], "expected csv or html or json"),
    ],
)
def test_what_makes_no_sense_ends_the_command(args: list[str], line: str, tmp_path: Path) -> None:
    done = run_scrapy(["inventory", *args], tmp_path)
    assert (done.returncode, line in done.stderr + done.stdout) == (2, True)
