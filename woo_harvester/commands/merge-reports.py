"""``scrapy merge-reports``: merges the reports of the shards of a day into one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from scrapy.exceptions import UsageError

from woo_harvester.report.run_folder import RunFolder, parse_name
from woo_harvester.running.command import ProjectCommand
from woo_harvester.utils.program import counted, program

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from woo_harvester.findings import Language

#: Most hosts that are named of those without figures; the report has all.
_NAMED = 20


class Command(ProjectCommand):
    """Merges the folders of runs over different hosts; exit status 1 if they cannot be merged."""

    name = "merge-reports"
    arguments = "FOLDER... -o FOLDER"
    summary = "Merge the reports of several shards into one"
    description = (
        "Writes the findings, hosts and summed statistics of several runs to a new folder, as if they "
        "were one run. Give the folders of one run of each shard, in WOO_REPORT_DIR; they do not change."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-o", "--output", metavar="FOLDER", help="the folder to make")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Merge the folders that *args* name."""
        from woo_harvester.report.assemble import make_report
        from woo_harvester.report.json_file import read_head
        from woo_harvester.report.merge import MergeError, merge

        if not args or not opts.output:
            raise UsageError(f"expected {self.syntax()}")
        try:
            to = RunFolder(Path(opts.output))
            merge([RunFolder(Path(given)) for given in args], to)
            settings = cast("Settings", self.settings)
            lang = cast("Language", settings["WOO_REPORT_LANG"])
            is_current = to.path.parent.resolve() == Path(settings["WOO_REPORT_DIR"]).resolve()
            page = make_report(to, lang=lang, history=False, is_current=is_current)
            if is_current:
                self._lead_to(to)
        except (MergeError, ValueError) as error:
            self.fail(str(error))
        except OSError as error:
            self.fail_at(error, opts.output)
        else:
            if missing := read_head(to.report).hosts_without_figures:
                more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
                names = ", ".join(missing[:_NAMED]) + more
                line = f"figures of {counted(len(missing), 'host')} are not in it: {names}"
                sys.stderr.write(f"{program()} merge-reports: {line}\n")
            sys.stderr.write(f"Merged the reports of {len(args)} run(s) into {opts.output}: see {page}.\n")

    def _lead_to(self, merged: RunFolder) -> None:
        """Have the link in the folder of reports lead to the merged report, but not of an earlier day."""
        latest = merged.reports.latest(merged.kind)
        known, named = (parse_name(each) for each in (latest.resolve().name, merged.name))
        if known is not None and (named is None or named[1].date() < known[1].date()):
            return
        try:
            merged.reports.lead_to(merged)
        except OSError as error:
            line = f"{latest} does not lead to the merged report: {error.strerror or error}"
            sys.stderr.write(f"{program()} merge-reports: {line}\n")
