"""A storage of feeds that fails, and filters, as another project could have them."""

from __future__ import annotations

from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, Any

from scrapy import Spider
from scrapy.exporters import JsonLinesItemExporter
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


class BrokenExporter(JsonLinesItemExporter):
    """An exporter with a mistake in one of its methods, *fails_at*."""

    def __init__(self, file: BytesIO, *, fails_at: str, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self._fails_at = fails_at

    def _reach(self, method: str) -> None:
        if method == self._fails_at:
            raise KeyError(f"a mistake of {method}")

    def start_exporting(self) -> None:
        self._reach("start_exporting")

    def export_item(self, item: Any) -> None:
        super().export_item(item)
        self._reach("export_item")

    def finish_exporting(self) -> None:
        self._reach("finish_exporting")


class BrokenPlugin:
    """A plugin of postprocessing that cannot end its file."""

    def __init__(self, file: IO[bytes], feed_options: dict[str, Any]) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        return self._file.write(data)

    def close(self) -> None:
        raise ArithmeticError("a mistake of close")


class OddVersions:
    """A pipeline of another project, after which an item is no record."""

    def process_item(self, item: Any) -> dict[str, Any]:
        return {"id": "a", "document": {}, "versies": [1]}


class OnlyFirst(ItemFilter):
    """A filter that accepts the documents of the first sitemap only."""

    def accepts(self, item: Any) -> bool:
        sitemap = item.record.herkomst.sitemap if isinstance(item, WooItem) else None
        return sitemap is not None and sitemap.endswith("/s0.xml")


class Nothing(ItemFilter):
    """A filter that accepts no document."""

    def accepts(self, item: Any) -> bool:
        return False
