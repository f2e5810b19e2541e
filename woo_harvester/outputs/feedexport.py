"""Scrapy's feed exporter, extended: it confirms to the state which records are durable."""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from inspect import isawaitable
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy.exceptions import CloseSpider, UsageError
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import build_from_crawler
from twisted.internet.defer import Deferred

from woo_harvester.extensions.findings import run_written
from woo_harvester.extensions.progress import Screen
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.report.run_folder import FINISHED
from woo_harvester.running.causes import cause_of
from woo_harvester.running.components import NO_FEED
from woo_harvester.running.ending import end_run
from woo_harvester.running.own_files import refuse_own_file
from woo_harvester.running.startlog import warn_always
from woo_harvester.state.deliveries import Delivery
from woo_harvester.state.lastline import QuotedCellError, WriterError, end_last_line
from woo_harvester.state.outputs import ANOTHER_WRITER, LEFT_UNFINISHED, RecordFile
from woo_harvester.state.store import StateError
from woo_harvester.utils.program import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

#: Formats whose file is valid after each record, so that records are durable before the feed is closed.
IN_LINES = frozenset({"jsonlines", "jsonl", "jl", "csv", "csv-nl"})

MOVED = (
    "The last line of %(path)s was truncated, by a kill or a crash: moved its %(size)d bytes to %(aside)s, "
    "so that no record is glued to it"
)

#: The folders with the open files of a process, and how many links are followed to see that a path is in one.
_DESCRIPTORS = re.compile(r"/proc/\d+(/task/\d+)?/fd")
_MOST_LINKS = 40

#: Formats of which two outputs in one file are no file of that format.
_WHOLE = frozenset({"json", "geojson", "xml"})

_NO_APPENDING = (
    "{0} has content, and nothing can be added to a file of {1}: write lines, such as -o {2}.jsonl, or "
    "replace it with -O {0}"
)

_NO_APPENDING_IN = (
    "{0} has content, and nothing can be added to a file in {1}: set FEED_EXPORT_ENCODING, or the encoding "
    "in FEEDS, to utf-8, or replace the file with -O {0}"
)

_LEFT_BESIDE = "{} is as it was, since the run was stopped: its {} are in {}"

_NOT_UTF_8 = "the name of the output {!r} is not UTF-8: give it another name"


@dataclass
class OpenFeed:
    """One open file of a feed."""

    slot: FeedSlot
    file: RecordFile | None
    """The local file; None for remote storage, a pipe or a device."""
    in_lines: bool
    """True if records are durable before the feed is closed."""
    deliveries: list[Delivery] = field(default_factory=list)
    """The records that were written and are not confirmed yet."""


