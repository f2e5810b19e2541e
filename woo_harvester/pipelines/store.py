"""Fourth pipeline: the document itself is kept, where FILES_STORE says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from woo_harvester.extensions.stopping import interruptible
from woo_harvester.items import Fetched, WooItem
from woo_harvester.running.ending import RunError, end_run, refuse_start
from woo_harvester.stores.names import path_of
from woo_harvester.stores.opening import open_store
from woo_harvester.stores.store import DocumentStore, StoreError
from woo_harvester.text.extracted import Limits

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings


class StorePipeline:
    """Keeps what was fetched, and names its path in the record; a store that fails ends the run.

    What could not be kept is not delivered, so that the state does not count it as harvested. Counts in the
    statistics ``woo/files/stored`` and their ``woo/files/bytes``, and ``woo/files/present`` for those that
    were there already.
    """

    def __init__(self, crawler: Crawler, store: DocumentStore) -> None:
        self._crawler = crawler
        self.store = store
        self._failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings["FILES_STORE"]:
            raise NotConfigured  # without a reason: Scrapy would warn of what is usual
        try:
            return cls(crawler, open_store(crawler, text_limits(settings)))
        except StoreError as error:
            refuse_start(crawler, str(error), error)

    async def process_item(self, item: Any) -> Any:
        """Keep the document, or raise RunError."""
        if isinstance(item, WooItem) and item.source is not None and item.source.fetched is not None:
            fetched = item.source.fetched
            bestand = item.record.versies[-1].bestanden[0]
            if fetched.sha256 is not None and await self._keep(fetched, fetched.sha256, bestand.mime_type):
                bestand.pad = path_of(fetched.sha256)
                fetched.path = self.store.local_path(fetched.sha256)
        return item

    def close_spider(self) -> None:
        self.store.close()

    async def _keep(self, fetched: Fetched, sha256: str, media_type: str | None) -> bool:
        """Whether the document is in the store; one that was not received now may be from before."""
        if fetched.file is None:
            async with interruptible(self._crawler):
                return await self.store.has(sha256, fetched.size)
        if self._failed:
            raise RunError("the store has failed before")
        try:
            async with interruptible(self._crawler):
                is_new = await self.store.put(sha256, fetched.size, fetched.file, media_type)
        except StoreError as error:
            self._failed = True
            raise fail_store(self._crawler, error) from error
        stats = self._crawler.stats
        stats.inc_value("woo/files/stored" if is_new else "woo/files/present")
        if is_new:
            stats.inc_value("woo/files/bytes", fetched.size or 0)
        return True


def text_limits(settings: BaseSettings) -> Limits:
    """The bounds on reading text, by which a text that is kept is told to be of use too."""
    return Limits(
        timeout=settings.getfloat("WOO_TEXT_TIMEOUT"),
        memory=settings.getint("WOO_TEXT_MEMORY"),
        maxlength=settings.getint("WOO_TEXT_MAXLENGTH"),
        ocr=settings.getbool("WOO_TEXT_OCR"),
    )


def fail_store(crawler: Crawler, error: StoreError) -> RunError:
    """End the run, since what would be delivered is not kept; gives what the pipeline raises."""
    crawler.stats.inc_value("woo/files/failed")
    end_run(crawler, "store_failed", f"{error}; what is not in it comes again in the next run")
    return RunError(str(error))
