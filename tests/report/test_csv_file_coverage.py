from __future__ import annotations

import csv
from pathlib import Path

from tests.report.coverages import registered, run_with_each_gap, unread, write_whole_run
from tests.report.runs import about_host, read, write_run
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.csv_file import COVERAGE_COLUMNS, write_coverage_csv
from woo_harvester.report.funnel import GAP_KINDS, GapKind
from woo_harvester.report.json_file import read_head
from woo_harvester.report.run_folder import RunFolder


def rows(folder: RunFolder, kind: GapKind) -> list[dict[str, str]]:
    assemble_report(folder)
    write_coverage_csv(folder, read_head(folder.report))
    path = folder.coverage_csv(kind)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_an_organisation_without_a_location_is_a_row(tmp_path: Path) -> None:
    (row,) = rows(run_with_each_gap(tmp_path / "woo-21"), "no_location")
    assert {name: value for name, value in row.items() if value} == {
        "organisation": "Dienst",
        "kind": "Dienst",
        "systeemId": "id-Dienst",
        "uri": "https://identifier.overheid.nl/tooi/id/oorg/oorg1",
    }
    assert tuple(row) == COVERAGE_COLUMNS


def test_a_host_is_a_row_for_each_organisation_on_it(tmp_path: Path) -> None:
    shared = [registered("B", "https://s.nl/b", "https://s.nl/b2"), registered("A", "https://s.nl/a")]
    shared[0].remarks.update({"https://s.nl/b": "In voorbereiding", "https://elders.nl/": "Elders"})
    finding = about_host("robots.onbereikbaar", host="s.nl", seen="time-out")
    first, second = rows(write_whole_run(tmp_path / "woo-21", shared, [unread("s.nl")], [finding]), "dead")
    assert (first["organisation"], first["uri"], first["locations"]) == ("A", "", "https://s.nl/a")
    assert second["locations"] == "https://s.nl/b https://s.nl/b2"
    assert (first["remarks"], second["remarks"]) == ("", "In voorbereiding")
    for row in (first, second):
        assert (row["host"], row["code"], row["seen"]) == ("s.nl", "robots.onbereikbaar", "time-out")
        assert row["what"].startswith("De robots.txt van dit domein kon niet worden opgehaald")


def test_what_a_spreadsheet_would_run_is_a_text(tmp_path: Path) -> None:
    run = write_whole_run(tmp_path / "woo-21", [registered("=1+1")], [])
    assert [row["organisation"] for row in rows(run, "no_location")] == ["'=1+1"]


def test_every_list_is_a_file_also_if_nothing_is_in_it_and_none_is_without_coverage(tmp_path: Path) -> None:
    whole = write_whole_run(
        tmp_path / "woo-21", [registered("A", "https://a.nl/")], [read("a.nl", harvested=1)]
    )
    assert [rows(whole, kind) for kind in GAP_KINDS] == [[], [], [], []]
    part = write_run(tmp_path / "woo-22", [read(harvested=1)])
    assemble_report(part)
    write_coverage_csv(part, read_head(part.report))
    assert not any(part.coverage_csv(kind).exists() for kind in GAP_KINDS)
