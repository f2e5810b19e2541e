"""A file of earlier runs that a run replaces by what is new since (``-O``)."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import Run, read_lines, run_scrapy
from tests.utils.daily import FIRST, NEWER, Harvester, publish
from tests.utils.vergunningen import FOLDER, Permits, about
from tests.utils.vergunningen import publish as publish_permits
from woo_harvester.columns import columns_of
from woo_harvester.demo.site import Site
from woo_harvester.permits.record import PermitRecord
from woo_harvester.record import Record

ALL = {"DELTAFETCH_ENABLED": 0}


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    publish(site, {"a": FIRST, "b": FIRST})
    return Harvester(tmp_path, ca_bundle, [site])


def warned(run: Run) -> list[str]:
    return [line for line in run.stderr.splitlines() if "is overwritten with only what is new" in line]


def test_a_run_says_so_before_it_starts_with_two_ways_out(harvester: Harvester) -> None:
    assert warned(harvester.day("-O", "woo.jsonl")) == []
    second = harvester.day("-O", "woo.jsonl")
    (line,) = warned(second)
    assert "WARNING: woo.jsonl is overwritten" in line
    assert "which have delivered 2 documents of the same sources" in line
    for way_out in ("-o woo.jsonl adds to the file", "-s DELTAFETCH_ENABLED=0 delivers all"):
        assert way_out in line
    assert second.stderr.index(line) < second.stderr.index("Spider closed")
    assert second.records == []


@pytest.mark.parametrize("settings", [{"LOG_FILE": "run.log"}, {"LOG_LEVEL": "ERROR"}, {"LOG_ENABLED": 0}])
def test_it_is_on_stderr_wherever_the_log_is(harvester: Harvester, settings: dict[str, Any]) -> None:
    harvester.day("-O", "woo.jsonl")
    second = harvester.day("-O", "woo.jsonl", **settings)
    (line,) = warned(second)
    assert line.startswith("woo: warning: woo.jsonl is overwritten")
    if "LOG_FILE" in settings:
        assert "woo.jsonl is overwritten" in (harvester.folder / "run.log").read_text(encoding="utf-8")


def test_nothing_is_said_where_nothing_is_lost(harvester: Harvester) -> None:
    harvester.day("-O", "woo.jsonl")
    assert warned(harvester.day("-O", "nieuw.jsonl")) == [], "the file is new"
    assert warned(harvester.day("-o", "woo.jsonl")) == [], "it is appended to"
    assert warned(harvester.day("-O", "woo.jsonl", **ALL)) == [], "all documents are delivered"
    assert warned(harvester.day("-O", "woo.jsonl", "-a", "deltafetch_reset=1")) == [], "all are new"
    (harvester.folder / "leeg.jsonl").touch()
    assert warned(harvester.day("-O", "leeg.jsonl")) == [], "it has no record"


def test_ways_out_keep_what_earlier_runs_delivered(site: Site, harvester: Harvester) -> None:
    harvester.day("-o", "woo.jsonl", "-o", "woo.csv")
    publish(site, {"a": NEWER, "b": FIRST})
    harvester.day("-o", "woo.jsonl", "-o", "woo.csv")
    assert len(read_lines(harvester.folder / "woo.jsonl")) == 3
    header, *rows = csv_rows(harvester.folder / "woo.csv")
    assert header == list(columns_of(Record))
    assert [row[header.index("versies.oorzaak")] for row in rows].count("wijziging") == 1
    assert len(rows) == 3
    for _ in range(2):
        run = harvester.day("-O", "woo.jsonl", **ALL)
        assert sorted(run.locs) == [site.url("/d/a.pdf"), site.url("/d/b.pdf")]


def csv_rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_a_csv_file_has_a_row_for_each_record_and_the_same_columns_without_any(
    site: Site, harvester: Harvester
) -> None:
    run = harvester.day("-O", "woo.csv", "-O", "woo.jsonl")
    assert run.returncode == 0
    header, *rows = csv_rows(harvester.folder / "woo.csv")
    records = [dict(zip(header, row, strict=True)) for row in rows]
    assert [record["document.weblocatie"] for record in records] == [
        record["document"]["weblocatie"] for record in read_lines(harvester.folder / "woo.jsonl")
    ]
    assert {record["document.titelcollectie.officieleTitel"] for record in records} == {"Besluit"}
    harvester.day("-O", "woo.csv")
    assert csv_rows(harvester.folder / "woo.csv") == [header]
    done = run_scrapy(["state", "latest", "woo.jsonl", "-O", "now.csv"], harvester.folder)
    assert done.returncode == 0
    assert csv_rows(harvester.folder / "now.csv") == [header, *rows]


def test_the_fields_of_a_feed_choose_the_columns(harvester: Harvester) -> None:
    fields = ["id", "document.publisher.label", "herkomst"]
    feeds = {"deel.csv": {"format": "csv", "fields": fields, "overwrite": True}}
    harvester.day(FEEDS=json.dumps(feeds))
    header, row, _ = csv_rows(harvester.folder / "deel.csv")
    assert header == fields
    assert json.loads(row[2])["lastmod"] == FIRST


def test_a_csv_file_with_other_columns_is_left_as_it_is(harvester: Harvester) -> None:
    path = harvester.folder / "woo.csv"
    path.write_text("id,document\r\n1,2\r\n", encoding="utf-8")
    run = harvester.day("-o", "woo.csv")
    assert run.returncode == 1
    assert "woo.csv has other columns than this run writes: give the run another file" in run.stderr
    assert csv_rows(path) == [["id", "document"], ["1", "2"]]
    assert len(harvester.day("-o", "ander.csv", "-o", "woo.jsonl").records) >= 2, (
        "nothing was counted as delivered"
    )


def test_permits_are_not_lost_either(tmp_path: Path, ca_bundle: Path, site: Site) -> None:
    permits = Permits(tmp_path, ca_bundle, {"Gemeente": [site.url("/woo")]})
    files = {f"{number}.xml": about(number, identifier=site.url(f"/zaak/{number}")) for number in (1, 2)}
    publish_permits(site, files)
    first = permits.run(site.url(FOLDER), "-O", "zaken.jsonl", "-O", "zaken.csv")
    assert len(first.records) == 2
    header, *rows = csv_rows(tmp_path / "zaken.csv")
    assert header == list(columns_of(PermitRecord))
    assert {row[header.index("vergunning.identifier")] for row in rows} == {
        record["vergunning"]["identifier"] for record in first.records
    }
    for _ in range(2):
        whole = permits.run(site.url(FOLDER), "-O", "zaken.jsonl", **ALL)
        assert (len(whole.records), warned(whole)) == (2, [])
    second = permits.run(site.url(FOLDER), "-O", "zaken.jsonl")
    (line,) = warned(second)
    assert "which have delivered 2 cases of the same sources" in line
    assert second.records == []
