"""Connects a job with the process that started it."""

from __future__ import annotations

import os
import signal
from dataclasses import asdict
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from woo_harvester.extensions.findings import Findings, accounts_of, run_written
from woo_harvester.extensions.progress import REDRAW, listed_before
from woo_harvester.running.job import Job, job_of
from woo_harvester.terminal.figures import read_figures

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class JobMember:
    """The extension of a run with ``--jobs`` that reports the figures of one job, and stops the job."""

    def __init__(self, crawler: Crawler, job: Job) -> None:
        self._crawler = crawler
        self._job = job
        self._loop = create_looping_call(self._send_figures)
        self._expected: dict[str, int] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if (job := job_of(crawler)) is None:
            raise NotConfigured  # an ordinary run
        extension = cls(crawler, job)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        crawler.signals.connect(extension.run_written, run_written)
        return extension

    def spider_opened(self) -> None:
        """Have the findings know what other jobs learn of their hosts."""
        if (findings := self._crawler.get_extension(Findings)) is not None:
            self._job.on_tried = findings.other_host_tried

    def engine_started(self) -> None:
        """Begin to listen, and to send figures."""
        # The second signal is ignored, so it does not matter whether the first has come from elsewhere.
        self._job.on_stop = lambda: os.kill(os.getpid(), signal.SIGTERM)
        self._job.listen()
        self._expected = listed_before(self._crawler)
        self._loop.start(REDRAW, now=False)

    def engine_stopped(self) -> None:
        """Send no more figures but the last."""
        if self._loop.running:
            self._loop.stop()

    def run_written(self) -> None:
        """Send the figures at the end of the run."""
        self._send_figures()

    def _send_figures(self) -> None:
        figures = read_figures(self._crawler, accounts_of(self._crawler), self._expected)
        self._job.send("figures", asdict(figures))
