"""The checks as Spidermon monitors, and the notifications when one fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spidermon import Monitor, MonitorSuite, monitors
from spidermon.runners import MonitorRunner

from woo_harvester.monitors import checks
from woo_harvester.monitors.actions import SendMail, SendSlack

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from scrapy.crawler import Crawler

    from woo_harvester.monitors.checks import Bounds
    from woo_harvester.monitors.runs import EndedRun, Runs

_NO_EARLIER_RUN = "there is no earlier run to compare with"
_NO_ACCOUNTS = "the run keeps no accounts of hosts"
_NO_FIELDS = "a run of permits does not count fields"


class _Check(Monitor):  # type: ignore[misc]  # Spidermon has no type hints
    """A monitor that fails with the problems that a check returns."""

    def fail_if_any(self, problems: Sequence[str]) -> None:
        if problems:
            self.fail("\n".join(problems))

    def compared(self) -> tuple[EndedRun, Sequence[EndedRun], Bounds]:
        """Return the run and the runs before it; skip the monitor if there are none."""
        if self.data.run is None or not self.data.before:
            self.skipTest(_NO_EARLIER_RUN)
        return self.data.run, self.data.before, self.data.bounds

    def accounted(self) -> tuple[EndedRun, Sequence[EndedRun], Bounds]:
        """Return the same as :meth:`compared`; skip the monitor if the run has no accounts."""
        if self.data.run is not None and not self.data.run.accounts:
            self.skipTest(_NO_ACCOUNTS)
        return self.compared()


class _RunMonitor(_Check):
    """Monitors that runs finish, and often enough."""

    @monitors.name("a run each day")  # type: ignore[untyped-decorator]
    def test_age(self) -> None:
        self.fail_if_any(checks.age(self.data.run, self.data.now, self.data.bounds))

    @monitors.name("the run came to its end")  # type: ignore[untyped-decorator]
    def test_ended(self) -> None:
        self.fail_if_any(checks.ended(self.data.run, self.data.unended))

    @monitors.name("hosts can be reached from here")  # type: ignore[untyped-decorator]
    def test_connected(self) -> None:
        self.fail_if_any(checks.connected(self.data.run))


class _DocumentMonitor(_Check):
    """Monitors that documents do not disappear."""

    @monitors.name("no host is suddenly empty")  # type: ignore[untyped-decorator]
    def test_emptied(self) -> None:
        self.fail_if_any(checks.emptied(*self.accounted()))

    @monitors.name("no drop in documents")  # type: ignore[untyped-decorator]
    def test_dropped(self) -> None:
        self.fail_if_any(checks.dropped(*self.accounted()))


class _QualityMonitor(_Check):
    """Monitors that quality does not get worse."""

    @monitors.name("no rise in findings")  # type: ignore[untyped-decorator]
    def test_risen(self) -> None:
        self.fail_if_any(checks.risen(*self.compared()))

    @monitors.name("fields are given as usual")  # type: ignore[untyped-decorator]
    def test_covered(self) -> None:
        if self.data.run is not None and self.data.run.kind == "vergunningen":
            self.skipTest(_NO_FIELDS)
        self.fail_if_any(checks.covered(*self.accounted()))


class RunSuite(MonitorSuite):  # type: ignore[misc]
    """All monitors of a run; notifies by mail or Slack if Spidermon's settings for it are given."""

    monitors = (_RunMonitor, _DocumentMonitor, _QualityMonitor)

    def __init__(self, crawler: Crawler) -> None:
        wanted = {"SPIDERMON_EMAIL_TO": SendMail, "SPIDERMON_SLACK_SENDER_TOKEN": SendSlack}
        actions = [action for setting, action in wanted.items() if crawler.settings[setting]]
        super().__init__(crawler=crawler, monitors_failed_actions=actions)


class MonitorResults:
    """The results of the monitors, and the notifications that could not be sent."""

    def __init__(self, result: Any) -> None:
        self.lines = [
            (each.monitor.method_name, each.status, each.reason or each.error)
            for each in result.monitor_results
        ]
        """The name, the status (OK, SKIPPED, FAIL or ERROR) and the reason of each monitor."""
        self.passed: bool = result.all_monitors_passed
        self.unsent = [
            f"{each.action.name}: {(each.error or '').strip().rpartition(chr(10))[2]}"
            for each in result.monitors_failed_action_results
            if each.error
        ]
        """The notifications that failed, with the reason."""


def run_monitors(crawler: Crawler, runs: Runs, bounds: Bounds, now: datetime) -> MonitorResults:
    """Check the last run, and compare it with those before. Raises Spidermon's NotConfigured."""
    return MonitorResults(MonitorRunner().run(RunSuite(crawler), **monitored(runs, bounds, now)))


def monitored(runs: Runs, bounds: Bounds, now: datetime) -> dict[str, Any]:
    """Return what the monitors and the texts of the notifications read as ``data``."""
    parts = {"run": runs.last, "before": runs.before, "unended": runs.unended, "title": runs.title}
    return {**parts, "bounds": bounds, "now": now}
