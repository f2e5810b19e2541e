"""Shows the progress of a run."""

from __future__ import annotations

import logging
import sys
from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING, Self, cast, get_args

from rich.table import Table
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from woo_harvester.extensions.findings import Findings, accounts_of
from woo_harvester.findings import Severity
from woo_harvester.report.history import History
from woo_harvester.report.losses import HarvestKind
from woo_harvester.running.streams import write_stderr
from woo_harvester.terminal import formatting
from woo_harvester.terminal.figures import Figures, read_figures
from woo_harvester.terminal.screen import Screen, can_show

if TYPE_CHECKING:
    from rich.console import RenderableType
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: The number of earlier runs that the estimate uses: more than one, because runs may be shards.
_EARLIER_RUNS = 4

#: Seconds between two refreshes of a terminal, and the period over which the speed is measured.
REDRAW = 1.0
_SPEED_WINDOW = 30.0


class Speed:
    """The number of documents or requests per second, over the last half minute."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def __call__(self, figures: Figures) -> float:
        """Add the latest figures, and return the speed."""
        self._seen.append((figures.seconds, figures.handled))
        while len(self._seen) > 2 and figures.seconds - self._seen[0][0] > _SPEED_WINDOW:
            self._seen.popleft()
        since, before = self._seen[0] if len(self._seen) > 1 else (0.0, 0)
        passed = figures.seconds - since
        return (figures.handled - before) / passed if passed > 0 else 0.0


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
        self._shows = can_show(self._stream) and not self._uses_stdout()
        self._expected = self._listed_before()
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

    def _listed_before(self) -> dict[str, int]:
        """Return how many documents each host listed in the last few runs, to estimate the end."""
        kind, findings = self._crawler.spidercls.name, self._crawler.get_extension(Findings)
        if findings is None or kind not in get_args(HarvestKind):
            return {}
        try:
            history = History(findings.run_folder.reports.history)
            past = history.before(findings.run_name, cast("HarvestKind", kind), _EARLIER_RUNS)
        except (OSError, ValueError) as error:
            logger.warning("The end of the run cannot be estimated from earlier ones: %s", error)
            return {}
        return {host: then.listed for run in past.runs for host, then in run.hosts.items()}

    def _uses_stdout(self) -> bool:
        return any(str(uri).startswith(("-", "stdout:")) for uri in self._crawler.settings.getdict("FEEDS"))

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
        now = read_figures(self._crawler, accounts_of(self._crawler), self._expected)
        parts = [formatting.one_line(now), formatting.speed(now, self._speed(now))]
        if now.selected is not None:
            parts = [formatting.hosts(now), *parts, formatting.time_left(now.seconds_left)]
        parts.insert(-1, formatting.counted(now.findings(Severity.ERROR), "error"))
        if now.slowest:
            parts.append(f"slowest: {formatting.slowest(now.slowest)}")
        return f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {now.spider}: {'; '.join(parts)}"

    def _draw(self) -> RenderableType:
        now = read_figures(self._crawler, accounts_of(self._crawler), self._expected)
        table = Table.grid(padding=(0, 2), expand=False)
        table.add_column(style="bold", no_wrap=True)
        table.add_column()
        ahead = (
            formatting.hosts(now) if now.selected is not None else formatting.counted(now.requests, "request")
        )
        table.add_row(
            now.spider,
            f"{ahead}, {formatting.duration(now.seconds)}, {formatting.time_left(now.seconds_left)}",
        )
        for name, counts in formatting.harvest(now):
            table.add_row(name, counts)
        table.add_row("speed", formatting.speed(now, self._speed(now)))
        table.add_row("findings", formatting.findings(now))
        for name, slow in zip(("slowest", "", ""), now.slowest, strict=False):
            table.add_row(name, formatting.slowest([slow]))
        return table
