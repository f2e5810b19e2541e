from __future__ import annotations

from math import ceil
from pathlib import Path

import pytest
from scrapy.settings import Settings

from woo_harvester.running.default_settings import complete, wrong_values
from woo_harvester.utils.inputs import NotRecordsError
from woo_portal.asking import MAX_DOWNLOADS
from woo_portal.server import NoRecordsError, RecordFiles, Site, _options, run_portal


@pytest.mark.parametrize("processes", [1, 3, 5 * MAX_DOWNLOADS])
def test_the_processes_share_what_goes_on_at_the_same_time(processes: int) -> None:
    settings = Settings({"WOO_PORTAL_PROCESSES": processes, "WOO_PORTAL_TILES": "none"})
    complete(settings)
    options = _options(settings)
    assert (options.concurrency, options.downloads) == (ceil(8 / processes), ceil(MAX_DOWNLOADS / processes))


def test_the_settings_of_an_organisation_become_links_and_files(tmp_path: Path) -> None:
    settings = Settings({"WOO_PORTAL_LINKS": "Privacy  https://a.nl/p, Over ons mailto:a@b.nl"})
    complete(settings)
    assert _options(settings).links == [("Privacy", "https://a.nl/p"), ("Over ons", "mailto:a@b.nl")]
    assert list(wrong_values(Settings({"WOO_PORTAL_LINKS": "Privacy, https://a.nl/p"})))
    settings["WOO_PORTAL_CSS"] = str(tmp_path / "huis stijl.css")
    with pytest.raises(OSError, match="huis stijl"):
        run_portal(settings, RecordFiles(), Site())


def test_the_report_of_pages_is_that_of_the_newest_run_or_the_run_that_is_named(tmp_path: Path) -> None:
    settings = Settings({"WOO_REPORT_DIR": str(tmp_path)})
    complete(settings)
    assert _options(settings).report == tmp_path / "latest"
    (tmp_path / "report.json").touch()
    assert _options(settings).report == tmp_path
    settings["WOO_REPORT_DIR"] = ""
    assert _options(settings).report is None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "records").mkdir()
    return tmp_path


def test_without_arguments_it_is_what_runs_write_also_later(folder: Path) -> None:
    files = RecordFiles()
    with pytest.raises(NoRecordsError, match=r"no records in records/\*\.jsonl: scrapy crawl woo makes them"):
        files.check()
    (folder / "records" / "woo-1.jsonl").touch()
    (folder / "records" / "woo-1.csv").touch()
    files.check()
    assert files() == [Path("records/woo-1.jsonl")]


def test_files_and_patterns_count_once(folder: Path) -> None:
    for name in ("a.jsonl", "b.jsonl.gz"):
        (folder / name).touch()
    assert RecordFiles(["*.jsonl*", "a.jsonl", str(folder / "b*")])() == [
        folder / "b.jsonl.gz",
        Path("a.jsonl"),
        Path("b.jsonl.gz"),
    ]


def test_a_file_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(NoRecordsError, match=r"niet\.jsonl: no such file"):
        RecordFiles(["niet.jsonl"]).check()
    with pytest.raises(NoRecordsError, match="records: no such file"):
        RecordFiles(["records"]).check()


def test_what_has_no_records_is_named(folder: Path) -> None:
    (folder / "woo.csv").write_text('"titel"\n')
    for given, line in (
        ("records", "records is a folder"),
        ("woo.*", r"woo\.csv has no records: expected JSON Lines"),
    ):
        with pytest.raises(NotRecordsError, match=line):
            RecordFiles([given]).check_kinds()
    (folder / "records" / "woo-1.jsonl").touch()
    RecordFiles(["niet.jsonl", "records/*"]).check_kinds()
