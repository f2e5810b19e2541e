"""Fourth pipeline: the document itself in the store, if FILES_STORE is set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from woo_harvester.extensions.stopping import Interruptible, Stopping
from woo_harvester.items import Fetched, WooItem
from woo_harvester.pipelines.opening import open_store
from woo_harvester.pipelines.stored import DocumentStore, StoreError, StoreSettingError, path_of
from woo_harvester.running.ending import RunError, end_run, refuse_start

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class StorePipeline:
    """The pipeline that stores documents and adds their paths to the records; it ends a run if that fails.

    A document that could not be stored is not delivered, so the state does not count it as harvested. Other
    components use the store through this pipeline, whose methods raise RunError. The statistics are
    ``woo/files/stored`` and ``woo/files/bytes`` for new documents, ``woo/files/present`` for known ones.
    """

    def __init__(self, crawler: Crawler, store: DocumentStore) -> None:
        self._crawler = crawler
        self._store = store
        self._failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings["FILES_STORE"]:
            raise NotConfigured  # without a reason: Scrapy would warn of what is usual
        try:
            return cls(crawler, open_store(crawler))
        except StoreError as error:
            refuse_start(crawler, str(error), error, 2 if isinstance(error, StoreSettingError) else 1)

    @cached_property
    def _stopping(self) -> Stopping | None:
        return self._crawler.get_extension(Stopping)

    async def process_item(self, item: Any) -> Any:
        """Store the document, or raise RunError."""
        if isinstance(item, WooItem) and item.source is not None and item.source.fetched is not None:
            fetched = item.source.fetched
            bestand = item.record.versies[-1].bestanden[0]
            if fetched.sha256 is not None and await self._put(fetched, fetched.sha256, bestand.mime_type):
                bestand.pad = path_of(fetched.sha256)
                fetched.path = self._store.local_path(fetched.sha256)
        return item

    def close_spider(self) -> None:
        self._store.close()

    async def has(self, sha256: str, size: int | None) -> bool:
        """Return whether a document is stored, with *size* bytes if that is known. Raises RunError."""
        with self._ending_run():
            return await self._store.has(sha256, size)

    def has_local(self, sha256: str) -> bool:
        """Return whether a stored document is on this machine, so that its text can be read once more."""
        return self._store.local_path(sha256) is not None

    async def _put(self, fetched: Fetched, sha256: str, media_type: str | None) -> bool:
        """Store a document, and return True. Without its bytes, return whether it was stored before."""
        if fetched.file is None:
            async with Interruptible(self._stopping):
                return await self._store.has(sha256, fetched.size)
        if self._failed:
            raise RunError("the store has failed before")
        try:
            with self._ending_run():
                async with Interruptible(self._stopping):
                    is_new = await self._store.put(sha256, fetched.size, fetched.file, media_type)
        except RunError as error:
            self._failed = isinstance(error.__cause__, StoreError)
            raise
        stats = self._crawler.stats
        stats.inc_value("woo/files/stored" if is_new else "woo/files/present")
        if is_new:
            stats.inc_value("woo/files/bytes", fetched.size or 0)
        return True

    @contextmanager
    def _ending_run(self) -> Iterator[None]:
        """End the run if the store fails, because later documents would not be stored. Raises RunError."""
        try:
            yield
        except StoreError as error:
            self._crawler.stats.inc_value("woo/files/failed")
            line = f"{error}; what is not in it comes again in the next run"
            end_run(self._crawler, "store_failed", line)
            raise RunError(str(error)) from error
