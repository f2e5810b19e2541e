"""Prints a summary at the end of a run, at any log level."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured

from woo_harvester.extensions import figures as formatting
from woo_harvester.extensions.figures import Figures, read_figures
from woo_harvester.extensions.findings import accounts_of, run_written
from woo_harvester.extensions.progress import Screen
from woo_harvester.findings import explain
from woo_harvester.report.funnel import HarvestKind
from woo_harvester.report.run_folder import REFUSED, RunFolder

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: The number of finding codes that are shown: errors first, the most frequent first.
_SHOWN_CODES = 5


class Summary:
    """The extension that writes the totals and the path of the report to stderr; see ``WOO_SUMMARY``."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.getbool("WOO_SUMMARY"):
            raise NotConfigured
        extension = cls(crawler)
        crawler.signals.connect(extension.run_written, run_written)
        return extension

    def run_written(self, folder: Path) -> None:
        """Write the summary, unless the run could not start: then the command prints one line."""
        reason = self._crawler.stats.get_value("finish_reason")
        if reason != "cannot_start":
            Screen.write_lines(
                summary(read_figures(self._crawler, accounts_of(self._crawler)), reason, folder)
            )


def summary(figures: Figures, reason: str | None, folder: Path) -> str:
    """Return the lines of the summary; the first says how the run ended."""
    ended = "finished" if reason == "finished" else f"ended early ({reason})"
    rows = [("findings", formatting.findings(figures))]
    if figures.selected is not None:
        incomplete = figures.done - figures.complete
        if figures.lacking:
            lacking = formatting.counted(figures.lacking, "document")
            rows.insert(0, ("", f"the content of {lacking} is left to the next runs"))
        for line in formatting.apart(figures):
            rows.insert(0, ("", line))
        rows[:0] = _harvest(figures)
        rows.insert(
            0, ("hosts", f"{formatting.hosts(figures)}: {figures.complete:,} complete, {incomplete:,} not")
        )
    else:
        rows.insert(0, ("records", f"{figures.records:,}{formatting.dropped(figures)}"))
    worst = sorted(figures.codes.items(), key=_worst_first)[:_SHOWN_CODES]
    for code, count in worst:
        severity = formatting.SEVERITY_NOUNS[explain(code).severity][0]
        rows.append(("", f"{count:,} x {code} ({severity})"))
    if figures.refused:
        rows.append(("refused", f"{figures.refused:,} by Elasticsearch: see {REFUSED}"))
    if lists := formatting.value_lists(figures):
        rows.append(("value lists", lists))
    run = RunFolder(folder)
    rows.append(("report", str(run.page)) if run.page.exists() else ("files", str(folder)))
    if run.log.exists():
        warnings = f", with {formatting.counted(figures.warnings, 'warning')}" if figures.warnings else ""
        rows.append(("log", f"{run.log}{warnings}"))
    lines = (f"  {name:<15}{value}" for name, value in rows)
    return "\n".join([f"{figures.spider}: {ended} in {formatting.duration(figures.seconds)}", *lines])


def _harvest(figures: Figures) -> list[tuple[str, str]]:
    """Return the lines about what was harvested."""
    listed = f"{figures.listed or 0:,} listed"
    if figures.kind is HarvestKind.PERMITS:
        files = f"{listed}, {figures.unchanged:,} unchanged, {figures.lost:,} not harvested"
        return [("files", files), ("cases", formatting.changes(figures))]
    documents = f"{listed}, {figures.lost:,} not harvested"
    return [("documents", documents), ("", formatting.changes(figures))]


def _worst_first(each: tuple[str, int]) -> tuple[int, int, str]:
    code, count = each
    return list(formatting.SEVERITY_NOUNS).index(explain(code).severity), -count, code