class DurableFeedExporter(FeedExporter):
    """The feed exporter that confirms stored records: after fsync of a local file, or on closing a feed.

    Records are added to a local file of JSON Lines or CSV, durably, every ``WOO_DURABLE_INTERVAL`` seconds,
    or after ``WOO_DURABLE_RECORDS`` records. A file that replaces another one gets its place when the feed is
    closed. Whatever goes wrong in a feed ends the run. Its unconfirmed records come again in the next run.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._feeds: dict[FeedSlot, OpenFeed] = {}
        self._most_unsynced = self.settings.getint("WOO_DURABLE_RECORDS")
        self._unsynced = 0
        self._failed = False
        self._is_stopped = False
        self._replaced: list[str] = []
        """The lines about files that the run has replaced."""
        self._left_beside: list[str] = []
        """The lines about files that it would have replaced if it had not been stopped."""
        self._timer = create_looping_call(self._sync)

    def open_spider(self, spider: Spider) -> None:
        """Open the feeds, and count them as outputs for the state."""
        try:
            super().open_spider(spider)
            for slot in self.slots:
                _check_options(slot)
            _check_files(self.slots)
            self._refuse_own_files(spider)
        except Exception as error:  # a wrong URI, or any error in FEED_URI_PARAMS
            line = str(error) if isinstance(error, UsageError) else f"{NO_FEED}: {cause_of(error)}"
            end_run(self.crawler, "cannot_start", line, 1 if isinstance(error, OSError) else 2)
            raise CloseSpider("cannot_start") from error
        keeper = self._keeper
        keeper.feeds = len(self.slots)
        keeper.check_feeds = self._refuse_appending
        keeper.outputs += keeper.feeds
        self._timer.start(self.settings.getfloat("WOO_DURABLE_INTERVAL"), now=False)
        self.crawler.signals.connect(self._write_lines, run_written)  # after the summary, connected by now

    def _refuse_own_files(self, spider: Spider) -> None:
        """Raise UsageError if a feed is a file that the harvester reads or keeps."""
        arguments = getattr(spider, "arguments", None)
        inputs = [getattr(arguments, name, None) for name in ("register_source", "entries")]
        for slot in self.slots:
            if isinstance(slot.storage, FileFeedStorage):
                refuse_own_file(Path(slot.storage.path), self.settings, *inputs)

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
        except Exception as error:
            self._fail(error)
            return
        self._unsynced += 1
        if self._unsynced >= self._most_unsynced:
            self._sync()

    def _refuse_appending(self) -> None:
        """Raise UsageError if a feed would add to a file with content that does not allow that."""
        for slot in self.slots:
            refusal = _refusal(slot)
            if refusal is None or getattr(slot.storage, "write_mode", "") == "wb":
                continue
            if _has_content(slot):
                self._failed = True  # what ends the run writes nothing either
                raise UsageError(refusal)

    async def close_spider(self, spider: Spider, reason: str = FINISHED) -> None:
        """Sync and close the feeds, unless the run could not start. A run that was stopped replaces no file.

        *reason* is why the run ends.
        """
        self._is_stopped = reason != FINISHED
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
        except Exception as error:
            self._fail(error)

    @cached_property
    def _keeper(self) -> StateKeeper:
        keeper = self.crawler.get_extension(StateKeeper)
        if keeper is None:
            raise RuntimeError("DurableFeedExporter needs the extension StateKeeper")
        return keeper

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Close a feed. Scrapy leaves out what goes wrong, or only logs it."""
        try:
            await super()._close_slot(slot, spider)
        except Exception as error:
            self._fail_feed(slot, error)

    def _get_file(self, slot: FeedSlot) -> IO[bytes]:  # type: ignore[override]  # Scrapy's is static
        """Return the file of a feed, after postprocessing. Scrapy only logs what goes wrong."""
        try:
            return super()._get_file(slot)
        except Exception as error:
            self._fail_feed(slot, error)
            raise

    def _feed(self, slot: FeedSlot) -> OpenFeed:
        """Return the feed of a slot; register it in the state before its file is opened."""
        if (feed := self._feeds.get(slot)) is None:
            feed = OpenFeed(slot, None, in_lines=_is_in_lines(slot))
            if (path := _local(slot)) is not None:
                try:
                    self._prepare(feed, path)
                except Exception:
                    _abandon(feed)
                    raise
            self._feeds[slot] = feed  # only now, since _prepare() fails if another run writes the file
            self._watch(feed)
        return feed

    def _prepare(self, feed: OpenFeed, path: Path) -> None:
        """Lock a local file, move a truncated last line aside, and store its durable size in the state."""
        try:
            str(path).encode()
        except UnicodeEncodeError as error:
            raise StateError(_NOT_UTF_8.format(str(path))) from error
        self._keeper.lock_output(path)
        replaces = getattr(feed.slot.storage, "write_mode", "") == "wb"
        try:
            feed.file = file = RecordFile(path, replaces=replaces)
            if feed.in_lines and not replaces:
                is_csv = feed.slot.format.startswith("csv")
                if aside := end_last_line(file.target, is_csv=is_csv):
                    warn_always(logger, MOVED % {"path": path, "size": aside.size, "aside": aside.path})
        except WriterError as error:
            raise StateError(ANOTHER_WRITER.format(path)) from error
        except QuotedCellError as error:
            raise StateError(str(error)) from error
        state = self._keeper.open_output(path, path.stat().st_size, made=file.made)
        if replaces:
            self._keeper.lock_output(file.output)
            self._keeper.open_output(file.output, 0, made=True)
        writer = file.open(state, in_steps=feed.in_lines)
        feed.slot.storage.open = lambda spider: writer  # type: ignore[method-assign]

    def _watch(self, feed: OpenFeed) -> None:
        """Wrap the storage's ``store``, to confirm its records: Scrapy only logs whether it succeeded."""
        store = feed.slot.storage.store

        async def watched(file: IO[bytes]) -> None:
            try:
                if feed.file is not None:
                    self._finish(feed, feed.file)
                stored: Any = store(file)
                if isinstance(stored, Deferred):
                    await maybe_deferred_to_future(stored)
                elif isawaitable(stored):
                    await stored
                if feed.file is None:
                    self._confirm(feed, {}, closed=True)
                else:
                    feed.file.close()
            except Exception as error:
                self._fail_feed(feed.slot, error)
                raise

        feed.slot.storage.store = watched  # type: ignore[method-assign,assignment]  # Scrapy awaits it

    def _finish(self, feed: OpenFeed, file: RecordFile) -> None:
        """Make the last records of a local file durable, and put it in its place.

        A file without records does not replace the one that is there.
        """
        sizes = {file.output: file.append()}
        if file.replaces:
            if feed.in_lines:
                self._confirm(feed, sizes)
            self._replace(feed.slot, file)
            sizes[file.path] = file.path.stat().st_size
        self._confirm(feed, sizes, closed=True)
        file.confirmed()

    def _replace(self, slot: FeedSlot, file: RecordFile) -> None:
        """Put a file in its place, unless it has no records, or the run was stopped."""
        records = counted(slot.itemcount, "record")
        if not slot.itemcount and not file.made:
            file.discard()
        elif file.is_empty:
            file.put_in_place()
        elif self._is_stopped:
            self._left_beside.append(_LEFT_BESIDE.format(slot.uri, records, file.output))
        else:
            line = f"{slot.uri}: {records}, in the place of {_held(file.path, slot)}"
            file.put_in_place()
            self._replaced.append(line)

    def _write_lines(self) -> None:
        """Write what became of files that were to be replaced, below the summary."""
        for line in self._replaced:
            logger.info("%s", line)
        for line in self._left_beside:
            logger.warning("%s", line)
        shown = self._replaced if self.settings.getbool("WOO_SUMMARY") else []
        if lines := [*shown, *self._left_beside]:
            Screen.write_lines("\n".join(lines))

    def _sync(self) -> None:
        """Make the records in local files durable. It takes a few milliseconds, once in some seconds."""
        self._unsynced = 0
        try:
            for feed in self._feeds.values():
                if feed.file is not None and feed.in_lines and feed.deliveries and not self._failed:
                    self._confirm(feed, {feed.file.output: feed.file.append()})
                    feed.file.confirmed()
        except Exception as error:
            self._fail(error)

    def _confirm(self, feed: OpenFeed, sizes: dict[Path, int], *, closed: bool = False) -> None:
        """Have the state note that the records of a feed are stored."""
        deliveries, feed.deliveries = feed.deliveries, []
        self._keeper.durable(deliveries, sizes, closed=closed)

    def _fail(self, error: Exception) -> None:
        """End the run. Local files have their last durable record; the next run looks at the rest."""
        if not self._failed:
            self._failed = True
            self._report_failure(error)
            for feed in self._feeds.values():
                _abandon(feed)

    def _fail_feed(self, slot: FeedSlot, error: Exception) -> None:
        """End the run, since one feed could not be closed; the other feeds go on."""
        self._report_failure(error)
        if (feed := self._feeds.get(slot)) is not None:
            _abandon(feed)

    def _report_failure(self, error: Exception) -> None:
        is_line = isinstance(error, CloseSpider | OSError | StateError)
        cause = " ".join(str(error).split()) if is_line else cause_of(error)
        if isinstance(error, UnicodeEncodeError) and error.encoding.lower() not in ("utf-8", "utf8"):
            cause += "; set FEED_EXPORT_ENCODING, or the encoding in FEEDS, to utf-8"
        line = f"an output could not be written ({cause}); what is not in it comes again in the next run"
        self.crawler.stats.inc_value("woo/outputs/failed")
        end_run(self.crawler, "output_failed", line)


