"""The live display at the bottom of a terminal, with the log above it."""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Self, TextIO, cast

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from woo_harvester.extensions import figures as formatting
from woo_harvester.extensions.figures import Figures, read_figures
from woo_harvester.extensions.findings import Findings, accounts_of
from woo_harvester.findings import Severity
from woo_harvester.report.funnel import HarvestKind
from woo_harvester.report.history import History
from woo_harvester.running.streams import write_stderr
from woo_harvester.utils.secrets import masked

if TYPE_CHECKING:
    from rich.console import RenderableType
    from scrapy.crawler import Crawler


_Draw = Callable[[], RenderableType]


class _AboveDisplay:
    """A stream for a log handler, which writes complete lines above the display."""

    def __init__(self, stream: TextIO, console: Console) -> None:
        self.stream = stream
        self._console = console
        self._rest = ""

    def write(self, text: str) -> int:
        """Print the complete lines; the terminal wraps long ones."""
        *lines, self._rest = (self._rest + text).split("\n")
        if lines:
            self._console.print(Text.from_ansi("\n".join(lines)), soft_wrap=True, highlight=False)
        return len(text)

    def flush(self) -> None:
        """Do nothing: only an incomplete line is kept."""


class Screen:
    """The display of all crawls in the process, since they share one terminal.

    Each crawl joins with a function that draws its part, and leaves at its end. The display is removed when
    the last crawl leaves. It has no thread: it is redrawn only by :meth:`refresh`.
    """

    _shared: ClassVar[Screen | None] = None

    def __init__(self, stream: TextIO) -> None:
        self._parts: list[_Draw] = []
        self._console = Console(file=stream, highlight=False)
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,  # the summary takes its place
            get_renderable=lambda: Group(*(draw() for draw in self._parts)),
            # What is printed to the terminal meanwhile is printed on purpose.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._handlers: list[tuple[logging.StreamHandler[TextIO], _AboveDisplay]] = []

    @classmethod
    def join(cls, draw: _Draw, stream: TextIO) -> Screen:
        """Add a part to the display on *stream*, a terminal; make the display if there is none."""
        if cls._shared is None:
            cls._shared = cls(stream)
            cls._shared._start()
        cls._shared._parts.append(draw)
        return cls._shared

    @classmethod
    def write_lines(cls, text: str) -> None:
        """Write lines to stderr, above the display if there is one."""
        if cls._shared is None:
            write_stderr(text)
        else:
            cls._shared._console.print(Text(masked(text)), soft_wrap=True, highlight=False)

    def leave(self, draw: _Draw) -> None:
        """Remove a part; with the last part, remove the display."""
        self._parts.remove(draw)
        self.refresh()
        if not self._parts:
            type(self)._shared = None
            self._stop()

    def refresh(self) -> None:
        """Draw all parts again."""
        self._live.refresh()

    def _start(self) -> None:
        self._live.start()
        # A killed process would leave it hidden.
        self._console.show_cursor(True)
        for handler in logging.root.handlers:
            if isinstance(handler, logging.StreamHandler) and _is_terminal(handler.stream):
                above = _AboveDisplay(handler.stream, self._console)
                handler.setStream(cast("TextIO", above))
                self._handlers.append((handler, above))

    def _stop(self) -> None:
        self._live.stop()
        for handler, above in self._handlers:
            if cast("object", handler.stream) is above:
                handler.setStream(above.stream)


def can_show(stream: TextIO) -> bool:
    """Return whether *stream* is a terminal on which a display can be drawn."""
    return _is_terminal(stream) and Console(file=stream).is_interactive


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and bool(isatty())


#: The period over which the speed is measured, in seconds.
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


def progress_line(now: Figures, per_second: float) -> str:
    """Return the progress of a run as one line; *per_second* is its speed."""
    parts = [formatting.one_line(now), formatting.speed(now, per_second)]
    if now.selected is not None:
        parts = [formatting.hosts(now), *parts, formatting.time_left(now.seconds_left)]
    parts.insert(-1, formatting.counted(now.findings(Severity.ERROR), "error"))
    if now.slowest:
        parts.append(f"slowest: {formatting.slowest(now.slowest)}")
    return f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {now.spider}: {'; '.join(parts)}"


def progress_table(now: Figures, per_second: float) -> RenderableType:
    """Return the progress of a run as a table; *per_second* is its speed."""
    table = Table.grid(padding=(0, 2), expand=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    ahead = formatting.hosts(now) if now.selected is not None else formatting.counted(now.requests, "request")
    left = "ending (Ctrl-C: at once)" if now.is_ending else formatting.time_left(now.seconds_left)
    table.add_row(now.spider, f"{ahead}, {formatting.duration(now.seconds)}, {left}")
    for name, counts in formatting.harvest(now):
        table.add_row(name, counts)
    table.add_row("speed", formatting.speed(now, per_second))
    table.add_row("findings", formatting.findings(now))
    for name, slow in zip(("slowest", "", ""), now.slowest, strict=False):
        table.add_row(name, formatting.slowest([slow]))
    return table


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
    if findings is None or kind not in set(HarvestKind):
        return {}
    try:
        history = History(findings.run_folder.reports.history)
        past = history.before(findings.run_name, HarvestKind(kind), _EARLIER_RUNS)
    except (OSError, ValueError) as error:
        logger.warning("The end of the run cannot be estimated from earlier ones: %s", error)
        return {}
    return {host: then.listed for run in past.runs for host, then in run.hosts.items()}


def uses_stdout(feeds: Iterable[object]) -> bool:
    """Return whether one of the URIs in FEEDS is standard output."""
    return any(str(uri).startswith(("-", "stdout:")) for uri in feeds)
