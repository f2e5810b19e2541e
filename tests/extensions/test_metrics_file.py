"""What stands in the file with metrics, for figures that are made up."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from scrapy.exceptions import NotConfigured

from tests.utils.crawlers import crawler_of
from woo_harvester.extensions.figures import Figures
from woo_harvester.extensions.metrics import METRICS, Metrics, metrics_file, write_metrics
from woo_harvester.report.funnel import Account

STATS = {"finish_time": datetime(2026, 1, 2, tzinfo=UTC), "elapsed_time_seconds": 12.5}
STATES = ("listed", "new", "changed", "unchanged", "withdrawn", "lost")


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
    counts: dict[str, Any] = {state: number for number, state in enumerate(STATES, 1)}
    codes = {"lastmod.ontbreekt": 3, "loc.ongeldig": 2}
    figures = Figures("woo", 1.0, 70, 60, 9, 8, 7, codes=codes, **counts)
    accounts = (
        Account("a.nl", complete=True, listed=9, unchanged=4, harvested={"aanlevering": 2}),
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
        "woo_run_documents": counts,
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


def test_a_file_that_cannot_be_written_is_a_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        write_metrics(tmp_path, Figures("woo", 1.0, 7, 6, None, 0, 0), STATS, ())
    (line,) = caplog.messages
    assert line.startswith(f"WOO_METRICS_FILE: {tmp_path} could not be written: ")


def test_the_setting_may_name_the_spider() -> None:
    settings = crawler_of(WOO_METRICS_FILE="/m/%(spider)s.prom").settings
    assert metrics_file(settings, "woo") == Path("/m/woo.prom")
    assert metrics_file(crawler_of().settings, "woo") is None
    with pytest.raises(NotConfigured):
        Metrics.from_crawler(crawler_of())
