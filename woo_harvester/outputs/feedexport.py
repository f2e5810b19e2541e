"""Scrapy's feed exporter, extended: it confirms to the state which records are durable."""

from __future__ import annotations

import logging
from collections import defaultdict
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import CloseSpider, UsageError
from scrapy.extensions.feedexport import FeedExporter, FeedSlot
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.misc import build_from_crawler

from woo_harvester.extensions.findings import run_written
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.outputs.columns import OTHER_COLUMNS
from woo_harvester.outputs.storage import RecordStorage
from woo_harvester.report.run_folder import FINISHED
from woo_harvester.running.causes import cause_of
from woo_harvester.running.ending import end_run
from woo_harvester.running.own_files import refuse_own_file
from woo_harvester.running.paths import NO_FEED
from woo_harvester.running.streams import write_stderr
from woo_harvester.state.deliveries import Delivery
from woo_harvester.state.outputs import bare
from woo_harvester.state.store import StateError

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.exporters import BaseItemExporter
    from scrapy.http import Response

logger = logging.getLogger(__name__)

#: Formats of which two outputs in one file are no file of that format.
_WHOLE = frozenset({"json", "geojson", "xml"})

_NO_APPENDING = (
    "{0} has content, and nothing can be added to a file of {1}: write lines, such as -o {2}.jsonl, or "
    "replace it with -O {0}"
)
_INSIDE_CELL = "{} ends inside a quoted cell: remove its last row, or give the run another file"


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
        self._failed = False
        self._is_stopped = False
        self._lines: list[str] = []
        """What an operator is to know of files that were replaced, or were not."""
        self._timer = create_looping_call(self._sync)

    def open_spider(self, spider: Spider) -> None:
        """Make the feeds, and count them as outputs for the state."""
        try:
            super().open_spider(spider)
        except Exception as error:  # a wrong URI, or any error in FEED_URI_PARAMS
            status = 1 if isinstance(error, OSError) else 2
            end_run(self.crawler, "cannot_start", f"{NO_FEED}: {cause_of(error)}", status)
            raise CloseSpider("cannot_start") from error
        keeper = self._keeper
        keeper.feeds = len(self.slots)
        keeper.check_feeds = self._check_feeds
        keeper.outputs += keeper.feeds
        self._timer.start(self.settings.getfloat("WOO_DURABLE_INTERVAL"), now=False)
        self.crawler.signals.connect(self._write_lines, run_written)  # after the summary, connected by now

    def _check_feeds(self) -> None:
        """Raise UsageError for a wrong option, a file of the harvester, or one that cannot be added to."""
        self._failed = True  # a run that cannot start writes nothing
        arguments = getattr(self.crawler.spider, "arguments", None)
        inputs = [getattr(arguments, name, None) for name in ("register_source", "entries")]
        for slot in self.slots:
            try:
                _exporter(slot, BytesIO())
            except (TypeError, ValueError) as error:
                raise UsageError(f"FEEDS, options of {slot.uri}: {cause_of(error)}") from error
            if isinstance(slot.storage, RecordStorage):
                refuse_own_file(Path(slot.storage.path), self.settings, *inputs)
                if refusal := _refusal(slot, slot.storage):
                    raise UsageError(refusal)
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

    async def close_spider(self, spider: Spider, reason: str = FINISHED) -> None:
        """Close the feeds, unless the run could not start or has failed; *reason* is why the run ends."""
        self._is_stopped = reason != FINISHED
        if self._timer.running:
            self._timer.stop()
        if self._keeper.is_open and not self._keeper.is_broken and not self._failed:
            await super().close_spider(spider)

    @cached_property
    def _keeper(self) -> StateKeeper:
        return StateKeeper.of(self.crawler)

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Close a feed. Scrapy's own method only logs it if the feed cannot be stored."""
        if self._failed or not (slot.itemcount or (slot.store_empty and slot.batch_id == 1)):
            return
        storage, feed = slot.storage, f"{slot.format} feed ({slot.itemcount} items) in: {slot.uri}"
        try:
            slot.start_exporting()
            slot.finish_exporting()
            file: IO[bytes] = self._get_file(slot)
            if isinstance(storage, RecordStorage):
                storage.records, storage.is_stopped = slot.itemcount, self._is_stopped
                if sizes := storage.sync():
                    self._confirm(slot, sizes)
            await ensure_awaitable(storage.store(file))
            self._confirm(slot, {})
            if isinstance(storage, RecordStorage) and storage.line:
                self._lines.append(storage.line)
        except Exception as error:
            logger.error("Error storing %s", feed)  # noqa: TRY400 -- _fail() says why
            self.crawler.stats.inc_value(f"feedexport/failed_count/{type(storage).__name__}")
            self._fail(error)
        else:
            logger.info("Stored %s", feed)
            self.crawler.stats.inc_value(f"feedexport/success_count/{type(storage).__name__}")
        del self._pending[slot]
        await self.crawler.signals.send_catch_log_async(signals.feed_slot_closed, slot=slot)

    def _write_lines(self) -> None:
        """Write what became of files that were to be replaced, below the summary."""
        for line in self._lines:
            logger.info("%s", line)
            if self._is_stopped or self.settings.getbool("WOO_SUMMARY"):
                write_stderr(line)

    def _sync(self) -> None:
        """Make the records in local files durable. It takes a few milliseconds, once in some seconds."""
        self._unsynced = 0
        try:
            for slot, deliveries in self._pending.items():
                storage = slot.storage
                if deliveries and isinstance(storage, RecordStorage) and storage.in_lines:
                    self._confirm(slot, storage.sync())
        except Exception as error:
            self._fail(error)

    def _confirm(self, slot: FeedSlot, sizes: dict[Path, int]) -> None:
        """Have the state note that the records of a feed are stored."""
        deliveries, self._pending[slot] = self._pending[slot], []
        self._keeper.durable(deliveries, sizes)

    def _fail(self, error: Exception) -> None:
        """End the run. Local files end with their last durable record; the next run finishes them."""
        for slot in {*self.slots, *self._pending}:
            if isinstance(slot.storage, RecordStorage):
                slot.storage.abandon()
        if self._failed:
            return
        self._failed = True
        is_line = isinstance(error, CloseSpider | OSError | StateError)
        cause = " ".join(str(error).split()) if is_line else cause_of(error)
        line = f"an output could not be written ({cause}); what is not in it comes again in the next run"
        self.crawler.stats.inc_value("woo/outputs/failed")
        end_run(self.crawler, "output_failed", line)


