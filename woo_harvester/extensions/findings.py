"""Writes the findings of a run as they occur, and its statistics at the end."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO

from scrapy import signals
from scrapy.exceptions import CloseSpider

from woo_harvester.dates import iso_datetime
from woo_harvester.extensions.ending import end_run
from woo_harvester.findings import Finding

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

FAILED = "report_failed"


class Findings:
    """Keeps ``<WOO_REPORT_DIR>/<spider>-<time>/``: ``findings.jsonl`` and ``stats.json``.

    Counts each finding in the statistics by code (``woo/findings/<code>``) and by host
    (``woo/hosts/<host>/<code>``).
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._reports = Path(crawler.settings["WOO_REPORT_DIR"])
        self._file: TextIO | None = None
        self.run_name = f"{crawler.spidercls.name}-{datetime.now().astimezone():%Y-%m-%dT%H-%M-%S.%f}"
        """Spider and time, the same for all that a run writes."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    @property
    def folder(self) -> Path:
        """The folder of this run."""
        return self._reports / self.run_name

    def spider_opened(self) -> None:
        """Make the folder; it is this run's alone."""
        try:
            self.folder.mkdir(parents=True)
            # Line-buffered: a run that is killed has written every finding it made.
            self._file = (self.folder / "findings.jsonl").open("w", encoding="utf-8", buffering=1)
        except OSError as error:
            self._fail(error)
            raise CloseSpider(FAILED) from error

    def report(self, finding: Finding) -> None:
        """Write and count a finding; this is the ``Report`` that the parts of the core are given."""
        if self._file is None:
            raise RuntimeError(f"Finding {finding.code} was made before the spider was opened")
        now = iso_datetime(datetime.now(UTC).replace(microsecond=0))
        line = replace(finding, at=now).as_dict()
        try:
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            self._fail(error)
        stats = self._crawler.stats
        stats.inc_value(f"woo/findings/{finding.code}")
        if finding.host:
            stats.inc_value(f"woo/hosts/{finding.host}/{finding.code}")
        logger.debug("%(code)s %(url)s", {"code": finding.code, "url": finding.url})

    def spider_closed(self, spider: Spider) -> None:
        """Close the findings."""
        if self._file is not None:
            with suppress(OSError):  # what is still in the buffer does not fit either
                self._file.close()

    def engine_stopped(self) -> None:
        """Write the statistics, now that all outputs are closed and the state has learned of them."""
        text = json.dumps(self._crawler.stats.get_stats(), default=_json, indent=2, sort_keys=True)
        try:
            (self.folder / "stats.json").write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            self._fail(error)
        else:
            logger.info("Findings and statistics are in %(folder)s", {"folder": self.folder})

    def _fail(self, error: OSError) -> None:
        end_run(self._crawler, FAILED, f"the report in {self.folder} could not be written: {error}")


def feed_uri_params(params: dict[str, Any], spider: Spider) -> dict[str, Any]:
    """Adds ``%(run)s`` to what a feed's URI may hold: spider and time, unique to a run."""
    findings = spider.crawler.get_extension(Findings)
    return {**params, "run": findings.run_name if findings else f"{spider.name}-{params['time']}"}


def _json(value: Any) -> str:
    return iso_datetime(value) if isinstance(value, datetime) else str(value)
