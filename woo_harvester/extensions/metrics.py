"""Writes the metrics of a run to a file for Prometheus."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from woo_harvester.extensions.figures import Figures, read_figures
from woo_harvester.extensions.findings import accounts_of, run_written
from woo_harvester.findings import explain
from woo_harvester.report.counts import shown_in
from woo_harvester.report.run_folder import FINISHED
from woo_harvester.running.ending import CANNOT_START
from woo_harvester.utils.atomic import replace_file

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from woo_harvester.report.funnel import Account

logger = logging.getLogger(__name__)

#: Names and meanings; the dashboard in ``deploy/grafana`` shows them. Each has the label ``spider`` too.
METRICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "woo_run_end_timestamp_seconds": ("When the last run ended, in seconds since 1970", ()),
    "woo_run_duration_seconds": ("How long it took", ()),
    "woo_run_finished": ("Whether it ended as it should (1) or early (0)", ()),
    "woo_run_hosts": ("Hosts: selected, done, complete", ("state",)),
    "woo_run_requests": ("Answers of servers", ()),
    "woo_run_received_bytes": ("What was received, as Scrapy counts it", ()),
    "woo_run_memory_bytes": ("Most memory that the run had in use", ()),
    "woo_run_records": ("Records that the run wrote", ()),
    "woo_run_documents": (
        f"Documents: {', '.join(label for _, label in shown_in('metric'))}; of cases the files with "
        "messages, and cases",
        ("state",),
    ),
    "woo_run_findings": ("Findings by code", ("code", "severity")),
    "woo_run_log_messages": ("Messages of the log by level", ("level",)),
    "woo_host_documents": (
        f"Documents or files of a host: {', '.join(label for _, label in shown_in('host metric'))}",
        ("host", "state"),
    ),
    "woo_host_complete": ("Whether the host was read to its end", ("host",)),
}


class Metrics:
    """The extension that writes ``WOO_METRICS_FILE`` at the end of a run, in one atomic step."""

    def __init__(self, crawler: Crawler, path: Path) -> None:
        self._crawler = crawler
        self._path = path

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        path = metrics_file(crawler.settings, crawler.spidercls.name)
        if path is None:
            raise NotConfigured
        extension = cls(crawler, path)
        crawler.signals.connect(extension.run_written, run_written)
        return extension

    def run_written(self) -> None:
        """Write the file, unless the run could not start: then the file of the previous run stays."""
        if self._crawler.stats.get_value("finish_reason") == CANNOT_START:
            return
        accounts = accounts_of(self._crawler)
        figures, stats = read_figures(self._crawler, accounts), self._crawler.stats.get_stats()
        write_metrics(self._path, figures, stats, accounts)


def metrics_file(settings: BaseSettings, spider: str) -> Path | None:
    """Return the path in ``WOO_METRICS_FILE``; None if it is not set."""
    given = settings["WOO_METRICS_FILE"]
    return Path(str(given).replace("%(spider)s", spider)) if given else None


def write_metrics(
    path: Path, figures: Figures, stats: Mapping[str, Any], accounts: Iterable[Account]
) -> None:
    """Write the figures of a run to *path*, in one atomic step; a failure is logged."""
    lines: dict[str, list[str]] = {}
    for name, value, *labels in _samples(figures, stats, accounts):
        given = zip(("spider", *METRICS[name][1]), (figures.spider, *labels), strict=True)
        shown = ",".join(f"{label}={json.dumps(text, ensure_ascii=False)}" for label, text in given)
        lines.setdefault(name, []).append(f"{name}{{{shown}}} {float(value)}\n")
    heads = {name: f"# HELP {name} {METRICS[name][0]}\n# TYPE {name} gauge\n" for name in lines}
    text = "".join(heads[name] + "".join(samples) for name, samples in lines.items())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
    except OSError as error:
        logger.error("WOO_METRICS_FILE: %s could not be written: %s", path, error)  # noqa: TRY400


def _samples(figures: Figures, stats: Mapping[str, Any], accounts: Iterable[Account]) -> Iterator[Any]:
    """Yield the name of a metric, a value and the labels after that of the spider."""
    yield "woo_run_end_timestamp_seconds", stats["finish_time"].timestamp()
    yield "woo_run_duration_seconds", stats["elapsed_time_seconds"]
    yield "woo_run_finished", stats.get("finish_reason") == FINISHED
    yield "woo_run_requests", figures.requests
    yield "woo_run_received_bytes", stats.get("downloader/response_bytes", 0)
    yield "woo_run_records", figures.records
    if "memusage/max" in stats:
        yield "woo_run_memory_bytes", stats["memusage/max"]
    for level in ("WARNING", "ERROR", "CRITICAL"):
        yield "woo_run_log_messages", stats.get(f"log_count/{level}", 0), level.lower()
    if figures.selected is not None:
        for state in ("selected", "done", "complete"):
            yield "woo_run_hosts", getattr(figures, state), state
    if figures.total is not None:
        for name, label in shown_in("metric"):
            yield "woo_run_documents", getattr(figures.total, name), label
    for code, count in figures.codes.items():
        yield "woo_run_findings", count, code, explain(code).severity
    for account in accounts:
        for name, label in shown_in("host metric"):
            yield "woo_host_documents", getattr(account, name), account.host, label
        yield "woo_host_complete", account.complete is True, account.host
