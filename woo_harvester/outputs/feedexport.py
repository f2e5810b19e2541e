"""Scrapy's feeds with two differences: a run writes to files of its own, and confirms what is durable."""

from __future__ import annotations

import logging
import os
from collections import defaultdict
from io import BufferedWriter, BytesIO
from os import fsync
from pathlib import Path
from time import time_ns
from typing import IO, TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import CloseSpider, UsageError
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.misc import build_from_crawler

from woo_harvester.extensions.findings import feed_uri_params
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.report.run_folder import FINISHED
from woo_harvester.running.causes import cause_of
from woo_harvester.running.ending import CANNOT_START, end_run
from woo_harvester.running.paths import NO_FEED
from woo_harvester.running.streams import warn_always
from woo_harvester.state.deliveries import Delivery
from woo_harvester.state.outputs import UNFINISHED
from woo_harvester.state.store import StateError
from woo_harvester.utils.atomic import is_replaceable, move_to
from woo_harvester.utils.program import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

#: Formats whose file is valid after each record.
_IN_LINES = frozenset({"jsonlines", "jsonl", "jl", "csv", "csv-nl"})
_INSIDE_CELL = "{} ends inside a quoted cell: remove its last row, or give the run another file"


class RecordStorage(FileFeedStorage):
    """A local file of records.

    A file whose name has the name of the run is the run's own, and grows. Any other one stays as it is until
    :meth:`store`: the run writes ``FILE.<run>.unfinished``, which is then added to it, or takes its place. A
    pipe, a device or a standard stream is written to as it is.
    """

    def __init__(self, uri: str, *, feed_options: dict[str, Any]) -> None:
        super().__init__(uri, feed_options=feed_options)
        self._format = feed_options["format"]
        self._target = Path(os.path.realpath(self.path))
        self._own: BufferedWriter | None = None
        self._crawler: Crawler
        self.in_lines = self._format in _IN_LINES and "postprocessing" not in feed_options

    def check(self) -> None:
        """Raise UsageError if the file is CSV to which nothing can be added. Raises OSError."""
        if self.write_mode == "ab" and self._format.startswith("csv") and self._target.is_file():
            with self._target.open("rb") as file:
                if sum(line.count(b'"') for line in file) % 2:
                    raise UsageError(_INSIDE_CELL.format(self.path))

    def open(self, spider: Spider) -> IO[bytes]:
        """Make the run's own file. The state knows it before anything is in it."""
        path, run = self._target, feed_uri_params({"time": time_ns()}, spider)["run"]
        if path.exists() and not is_replaceable(path.stat()):
            self.in_lines = False  # Scrapy's file is written when it is closed
            return super().open(spider)
        self._crawler = spider.crawler
        own = path if run in path.name else path.with_name(f"{path.name}.{run}{UNFINISHED}")
        target = None if own == path or self.write_mode == "wb" else path
        form = self._format if self.in_lines else ""
        self._own = StateKeeper.of(self._crawler).files.open(own, target, form)
        return self._own

    def sync(self) -> dict[Path, int]:
        """Make durable what was written to the run's own file; return its size by its path."""
        if self._own is None:
            return {}
        self._own.flush()
        fsync(self._own.fileno())
        return {Path(self._own.name): self._own.tell()}

    def store(self, file: IO[bytes]) -> None:
        """Put the run's own file, which is durable, where it belongs."""
        super().store(file)
        if self._own is None:
            return
        keeper, own = StateKeeper.of(self._crawler), Path(self._own.name)
        if own != self._target and self.write_mode == "ab":
            for line in keeper.files.add(own):
                warn_always(logger, line)
        elif own != self._target:
            keeper.lines.extend(self._replace(own))
        keeper.files.close(own)

    def _replace(self, own: Path) -> Iterator[str]:
        """Put the run's own file in the place of another one, but not if the run was stopped."""
        if self._target.exists():
            if self._crawler.stats.get_value("finish_reason", FINISHED) != FINISHED:
                where = f"since the run was stopped: its {self._count(own)} are in {own}"
                yield f"{self.path} is as it was, {where}"
                return
            yield f"{self.path}: {self._count(own)}, in the place of {self._count(self._target)}"
        move_to(own, self._target)

    def _count(self, path: Path) -> str:
        """Return how many records a file of JSON Lines has, and of another file how many bytes."""
        if not self.in_lines or self._format.startswith("csv"):
            return f"{path.stat().st_size:,} bytes"
        with path.open("rb") as file:
            return counted(sum(1 for line in file if line.strip()), "record", separator=",")