def _abandon(feed: OpenFeed) -> None:
    """Close the local file of a feed that failed, and say where its records are if they are beside it."""
    if feed.file is not None and (unfinished := feed.file.abandon()) is not None:
        warn_always(logger, LEFT_UNFINISHED % unfinished)


def _held(path: Path, slot: FeedSlot) -> str:
    """Return how many records the local file of a slot has; its size if they are not in lines."""
    if not _is_in_lines(slot):
        return f"{path.stat().st_size:,} bytes"
    is_csv = slot.format.startswith("csv")
    count, is_quoted = -1 if is_csv else 0, False
    with path.open("rb") as file:
        for line in file:
            is_quoted ^= is_csv and line.count(b'"') % 2 == 1  # a cell may have lines of its own
            count += bool(line.strip()) and not is_quoted
    return str(max(0, count))


def _is_in_lines(slot: FeedSlot) -> bool:
    """Return whether the file of a slot is valid after each record."""
    return slot.format in IN_LINES and "postprocessing" not in slot.feed_options


def _check_options(slot: FeedSlot) -> None:
    """Raise UsageError if the exporter of a slot does not accept the options of its feed."""
    options = slot.feed_options
    given = {name: options[name] for name in ("encoding", "indent")} | options["item_export_kwargs"]
    try:
        exporter = slot.exporters[slot.format]
        build_from_crawler(exporter, slot.crawler, BytesIO(), fields_to_export=options["fields"], **given)
    except (TypeError, ValueError) as error:
        raise UsageError(f"FEEDS, options of {slot.uri}: {cause_of(error)}") from error


