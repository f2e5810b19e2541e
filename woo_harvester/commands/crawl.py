"""``scrapy crawl``, with one clear line and an exit status for a run that cannot start."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TextIO, cast

from scrapy import signals
from scrapy.addons import AddonManager
from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError
from scrapy.spiderloader import get_spider_loader

from woo_harvester.arguments import ArgumentError

if TYPE_CHECKING:
    import argparse

    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings


class HeldStderr:
    """Stands in for stderr, and keeps what is written until it is clear whether the run starts.

    The log of a run that cannot start says nothing that its one line of error does not say better.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._held: list[str] | None = []
        self._dropped = False

    def write(self, text: str) -> int:
        """Write, or keep."""
        if self._held is not None:
            self._held.append(text)
        elif not self._dropped:
            self._stream.write(text)
        return len(text)

    def release(self) -> None:
        """Write what was kept, and keep nothing more."""
        held, self._held = self._held or [], None
        self._stream.write("".join(held))

    def end(self, *, drop: bool) -> None:
        """Give stderr back; with *drop*, what was kept and what follows is not written."""
        if drop:
            self._held, self._dropped = None, True
        self.release()
        sys.stderr = self._stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Command(CrawlCommand):
    """Scrapy's own command; exit status 2 for a wrong argument, 1 for a run that could not start.

    A spider takes part with ``check_arguments(arguments)``, which raises :class:`ArgumentError`, and with
    ``failure``, the exit status and the line of a run that could not start or not go on.
    """

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments while nothing has been logged yet."""
        AddonManager.load_pre_crawler_settings(cast("Settings", self.settings))  # they name formats
        try:
            super().process_options(args, opts)
            self._check(args, opts)
        except (ArgumentError, UsageError) as error:
            self._fail(2, str(error))
            sys.exit(self.exitcode)
        self._stderr = HeldStderr(sys.stderr)
        sys.stderr = cast("TextIO", self._stderr)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider that *args* names."""
        process = cast("AsyncCrawlerProcess", self.crawler_process)
        crawler = self._create_crawler(args[0])
        crawler.signals.connect(self._stderr.release, signals.request_scheduled)
        process.crawl(crawler, **opts.spargs)
        failure: tuple[int, str] | None = None
        try:
            process.start()
            failure = getattr(crawler.spider, "failure", None)
        finally:
            self._stderr.end(drop=failure is not None)
        if failure:
            self._fail(*failure)
        elif process.bootstrap_failed:
            self.exitcode = 1

    def _check(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("expected the name of one spider, such as: scrapy crawl woo")
        spiders = get_spider_loader(cast("Settings", self.settings))
        name, names = args[0], spiders.list()
        if name not in names:
            close = get_close_matches(name, names, n=1)
            hint = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(names)}"
            raise ArgumentError(f"unknown spider {name}: {hint}")
        if check := getattr(spiders.load(name), "check_arguments", None):
            check(opts.spargs)

    def _fail(self, status: int, line: str) -> None:
        sys.stderr.write(f"scrapy crawl: error: {line}\n")
        self.exitcode = status
