"""A storage of feeds that fails, and filters, as another project could have them."""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import IO, Any

from scrapy import Spider
from scrapy.extensions.feedexport import ItemFilter
from twisted.internet.defer import Deferred, fail

from woo_harvester.items import WooItem


class BrokenStorage:
    """A storage that cannot store its records; ``broken://later`` fails with a Deferred."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        self._later = uri.endswith("later")

    def open(self, spider: Spider) -> IO[bytes]:
        return TemporaryFile()

    def store(self, file: IO[bytes]) -> Deferred[None] | None:
        file.close()
        error = ConnectionError("the other side hangs up")
        if self._later:
            return fail(error)
        raise error


class OnlyFirst(ItemFilter):
    """A filter that accepts the documents of the first sitemap only."""

    def accepts(self, item: Any) -> bool:
        sitemap = item.record.herkomst.sitemap if isinstance(item, WooItem) else None
        return sitemap is not None and sitemap.endswith("/s0.xml")


class Nothing(ItemFilter):
    """A filter that accepts no document."""

    def accepts(self, item: Any) -> bool:
        return False
