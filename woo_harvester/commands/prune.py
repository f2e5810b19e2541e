"""``scrapy prune``: removes old reports, and stored files that are not needed."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, cast

from scrapy.exceptions import UsageError

from woo_harvester.report.run_folder import ReportsFolder
from woo_harvester.running.command import ProjectCommand
from woo_harvester.running.paths import NoFolderError
from woo_harvester.utils.program import counted

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from woo_harvester.report.retention import Outcome, Removal

_PERIOD = re.compile(r"(\d+)d?")

#: What is removed, in the order of the line that says so.
_KINDS = ("report", "history file", "stored file")


class Command(ProjectCommand):
    """Removes what is no longer needed of earlier runs.

    Exit status 1 if something could not be removed, 2 for a wrong argument.
    """

    name = "prune"
    arguments = "[--keep 90d] [options]"
    summary = "Remove old reports, and stored files that are not needed"
    description = (
        "Removes the reports and the history of runs that began longer ago than --keep. The newest "
        "report of each spider stays, and so do records, the state, and files that no run writes. "
        "Documents stay unless --documents or --withdrawn is given; with both, --documents keeps those "
        "that were withdrawn later."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--keep", metavar="90d", help="how long to keep reports, in days")
        parser.add_argument(
            "--documents", action="store_true", help="also remove stored files that no published document has"
        )
        parser.add_argument(
            "--withdrawn",
            metavar="DAYS",
            help="also remove stored copies of documents that were withdrawn longer ago",
        )
        parser.add_argument("--dry-run", action="store_true", help="list what would be removed")
        parser.add_argument("-v", "--verbose", action="store_true", help="list each report and file")
        parser.add_argument("-q", "--quiet", action="store_true", help="print only what failed")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Remove what is older than the option or the setting says."""
        from woo_harvester.operating.stored_files import prune_stored
        from woo_harvester.pipelines.folder import InUseError
        from woo_harvester.report.retention import Removal, prune_reports
        from woo_harvester.state.store import StateError

        if args:
            raise UsageError(f"unexpected argument {args[0]}: expected {self.syntax()}")
        settings = cast("Settings", self.settings)
        keep = timedelta(days=settings.getfloat("WOO_KEEP_DAYS"))
        if opts.keep is not None:
            keep = self._period("--keep", opts.keep)
        withdrawn = timedelta() if opts.withdrawn is None else self._period("--withdrawn", opts.withdrawn)
        now = datetime.now(UTC)
        reports = ReportsFolder(Path(settings["WOO_REPORT_DIR"]))
        outcomes = prune_reports(reports, now - keep, dry_run=opts.dry_run)
        if opts.documents or opts.withdrawn is not None:
            stored = prune_stored(settings, now - withdrawn, unknown=opts.documents, dry_run=opts.dry_run)
            outcomes = chain(outcomes, stored)
        removed = (one for one in self._shown(outcomes, opts) if isinstance(one, Removal))
        try:
            line = summary(removed, dry_run=opts.dry_run)
        except OSError as error:
            self.fail_at(error, settings["WOO_REPORT_DIR"])
        except InUseError as error:
            self.fail(f"a run stores documents in {error}: wait until it ends")
        except (NoFolderError, StateError) as error:
            self.fail(str(error))
        else:
            if not opts.quiet:
                print(line)

    def _period(self, option: str, given: str) -> timedelta:
        match = _PERIOD.fullmatch(given)
        if match is None:
            self.refuse(f"{option}: expected a number of days such as 90d, got {given}")
        try:
            period = timedelta(days=int(match[1]))
            datetime.now(UTC) - period
        except OverflowError:
            self.refuse(f"{option}: {given} is longer than there are dates")
        return period

    def _shown(self, outcomes: Iterable[Outcome], opts: argparse.Namespace) -> Iterator[Outcome]:
        """Print what was removed and what was left, and return it one by one."""
        from woo_harvester.report.retention import Left, Removal

        for one in outcomes:
            if isinstance(one, Left) and one.is_error:
                self.fail(f"{one.path}: {one.why}")
            elif isinstance(one, Left) and not opts.quiet:
                print(f"left {one.path}: {one.why}")
            elif isinstance(one, Removal) and (opts.dry_run or opts.verbose) and not opts.quiet:
                print(f"{'would remove' if opts.dry_run else 'removed'} {one.path}")
            sys.stdout.flush()
            yield one


def summary(removed: Iterable[Removal], *, dry_run: bool) -> str:
    """Return the line that says what was removed."""
    kinds: Counter[str] = Counter()
    files = size = 0
    for one in removed:
        kinds[one.kind] += 1
        files += one.files
        size += one.size
    done = "Would remove" if dry_run else "Removed"
    if not kinds:
        return f"{done} nothing."
    what = ", ".join(counted(kinds[kind], kind, separator=",") for kind in _KINDS if kinds[kind])
    return f"{done} {what}: {counted(files, 'file', separator=',')}, {size / 1_000_000:,.1f} MB."
