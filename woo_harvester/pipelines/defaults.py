"""Second pipeline: documented defaults for metadata that the publisher did not give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from woo_harvester.diwoo.defaults import fill_in
from woo_harvester.items import WooItem

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class DefaultsPipeline:
    """The pipeline that fills in publisher, title, informatiecategorie, verantwoordelijke and creatiedatum.

    It counts each default in the statistics, as ``woo/defaults/<field>``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        """Fill in absent metadata."""
        if not isinstance(item, WooItem) or item.source is None:
            return item
        source = item.source
        fill_in(item.record, source.match, source.category, source.lists.organisaties, item.report)
        for path in item.record.herkomst.standaardwaarden:
            self._stats.inc_value(f"woo/defaults/{path}")
        return item
