"""Feeds of records: their formats, the run's own file, and the confirmation of what is durable in it."""

from __future__ import annotations

import codecs
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedWriter, BytesIO
from os import fsync
from pathlib import Path
from time import time_ns
from typing import IO, TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy.exporters import CsvItemExporter, JsonLinesItemExporter
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.misc import build_from_crawler

from woo_harvester.extensions.findings import feed_uri_params
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.items import RecordItem
from woo_harvester.kinds import Kind
from woo_harvester.outputs.columns import cells, columns_of
from woo_harvester.record import json_line
from woo_harvester.report.csv_file import TextWriter
from woo_harvester.report.run_folder import FINISHED
from woo_harvester.running.causes import StartError, cause_of
from woo_harvester.running.ending import CANNOT_START, end_run
from woo_harvester.running.paths import NO_FEED
from woo_harvester.state.deliveries import Delivery
from woo_harvester.state.outputs import UNFINISHED
from woo_harvester.utils.atomic import is_replaceable, move_to
from woo_harvester.utils.program import counted

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

#: Formats whose file is valid after each record.
_IN_LINES = frozenset({"jsonlines", "jsonl", "jl", "csv", "csv-nl"})

_IN_A_CELL = "%s ends inside a quoted cell: remove its last row, or give the run another file"


class RecordStorage(FileFeedStorage):
    """A local file of records.

    A file whose name has the name of the run is the run's own, and grows. Any other one stays as it is until
    :meth:`store`, which adds ``FILE.<run>.unfinished`` to it, or puts that in its place. A pipe, a device or
    a standard stream is written to as it is.
    """

    def __init__(self, uri: str, *, feed_options: dict[str, Any]) -> None:
        super().__init__(uri, feed_options=feed_options)
        self._target, form = Path(os.path.realpath(self.path)), feed_options["format"]
        self.form: str = form if form in _IN_LINES and "postprocessing" not in feed_options else ""
        """The format of a file with a record a line, else empty."""
        self.own: BufferedWriter | None = None
        """The run's own file while it grows."""
        self._crawler: Crawler

    def check(self) -> None:
        """Raise StartError if the file is CSV to which nothing can be added. Raises OSError."""
        if self.form.startswith("csv") and self.write_mode == "ab" and self._target.is_file():
            with self._target.open("rb") as file:
                if sum(line.count(b'"') for line in file) % 2:
                    raise StartError(_IN_A_CELL % self.path)

    def open(self, spider: Spider) -> IO[bytes]:
        """Make the run's own file. The state knows it before anything is in it."""
        path, run = self._target, feed_uri_params({"time": time_ns()}, spider)["run"]
        if path.exists() and not is_replaceable(path.stat()):
            self.form = ""  # Scrapy's file is written when it is closed
            return super().open(spider)
        self._crawler = spider.crawler
        own = path if run in path.name else path.with_name(f"{path.name}.{run}{UNFINISHED}")
        target = path if own != path and self.write_mode == "ab" else None
        self.own = StateKeeper.of(self._crawler).files.open(own, target, self.form)
        return self.own

    def store(self, file: IO[bytes]) -> None:
        """Put the run's own file, which is durable, where it belongs."""
        super().store(file)
        if self.own is not None:
            keeper, own, self.own = StateKeeper.of(self._crawler), Path(self.own.name), None
            if own != self._target:
                add = keeper.files.add if self.write_mode == "ab" else self._replace
                keeper.lines.extend(add(own))
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
        if not self.form or self.form.startswith("csv"):
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
        """The records that are not confirmed yet, by feed."""
        self._most_pending = crawler.settings.getint("WOO_DURABLE_RECORDS")
        self._failed = False
        self._timer = create_looping_call(self._sync)

    def open_spider(self, spider: Spider) -> None:
        """Make the feeds, and refuse to start if one cannot be used."""
        self._keeper = StateKeeper.of(self.crawler)
        try:
            super().open_spider(spider)
            for slot in self.slots:
                if slot.format.startswith("csv"):  # which reads WOO_CSV_COLUMNS
                    build_from_crawler(self.exporters[slot.format], self.crawler, BytesIO())
                if isinstance(slot.storage, RecordStorage):
                    slot.storage.check()
        except Exception as error:
            is_odd = isinstance(error, KeyError | ValueError)  # a name with a % that is none of Scrapy's
            end_run(self.crawler, CANNOT_START, f"{NO_FEED}: {error}" if is_odd else cause_of(error), 2)
            raise CloseSpider(CANNOT_START) from error
        self._keeper.feeds = len(self.slots)
        self._keeper.outputs += len(self.slots)
        self._timer.start(self.settings.getfloat("WOO_DURABLE_INTERVAL"), now=False)

    def item_scraped(self, item: Any, spider: Spider, response: Response | None = None) -> None:
        """Write the item to its feeds."""
        if self._failed:
            return  # nothing may follow a record that was written only in part
        with self._failing():
            slots = self.slots
            super().item_scraped(item, spider)
            if (delivery := self._keeper.delivery_of(item, response)) is not None:
                for slot in slots:
                    self._pending[slot].append(delivery)
                self._sync(self._most_pending)

    async def close_spider(self, spider: Spider) -> None:
        if self._timer.running:
            self._timer.stop()
        await super().close_spider(spider)

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Close a feed. Scrapy's own method only logs it if the feed cannot be stored."""
        if self._failed or not self._keeper.is_open:
            return
        with self._failing(f"{slot.uri}: "):
            if slot.itemcount or (slot.store_empty and slot.batch_id == 1):
                slot.start_exporting()
                slot.finish_exporting()
                file = self._get_file(slot)
                if getattr(slot.storage, "own", None) is not None:
                    self._confirm(slot)
                await ensure_awaitable(slot.storage.store(file))
            self._confirm(slot)
        await self.crawler.signals.send_catch_log_async(signals.feed_slot_closed, slot=slot)

    def _sync(self, least: int = 1) -> None:
        """Make the records in local files durable, if *least* are not. That takes a few milliseconds."""
        for slot, pending in list(self._pending.items()):
            if len(pending) >= least and getattr(slot.storage, "form", False):
                with self._failing(f"{slot.uri}: "):
                    self._confirm(slot)

    def _confirm(self, slot: FeedSlot) -> None:
        """Have the state note that the records of a feed are stored, or durable in the run's own file."""
        if (own := getattr(slot.storage, "own", None)) is not None:
            own.flush()
            fsync(own.fileno())
        self._keeper.durable(self._pending.pop(slot, []), own)

    @contextmanager
    def _failing(self, where: str = "") -> Iterator[None]:
        """End the run if the block fails. The next run cuts local files to their last durable record."""
        try:
            yield
        except Exception as error:
            self._failed = True
            self._pending.clear()
            self.crawler.stats.inc_value("woo/outputs/failed")
            what = f"an output could not be written ({where}{cause_of(error)})"
            end_run(self.crawler, "output_failed", f"{what}; what is not in it comes again in the next run")


