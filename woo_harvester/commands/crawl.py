"""``scrapy crawl``: Scrapy's command, with one line and an exit status for a run that cannot start."""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn, cast

from scrapy.addons import AddonManager
from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.log import configure_logging, get_scrapy_root_handler
from scrapy.utils.project import ENVVAR

from woo_harvester.report.run_folder import RunFolder
from woo_harvester.running.causes import ArgumentError, cause_of, naming
from woo_harvester.running.command import ProjectCommand
from woo_harvester.running.console import SETTINGS_MODULE
from woo_harvester.running.folder_log import FolderLog
from woo_harvester.running.process import HarvestProcess
from woo_harvester.utils.program import program, suggestion

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import Settings


logger = logging.getLogger(__name__)

#: A spider argument that was typed without ``-a``: a name, possibly with a value.
_ARGUMENT = re.compile(r"-*(\w+)(=.*)?", re.DOTALL)


class Command(ProjectCommand, CrawlCommand):
    """Runs a spider; exit status 2 for a wrong argument, 1 for a run that could not start or continue.

    A spider may have a method ``check_arguments(arguments)``, which raises :class:`ArgumentError`, and an
    attribute ``failure``: the exit status and the line of error of a run that could not start or continue.
    """

    name = "crawl"
    arguments = "[options] <spider>"
    summary = "Run a spider, such as woo (documents) or vergunningen (permits)"
    exit_statuses: ClassVar[Mapping[int, str]] = {
        0: "the run came to its end, or to a bound such as `CLOSESPIDER_TIMEOUT`, whatever publishers did "
        "wrong: that is in the findings",
        1: "it could not start, or could not go on, as at `MEMUSAGE_LIMIT_MB` and `CLOSESPIDER_ERRORCOUNT`; "
        "or nothing could be read of the hosts in `domains`; or the harvester itself failed on something "
        "(`oogst.fout`), or its sums do not close",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-q",
            "--quiet",
            action="store_true",
            help="print nothing but errors, and what was done to files of killed runs, as for cron",
        )
        parser.add_argument(
            "-v",
            "--verbose",
            action="store_true",
            help="print the log on a terminal too; without it, or -L, the log is in the folder of the run",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments before anything is logged."""
        from woo_harvester.spiders.base import HarvestSpider

        settings = cast("Settings", self.settings)
        with self.failing():
            try:
                self._check_spider_arguments(args)
                with naming("ADDONS"):
                    AddonManager.load_pre_crawler_settings(settings)  # they name formats
                super().process_options(args, opts)
                if opts.quiet:
                    self._be_quiet(settings)
                spidercls = self._check(args, opts)
                self._logs_to_folder = (
                    not opts.verbose
                    and issubclass(spidercls, HarvestSpider)
                    and self._keep_log_apart(settings)
                )
            except (ArgumentError, UsageError) as error:
                self.refuse(str(error))

    def _be_quiet(self, settings: Settings) -> None:
        """Write only errors and :func:`warn_always` to stderr; a log file is as without ``--quiet``."""
        settings.setdict({"WOO_PROGRESS_INTERVAL": 0, "WOO_SUMMARY": False}, "cmdline")
        if not settings["LOG_FILE"]:
            settings.set("LOG_LEVEL", "ERROR", "cmdline")

    def _keep_log_apart(self, settings: Settings) -> bool:
        """Show only errors if stderr is a terminal, unless the user chose where the log goes or its level.

        Return whether that is done: the log then belongs in the folder of the run, which the add-on makes.
        """
        has_folder = any("woo_harvester" in str(addon) for addon in settings.getdict("ADDONS"))
        is_ours = os.environ.get(ENVVAR) == SETTINGS_MODULE  # which sets a level itself
        least = SETTINGS_PRIORITIES["project" if is_ours else "default"]
        is_chosen = settings["LOG_FILE"] or (settings.getpriority("LOG_LEVEL") or 0) > least
        if is_chosen or not (has_folder and settings.getbool("LOG_ENABLED") and sys.stderr.isatty()):
            return False
        settings.set("LOG_LEVEL", "ERROR", "cmdline")
        return True

    def _open_log(self, folder: Path, sender: Crawler) -> None:
        """Write the log to the folder of the run, which has just been made."""
        FolderLog(RunFolder(folder).log, sender)

    def refuse(self, message: str) -> NoReturn:
        """Report a wrong argument, also in the log if that is a file, and exit with status 2."""
        if self._logs_to_file() and get_scrapy_root_handler() is None:
            try:
                configure_logging(self.settings)
            except (OSError, ValueError, LookupError) as error:
                self.write_error(f"LOG_FILE: {cause_of(error)}")
        self.fail(message, 2)
        raise SystemExit(2)

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider that *args* names."""
        from woo_harvester.extensions.findings import run_opened

        self.crawler_process = process = HarvestProcess(cast("Settings", self.settings))
        crawler = self._create_crawler(args[0])
        if self._logs_to_folder:
            crawler.signals.connect(self._open_log, run_opened)
        if failure := process.run(crawler, opts.spargs):
            status, line = failure
            self.fail(line, status)

    def _check_spider_arguments(self, args: list[str]) -> None:
        """Raise UsageError for a spider argument without ``-a``."""
        from woo_harvester.running.arguments import WooArguments

        names = [field.alias or name for name, field in WooArguments.model_fields.items()]
        for given in args:
            match = _ARGUMENT.fullmatch(given)
            if match and match[1] in names:
                raise UsageError(
                    f"{given} is an argument of the spider: write -a {match[1]}{match[2] or '=…'}"
                )

    def _check(self, args: list[str], opts: argparse.Namespace) -> type[Spider]:
        """Return the spider. Raises UsageError and ArgumentError for wrong arguments."""
        if len(args) != 1:
            raise UsageError(f"expected the name of one spider, such as: {program()} crawl woo")
        with naming("SPIDER_MODULES and SPIDER_LOADER_CLASS"):
            spiders = get_spider_loader(cast("Settings", self.settings))
        name, names = args[0], sorted(spiders.list())
        if name not in names:
            raise ArgumentError(f"unknown spider {name}: {suggestion(name, names)}")
        spidercls = spiders.load(name)
        if check := getattr(spidercls, "check_arguments", None):
            check(opts.spargs)
        return spidercls

    def fail(self, line: str, status: int = 1) -> None:
        """Report an error, also in the log if that is a file, because that is what Scrapyd shows."""
        if self._logs_to_file() and get_scrapy_root_handler() is not None:
            logger.error("%(line)s (exit status %(status)d)", {"line": line, "status": status})
        super().fail(line, status)

    def _logs_to_file(self) -> bool:
        settings = cast("Settings", self.settings)
        return settings.getbool("LOG_ENABLED") and bool(settings["LOG_FILE"])
