"""``scrapy crawl``, with one clear line and an exit status for a run that cannot start."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError

from woo_harvester.arguments import ArgumentError

if TYPE_CHECKING:
    import argparse

    from scrapy.crawler import AsyncCrawlerProcess, Crawler


class Command(CrawlCommand):
    """Scrapy's own command; exit status 2 for a wrong argument, 1 for a run that could not start.

    A spider takes part with ``check_arguments(arguments)``, which raises :class:`ArgumentError`, and with
    ``failure``, the exit status and the line of a run that could not start or not go on.
    """

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider that *args* names."""
        if len(args) != 1:
            raise UsageError("expected the name of one spider, such as: scrapy crawl woo")
        process = cast("AsyncCrawlerProcess", self.crawler_process)
        try:
            crawler = self._checked_crawler(process, args[0], opts)
        except ArgumentError as error:
            self._fail(2, str(error))
            return
        process.crawl(crawler, **opts.spargs)
        process.start()
        if failure := getattr(crawler.spider, "failure", None):
            self._fail(*failure)
        elif process.bootstrap_failed:
            self.exitcode = 1

    def _checked_crawler(self, process: AsyncCrawlerProcess, name: str, opts: argparse.Namespace) -> Crawler:
        names = process.spider_loader.list()
        if name not in names:
            close = get_close_matches(name, names, n=1)
            hint = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(names)}"
            raise ArgumentError(f"unknown spider {name}: {hint}")
        crawler = self._create_crawler(name)
        if check := getattr(crawler.spidercls, "check_arguments", None):
            check(opts.spargs)
        return crawler

    def _fail(self, status: int, line: str) -> None:
        sys.stderr.write(f"scrapy crawl: error: {line}\n")
        self.exitcode = status
