from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.report.test_inventory import finding, run
from tests.utils.command import REPORTS, run_scrapy
from woo_harvester.demo.register import RooEntry, register_xml

NIEUWSTAD = "https://identifier.overheid.nl/tooi/id/gemeente/gm9101"


def test_all_three_are_written_beside_the_reports_and_shown(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding())
    done = run_scrapy(["inventory", "--from", "2026-04-01", "--until", "2026-04-30"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "1 run of vergunningen from 2026-04-01 until 2026-04-30:\ngemeente Amsterdam\n  ipm.schema"
        in done.stdout
    )
    folder = tmp_path / REPORTS / "inventory-2026-04-01-2026-04-30"
    assert {path.name for path in folder.iterdir()} == {"inventory.html", "inventory.csv", "inventory.json"}


def test_one_goes_to_a_file_or_to_standard_output(tmp_path: Path) -> None:
    run(tmp_path / REPORTS, 1, finding())
    period = ["--from", "2026-04-01", "--until", "2026-04-30"]
    done = run_scrapy(["inventory", *period, "--format", "json"], tmp_path)
    assert json.loads(done.stdout)["rondes"] == 1
    run_scrapy(["inventory", *period, "--output=fouten.csv"], tmp_path)
    assert (tmp_path / "fouten.csv").read_bytes().startswith(b"\xef\xbb\xbforganisatie,naam,code")


def test_without_runs_there_is_nothing_to_fix(tmp_path: Path) -> None:
    done = run_scrapy(["inventory"], tmp_path)
    assert (done.returncode, "nothing is to be mended" in done.stdout) == (0, True)


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
        (["-O", "fouten.pdf"], "expected a file that ends in .html, .csv or .json"),
        (["--format", "pdf"], "expected csv or html or json"),
    ],
)
def test_what_makes_no_sense_ends_the_command(args: list[str], line: str, tmp_path: Path) -> None:
    done = run_scrapy(["inventory", *args], tmp_path)
    assert (done.returncode, line in done.stderr + done.stdout) == (2, True)
