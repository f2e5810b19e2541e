from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest

from tests.report.runs import HOST, about_document, read, write_run
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.csv_file import CSV_COLUMNS, TextWriter, cell, write_csv


def rows(tmp_path: Path, *findings: str, seen: str | None = None) -> list[dict[str, str]]:
    noted = [about_document(code, seen=seen) for code in findings]
    folder = write_run(tmp_path / "woo-1", [read(harvested=1, findings=noted)], noted)
    assemble_report(folder)
    write_csv(folder)
    with folder.csv.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_each_code_of_a_host_is_a_row(tmp_path: Path) -> None:
    first, second = rows(tmp_path, "titel.ontbreekt", "titel.ontbreekt", "loc.ongeldig", seen="x")
    assert (first["host"], first["code"], first["severity"], first["count"]) == (
        HOST,
        "loc.ongeldig",
        "error",
        "1",
    )
    assert (second["code"], second["count"], second["line"]) == ("titel.ontbreekt", "2", "1")
    assert second["what"] == "Het document heeft geen <officieleTitel>."
    assert second["organisation"] == "gemeente Amsterdam"


def test_each_different_mistake_of_a_code_is_a_row_and_the_counts_add_up(tmp_path: Path) -> None:
    often = [about_document("metadata.schema", number=n, seen="<role> ontbreekt") for n in range(40)]
    once = [about_document("metadata.schema", element=f"e{n}", seen="<atTime> ontbreekt") for n in range(110)]
    folder = write_run(tmp_path / "woo-1", [read(harvested=1)], [*often, *once])
    assemble_report(folder)
    write_csv(folder)
    with folder.csv.open(encoding="utf-8-sig", newline="") as file:
        first, *others, most, rest = csv.DictReader(file)
    assert (first["element"], first["count"], float(first["points"]) > 0) == ("e0", "1", True)
    assert (most["seen"], most["count"], most["points"]) == ("<role> ontbreekt", "40", "")
    assert (rest["seen"], rest["count"], rest["points"]) == ("andere waarden", "11", "")
    assert sum(int(row["count"]) for row in (first, *others, most, rest)) == 150


def test_a_host_without_findings_has_a_row(tmp_path: Path) -> None:
    (row,) = rows(tmp_path)
    assert (row["host"], row["score"], row["code"]) == (HOST, "100", "")
    assert set(CSV_COLUMNS) == set(row)


@pytest.mark.parametrize("text", ["=1+1", " =1+1", "\t=1+1", "\n+1", "-1", "@SUM(1)"])
def test_a_text_that_begins_as_a_formula_gets_an_apostrophe(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["Besluit; bijlage", "a - b", "x;=1+1", "a=b", "", "\tx"])
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert cell(text) == text


def test_what_a_spreadsheet_would_run_is_a_text(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "loc.ongeldig", seen='=HYPERLINK("https://evil.example")')
    assert row["seen"] == '\'=HYPERLINK("https://evil.example")'


def test_the_file_states_its_encoding_for_spreadsheets(tmp_path: Path) -> None:
    rows(tmp_path)
    assert (tmp_path / "woo-1" / "report.csv").read_bytes().startswith(b'\xef\xbb\xbf"host",')


def written(*rows: list[object]) -> str:
    file = StringIO()
    writer = TextWriter(file)
    for row in rows:
        writer.writerow(row)
    return file.getvalue()


def test_every_text_is_in_quotes_and_a_number_is_not() -> None:
    assert written(["x", 'y"z', 7, 1.5, None, ""]) == '"x","y""z",7,1.5,"",""\r\n'