class DurableFeedExporter(FeedExporter):
    """The feed exporter that confirms stored records: after fsync of a local file, or on closing a feed.

    Records of JSON Lines or CSV in a local file are made durable every ``WOO_DURABLE_INTERVAL`` seconds, or
    after ``WOO_DURABLE_RECORDS`` records. Whatever goes wrong in a feed ends the run. Its unconfirmed records
    come again in the next run.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pending: defaultdict[FeedSlot, list[Delivery]] = defaultdict(list)
        """The records that were written and are not confirmed yet, by feed."""
        self._most_unsynced = self.settings.getint("WOO_DURABLE_RECORDS")
        self._unsynced = 0
        self._failed = True
        """True also before the run has begun: nothing is written then."""
        self._timer = create_looping_call(self._sync)

    @property
    def _keeper(self) -> StateKeeper:
        return StateKeeper.of(self.crawler)

    def open_spider(self, spider: Spider) -> None:
        """Make the feeds, and count them as outputs for the state."""
        try:
            super().open_spider(spider)
        except Exception as error:  # a name with a % that is none of Scrapy's
            end_run(self.crawler, CANNOT_START, f"{NO_FEED}: {cause_of(error)}", 2)
            raise CloseSpider(CANNOT_START) from error
        self._keeper.feeds = len(self.slots)
        self._keeper.outputs += len(self.slots)
        self._keeper.check_feeds = self._check
        self._timer.start(self.settings.getfloat("WOO_DURABLE_INTERVAL"), now=False)

    def _check(self) -> None:
        """Raise UsageError for a wrong WOO_CSV_COLUMNS, or a file that cannot be added to."""
        for slot in self.slots:
            if slot.format.startswith("csv"):
                build_from_crawler(self.exporters[slot.format], self.crawler, BytesIO())
            if isinstance(slot.storage, RecordStorage):
                slot.storage.check()
        self._failed = False

    def item_scraped(self, item: Any, spider: Spider, response: Response | None = None) -> None:
        """Write the item to its feeds."""
        if self._failed:
            return  # nothing may follow a record that was written only in part
        try:
            slots = self.slots
            super().item_scraped(item, spider)
            if (delivery := self._keeper.delivery_of(item, response)) is not None:
                for slot in slots:
                    if slot.filter.accepts(item):
                        self._pending[slot].append(delivery)
                    else:
                        self._keeper.durable([delivery], {})
        except Exception as error:
            self._fail(error)
            return
        self._unsynced += 1
        if self._unsynced >= self._most_unsynced:
            self._sync()

    async def close_spider(self, spider: Spider) -> None:
        """Close the feeds, unless the run could not start or has failed."""
        if self._timer.running:
            self._timer.stop()
        if not self._failed and not self._keeper.is_broken:
            await super().close_spider(spider)

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Close a feed. Scrapy's own method only logs it if the feed cannot be stored."""
        storage = slot.storage
        if self._failed or not (slot.itemcount or (slot.store_empty and slot.batch_id == 1)):
            return
        try:
            slot.start_exporting()
            slot.finish_exporting()
            file = self._get_file(slot)
            if isinstance(storage, RecordStorage):
                self._confirm(slot, storage.sync())
                storage.store(file)
            else:
                await ensure_awaitable(storage.store(file))
                self._confirm(slot, {})
        except Exception as error:
            self._fail(error, "" if isinstance(storage, RecordStorage) else f"{slot.uri}: ")
        del self._pending[slot]
        await self.crawler.signals.send_catch_log_async(signals.feed_slot_closed, slot=slot)

    def _sync(self) -> None:
        """Make the records in local files durable. It takes a few milliseconds, once in some seconds."""
        self._unsynced = 0
        try:
            for slot, deliveries in self._pending.items():
                if deliveries and isinstance(slot.storage, RecordStorage) and slot.storage.in_lines:
                    self._confirm(slot, slot.storage.sync())
        except Exception as error:
            self._fail(error)

    def _confirm(self, slot: FeedSlot, sizes: dict[Path, int]) -> None:
        """Have the state note that the records of a feed are stored."""
        deliveries, self._pending[slot] = self._pending[slot], []
        self._keeper.durable(deliveries, sizes)

    def _fail(self, error: Exception, where: str = "") -> None:
        """End the run. The next run cuts local files to their last durable record."""
        if self._failed:
            return
        self._failed = True
        is_line = isinstance(error, CloseSpider | OSError | StateError)
        cause = " ".join(str(error).split()) if is_line else cause_of(error)
        what = f"an output could not be written ({where}{cause})"
        self.crawler.stats.inc_value("woo/outputs/failed")
        end_run(self.crawler, "output_failed", f"{what}; what is not in it comes again in the next run")
