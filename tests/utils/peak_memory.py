"""The peak memory of a run, for tests of a bound on it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

#: Settings of a run by which this extension is added.
SETTINGS = {"EXTENSIONS": '{"tests.utils.peak_memory.Peak": 1}'}


class Peak:
    """Extension that writes the statistic ``peak``: megabytes of a ``fresh`` run, on Linux only."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_closed(self) -> None:
        """Write the kernel's own figure, since the maximum in getrusage() begins with that of the parent."""
        status = Path("/proc/self/status")
        if status.exists() and (found := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
            self._crawler.stats.set_value("peak", int(found[1]) / 1024)
