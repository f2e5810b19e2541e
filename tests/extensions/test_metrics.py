"""The metrics that Prometheus and Grafana read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import promql_parser
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import ROOT
from tests.utils.crawl import Crawl
from tests.utils.daily import FIRST, publish
from tests.utils.sites import write_register
from woo_harvester.demo.site import Site
from woo_harvester.extensions.figures import Figures
from woo_harvester.extensions.metrics import METRICS, write_metrics
from woo_harvester.report.funnel import Account

DASHBOARD = ROOT / "deploy" / "grafana" / "woo-harvester.json"


@pytest.fixture
def register(site: Site, tmp_path: Path) -> str:
    publish(site, {"a": FIRST, "b": None})
    return f"register={write_register(tmp_path / 'roo.xml', {'Raad': [site.url('/')]})}"


def test_a_run_writes_its_figures_in_one_step(crawl: Crawl, register: str, tmp_path: Path) -> None:
    path = tmp_path / "prom" / "woo.prom"
    (tmp_path / "woo.prom").symlink_to(path)
    path.parent.mkdir()
    crawl("-a", register, "-a", "documents=none", settings={"WOO_METRICS_FILE": tmp_path / "%(spider)s.prom"})
    found = {metric.name: metric for metric in text_string_to_metric_families(path.read_text())}
    assert {name: metric.documentation for name, metric in found.items()} == {
        name: meaning for name, (meaning, _) in METRICS.items()
    }
    (records,) = found["woo_run_records"].samples
    assert (records.labels, records.value) == ({"spider": "woo"}, 2)
    assert [each.name for each in path.parent.iterdir()] == ["woo.prom"], "nothing unfinished is left"
    assert (tmp_path / "woo.prom").is_symlink()


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


STATS = {"finish_time": datetime(2026, 1, 2, tzinfo=UTC), "elapsed_time_seconds": 12.5}


def written(path: Path, figures: Figures, *accounts: Account, **stats: Any) -> dict[str, dict[str, float]]:
    """Return what is written: for each metric the values by labels, other than that of the spider."""
    write_metrics(path, figures, {**STATS, **stats}, accounts)
    found: dict[str, dict[str, float]] = {}
    for metric in text_string_to_metric_families(path.read_text()):
        for sample in metric.samples:
            assert sample.labels.pop("spider") == "woo"
            labels = " ".join(sample.labels[name] for name in METRICS[metric.name][1])
            found.setdefault(metric.name, {})[labels] = sample.value
    return found


def test_each_figure_has_its_metric(tmp_path: Path) -> None:
    total = Account("", listed=1, new=2, changed=3, unchanged=4, withdrawn=5, lost={"document.leeg": 6})
    codes = {"lastmod.ontbreekt": 3, "loc.ongeldig": 2}
    figures = Figures("woo", 1.0, 70, 60, 9, 8, 7, codes=codes, total=total)
    accounts = (
        Account("a.nl", complete=True, listed=9, unchanged=4, new=2),
        Account("b.nl", complete=False),
        Account("c.nl"),
    )
    stats = {
        "finish_reason": "finished",
        "downloader/response_bytes": 5000,
        "memusage/max": 800,
        "log_count/WARNING": 4,
        "log_count/CRITICAL": 1,
    }
    assert written(tmp_path / "new" / "woo.prom", figures, *accounts, **stats) == {
        "woo_run_end_timestamp_seconds": {"": STATS["finish_time"].timestamp()},  # type: ignore[attr-defined]
        "woo_run_duration_seconds": {"": 12.5},
        "woo_run_finished": {"": 1},
        "woo_run_hosts": {"selected": 9, "done": 8, "complete": 7},
        "woo_run_requests": {"": 70},
        "woo_run_received_bytes": {"": 5000},
        "woo_run_memory_bytes": {"": 800},
        "woo_run_records": {"": 60},
        "woo_run_documents": {
            "listed": 1,
            "new": 2,
            "changed": 3,
            "unchanged": 4,
            "withdrawn": 5,
            "lost": 6,
        },
        "woo_run_findings": {"lastmod.ontbreekt info": 3, "loc.ongeldig error": 2},
        "woo_run_log_messages": {"warning": 4, "error": 0, "critical": 1},
        "woo_host_documents": {
            "a.nl listed": 9,
            "a.nl harvested": 6,
            "b.nl listed": 0,
            "b.nl harvested": 0,
            "c.nl listed": 0,
            "c.nl harvested": 0,
        },
        "woo_host_complete": {"a.nl": 1, "b.nl": 0, "c.nl": 0},
    }


def test_what_a_spider_does_not_count_has_no_values(tmp_path: Path) -> None:
    found = written(tmp_path / "woo.prom", Figures("woo", 1.0, 7, 6, None, 0, 0), finish_reason="shutdown")
    lacking = {"woo_run_memory_bytes", "woo_run_hosts", "woo_run_documents", "woo_run_findings"}
    assert METRICS.keys() - found.keys() == lacking | {"woo_host_documents", "woo_host_complete"}
    assert found["woo_run_finished"] == {"": 0}
    assert found["woo_run_received_bytes"] == {"": 0}


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
    rows = [line.split("|") for line in page.splitlines() if re.match(r"\| `woo_(?!portal_)", line)]
    labels_by_name = {
        name: tuple(re.findall(r"\w+", labels))
        for _, names, labels, *_ in rows
        for name in re.findall(r"woo_\w+", names)
    }
    assert labels_by_name == {name: labels for name, (_, labels) in METRICS.items()}
