"""The runner of the command, with a spider that is not the project's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.utils.command import ROOT, Run, run_scrapy

SPIDER = r"""
import os, pathlib, scrapy

class Proef(scrapy.Spider):
    name = "proef"

    async def start(self):
        report = pathlib.Path(self.settings["WOO_REPORT_DIR"], f"proef-{self.run}")
        report.mkdir(parents=True)
        report.joinpath("findings.jsonl").write_text('{"code": "loc.dubbel"}\n{"code": "index.naam"}\n')
        report.joinpath("stats.json").write_text('{"item_scraped_count": 1}')
        pathlib.Path("records").mkdir(exist_ok=True)
        pathlib.Path(f"records/proef-{self.run}.jsonl").write_text('{"run": "%s"}' % self.run)
        print("bundel:", os.environ["SSL_CERT_FILE"], "modus:", self.settings["PROEF"])
        print("van de gebruiker:", os.environ.get("GEBRUIKER"))
        yield {"document": {"weblocatie": "https://a.nl/"}}
"""
#: What a process holds that has imported what is preloaded.
PRELOADED = """
import sys, threading
import tests.utils.preload
print(sorted({"pytest", "twisted.internet.reactor", "woo_harvester.settings"} & set(sys.modules)))
print(threading.active_count())
"""

both_ways = pytest.mark.parametrize("fresh", [False, True], ids=["forked", "fresh"])


def run(folder: Path, *args: str, fresh: bool) -> Run:
    folder.joinpath("proef.py").write_text(SPIDER)
    folder.joinpath("instellingen.py").touch()
    return run_scrapy(
        ["runspider", "proef.py", *args],
        folder,
        ca=folder / "ca.pem",
        settings={"PROEF": "snel"},
        env={"SCRAPY_SETTINGS_MODULE": "instellingen"},
        fresh=fresh,
    )


@both_ways
def test_a_run_gives_what_the_command_wrote_and_said(tmp_path: Path, fresh: bool) -> None:
    done = run(tmp_path, "-a", "run=1", "-O", "uit.jsonl", fresh=fresh)
    assert done.returncode == 0
    assert done.locs == ["https://a.nl/"]
    assert done.record("https://a.nl/") == {"document": {"weblocatie": "https://a.nl/"}}
    assert done.codes == {"loc.dubbel", "index.naam"}
    assert done.about("index.naam") == [{"code": "index.naam"}]
    assert done.stats == {"item_scraped_count": 1}
    assert done.stdout == f"bundel: {tmp_path / 'ca.pem'} modus: snel\nvan de gebruiker: None\n"
    assert "Spider opened" in done.stderr


@both_ways
def test_a_run_has_the_variables_of_the_moment_that_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: bool
) -> None:
    monkeypatch.setenv("GEBRUIKER", "Jansen")
    first = run(tmp_path, "-a", "run=1", fresh=fresh)
    monkeypatch.delenv("GEBRUIKER")
    second = run(tmp_path, "-a", "run=2", fresh=fresh)
    assert [each.stdout.splitlines()[1] for each in (first, second)] == [
        "van de gebruiker: Jansen",
        "van de gebruiker: None",
    ]


@both_ways
def test_each_run_gives_its_own_report_and_records(tmp_path: Path, fresh: bool) -> None:
    first, second = (run(tmp_path, "-a", f"run={number}", fresh=fresh) for number in (1, 2))
    assert (first.records, second.records) == ([{"run": "1"}], [{"run": "2"}])
    assert first.report == tmp_path / "reports/proef-1"
    assert second.report == tmp_path / "reports/proef-2"


@both_ways
def test_a_command_that_fails_gives_its_status_and_nothing_else(tmp_path: Path, fresh: bool) -> None:
    env = {"SCRAPY_SETTINGS_MODULE": "scrapy.settings.default_settings"}
    done = run_scrapy(["nonsens"], tmp_path, env=env, fresh=fresh)
    assert done.returncode == 2
    assert (done.records, done.findings, done.stats, done.report) == ([], [], {}, None)


@both_ways
def test_a_command_that_takes_too_long_is_ended(tmp_path: Path, fresh: bool) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run_scrapy(["version"], tmp_path, timeout=0, fresh=fresh)


def test_what_runs_are_forked_from_leaves_each_its_choices_and_warns_of_nothing() -> None:
    command = [sys.executable, "-W", "error", "-c", PRELOADED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n1\n", "")
