"""The peer: a stock ``SitemapSpider`` with Scrapy's own settings, which visits every loc.

    scrapy runspider benchmarks/stock.py -a host=HOST -O out.jsonl
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy.http import Response
from scrapy.spiders import SitemapSpider


class StockSpider(SitemapSpider):
    """Reads robots.txt, follows all its sitemaps and gives an item a page."""

    name = "stock"

    def __init__(self, host: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.sitemap_urls = [f"https://{host}/robots.txt"]

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        """One item a page."""
        yield {"url": response.url, "size": len(response.body)}
