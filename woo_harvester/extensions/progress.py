"""Shows the progress of a run."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self, cast, get_args

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from woo_harvester.extensions.findings import Findings, accounts_of
from woo_harvester.report.history import History
from woo_harvester.report.losses import HarvestKind
from woo_harvester.running.streams import write_stderr
from woo_harvester.terminal.figures import Figures, read_figures
from woo_harvester.terminal.progress import Speed, progress_line, progress_table
from woo_harvester.terminal.screen import Screen, can_show

if TYPE_CHECKING:
    from rich.console import RenderableType
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: The number of earlier runs that the estimate uses: more than one, because runs may be shards.
_EARLIER_RUNS = 4

#: Seconds between two refreshes of a terminal.
REDRAW = 1.0


class Progress:
    """The extension that shows progress: live on a terminal, else as lines on stderr.

    A line is written every ``WOO_PROGRESS_INTERVAL`` seconds. It also shows lines if a feed
    writes records to standard output. Turn it off with ``WOO_PROGRESS``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._interval = crawler.settings.getfloat("WOO_PROGRESS_INTERVAL")
        self._speed = Speed()
        self._screen: Screen | None = None
        self._expected: dict[str, int] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.getbool("WOO_PROGRESS"):
            raise NotConfigured  # with a reason, Scrapy would log a warning
        extension = cls(crawler)
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def engine_started(self) -> None:
        """Start the timer; nothing is shown before the first request, since the run may not start."""
        self._stream = sys.stderr
        self._shows = can_show(self._stream) and not uses_stdout(self._crawler.settings.getdict("FEEDS"))
        self._expected = listed_before(self._crawler)
        interval = REDRAW if self._shows else self._interval
        self._loop = create_looping_call(self._show)
        if interval > 0:
            self._loop.start(interval, now=False)

    def engine_stopped(self) -> None:
        """Remove the display."""
        if self._loop.running:
            self._loop.stop()
        if self._screen is not None:
            self._screen.leave(self._draw)

    def _show(self) -> None:
        if not self._crawler.stats.get_value("downloader/request_count"):
            return
        if not self._shows:
            write_stderr(self.line())
        elif self._screen is None:
            self._screen = Screen.join(self._draw, self._stream)
            self._screen.refresh()
        else:
            self._screen.refresh()

    def line(self) -> str:
        """Return the progress as one line."""
        now = self._figures()
        return progress_line(now, self._speed(now))

    def _draw(self) -> RenderableType:
        now = self._figures()
        return progress_table(now, self._speed(now))

    def _figures(self) -> Figures:
        return read_figures(self._crawler, accounts_of(self._crawler), self._expected)


def listed_before(crawler: Crawler) -> dict[str, int]:
    """Return how many documents each host listed in the last few runs, to estimate the end."""
    kind, findings = crawler.spidercls.name, crawler.get_extension(Findings)
    if findings is None or kind not in get_args(HarvestKind):
        return {}
    try:
        history = History(findings.run_folder.reports.history)
        past = history.before(findings.run_name, cast("HarvestKind", kind), _EARLIER_RUNS)
    except (OSError, ValueError) as error:
        logger.warning("The end of the run cannot be estimated from earlier ones: %s", error)
        return {}
    return {host: then.listed for run in past.runs for host, then in run.hosts.items()}


def uses_stdout(feeds: Iterable[object]) -> bool:
    """Return whether one of the URIs in FEEDS is standard output."""
    return any(str(uri).startswith(("-", "stdout:")) for uri in feeds)
