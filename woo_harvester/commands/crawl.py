"""``scrapy crawl``: Scrapy's command, with one line and an exit status for a run that cannot start."""

from __future__ import annotations

import argparse
import logging
from typing import TYPE_CHECKING, NoReturn, cast

from scrapy.addons import AddonManager
from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.log import configure_logging, get_scrapy_root_handler

from woo_harvester.running.causes import ArgumentError
from woo_harvester.running.command import ProjectCommand
from woo_harvester.running.process import HarvestProcess
from woo_harvester.utils.program import program, suggestion

if TYPE_CHECKING:
    from scrapy.settings import Settings


logger = logging.getLogger(__name__)


class Command(ProjectCommand, CrawlCommand):
    """Runs a spider; exit status 2 for a wrong argument, 1 for a run that could not start or continue.

    A spider may have a method ``check_arguments(arguments)``, which raises :class:`ArgumentError`, and an
    attribute ``failure``: the exit status and the line of error of a run that could not start or continue.
    """

    name = "crawl"
    arguments = "[options] <spider>"
    summary = "Run a spider, such as woo (documents) or vergunningen (permits)"

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
            help="print the whole log, and not only warnings and errors",
        )
        shown = parser.format_help
        parser.format_help = lambda: shown() + self._arguments_help()  # type: ignore[method-assign]  # an epilog is wrapped

    def _arguments_help(self) -> str:
        """Return what the arguments of each spider of this project do."""
        spiders = get_spider_loader(cast("Settings", self.settings))
        kinds = {name: getattr(spiders.load(name), "arguments_type", None) for name in sorted(spiders.list())}
        return "".join(
            f"\nArguments of {name} (-a NAME=VALUE)\n{kind.help()}\n" for name, kind in kinds.items() if kind
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments before anything is logged."""
        settings = cast("Settings", self.settings)
        with self.failing():
            try:
                AddonManager.load_pre_crawler_settings(settings)  # they name formats
                super().process_options(args, opts)
                is_chosen = settings.getpriority("LOG_LEVEL") == SETTINGS_PRIORITIES["cmdline"]
                if opts.quiet:
                    self._be_quiet(settings)
                elif not (is_chosen or opts.verbose or settings["LOG_FILE"]):
                    settings.set("LOG_LEVEL", "WARNING", "cmdline")
                self._check(args, opts)
            except (ArgumentError, UsageError) as error:
                self.refuse(str(error))

    def _be_quiet(self, settings: Settings) -> None:
        """Write only errors and :func:`warn_always` to stderr; a log file is as without ``--quiet``."""
        settings.setdict({"WOO_PROGRESS_INTERVAL": 0, "WOO_SUMMARY": False}, "cmdline")
        if not settings["LOG_FILE"]:
            settings.set("LOG_LEVEL", "ERROR", "cmdline")

    def refuse(self, message: str) -> NoReturn:
        """Report a wrong argument, also in the log if that is a file, and exit with status 2."""
        if self._logs_to_file() and get_scrapy_root_handler() is None:
            configure_logging(self.settings)
        self.fail(message, 2)
        raise SystemExit(2)

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider that *args* names."""
        self.crawler_process = process = HarvestProcess(cast("Settings", self.settings))
        crawler = process.create_crawler(args[0])
        if failure := process.run(crawler, opts.spargs):
            status, line = failure
            self.fail(line, status)

    def _check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Raise UsageError or ArgumentError for a wrong spider or a wrong argument of it."""
        spiders = get_spider_loader(cast("Settings", self.settings))
        names = sorted(spiders.list())
        if len(args) != 1:
            name = args[0] if args and args[0] in names else "woo"
            fields = getattr(getattr(spiders.load(name), "arguments_type", None), "model_fields", ())
            argument = "entries" if "entries" in fields else "domains"
            host = f" -a {argument}={','.join(args[1:])}" if args[1:] else ""
            raise UsageError(f"expected the name of one spider, such as: {program()} crawl {name}{host}")
        name = args[0]
        if name not in names:
            raise ArgumentError(f"unknown spider {name}: {suggestion(name, names)}")
        if check := getattr(spiders.load(name), "check_arguments", None):
            check(opts.spargs)

    def fail(self, line: str, status: int = 1) -> None:
        """Report an error, also in the log if that is a file, because that is what Scrapyd shows."""
        if self._logs_to_file() and get_scrapy_root_handler() is not None:
            logger.error("%(line)s (exit status %(status)d)", {"line": line, "status": status})
        super().fail(line, status)

    def _logs_to_file(self) -> bool:
        settings = cast("Settings", self.settings)
        return settings.getbool("LOG_ENABLED") and bool(settings["LOG_FILE"])
