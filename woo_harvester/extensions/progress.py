"""The progress of a run: one line that is updated on a terminal, and a line now and then elsewhere."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from datetime import datetime
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from woo_harvester.extensions import figures as formatting
from woo_harvester.extensions.figures import Figures, read_figures
from woo_harvester.extensions.findings import accounts_of
from woo_harvester.findings import Severity
from woo_harvester.running.streams import write_stderr

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: Erases the line on which the cursor is, from its beginning.
_ERASE = "\r\x1b[K"

#: Seconds between two updates on a terminal.
_UPDATE = 1.0


def progress_line(now: Figures) -> str:
    """Return the progress of a run as one line; what matters most comes first, since a terminal cuts it."""
    ahead = formatting.hosts(now) if now.selected is not None else formatting.counted(now.requests, "request")
    parts = [
        ahead,
        formatting.duration(now.seconds),
        formatting.counted(now.findings(Severity.ERROR), "error"),
    ]
    if now.is_ending:
        parts.append("ending (Ctrl-C: at once)")
    return f"{now.spider}: {', '.join(parts)}; {formatting.speed(now)}; {formatting.one_line(now)}"


def can_update(stream: object) -> bool:
    """Return whether *stream* is a terminal that can erase a line."""
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def erase_line() -> None:
    """Erase the line of progress, if there is one, before something else is written to the terminal."""
    if can_update(sys.stderr):
        sys.stderr.write(_ERASE)
        sys.stderr.flush()


def _erase_before_records() -> None:
    """Have the log handlers of the terminal erase the line before they write a record."""

    def erase(record: logging.LogRecord) -> bool:
        erase_line()
        return True

    for handler in logging.root.handlers:
        if isinstance(handler, logging.StreamHandler) and can_update(handler.stream):
            handler.addFilter(erase)


class Progress:
    """The extension that shows progress: a line that is updated on a terminal, else lines on stderr.

    Elsewhere it writes a line every ``WOO_PROGRESS_INTERVAL`` seconds, and also if a feed writes records to
    standard output. With 0 it shows nothing.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._loop = create_looping_call(self._show)
        self._updates = self._is_shown = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if crawler.settings.getfloat("WOO_PROGRESS_INTERVAL") <= 0:
            raise NotConfigured  # with a reason, Scrapy would log a warning
        extension = cls(crawler)
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        for end in (signals.spider_closed, signals.engine_stopped):  # a run that does not start has one only
            crawler.signals.connect(extension.stop, end)
        return extension

    def engine_started(self) -> None:
        """Start the timer."""
        settings = self._crawler.settings
        on_stdout = any(str(uri).startswith(("-", "stdout:")) for uri in settings.getdict("FEEDS"))
        self._updates = can_update(sys.stderr) and not on_stdout
        interval = _UPDATE if self._updates else settings.getfloat("WOO_PROGRESS_INTERVAL")
        self._loop.start(interval, now=False)

    def stop(self) -> None:
        """Remove the line, before outputs and the summary write theirs."""
        if self._loop.running:
            self._loop.stop()
        if self._is_shown:
            self._write(_ERASE)
        self._is_shown = False

    def _show(self) -> None:
        """Show the progress, once there was a request: the run may not start."""
        if not self._crawler.stats.get_value("downloader/request_count"):
            return
        line = progress_line(read_figures(self._crawler, accounts_of(self._crawler)))
        if self._updates:
            if not self._is_shown:
                _erase_before_records()
            self._is_shown = True
            self._write(f"{_ERASE}{line[: get_terminal_size().columns - 1]}\r")
        else:
            write_stderr(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {line}")

    @staticmethod
    def _write(text: str) -> None:
        with suppress(OSError):  # the terminal is gone
            sys.stderr.write(text)
            sys.stderr.flush()
