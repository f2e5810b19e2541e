"""The metrics that Prometheus and Grafana read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_fd_to_metric_families

from tests.conftest import ROOT
from tests.utils.crawl import Crawl
from tests.utils.daily import FIRST, publish
from tests.utils.sites import write_register
from woo_harvester.demo.site import Site
from woo_harvester.extensions.metrics import METRICS

DASHBOARD = ROOT / "deploy" / "grafana" / "woo-harvester.json"
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def read(path: Path) -> list[Metric]:
    with path.open(encoding="utf-8") as file:
        return list(text_fd_to_metric_families(file))


def samples(path: Path) -> Samples:
    """Return the values by name and labels, without the label that all have."""
    return {
        (each.name, frozenset(each.labels.items() - {("spider", "woo")})): each.value
        for metric in read(path)
        for each in metric.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    return found[name, frozenset(labels.items())]


@pytest.fixture
def register(site: Site, tmp_path: Path) -> str:
    publish(site, {"a": FIRST, "b": None})
    return f"register={write_register(tmp_path / 'roo.xml', {'Raad': [site.url('/')]})}"


def test_a_run_writes_its_figures(crawl: Crawl, site: Site, register: str, tmp_path: Path) -> None:
    path = tmp_path / "prom" / "woo.prom"
    settings = {"WOO_METRICS_FILE": tmp_path / "%(spider)s.prom"}
    (tmp_path / "woo.prom").symlink_to(path)
    path.parent.mkdir()
    done = crawl("-a", register, "-a", "documents=none", settings=settings)
    found = samples(path)
    assert value(found, "woo_run_finished") == 1
    assert value(found, "woo_run_records") == 2
    assert value(found, "woo_run_requests") == done.stats["downloader/response_count"]
    assert value(found, "woo_run_hosts", state="complete") == 1
    assert value(found, "woo_run_documents", state="listed") == 2
    assert value(found, "woo_run_documents", state="new") == 2
    assert value(found, "woo_run_documents", state="withdrawn") == 0
    assert value(found, "woo_run_findings", code="lastmod.ontbreekt", severity="info") == 1
    assert value(found, "woo_host_documents", host=site.host, state="harvested") == 2
    assert value(found, "woo_host_complete", host=site.host) == 1
    assert value(found, "woo_run_log_messages", level="error") == 0
    assert value(found, "woo_run_duration_seconds") == done.stats["elapsed_time_seconds"]
    assert {metric.name: metric.documentation for metric in read(path)} == {
        name: meaning for name, (meaning, _) in METRICS.items()
    }
    assert [each.name for each in path.parent.iterdir()] == ["woo.prom"], "nothing unfinished is left"
    assert (tmp_path / "woo.prom").is_symlink()


def test_each_run_takes_the_place_of_the_one_before(
    crawl: Crawl, site: Site, register: str, tmp_path: Path
) -> None:
    path = tmp_path / "woo.prom"
    for _ in range(2):
        crawl("-a", register, "-a", "documents=none", settings={"WOO_METRICS_FILE": path})
    found = samples(path)
    assert value(found, "woo_run_documents", state="new") == 0
    assert value(found, "woo_run_documents", state="unchanged") == 2


def test_a_run_that_cannot_start_leaves_what_is_there(crawl: Crawl, tmp_path: Path) -> None:
    path = tmp_path / "woo.prom"
    path.write_text("van gisteren")
    done = crawl("-a", f"register={tmp_path / 'none.xml'}", settings={"WOO_METRICS_FILE": path})
    assert done.returncode == 1
    assert path.read_text() == "van gisteren"


def test_a_file_that_cannot_be_written_costs_nothing_else(
    crawl: Crawl, register: str, tmp_path: Path
) -> None:
    (tmp_path / "map.prom").mkdir()
    settings = {"WOO_METRICS_FILE": tmp_path / "map.prom"}
    done = crawl("-a", register, "-a", "documents=none", settings=settings)
    assert done.returncode == 0
    assert len(done.records) == 2
    assert re.search(r"ERROR: WOO_METRICS_FILE: \S+map\.prom could not be written: ", done.stderr)
    assert [each.name for each in tmp_path.glob("map.prom*")] == ["map.prom"]


@pytest.fixture(scope="module")
def dashboard() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return made


def expressions(dashboard: dict[str, Any]) -> Iterator[str]:
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]["query"]


def test_each_metric_is_on_the_dashboard_and_no_other(dashboard: dict[str, Any]) -> None:
    named = {name for each in expressions(dashboard) for name in re.findall(r"\bwoo_\w+", each)}
    assert named == METRICS.keys()


def test_every_label_on_the_dashboard_is_one_of_its_metric(dashboard: dict[str, Any]) -> None:
    for each in expressions(dashboard):
        for name, matchers in re.findall(r"(woo_\w+)\{([^}]*)\}", each):
            labels = set(re.findall(r"(\w+)=~?\"", matchers))
            assert labels <= {"spider", "instance", *METRICS[name][1]}, each


def test_every_query_can_be_parsed(dashboard: dict[str, Any]) -> None:
    for each in expressions(dashboard):
        if not each.startswith("label_values("):
            promql_parser.parse(each.replace("$spider", "woo").replace("$instance", ".*"))


def test_panels_have_a_number_a_place_and_a_variable_for_their_source(dashboard: dict[str, Any]) -> None:
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    assert variables == {"datasource", "spider", "instance"}
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
        assert panel["type"] == "row" or panel["datasource"]["uid"] == "${datasource}"


def test_every_metric_stands_in_the_docs_with_its_labels() -> None:
    page = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| `woo_")]
    labels_by_name = {
        name: tuple(re.findall(r"\w+", labels))
        for _, names, labels, *_ in rows
        for name in re.findall(r"woo_\w+", names)
    }
    assert labels_by_name == {name: labels for name, (_, labels) in METRICS.items()}
