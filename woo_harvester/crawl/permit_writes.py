"""Writes the files of entry pages that were read to the state, many in one transaction."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from scrapy import signals
from scrapy.exceptions import CloseSpider

from woo_harvester.state.permits import ReadFile, keep_files

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from woo_harvester.crawl.entry_pages import EntryPageVisit
    from woo_harvester.extensions.state import StateKeeper

#: The most files that wait to be written, their bytes, and the seconds after which the next file does not
#: wait. A killed run requests these files again.
_FILES = 50
_SIZE = 4_000_000
_SECONDS = 1.0


class _Waiting(NamedTuple):
    visit: EntryPageVisit
    read: ReadFile


class PermitWrites:
    """The files that were read and are not in the state yet.

    They are written when there are enough of them, when an entry page has no more files, and when the spider
    is closed.
    """

    def __init__(self, crawler: Crawler, keeper: StateKeeper) -> None:
        self._keeper = keeper
        self._waiting: list[_Waiting] = []
        self._size = 0
        self._since = 0.0
        crawler.signals.connect(self._spider_closed, signals.spider_closed)

    def add(self, visit: EntryPageVisit, read: ReadFile, size: int) -> None:
        """Add a file of *size* bytes. Raises CloseSpider if the state cannot be written."""
        if not self._waiting:
            self._since = monotonic()
        self._waiting.append(_Waiting(visit, read))
        self._size += size
        is_late = monotonic() - self._since > _SECONDS
        if len(self._waiting) >= _FILES or self._size >= _SIZE or is_late:
            self.write()

    def write(self) -> None:
        """Write the files that wait. Raises CloseSpider if the state cannot be written."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if not waiting:
            return
        with self._keeper.begin() as connection:
            numbers = keep_files(connection, [each.read for each in waiting])
        for each, number in zip(waiting, numbers, strict=True):
            each.visit.listed.add(number)

    def _spider_closed(self) -> None:
        with suppress(CloseSpider):  # the run ends already, and says why
            self.write()