def _exporter(slot: FeedSlot, file: BytesIO) -> BaseItemExporter:
    """Return an exporter as that of a slot. Raises TypeError or ValueError for a wrong option."""
    options = slot.feed_options
    given = {name: options[name] for name in ("encoding", "indent")} | options["item_export_kwargs"]
    exporter = slot.exporters[slot.format]
    return build_from_crawler(exporter, slot.crawler, file, fields_to_export=options["fields"], **given)


def _refusal(slot: FeedSlot, storage: RecordStorage) -> str | None:
    """Return why nothing can be added to the file of a slot, which has content; None if records can."""
    path = storage.target
    try:
        if storage.replaces or path is None or not path.stat().st_size:
            return None
    except OSError:  # it is not there, or opening it says what is wrong
        return None
    if slot.format in _WHOLE:
        return _NO_APPENDING.format(slot.uri, slot.format, slot.uri.removesuffix(f".{slot.format}"))
    if storage.form.startswith("csv"):
        with path.open("rb") as file:
            exporter = _exporter(slot, header := BytesIO())  # it closes the file when it is freed
            exporter.start_exporting()
            if header.getvalue() and bare(header.getvalue()) != bare(file.readline()):
                return OTHER_COLUMNS.format(path)
            file.seek(0)
            if sum(line.count(b'"') for line in file) % 2:
                return _INSIDE_CELL.format(path)
    return None
