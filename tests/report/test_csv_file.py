from __future__ import annotations

import csv
from pathlib import Path

from tests.report.runs import HOST, about_document, read, write_run
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.csv_file import CSV_COLUMNS, write_csv


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


def test_a_host_without_findings_has_a_row(tmp_path: Path) -> None:
    (row,) = rows(tmp_path)
    assert (row["host"], row["score"], row["code"]) == (HOST, "100", "")
    assert set(CSV_COLUMNS) == set(row)


def test_what_a_spreadsheet_would_run_is_a_text(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "loc.ongeldig", seen='=HYPERLINK("https://evil.example")')
    assert row["seen"] == '\'=HYPERLINK("https://evil.example")'


def test_the_file_states_its_encoding_for_spreadsheets(tmp_path: Path) -> None:
    rows(tmp_path)
    assert (tmp_path / "woo-1" / "report.csv").read_bytes().startswith(b"\xef\xbb\xbfhost,")
