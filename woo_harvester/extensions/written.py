"""Tells the parts that come last that all files of a run are there."""

from __future__ import annotations

from woo_harvester.extensions.findings import Findings

#: Sent with ``folder``, when findings, statistics and report have been written, or could not be.
run_written = object()


class WrittenFindings(Findings):
    """Writes what a run leaves in its folder, and then sends ``run_written``.

    Handlers of Scrapy's last signal, ``engine_stopped``, run side by side, so that none of them can be sure
    that the report is there.
    """

    async def engine_stopped(self) -> None:
        await super().engine_stopped()
        await self._crawler.signals.send_catch_log_async(signal=run_written, folder=self.folder)
