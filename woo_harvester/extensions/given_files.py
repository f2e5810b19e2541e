"""The findings of an audit of files: about their paths, and one for each mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy import signals

from woo_harvester.audit.given import shown
from woo_harvester.audit.one_cause import EntryReporter
from woo_harvester.extensions.findings import Findings
from woo_harvester.findings import Finding
from woo_harvester.items import WooItem
from woo_harvester.report.accounts import empty_account
from woo_harvester.report.run_folder import FINISHED

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler


class GivenFilesFindings(Findings):
    """The extension ``Findings`` of an audit of files.

    Hosts and URLs of files get the paths of these. Findings on an entry are checked with the schema when its
    item has left the pipelines.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._given = crawler.spider.on_disk  # type: ignore[union-attr]
        for host in self._given.values():
            account = empty_account(host.name, host.kind)
            account.not_judged += host.not_judged
            self.accounts.add(account, host.host)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = super().from_crawler(crawler)
        crawler.signals.connect(extension.item_done, signals.item_scraped)
        crawler.signals.connect(extension.item_done, signals.item_dropped)
        return extension

    def item_done(self, item: Any) -> None:
        """Send the findings on the entry of an item; the schema does not matter if robots.txt forbids it."""
        if isinstance(item, WooItem) and isinstance(item.report, EntryReporter):
            item.report.finish(is_harvested="robots.verboden" not in item.report.codes)

    def spider_closed(self, spider: Spider, reason: str = FINISHED) -> None:
        """Report the files that nothing leads to, and close the file of findings."""
        if self._file is not None and reason == FINISHED:
            for host in self._given.values():
                for path in host.unnamed():
                    code, action = "bestand.niet-genoemd", "niet gelezen"
                    self.report(Finding(code=code, host=host.host, url=shown(path), action=action))
        super().spider_closed(spider, reason)

    def _as_written(self, finding: Finding) -> Finding:
        host = self._given.get(finding.host or "")
        return finding if host is None else host.as_given(finding)
