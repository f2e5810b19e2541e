"""Scrapy's feed exporter, extended: it confirms to the state which records are durable."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from inspect import isawaitable
from io import FileIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy.exceptions import CloseSpider
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from woo_harvester.extensions.state import StateKeeper
from woo_harvester.running.causes import cause_of
from woo_harvester.running.components import NO_FEED
from woo_harvester.running.ending import end_run
from woo_harvester.state.delivery import Delivery
from woo_harvester.state.lastline import QuotedCellError, WriterError, end_last_line, open_for_appending
from woo_harvester.state.outputs import ANOTHER_WRITER
from woo_harvester.state.store import StateError

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

#: Formats whose file is valid after each record, so that records are durable before the feed is closed.
IN_LINES = frozenset({"jsonlines", "jsonl", "jl", "csv"})

MOVED = (
    "The last line of %(path)s was truncated, by a kill or a crash: moved its %(size)d bytes to %(aside)s, "
    "so that no record is glued to it"
)

#: Errors of an output or of the state, after which nothing can be confirmed any more.
FATAL = (OSError, StateError, CloseSpider)


@dataclass
class OpenFeed:
    """One open file of a feed."""

    slot: FeedSlot
    path: Path | None
    """The path of a local file; None for remote storage, a pipe or a device."""
    in_lines: bool
    """True if records are durable before the feed is closed."""
    durable: int = 0
    """The number of durable bytes of the local file; the next run removes the rest after a kill."""
    made: bool = False
    """True if the run made the local file, which may then be removed if it gets no record."""
    deliveries: list[Delivery] = field(default_factory=list)
    """The records that were written and are not confirmed yet."""
    lock: FileIO | None = None
    """A second handle of the file; while it is open, the file is locked for other runs."""

    def unlock(self) -> None:
        """Unlock the file for other runs."""
        if self.lock is not None:
            self.lock.close()


class DurableFeedExporter(FeedExporter):
    """The feed exporter that confirms stored records: after fsync of a local file, or on closing a feed.

    A local file of JSON Lines or CSV is flushed and synced every ``WOO_DURABLE_INTERVAL`` seconds, or after
    ``WOO_DURABLE_RECORDS`` records. A feed that cannot be written ends the run. Its unconfirmed records come
    again in the next run.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._feeds: dict[FeedSlot, OpenFeed] = {}
        self._most_unsynced = self.settings.getint("WOO_DURABLE_RECORDS")
        self._unsynced = 0
        self._failed = False
        self._timer = create_looping_call(self._sync)

    def open_spider(self, spider: Spider) -> None:
        """Open the feeds, and count them as outputs for the state."""
        try:
            super().open_spider(spider)
        except Exception as error:  # a wrong URI, or any error in FEED_URI_PARAMS
            end_run(self.crawler, "cannot_start", f"{NO_FEED}: {cause_of(error)}")
            raise CloseSpider("cannot_start") from error
        keeper = self._keeper
        keeper.feeds = len(self.slots)
        keeper.outputs += keeper.feeds
        self._timer.start(self.settings.getfloat("WOO_DURABLE_INTERVAL"), now=False)

    @property
    def overwritten(self) -> list[Path]:
        """The local files that this run replaces and that are not empty; call it before the first item."""
        paths = [_local(slot) for slot in self.slots if getattr(slot.storage, "write_mode", "") == "wb"]
        return [path for path in paths if path is not None and path.is_file() and path.stat().st_size]

    def item_scraped(self, item: Any, spider: Spider, response: Response | None = None) -> None:
        """Write the item to its feeds."""
        if self._failed:
            return  # nothing may follow a record that was written only in part
        try:
            feeds = [self._feed(slot) for slot in self.slots if slot.filter.accepts(item)]
            refusing = len(self.slots) - len(feeds)
            super().item_scraped(item, spider)
            if (delivery := self._keeper.delivery_of(item, response)) is not None:
                for feed in feeds:
                    feed.deliveries.append(delivery)
                for _ in range(refusing):
                    self._keeper.durable([delivery], {})
        except FATAL as error:
            self._fail(error)
            return
        self._unsynced += 1
        if self._unsynced >= self._most_unsynced:
            self._sync()

    async def close_spider(self, spider: Spider) -> None:
        """Sync and close the feeds, unless the run could not start."""
        if self._timer.running:
            self._timer.stop()
        if not self._keeper.is_open:
            return
        self._watch_empty()
        self._sync()
        if self._keeper.is_broken and not self._failed:
            self._fail(StateError("the state is lost"))
        if not self._failed:
            await super().close_spider(spider)

    def _watch_empty(self) -> None:
        """Open the feeds without records now, so that an error in them is handled like any other."""
        if self._failed:
            return
        try:
            for slot in self.slots:
                if slot.store_empty and slot.batch_id == 1:
                    self._feed(slot)
                    slot.start_exporting()  # Scrapy does this later, and only logs an error
        except FATAL as error:
            self._fail(error)

    @cached_property
    def _keeper(self) -> StateKeeper:
        keeper = self.crawler.get_extension(StateKeeper)
        if keeper is None:
            raise RuntimeError("DurableFeedExporter needs the extension StateKeeper")
        return keeper

    def _feed(self, slot: FeedSlot) -> OpenFeed:
        """Return the feed of a slot; register it in the state before its file is opened."""
        if (feed := self._feeds.get(slot)) is None:
            feed = OpenFeed(slot, _local(slot), in_lines=_is_in_lines(slot))
            if feed.path is not None:
                self._prepare(feed, feed.path)
            self._feeds[slot] = feed  # only now, since _prepare() fails if another run writes the file
            self._watch(feed)
        return feed

    def _prepare(self, feed: OpenFeed, path: Path) -> None:
        """Lock a local file, move a truncated last line aside, and store its durable size in the state."""
        self._keeper.lock_output(path)
        feed.made = not os.path.lexists(path)
        try:
            feed.lock = file = open_for_appending(path)
            if getattr(feed.slot.storage, "write_mode", "") == "ab":
                is_csv = feed.slot.format == "csv"
                if feed.in_lines and (aside := end_last_line(file, is_csv=is_csv)):
                    logger.warning(MOVED, {"path": path, "size": aside.size, "aside": aside.path})
                feed.durable = file.seek(0, os.SEEK_END)
        except WriterError as error:
            raise StateError(ANOTHER_WRITER.format(path)) from error
        except QuotedCellError as error:
            raise StateError(str(error)) from error
        self._keeper.open_output(path, feed.durable, made=feed.made)

    def _watch(self, feed: OpenFeed) -> None:
        """Wrap the storage's ``store``, to confirm its records: Scrapy only logs whether it succeeded."""
        store = feed.slot.storage.store

        async def watched(file: IO[bytes]) -> None:
            try:
                if feed.path is not None and feed.in_lines:
                    self._sync_feed(feed, closed=True)
                elif feed.path is not None:
                    file.flush()
                    os.fsync(file.fileno())
                stored: Any = store(file)
                if isinstance(stored, Deferred):
                    await maybe_deferred_to_future(stored)
                elif isawaitable(stored):
                    await stored
                sizes = {} if feed.path is None else {feed.path: feed.path.stat().st_size}
            except Exception as error:
                self._report_failure(error)
                raise
            finally:
                feed.unlock()
            with suppress(CloseSpider):  # the state has already reported it
                self._keeper.durable(feed.deliveries, sizes, closed=True)
            feed.deliveries = []

        feed.slot.storage.store = watched  # type: ignore[method-assign,assignment]  # Scrapy awaits it

    def _sync(self) -> None:
        """Make the records in local files durable. It takes a few milliseconds, once in some seconds."""
        self._unsynced = 0
        try:
            for feed in self._feeds.values():
                if feed.path is not None and feed.in_lines and feed.deliveries and not self._failed:
                    self._sync_feed(feed)
        except FATAL as error:
            self._fail(error)

    def _sync_feed(self, feed: OpenFeed, *, closed: bool = False) -> None:
        file, path = feed.slot.file, feed.path
        if file is None or path is None:
            return
        file.flush()
        os.fsync(file.fileno())
        size = file.tell()
        deliveries, feed.deliveries = feed.deliveries, []
        # Set this before the state commits, because the connection may break just after the commit. If the
        # commit failed, the next run truncates the file to the size in the state.
        feed.durable = size
        self._keeper.durable(deliveries, {path: size}, closed=closed)

    def _fail(self, error: Exception) -> None:
        """End the run, and truncate local files to their last durable record."""
        self._failed = True
        self._report_failure(error)
        for feed in self._feeds.values():
            if feed.path is not None and feed.slot.file is not None:
                with suppress(OSError):  # the disk may be full, and the buffer not empty
                    feed.slot.file.close()
                with suppress(OSError):  # if it fails, the next run does it
                    if feed.made and not feed.durable:
                        feed.path.unlink()
                    else:
                        os.truncate(feed.path, feed.durable)
            feed.unlock()

    def _report_failure(self, error: Exception) -> None:
        line = f"an output could not be written ({error}); what is not in it comes again in the next run"
        self.crawler.stats.inc_value("woo/outputs/failed")
        end_run(self.crawler, "output_failed", line)


def _is_in_lines(slot: FeedSlot) -> bool:
    """Return whether the file of a slot is valid after each record."""
    return slot.format in IN_LINES and "postprocessing" not in slot.feed_options


def _local(slot: FeedSlot) -> Path | None:
    """Return the local file that a slot writes to, if it is a file."""
    if isinstance(slot.storage, FileFeedStorage):
        path = Path(slot.storage.path).absolute()
        if path.is_file() or not path.exists():  # a pipe or a device has no size
            return path
    return None
