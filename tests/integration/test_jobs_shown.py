"""What a run in several processes shows and writes besides records: log, display, metrics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.integration.growing_sites import harvester, sites
from tests.utils.command import run_scrapy
from tests.utils.daily import Harvester
from tests.utils.terminal import run_on_terminal
from woo_harvester.demo.server import Page

__all__ = ["harvester", "sites"]

JOBS = "--jobs", "3"


def test_a_log_file_has_the_lines_of_all_jobs(harvester: Harvester, tmp_path: Path) -> None:
    run = harvester.day(*JOBS, "--logfile", str(tmp_path / "run.log"), LOG_FILE_APPEND=0)
    assert run.returncode == 0
    log = (tmp_path / "run.log").read_text(encoding="utf-8")
    assert log.count("Spider closed (finished)") == 3
    assert "3 jobs, with so many hosts each" in log
    assert "Spider closed" not in run.stderr


def test_a_register_that_cannot_be_read_ends_the_run_before_a_job_starts(
    tmp_path: Path, ca_bundle: Path
) -> None:
    run = run_scrapy(["crawl", "woo", *JOBS, "-a", f"register={tmp_path}/nergens.xml"], tmp_path, ca_bundle)
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert "nergens.xml" in line
    assert not list(tmp_path.glob("reports/*"))


def test_the_metrics_are_those_of_all_jobs(harvester: Harvester, tmp_path: Path) -> None:
    refused = harvester.day(*JOBS, WOO_METRICS_FILE=tmp_path / "woo.txt")
    assert refused.returncode == 1
    assert "expected a file that ends in .prom" in refused.stderr.splitlines()[-1]
    assert harvester.day(*JOBS, WOO_METRICS_FILE=tmp_path / "woo.prom").returncode == 0
    metrics = (tmp_path / "woo.prom").read_text(encoding="utf-8").splitlines()
    assert 'woo_run_hosts{spider="woo",state="complete"} 5.0' in metrics
    assert 'woo_run_documents{spider="woo",state="new"} 30.0' in metrics
    assert 'woo_run_finished{spider="woo"} 1.0' in metrics
    assert sum(line.startswith("woo_host_complete{") for line in metrics) == 5


def test_jobs_share_one_display_on_a_terminal(harvester: Harvester) -> None:
    for site in harvester.sites:
        page = site.pages["/s1.xml"]
        assert isinstance(page, Page)
        site.pages["/s1.xml"] = replace(page, delay=2.5)  # the display is drawn once a second
    seen: list[list[str]] = []
    terminal = run_on_terminal(
        harvester.arguments(*JOBS),
        harvester.folder,
        harvester.ca_bundle,
        settings={"LOG_LEVEL": "WARNING"},
        watch=lambda terminal: seen.append(terminal.shown),
    )
    assert terminal.returncode == 0
    drawn = [lines for lines in seen if lines and lines[0].startswith("woo ")]
    assert any("0 of 5 hosts" in lines[0] and "25 new" in lines[1] for lines in drawn)
    assert not any(sum(line.startswith("speed") for line in lines) > 1 for lines in seen)
    assert terminal.shown[0].startswith("woo: finished in")
