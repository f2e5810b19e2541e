"""``scrapy monitor``: checks whether the last run was as good as those before it; run it from cron."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn, cast

from scrapy import Spider
from scrapy.crawler import Crawler

from woo_harvester.report.run_folder import ReportsFolder
from woo_harvester.running.command import ProjectCommand
from woo_harvester.utils.program import suggestion, to_install

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from woo_harvester.extensions.monitored_runs import Bounds
    from woo_harvester.extensions.monitors import MonitorResults

#: The number of lines of a log in a mail.
_LOG_LINES = 50

_NEEDED = ("premailer", "slack_sdk", "spidermon")
_MARKS = {"OK": "ok", "SKIPPED": "skipped"}


class Command(ProjectCommand):
    """Checks the last run of each spider, using the files that runs left in ``WOO_REPORT_DIR``.

    Exit status 1 if a monitor failed or could not check, 2 for a wrong argument.
    """

    name = "monitor"
    exit_statuses: ClassVar[Mapping[int, str]] = {
        0: "all checks passed, or there is nothing to compare with",
        1: "a check failed, or could not be made",
    }
    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        return "[SPIDER ...] [options]"

    def short_desc(self) -> str:
        return "Check whether the last run was as good as those before it, and alert by mail or Slack"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-q", "--quiet", action="store_true", help="print only what failed")
        parser.add_argument(
            "--failed",
            metavar="UNIT",
            help="only mail the end of the log of this unit of systemd",
        )

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the last run of each spider in *args*, or of every spider that has runs."""
        from woo_harvester.extensions.monitored_runs import spiders

        self.exitcode = 0
        if missing := [name for name in _NEEDED if not find_spec(name)]:
            self._fail(f"needs {', '.join(missing)}: {to_install('monitoring')}")
        settings = cast("Settings", self.settings)
        if opts.failed:
            self._mail_failure(opts.failed, args, settings)
            return
        reports = ReportsFolder(Path(settings["WOO_REPORT_DIR"]))
        known = spiders(reports)
        for name in args:
            if known and name not in known:
                self.refuse(f"no run of a spider {name} in {reports.path}: {suggestion(name, known)}")
        if not known:
            self._fail(f"no run in {reports.path}: expected one a day; has WOO_REPORT_DIR the right folder?")
        for name in args or known:
            self._monitor(name, reports, settings, quiet=opts.quiet)

    def _monitor(self, spider: str, reports: ReportsFolder, settings: Settings, *, quiet: bool) -> None:
        from spidermon.exceptions import NotConfigured

        from woo_harvester.extensions.monitored_runs import read_runs
        from woo_harvester.extensions.monitors import run_monitors

        try:
            count, limits, now = settings.getint("WOO_MONITOR_RUNS") + 1, bounds(settings), datetime.now(UTC)
            runs = read_runs(reports, spider, count, now, limits.age)
            outcome = run_monitors(Crawler(Spider, settings), runs, limits, now)
        except (NotConfigured, OSError, ValueError) as error:
            self.write_error(str(error))  # and go on with the next spider
            self.exitcode = 1
            return
        if not (quiet and outcome.passed):
            print(runs.title)
            _show(outcome, quiet=quiet)
        if not outcome.passed:
            self.exitcode = 1
        for line in outcome.unsent:
            self.write_error(f"not sent: {line}")

    def _mail_failure(self, unit: str, args: list[str], settings: Settings) -> None:
        from spidermon.exceptions import NotConfigured

        from woo_harvester.extensions.monitors import mail_failure

        if args:
            self.refuse(f"--failed checks no runs: unexpected argument {args[0]}")
        try:
            mail_failure(Crawler(Spider, settings), unit, _end_of_log(unit))
        except (NotConfigured, OSError) as error:  # SMTPException is an OSError
            self._fail(f"no mail about {unit}: {error}")

    def _fail(self, line: str) -> NoReturn:
        self.write_error(line)
        sys.exit(1)


def _end_of_log(unit: str) -> str:
    """Return the last lines that a unit of systemd wrote, or why they cannot be read."""
    command = ["journalctl", f"--unit={unit}", f"--lines={_LOG_LINES}", "--no-pager", "--output=short-iso"]
    try:
        # The name of the unit is one argument, whatever it is.
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603
    except OSError as error:
        return f"(journalctl: {error.strerror or error})"
    return (done.stdout or done.stderr).strip()


def bounds(settings: Settings) -> Bounds:
    """Return the limits that the settings give."""
    from woo_harvester.extensions.monitored_runs import Bounds

    return Bounds(
        age=timedelta(hours=settings.getfloat("WOO_MONITOR_AGE")),
        well=settings.getint("WOO_MONITOR_WELL"),
        drop=settings.getfloat("WOO_MONITOR_DROP"),
        rise=settings.getfloat("WOO_MONITOR_RISE"),
        coverage=settings.getfloat("WOO_MONITOR_COVERAGE"),
        records=settings.getint("WOO_MONITOR_RECORDS"),
    )


def _show(outcome: MonitorResults, *, quiet: bool) -> None:
    for name, status, reason in outcome.lines:
        mark = _MARKS.get(status, "FAILED")  # FAIL, or ERROR for an exception in a monitor
        if mark == "FAILED" or not quiet:
            why = f": {reason}" if mark == "skipped" else ""
            print(f"  {mark:<8} {name}{why}")
        if mark == "FAILED":
            print(*(f"           {line}" for line in (reason or "").splitlines()), sep="\n")
