"""The report, the summary and the metrics of a run, made from those of its jobs."""

from __future__ import annotations

import logging
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pprint import pformat
from typing import TYPE_CHECKING, Any

from woo_harvester.dates import iso_now
from woo_harvester.extensions.findings import make_run_report
from woo_harvester.extensions.metrics import metrics_file, write_metrics
from woo_harvester.extensions.summary import summary
from woo_harvester.findings import Finding, Reporter, explanations
from woo_harvester.findings.common_cause import CommonCause
from woo_harvester.inputs import parse_object
from woo_harvester.report.kept_back import KeptBack, explanation
from woo_harvester.report.merge import MergeError, merge
from woo_harvester.report.registered import RunRegister
from woo_harvester.report.run_folder import ReportsFolder, RunFolder, complete_lines, finding_line
from woo_harvester.report.run_name import part_name
from woo_harvester.running.process import Failure
from woo_harvester.terminal.figures import Figures, together
from woo_harvester.terminal.screen import Screen

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)


class OwnFolder:
    """The findings of the process that starts the jobs: about the register, and about all hosts."""

    def __init__(self, reports: ReportsFolder, run: str) -> None:
        self.reports = reports
        self.run = run
        """The name of the run."""
        self.began = datetime.now(UTC)
        self._findings: list[Finding] = []
        self.report = Reporter(self.add)

    def add(self, finding: Finding) -> None:
        """Add a finding."""
        self._findings.append(replace(finding, at=iso_now()))

    def write(self) -> RunFolder:
        """Write the findings and times of the run to a folder beside those of the jobs. Raises OSError."""
        folder, now = self.reports.run(part_name(self.run, 0)), datetime.now(UTC)
        folder.path.mkdir(parents=True)
        with folder.open_findings() as lines:
            lines.writelines(map(finding_line, self._findings))
        codes = Counter(f"woo/findings/{finding.code}" for finding in self._findings)
        times: dict[str, Any] = {
            "start_time": self.began,
            "finish_time": now,
            "elapsed_time_seconds": (now - self.began).total_seconds(),
            "finish_reason": "finished",
        }
        folder.write_stats({**times, **codes})
        return folder


def end_report(
    own: OwnFolder,
    jobs: int,
    figures: Sequence[Figures],
    common_cause: CommonCause,
    settings: BaseSettings,
    register: RunRegister | None,
    *,
    in_history: bool,
) -> list[Failure]:
    """Merge the folders of the jobs into that of the run, and make what a run shows and leaves at its end.

    Return why the run failed. A run of which no job could start leaves nothing.
    """
    merged = own.reports.run(own.run)
    parts = [own.reports.run(part_name(own.run, number)) for number in range(1, jobs + 1)]
    parts = [part for part in parts if part.findings.is_file()]
    if not parts:
        return []
    failures: list[Failure] = []
    try:
        if (failure := _own_fault(own, common_cause, parts, merged)) is not None:
            failures.append(failure)
        parts = [own.write(), *parts]
        for path in merge(parts, merged):
            logger.warning("The last line of %s is truncated, and left out of the report", path)
        if register is not None:
            register.write(merged.register)
        if (line := make_run_report(merged, settings, in_history=in_history)) is not None:
            failures.append((1, line))
    except (MergeError, OSError) as error:
        line = f"the reports of the jobs could not be merged into {merged.path}: {error}"
        return [*failures, (1, line)]
    for part in parts:
        shutil.rmtree(part.path, ignore_errors=True)
    _show(merged, figures, settings)
    return failures


def _own_fault(
    own: OwnFolder, common_cause: CommonCause, parts: Sequence[RunFolder], merged: RunFolder
) -> Failure | None:
    """Return the failure if nearly all hosts of all jobs have failed in the same way, and add its finding."""
    cause = common_cause.verdict()
    if cause is None:
        return None
    kept = KeptBack(merged.kept_back)
    for part in parts:
        if part.kept_back.exists():
            found = [parse_object(line) for _, line in complete_lines(part.kept_back)]
            kept.findings += [Finding(code=each["code"], seen=each.get("seen")) for each in found]
    finding, line = explanation(common_cause, cause, kept)
    own.add(finding)
    return 1, line


def _show(merged: RunFolder, figures: Sequence[Figures], settings: BaseSettings) -> None:
    """Print the summary, and write the metrics."""
    stats = merged.read_stats()
    if settings.getbool("STATS_DUMP"):
        logger.info("Statistics of all jobs:\n%s", pformat(stats))
    reason = stats.get("finish_reason")
    if not figures or reason == "cannot_start":
        return
    codes = {code: count for code in explanations() if (count := stats.get(f"woo/findings/{code}"))}
    shown = replace(together(figures), codes=codes, seconds=stats["elapsed_time_seconds"])
    if settings.getbool("WOO_SUMMARY"):
        Screen.write_lines(summary(shown, reason or "a job was killed", merged.path))
    if (path := metrics_file(settings, shown.spider)) is not None:
        times = {"finish_time": datetime.fromisoformat(stats["finish_time"])}
        write_metrics(path, shown, {**stats, **times}, list(merged.read_accounts()))
