"""``scrapy monitor``: checks whether the last run was as good as those before it; run it from cron."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

from woo_harvester.report.run_folder import ReportsFolder
from woo_harvester.running.command import ProjectCommand
from woo_harvester.utils.program import suggestion

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from woo_harvester.report.monitor import Runs


class Command(ProjectCommand):
    """Checks the last run of each spider, using the files that runs left in ``WOO_REPORT_DIR``."""

    name = "monitor"
    arguments = "[SPIDER ...] [options]"
    summary = "Check whether the last run was as good as those before it"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-q", "--quiet", action="store_true", help="print only what failed")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the last run of each spider in *args*, or of every spider that has runs."""
        from woo_harvester.report.monitor import Limits, read_runs, spiders

        settings = cast("Settings", self.settings)
        age = timedelta(hours=settings.getfloat("WOO_MONITOR_AGE"))
        limits = Limits(age, settings.getfloat("WOO_MONITOR_DROP"), settings.getfloat("WOO_MONITOR_RISE"))
        reports = ReportsFolder(Path(settings["WOO_REPORT_DIR"]))
        self.exitcode = 0
        known = spiders(reports)
        if not known:
            self.fail(f"no run in {reports.path}: expected one a day; has WOO_REPORT_DIR the right folder?")
            return
        for name in args:
            if name not in known:
                self.refuse(f"no run of a spider {name} in {reports.path}: {suggestion(name, known)}")
        for name in args or known:
            try:
                for runs in read_runs(reports, name, datetime.now(UTC), limits):
                    self._print(runs, quiet=opts.quiet)
            except OSError as error:
                self.fail_at(error, reports.path)
            except ValueError as error:
                self.fail(str(error))  # and go on with the next spider

    def _print(self, runs: Runs, *, quiet: bool) -> None:
        """Print the results of the checks below the name of the run."""
        from woo_harvester.report.monitor import CHECKS

        found = {check.name: check.problems(runs) for check in CHECKS}
        if not quiet or any(found.values()):
            print(runs.title)
        for name, problems in found.items():
            if problems:
                print(f"  FAILED   {name}", *(f"           {line}" for line in problems), sep="\n")
                self.exitcode = 1
            elif not quiet:
                print(
                    f"  ok       {name}" if problems is not None else f"  skipped  {name}: nothing to compare"
                )