#: Scrapy's options of all exporters, and of its exporter of CSV. Others are the writer's.
_OPTIONS = frozenset({"encoding", "export_empty_fields", "fields_to_export", "indent"})
_CSV_OPTIONS = _OPTIONS | {"errors", "include_headers_line", "join_multivalued"}


class RecordCsvItemExporter(CsvItemExporter):
    """Scrapy's exporter of CSV, with flat columns for records.

    A new file in UTF-8 begins with a byte order mark, without which spreadsheets guess the encoding.
    *kind* is the kind of the records of the spider: without items, the file has the header only. *columns*
    are the names of ``WOO_CSV_COLUMNS``. Items of other spiders are written as Scrapy does. Raises StartError
    for an unknown column.
    """

    delimiter = ","

    def __init__(
        self,
        file: BytesIO,
        *,
        kind: Kind | None = None,
        columns: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        encoding = kwargs.get("encoding") or "utf-8"
        begins = kwargs.get("include_headers_line", True) and file.seekable() and file.tell() == 0
        if kind is not None and begins and codecs.lookup(encoding).name == "utf-8":
            encoding = "utf-8-sig"
        options = {"delimiter": self.delimiter, **kwargs}
        super().__init__(file, **{**options, "encoding": encoding})
        self._kind = kind
        self._chosen = columns
        self._columns: list[str] = []
        of_writer = {name: value for name, value in options.items() if name not in _CSV_OPTIONS}
        self._writer = TextWriter(self.stream, **of_writer)

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: BytesIO, **kwargs: Any) -> Self:
        kind = getattr(crawler.spidercls, "record_kind", None)
        columns = crawler.settings.getlist("WOO_CSV_COLUMNS")
        if kind is not None:
            try:
                columns_of(kind, columns)  # before the run begins
            except ValueError as error:
                raise StartError(str(error)) from error
        return cls(file, kind=kind, columns=columns, **kwargs)

    def start_exporting(self) -> None:
        if self._kind is not None:
            self._begin(self._kind)

    def export_item(self, item: Any) -> None:
        if not isinstance(item, RecordItem):
            super().export_item(item)
            return
        if self._headers_not_written:
            self._begin(item.kind)
        self._writer.writerow(cells(ItemAdapter(item).asdict(), self._columns))

    def _begin(self, kind: Kind) -> None:
        """Write the header."""
        self._headers_not_written = False
        given = self.fields_to_export
        columns = columns_of(kind, () if given else self._chosen)
        self._columns = [columns.get(field, field) for field in given or columns]
        if self.include_headers_line:
            self._writer.writerow(given.values() if isinstance(given, Mapping) else given or columns)


class DutchCsvItemExporter(RecordCsvItemExporter):
    """The exporter of CSV for Excel in Dutch, which splits the lines of a file at semicolons."""

    delimiter = ";"


class RecordJsonLinesItemExporter(JsonLinesItemExporter):
    """Scrapy's exporter of JSON Lines, which takes a tenth of the time for complete records in UTF-8.

    Scrapy asks the adapter for the fields of each item, one after another. A record has them all, in their
    order, and without empty ones. A feed in another encoding or with options of its own, and items of other
    spiders, are written as Scrapy does.
    """

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        is_complete = self.fields_to_export is None and not self.export_empty_fields
        is_utf8 = (self.encoding or "").lower() in ("utf-8", "utf8")
        self._is_usual = is_complete and is_utf8 and kwargs.keys() <= _OPTIONS

    def export_item(self, item: Any) -> None:
        if self._is_usual and isinstance(item, RecordItem):
            self.file.write(json_line(item.record))
        else:
            super().export_item(item)
