"""Tells the parts that come last that all files of a run are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy import signals

from woo_harvester.extensions.findings import Findings

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: Sent with ``folder``, when findings, statistics and report have been written, or could not be.
run_written = object()


class Written:
    """Sends ``run_written`` when the folder of a run is complete.

    Handlers of Scrapy's last signal, ``engine_stopped``, run side by side, so that none of them can be sure
    that the report is there. So this one calls that of the findings, in its place.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        return extension

    def engine_started(self) -> None:
        """All extensions are there by now; a project may have switched the findings off."""
        self._findings = self._crawler.get_extension(Findings)
        if self._findings is not None:
            self._crawler.signals.disconnect(self._findings.engine_stopped, signals.engine_stopped)
            self._crawler.signals.connect(self.engine_stopped, signals.engine_stopped)

    async def engine_stopped(self) -> None:
        """Have it written, and tell."""
        if self._findings is not None:
            await self._findings.engine_stopped()
            folder = self._findings.folder
            await self._crawler.signals.send_catch_log_async(signal=run_written, folder=folder)
