"""Warns of a run that would replace the records of earlier runs by what is new since."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from woo_harvester.extensions.feedexport import DurableFeedExporter
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.terminal.screen import Screen

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

logger = logging.getLogger(__name__)

_OVERWRITES = (
    "{path} is overwritten with only what is new since earlier runs, which have delivered {count} of the "
    "same sources. To keep those, stop this run now; then -o {path} adds to the file, and "
    "-s DELTAFETCH_ENABLED=0 delivers all that is listed now"
)


def warn_of_overwriting(
    crawler: Crawler, keeper: StateKeeper, delivered: Callable[[Connection], str | None]
) -> None:
    """Say in the log and on stderr which local files of earlier runs lose records in this run.

    *delivered* returns how much earlier runs have delivered of the sources of this run, such as ``59
    documents``; None for nothing. Files on other machines are not looked at.
    """
    feeds = crawler.get_extension(DurableFeedExporter)
    if feeds is None or keeper.delivers_all or not (paths := feeds.overwritten):
        return
    with keeper.begin() as connection:
        count = delivered(connection)
    if count is None:
        return
    for path in paths:
        line = _OVERWRITES.format(path=_shown(path), count=count)
        logger.warning(line)
        if not _logs_warnings_to_stderr(crawler.settings):
            Screen.write_lines(f"{crawler.spidercls.name}: warning: {line}")


def _shown(path: Path) -> str:
    """Return a path as a user would type it: relative if it is in the working folder."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _logs_warnings_to_stderr(settings: BaseSettings) -> bool:
    level = settings["LOG_LEVEL"]
    number = logging.getLevelName(level) if isinstance(level, str) else int(level)
    return settings.getbool("LOG_ENABLED") and not settings["LOG_FILE"] and number <= logging.WARNING
