"""What collects the logs and the figures of runs gets them: a log of JSON, a Pushgateway, a node exporter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import ROOT
from tests.utils.crawl import Crawl
from tests.utils.daily import FIRST, publish
from tests.utils.ports import free_port
from tests.utils.sites import write_register
from tests.utils.webservers import program, running
from woo_harvester.demo.site import Site

pytestmark = pytest.mark.integration


@pytest.fixture
def register(site: Site, tmp_path: Path) -> str:
    publish(site, {"a": FIRST})
    return f"register={write_register(tmp_path / 'roo.xml', {'Raad': [site.url('/')]})}"


def test_a_run_writes_nothing_but_lines_of_json_where_that_is_asked_for(
    crawl: Crawl, register: str, tmp_path: Path
) -> None:
    settings = {"WOO_LOG_JSON": 1, "WOO_SUMMARY": 1, "WOO_METRICS_FILE": tmp_path / "map.prom"}
    (tmp_path / "map.prom").mkdir()  # costs a line of error
    began = datetime.now(UTC).replace(microsecond=0)
    for given, status, level, last in (
        (["-a", register, "-a", "documents=none", "-L", "INFO"], 0, "INFO", "woo: finished in "),
        (["-a", "register=none.xml"], 1, "ERROR", "scrapy crawl: error: The register none.xml "),
    ):
        done = crawl(*given, settings=settings)
        assert done.returncode == status
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        assert [line["level"] for line in lines if line["message"].startswith(last)] == [level]
        assert {line["level"] for line in lines} == {"INFO", "ERROR"}
        assert all(line.keys() == {"time", "level", "logger", "message"} for line in lines)
        assert all(began <= datetime.fromisoformat(line["time"]) <= datetime.now(UTC) for line in lines)


@pytest.fixture
def figures(crawl: Crawl, register: str, tmp_path: Path) -> Path:
    """The file of a run with one document."""
    settings = {"WOO_METRICS_FILE": tmp_path / "textfile" / "%(spider)s.prom"}
    assert crawl("-a", register, "-a", "documents=none", settings=settings).returncode == 0
    return tmp_path / "textfile" / "woo.prom"


def asked(url: str) -> dict[tuple[str, str], float]:
    """Return the figures of a server about documents by state: those with a job and without."""
    with urlopen(url, timeout=60) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    return {
        (sample.labels.get("job", ""), sample.labels["state"]): sample.value
        for family in families
        for sample in family.samples
        if family.name == "woo_run_documents"
    }


def test_a_node_exporter_has_the_figures_of_the_last_run(figures: Path) -> None:
    port = free_port()
    command = [program(*["prometheus-node-exporter"] * 2), f"--web.listen-address=127.0.0.1:{port}"]
    options = ["--collector.disable-defaults", "--collector.textfile"]
    folder = f"--collector.textfile.directory={figures.parent}"
    with running([*command, *options, folder], port):
        assert asked(f"http://127.0.0.1:{port}/metrics")["", "new"] == 1


def test_a_pushgateway_gets_the_figures_of_each_spider_and_a_newer_run_replaces_them(figures: Path) -> None:
    port = free_port()
    gateway = f"http://127.0.0.1:{port}"
    given = {
        **os.environ,
        "PUSHGATEWAY_URL": gateway,
        "WOO_METRICS_FILE": str(figures.with_name("%(spider)s.prom")),
        "WOO_NODE": "shard-1",
    }
    push = [sys.executable, str(ROOT / "deploy" / "push.py")]
    refused = subprocess.run(push, env=given, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stderr.startswith(f"push.py: {gateway}: ")) == (1, True)
    text = figures.read_text()
    figures.with_name("vergunningen.prom").write_text(text.replace('"woo"', '"vergunningen"'))
    with running([program(*["prometheus-pushgateway"] * 2), f"--web.listen-address=127.0.0.1:{port}"], port):
        for new in (1, 7):
            figures.write_text(text.replace('state="new"} 1.0', f'state="new"}} {new}.0'))
            subprocess.run(push, env=given, check=True)
            found = asked(f"{gateway}/metrics")
            assert (found["woo", "new"], found["vergunningen", "new"]) == (new, 1)
    assert len(found) == 2 * 6
