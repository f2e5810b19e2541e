"""The peer of the harvester: a stock ``SitemapSpider`` with Scrapy's own settings, which visits every loc.

::

    scrapy runspider benchmarks/utils/stock_spider.py -a host=HOST[,HOST...] -O out.jsonl
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scrapy import Request
from scrapy.http import Response
from scrapy.spiders import SitemapSpider
from scrapy_deltafetch import DeltaFetch


class StockSpider(SitemapSpider):
    """A spider that reads robots.txt, follows all its sitemaps, and makes an item of each page."""

    name = "stock"

    def __init__(self, host: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.sitemap_urls = [f"https://{each}/robots.txt" for each in host.split(",")]

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        """Yield one item for the page."""
        yield {"url": response.url, "size": len(response.body)}

    def closed(self, reason: str) -> None:
        """Write the seconds of the crawl to the file in ``ELAPSED``."""
        elapsed = datetime.now(UTC) - self.crawler.stats.get_value("start_time")
        Path(os.environ["ELAPSED"]).write_text(str(elapsed.total_seconds()), encoding="ascii")


class AsyncDeltaFetch(DeltaFetch):  # type: ignore[misc]  # the library has no types
    """The original DeltaFetch, adapted to current Scrapy, with the same look-ups and the same file."""

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Yield the items and requests that are not in the file yet."""
        async for made in result:
            key = self._get_key(made if isinstance(made, Request) else response.request)
            if isinstance(made, Request):
                if key in self.db and self._is_enabled_for_request(made):
                    self.stats.inc_value("deltafetch/skipped")
                    continue
            else:
                self.db[key] = "0"
            yield made
