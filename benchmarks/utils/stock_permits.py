"""The peer of the harvester of permits: a stock spider that fetches the messages and validates them.

::

    scrapy runspider benchmarks/utils/stock_permits.py -a entry=URL -O out.jsonl
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lxml import etree
from scrapy import Request, Spider
from scrapy.http import Response

from woo_harvester.permits.schema import compiled_schema


class StockPermitSpider(Spider):
    """A spider that follows the links of an entry page, and makes an item of each message."""

    name = "stock-permits"

    def __init__(self, entry: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [entry]
        self._schema = compiled_schema()

    def parse(self, response: Response) -> Iterator[Request]:
        """Yield a request for each link."""
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse_message)

    def parse_message(self, response: Response) -> Iterator[dict[str, Any]]:
        """Yield whether the message is valid."""
        yield {"url": response.url, "valid": self._schema.validate(etree.fromstring(response.body))}

    def closed(self, reason: str) -> None:
        """Write the seconds of the crawl to the file in ``ELAPSED``."""
        elapsed = datetime.now(UTC) - self.crawler.stats.get_value("start_time")
        Path(os.environ["ELAPSED"]).write_text(str(elapsed.total_seconds()), encoding="ascii")
