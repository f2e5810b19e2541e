from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx

from tests.utils.command import environment, in_project, run_scrapy
from tests.utils.guard import Server
from tests.utils.waiting import STUCK


def test_the_demo_shows_records_findings_and_where_the_files_are(tmp_path: Path) -> None:
    done = run_scrapy(["demo", "--documents", "10"], tmp_path, fresh=True)
    assert done.returncode == 0
    (records,) = tmp_path.glob("demo/records/woo-*.jsonl")
    (report,) = tmp_path.glob("demo/reports/woo-*")
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


#: What differs from demo to demo: the port of a publisher, the time, and the ids made of these. On a slow
#: machine there is one finding more, on documents that are durable before a host has been read.
CHANGING = re.compile(
    r"\d+ findings of \d+ kinds|"
    r"localhost:\d+|(?<=woo-)[\dT.-]*\d|\d{4}-\d\d-\d\d[T\d:+-]*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


def test_a_demo_typed_twice_shows_the_same_and_leaves_what_the_user_has_alone(tmp_path: Path) -> None:
    mine = {
        "WOO_STATE_URL": f"sqlite:///{tmp_path}/mine.sqlite",
        "FILES_STORE": "files",
        "WOO_METRICS_FILE": "woo.prom",
        "DELTAFETCH_ENABLED": 0,
    }
    shown = []
    for _ in range(2):
        done = run_scrapy(["demo", "--documents", "10"], tmp_path, settings=mine)
        assert (done.returncode, done.stderr) == (0, "")
        shown.append(CHANGING.sub("", done.stdout))
    assert shown[0] == shown[1]
    assert "All files of this demo are in demo/" in shown[0]
    assert {path.name for path in tmp_path.iterdir()} == {"scrapy.cfg", "demo"}
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {"records", "reports"}


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
    _, report, audit = sorted(tmp_path.glob("demo/reports/vergunningen-*/index.html"))
    assert f"Report, for a browser: {report}\n" in done.stdout
    assert "8 van de 10 vermelde berichten zijn verwerkt" in report.read_text(encoding="utf-8")
    assert "Nog niet aansluitbaar. Wat in de weg staat: " in done.stdout
    assert done.stdout.endswith(f"{audit.relative_to(tmp_path)}\n"), "it ends with the report of the audit"
    maps = sorted(tmp_path.glob("demo/records/*.geojson"))
    features = [json.loads(path.read_text(encoding="utf-8"))["features"] for path in maps]
    assert [len(found) for found in features] == [4, 4]
    assert features[0][0]["geometry"]["type"] == "Point"


def test_the_demo_ends_with_a_portal_in_which_stikstof_finds_the_stikstofbesluit(tmp_path: Path) -> None:
    argv = in_project(["demo", "--documents", "10", "--portal", "--port", "0"], tmp_path)
    with Server(
        [sys.executable, "-m", "scrapy", *argv],
        cwd=tmp_path,
        env=environment(None),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        line = next((each for each in process.stdout if "The portal is at" in each), "")
        assert line, process.communicate()[1]
        page = httpx.get(line.split()[4] + "?q=stikstof", trust_env=False).text
        process.terminate()
        _, errors = process.communicate(timeout=STUCK)
    assert "Onderzoek naar de gevolgen van het <mark>stikstofbesluit</mark>" in page
    assert process.returncode == 0, errors
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {"records", "reports"}
    assert not (tmp_path / ".scrapy" / "portal").exists()


def test_the_demo_says_how_to_search_its_records_apart_from_the_users_index(tmp_path: Path) -> None:
    done = run_scrapy(["demo", "--documents", "10"], tmp_path)
    command = done.stdout.splitlines()[-1].removeprefix("Search in a browser: scrapy ").split()
    assert command[:3] == ["portal", "-s", "WOO_DATA_DIR=demo"]
    assert [Path(name).exists() for name in (tmp_path / each for each in command[3:])] == [True]
