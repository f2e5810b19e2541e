from __future__ import annotations

import json
import re
from pathlib import Path

from tests.utils.command import run_scrapy


def test_the_demo_shows_records_findings_and_where_the_files_are(tmp_path: Path) -> None:
    done = run_scrapy(["demo", "--documents", "10"], tmp_path, fresh=True)
    assert done.returncode == 0
    (records,) = tmp_path.glob("records/woo-*.jsonl")
    (report,) = tmp_path.glob("reports/woo-*")
    for shown in (
        records.relative_to(tmp_path),
        report.name,
        '"weblocatie"',
        "loc.ongeldig: De <loc>",
        '"tekst": "',
    ):
        assert str(shown) in done.stdout
    assert done.stderr == "", "no log, no warning, no traceback"


def test_the_demo_shows_its_log_where_it_is_asked_for(tmp_path: Path) -> None:
    done = run_scrapy(["demo", "--documents", "10"], tmp_path, settings={"LOG_LEVEL": "INFO"})
    assert "Spider closed (finished)" in done.stderr


def test_the_demo_takes_no_arguments(tmp_path: Path) -> None:
    done = run_scrapy(["demo", "www.a.nl"], tmp_path)
    assert done.returncode == 2
    assert "scrapy demo takes no arguments but vergunningen, got www.a.nl" in done.stdout + done.stderr


def test_the_demo_writes_nothing_but_records_and_a_report(tmp_path: Path) -> None:
    run_scrapy(["demo", "--documents", "10"], tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"scrapy.cfg", "records", "reports"}


def test_the_demo_of_permits_shows_two_days_as_a_table_and_as_geojson(tmp_path: Path) -> None:
    done = run_scrapy(["demo", "vergunningen"], tmp_path, fresh=True)
    assert (done.returncode, done.stderr) == (0, "")
    for shown in (
        "aanlevering     Kappen",
        "wijziging       Kappen",
        "intrekking",
        "ipm.schema",
        "andere-organisatie",
    ):
        assert re.sub(" +", " ", shown) in re.sub(" +", " ", done.stdout)
    maps = sorted(tmp_path.glob("records/*.geojson"))
    features = [json.loads(path.read_text(encoding="utf-8"))["features"] for path in maps]
    assert [len(found) for found in features] == [4, 4]
    assert features[0][0]["geometry"]["type"] == "Point"
