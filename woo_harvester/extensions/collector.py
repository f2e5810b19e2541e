"""Has Python look for garbage less often: there is next to none in cycles, and much that it would look at."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Self

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: Objects made above those given back before Python looks through the youngest ones; its own value is 700 or
#: 2,000, less than a single batch of entries makes.
_THRESHOLD = 50_000


class RareCollections:
    """Leaves what the start has made out of collections, and begins one only after 50,000 new objects.

    Entries, records and requests are given back when the last reference to them goes; looking for cycles
    among them took a fifth of a harvest's time.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls()
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        return extension

    def engine_started(self) -> None:
        """All components are made by now."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(_THRESHOLD, 20, 20)
