"""The pipeline that judges documents which are not asked for, as far as files on disk show what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import DropItem

from woo_harvester.documents.formats import FormatClaim, from_extension
from woo_harvester.downloader.middlewares import WooRobotsTxtMiddleware
from woo_harvester.items import WooItem
from woo_harvester.pipelines.record import FileTypePipeline
from woo_harvester.sitemaps.robots import FORBIDDEN

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class UnaskedDocumentPipeline(FileTypePipeline):
    """The pipeline of an audit of files in the place of the one that decides the file type.

    It drops documents that robots.txt forbids. If neither the metadata nor the extension names a file type,
    only the server knows it, and the document counts as harvested.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._crawler = crawler

    async def process_item(self, item: Any) -> Any:
        """Add the format to the record, or raise DropItem."""
        if not isinstance(item, WooItem) or item.source is None:
            return item
        loc = item.record.document.weblocatie
        robots = self._crawler.get_downloader_middleware(WooRobotsTxtMiddleware)
        request = Request(loc, meta={"woo_host": item.report.host})
        if robots is not None and not await robots.allows(request):
            item.report("robots.verboden", seen=FORBIDDEN, action="overgeslagen")
            raise DropItem(f"{loc}: robots.verboden", log_level="DEBUG")
        if item.source.given.format is None and from_extension(loc) == FormatClaim():
            return item
        return super().process_item(item)