def _check_files(slots: Iterable[FeedSlot]) -> None:
    """Raise UsageError if two feeds are one file: their records would be mixed."""
    uris: dict[Path, str] = {}
    for slot in slots:
        try:
            path = _local(slot)
        except OSError:  # opening the file reports it
            continue
        if path is not None and (other := uris.setdefault(path, slot.uri)) != slot.uri:
            raise UsageError(f"FEEDS: {other} and {slot.uri} are the same file")


def _refusal(slot: FeedSlot) -> str | None:
    """Return why nothing can be added to a file of a slot that has content; None if records can."""
    encoding = slot.feed_options["encoding"]
    if slot.format in _WHOLE:
        return _NO_APPENDING.format(slot.uri, slot.format, slot.uri.removesuffix(f".{slot.format}"))
    if slot.format in IN_LINES and not "\n\n".encode(encoding or "utf-8").endswith(b"\n\n"):
        return _NO_APPENDING_IN.format(slot.uri, encoding)
    return None


def _local(slot: FeedSlot) -> Path | None:
    """Return the local file that a slot writes to, through links, if it is a file.

    A pipe or a device has no size, and a descriptor such as ``/dev/stdout`` is somebody else's file.
    """
    storage = slot.storage
    if not isinstance(storage, FileFeedStorage) or type(storage).open is not FileFeedStorage.open:
        return None
    given = Path(storage.path).absolute()
    path = Path(os.path.realpath(given))
    if _is_descriptor(given) or (path.exists() and not path.is_file()):
        return None
    return path


def _has_content(slot: FeedSlot) -> bool:
    """Return whether the local file of a slot has content."""
    try:
        path = _local(slot)
        return path is not None and path.exists() and path.stat().st_size > 0
    except OSError:  # such as a name that is too long: what opens the file reports it
        return False


def _is_descriptor(path: Path) -> bool:
    """Return whether a path leads to an open file of a process."""
    for _ in range(_MOST_LINKS):
        if _DESCRIPTORS.fullmatch(os.path.realpath(path.parent)):
            return True
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return False
