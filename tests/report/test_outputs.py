from __future__ import annotations

from pathlib import Path

from tests.report.runs import HOST, about_host, read, write_run
from woo_harvester.report.outputs import make_report


def test_everything_of_a_run_is_made(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "woo-1", [read(harvested=1), read("b.nl:8443", harvested=1)])
    assert make_report(folder, base_url="https://x.example") == folder.page
    assert b"https://x.example/" in folder.reports.feed(HOST).read_bytes()
    assert {path.name for path in folder.path.iterdir()} == {
        "findings.jsonl",
        "hosts.jsonl",
        "stats.json",
        "report.json",
        "report.csv",
        "index.html",
    }
    assert {path.name for path in (tmp_path / "badges").iterdir()} == {"www.a.nl.svg", "b.nl_3a8443.svg"}
    assert {path.name for path in (tmp_path / "feeds").iterdir()} == {"www.a.nl.xml", "b.nl_3a8443.xml"}
    assert [path.name for path in (tmp_path / "history").iterdir()] == ["woo-1.json.gz"]


def test_an_ad_hoc_report_leaves_no_history(tmp_path: Path) -> None:
    make_report(write_run(tmp_path / "woo-1", [read(harvested=1)]), history=False)
    assert [path.name for path in tmp_path.iterdir()] == ["woo-1"]


def test_a_report_can_be_made_again(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "woo-1", [read(harvested=1)], [about_host("robots.te-groot")])
    first = make_report(folder).read_text(encoding="utf-8")
    assert make_report(folder).read_text(encoding="utf-8") == first


def test_a_feed_follows_a_host_from_run_to_run(tmp_path: Path) -> None:
    make_report(write_run(tmp_path / "woo-1", [read(harvested=1)]))
    make_report(write_run(tmp_path / "woo-2", [read(unchanged=1)], [about_host("robots.te-groot")]))
    feed = (tmp_path / "feeds" / f"{HOST}.xml").read_text(encoding="utf-8")
    assert feed.count("<entry>") == 2
    assert "robots.te-groot" in feed
