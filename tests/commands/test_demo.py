from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.utils.command import ROOT, Run, environment, in_project, read_lines, run_scrapy
from tests.utils.guard import Server
from tests.utils.waiting import STUCK


@dataclass(frozen=True)
class Demo:
    """A demo as it is typed, in a folder of its own."""

    folder: Path
    done: Run


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo")
    return Demo(folder, run_scrapy(["demo", "--documents", "10"], folder, fresh=True))


def test_the_demo_shows_records_findings_and_where_the_files_are(demo: Demo) -> None:
    assert demo.done.returncode == 0
    (records,) = demo.folder.glob("demo/records/woo-*.jsonl")
    (report,) = demo.folder.glob("demo/reports/woo-*")
    for shown in (
        records.relative_to(demo.folder),
        (report / "index.html").as_uri(),
        "organisatie",
        "gemeente Kladderveen",
        "loc.ongeldig: De <loc>",
    ):
        assert str(shown) in demo.done.stdout
    assert demo.done.stderr == "", "no log, no warning, no traceback"


def test_the_demo_fits_a_screen_or_two_and_says_how_to_search(demo: Demo) -> None:
    lines = demo.done.stdout.splitlines()
    assert len(lines) < 45
    assert max(map(len, lines[:-5])) <= 110
    assert lines[-1] == "Search:   scrapy demo --portal"


#: What differs from run to run: the port of a fictional publisher, the id that is made of it, and the time.
CHANGING_IN_JSON = re.compile(
    r"(?<=localhost:)\d+|(?<=\"opgehaald\": \")[^\"]+|(?<=\"at\": \")[^\"]+|(?<=\"id\": \")[0-9a-f-]{36}"
)


def example(page: str, heading: str) -> str:
    """Return the JSON below a heading of a page."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    match = re.search(r"```json\n(.+?)\n```", text, flags=re.DOTALL)
    assert match is not None
    return match[1]


def without_what_changes(value: Any) -> str:
    return CHANGING_IN_JSON.sub("", json.dumps(value, ensure_ascii=False))


def test_the_record_and_the_finding_that_the_pages_show_are_those_of_the_demo(demo: Demo) -> None:
    (records,) = demo.folder.glob("demo/records/*.jsonl")
    (findings,) = demo.folder.glob("demo/reports/woo-*/findings.jsonl")
    for page, heading, made in (
        ("record.md", "An example", records),
        ("report.md", "A finding", findings),
    ):
        lines = {without_what_changes(line) for line in read_lines(made)}
        assert without_what_changes(json.loads(example(page, heading))) in lines, page


def test_the_demo_takes_no_arguments(tmp_path: Path) -> None:
    done = run_scrapy(["demo", "www.a.nl"], tmp_path)
    assert done.returncode == 2
    assert "scrapy demo takes no arguments but vergunningen, got www.a.nl" in done.stdout + done.stderr


@pytest.mark.parametrize("words", [[], ["vergunningen"]])
def test_a_port_that_is_taken_is_noticed_before_the_harvest(tmp_path: Path, words: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run_scrapy(["demo", *words, "--portal", "--port", port], tmp_path, fresh=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"scrapy demo: error: cannot listen at 127.0.0.1 port {port} (Address already in use): "
        "choose another with --port\n"
    )
    assert not (tmp_path / "demo").exists()


#: What differs from demo to demo: the port of a publisher, the time, and the ids made of these. On a slow
#: machine there is one finding more, on documents that are durable before a host has been read.
CHANGING = re.compile(
    r"\d+ findings of \d+ kinds|"
    r"localhost:\d+|(?<=woo-)[\dT.-]*\d|\d{4}-\d\d-\d\d[T\d:+-]*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


def test_a_demo_typed_again_shows_the_same_and_leaves_what_the_user_has_alone(
    demo: Demo, tmp_path: Path
) -> None:
    shutil.copytree(demo.folder, tmp_path, dirs_exist_ok=True, symlinks=True)
    mine = {
        "WOO_STATE_URL": f"sqlite:///{tmp_path}/mine.sqlite",
        "FILES_STORE": "files",
        "WOO_METRICS_FILE": "woo.prom",
        "DELTAFETCH_ENABLED": 0,
    }
    again = run_scrapy(["demo", "--documents", "10"], tmp_path, settings=mine)
    assert (again.returncode, again.stderr) == (0, "")
    shown = CHANGING.sub("", again.stdout).replace(str(tmp_path), str(demo.folder))
    assert shown == CHANGING.sub("", demo.done.stdout)
    assert "All files of this demo are in demo/" in shown
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
    _, report = sorted(tmp_path.glob("demo/reports/vergunningen-*/index.html"))
    assert f"Report:   {report.as_uri()}\n" in done.stdout
    assert "8 van de 10 vermelde berichten zijn verwerkt" in report.read_text(encoding="utf-8")
    ending = f"\nReport:   {report.as_uri()}\nSearch:   scrapy demo vergunningen --portal\n"
    assert done.stdout.endswith(ending), "it ends as the demo of documents does"
    maps = sorted(tmp_path.glob("demo/records/*.geojson"))
    features = [json.loads(path.read_text(encoding="utf-8"))["features"] for path in maps]
    assert [len(found) for found in features] == [4, 4]
    assert features[0][0]["geometry"]["type"] == "Point"


def test_the_demo_ends_with_a_portal_in_which_stikstof_finds_the_stikstofbesluit_and_logs_where_asked(
    tmp_path: Path,
) -> None:
    args = ["demo", "--documents", "10", "--portal", "--port", "0"]
    argv = in_project(args, tmp_path, {"LOG_LEVEL": "INFO"})
    log = tmp_path / "log"
    with (
        log.open("w", encoding="utf-8") as stderr,
        Server(
            [sys.executable, "-m", "scrapy", *argv],
            cwd=tmp_path,
            env=environment(None),
            stdout=subprocess.PIPE,
            stderr=stderr,
        ) as process,
    ):
        assert process.stdout is not None
        line = next((each for each in process.stdout if "The portal is at" in each), "")
        assert line, log.read_text(encoding="utf-8")
        page = httpx.get(line.split()[4] + "?q=stikstof", trust_env=False).text
        process.terminate()
        process.communicate(timeout=STUCK)
    assert "Onderzoek naar de gevolgen van het <mark>stikstofbesluit</mark>" in page
    assert process.returncode == 0
    assert "Spider closed (finished)" in log.read_text(encoding="utf-8")
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {"records", "reports"}
    assert not (tmp_path / ".scrapy" / "portal").exists()
