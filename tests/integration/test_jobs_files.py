"""The files that jobs write together: one of each format, with each record once."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.integration.growing_sites import both, feed_options, harvester, sites
from tests.utils.daily import FIRST, NEWER, Harvester, numbered, publish
from woo_harvester.demo.site import Site

__all__ = ["both", "harvester", "sites"]

JOBS = "--jobs", "3"


FORMATS = "a.jsonl", "a.csv", "a.json", "a.xml"


@pytest.mark.parametrize("indent", [None, 2])
def test_each_format_is_one_file_with_each_record_once(
    indent: int | None, both: tuple[Harvester, Harvester]
) -> None:
    for each, args in zip(both, ((), JOBS), strict=True):
        given = feed_options(each.folder, *FORMATS, overwrite=True, indent=indent)
        assert each.day(*args, FEEDS=given).returncode == 0
    texts: dict[str, list[list[str]]] = {name: [] for name in FORMATS}
    for each in both:
        lines = (each.folder / "a.jsonl").read_text(encoding="utf-8").splitlines()
        texts["a.jsonl"].append(sorted(json.loads(line)["id"] for line in lines))
        with (each.folder / "a.csv").open(encoding="utf-8-sig", newline="") as rows:
            texts["a.csv"].append([row["id"] for row in csv.DictReader(rows)])
        whole = json.loads((each.folder / "a.json").read_bytes())
        texts["a.json"].append([record["id"] for record in whole])
        items = ElementTree.parse(each.folder / "a.xml").getroot().findall("item")
        texts["a.xml"].append([str(item.findtext("id")) for item in items])
    for one, jobs in texts.values():
        assert sorted(one) == sorted(jobs)
        assert len(set(jobs)) == len(jobs) == 30
    sizes = [(each.folder / "a.json").stat().st_size for each in both]
    assert sizes[0] == sizes[1]
    assert (both[1].folder / "a.csv").read_bytes().startswith(b"\xef\xbb\xbfid,")


def test_a_file_grows_from_day_to_day_or_is_replaced(harvester: Harvester, sites: list[Site]) -> None:
    feeds = "grows.jsonl", "grows.csv"
    for name in feeds:
        assert harvester.day(*JOBS, FEEDS=feed_options(harvester.folder, *feeds)).returncode == 0, name
        publish(sites[1], {**numbered(4), "doc2": NEWER}, {"meer": FIRST})
    lines = [(harvester.folder / name).read_text(encoding="utf-8-sig").splitlines() for name in feeds]
    assert [len(each) for each in lines] == [31, 32]
    assert [line.startswith("id,") for line in lines[1]].count(True) == 1
    again = harvester.day(*JOBS, "-O", "all.jsonl", DELTAFETCH_ENABLED=0)
    more = harvester.day(*JOBS, "-O", "all.jsonl", DELTAFETCH_ENABLED=0)
    assert len(again.records) == len(more.records) == 30
    assert "all.jsonl is overwritten" not in again.stderr
    warned = harvester.day(*JOBS, "-O", "all.jsonl")
    assert warned.stderr.count("all.jsonl is overwritten with only what is new") == 1
    # Without news, a feed of -O is emptied, as by one process.
    assert warned.records == []


def test_a_csv_file_with_other_columns_is_left_as_it_is(harvester: Harvester) -> None:
    path = harvester.folder / "other.csv"
    path.write_text("a,b\r\n1,2\r\n", encoding="utf-8")
    run = harvester.day(*JOBS, FEEDS=feed_options(harvester.folder, "other.csv"))
    assert run.returncode == 1
    assert "has other columns than this run writes" in run.stderr.splitlines()[-1]
    assert path.read_text(encoding="utf-8") == "a,b\n1,2\n"
    assert len(harvester.day().records) == 30


def test_a_run_without_news_leaves_no_file(harvester: Harvester, tmp_path: Path) -> None:
    harvester.day(*JOBS)
    before = set(tmp_path.glob("records/*"))
    assert harvester.day(*JOBS).returncode == 0
    assert set(tmp_path.glob("records/*")) == before
