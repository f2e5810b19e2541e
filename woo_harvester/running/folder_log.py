"""The log of a run in its folder, and the warnings that an operator always gets."""

from __future__ import annotations

import logging
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.log import get_scrapy_root_handler

from woo_harvester.running.causes import cause_of
from woo_harvester.running.streams import write_stderr

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def warn_always(logger: logging.Logger, line: str) -> None:
    """Log a warning about a file of the user. Write it to stderr if the log leaves out warnings."""
    logger.warning("%s", line)
    handler = get_scrapy_root_handler()
    if isinstance(handler, logging.NullHandler) or (handler is not None and handler.level > logging.WARNING):
        write_stderr(line)


class FolderLog(logging.FileHandler):
    """Writes the log of a run on a terminal to its folder; the terminal gets only errors."""

    def __init__(self, path: Path, crawler: Crawler) -> None:
        super().__init__(path, "w", encoding="utf-8", delay=True, errors="backslashreplace")
        self._crawler = crawler
        self.setLevel(logging.INFO)
        settings = crawler.settings
        self.setFormatter(logging.Formatter(settings["LOG_FORMAT"], settings["LOG_DATEFORMAT"]))
        logging.root.addHandler(self)

    def _open(self) -> TextIOWrapper:
        """Open the file for its owner alone: a log may name what others should not know."""
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        return os.fdopen(descriptor, "w", encoding=self.encoding, errors=self.errors)

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, and count it: Scrapy counts those of the terminal only."""
        if record.levelno < logging.ERROR:
            self._crawler.stats.inc_value(f"log_count/{record.levelname}")
        try:
            super().emit(record)
        except OSError:  # the file cannot be opened
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 -- the name of logging's method
        """Stop writing at the first error of the disk, with one line on stderr."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        write_stderr(f"{self.baseFilename}: {cause_of(error)}: the rest of the log is not kept")
        logging.root.removeHandler(self)
