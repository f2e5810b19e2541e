"""The feed exporter of a job: it writes its records to the files that all jobs of a run share."""

from __future__ import annotations

import csv
import logging
import os
from io import BytesIO, FileIO, StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from scrapy.extensions.feedexport import FeedSlot

from woo_harvester.columns import OTHER_COLUMNS
from woo_harvester.extensions.feedexport import FATAL, MOVED, DurableFeedExporter, OpenFeed
from woo_harvester.running.job import FEEDS, Job, SharedFeed, job_of
from woo_harvester.state import shared_file
from woo_harvester.state.lastline import QuotedCellError, WriterError, end_last_line
from woo_harvester.state.outputs import ANOTHER_WRITER
from woo_harvester.state.store import StateError

if TYPE_CHECKING:
    from scrapy import Spider

logger = logging.getLogger(__name__)

#: Bytes beyond the length of the header in which the first row of a CSV file ends.
_BLOCK = 65_536

_NOT_STORED = "{} could not be written: {}"


class _Part:
    """What a job has written of a file: in memory until it is appended, or in a file without a name."""

    def __init__(self, feed: SharedFeed, job: Job) -> None:
        self.feed = feed
        self.buffer: IO[bytes] = BytesIO() if feed.in_lines else feed.parts[job.number - 1]
        self.header = b""
        """What the exporter writes before the first record of a file in lines."""
        self.begin = self.end = self.size = 0
        """The places at which the records of any other file begin and end, and its size."""
        self.target: FileIO | None = None

    def open(self, spider: Spider) -> IO[bytes]:
        """Return the file that the exporter writes to. Scrapy calls this as it does of any storage."""
        return self.buffer

    def store(self, file: IO[bytes]) -> None:
        """Do nothing: the exporter of the job does it. Scrapy calls this at the end of the run."""

    def take(self) -> bytes:
        """Return what was written since the last call."""
        buffer = cast("BytesIO", self.buffer)
        content = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return content


class JobFeedExporter(DurableFeedExporter):
    """The feed exporter of a job.

    Lines are appended to their file in turns, and confirmed after fsync. Any other file is put together by
    the process that started the jobs, from what each job has; then the jobs confirm their records.
    """

    _job: Job
    _parts: dict[FeedSlot, _Part]

    def open_spider(self, spider: Spider) -> None:
        """Open the feeds, and have them write to the files of the run."""
        job = job_of(self.crawler)
        if job is None:
            raise RuntimeError("JobFeedExporter is for the jobs of a run")
        self._job = job
        super().open_spider(spider)
        feeds = {feed.uri: feed for feed in job.plan.feeds}
        self._parts = {slot: _Part(feeds[slot.uri_template], job) for slot in self.slots}
        for slot, part in self._parts.items():
            slot.storage = part

    @property
    def overwritten(self) -> list[Path]:
        """The files that the run replaces and that are not empty; one job of the run names them."""
        if self._job.number > 1:
            return []
        asked = [feed.path for feed in self._job.plan.feeds if feed.options.get("overwrite")]
        return [path for path in asked if path.is_file() and path.stat().st_size]

    def _feed(self, slot: FeedSlot) -> OpenFeed:
        if (feed := self._feeds.get(slot)) is None:
            part = self._parts[slot]
            feed = self._feeds[slot] = OpenFeed(slot, None, in_lines=part.feed.in_lines)
            self._begin(slot, part)
        return feed

    def _begin(self, slot: FeedSlot, part: _Part) -> None:
        """Write what comes before the records, and note where they begin and end."""
        slot.start_exporting()
        if part.feed.in_lines:
            part.header = part.take()
            return
        part.buffer.flush()
        part.begin = part.buffer.tell()
        finish = slot.finish_exporting

        def finish_exporting() -> None:
            part.buffer.flush()
            part.end = part.buffer.tell()
            finish()
            part.buffer.flush()
            part.size = part.buffer.tell()

        slot.finish_exporting = finish_exporting  # type: ignore[method-assign]

    def _sync(self) -> None:
        self._unsynced = 0
        try:
            for feed in self._feeds.values():
                if feed.in_lines and feed.deliveries and not self._failed:
                    self._append(feed)
        except FATAL as error:
            self._fail(error)

    async def close_spider(self, spider: Spider) -> None:
        """Append the last lines, and wait until the other files have been put together."""
        await super().close_spider(spider)
        if not self._keeper.is_open:
            return
        opened = [(slot, feed) for slot, feed in self._feeds.items() if not self._failed]
        try:
            for _, feed in opened:
                if feed.in_lines and feed.slot.store_empty:
                    self._append(feed)  # a file without records too
        except FATAL as error:
            self._fail(error)
            return
        if any(not feed.in_lines for feed in self._job.plan.feeds):
            await self._have_joined([(self._parts[slot], feed) for slot, feed in opened if not feed.in_lines])

    async def _have_joined(self, opened: list[tuple[_Part, OpenFeed]]) -> None:
        """Confirm the records of files that are not in lines, once these are stored."""
        parts = {part.feed.number: [part.begin, part.end, part.size] for part, _ in opened}
        answer: dict[str, str | None] | None = await self._job.wait(FEEDS, parts)
        for part, feed in opened:
            problem = "the run is gone" if answer is None else answer.get(str(part.feed.number))
            if problem is None:
                self._keeper.durable(feed.deliveries, {})
            else:
                self._report_failure(OSError(_NOT_STORED.format(part.feed.path, problem)))
                return

    def _append(self, feed: OpenFeed) -> None:
        """Append the records of this job to the file, durably, and confirm them.

        Raises OSError and StateError.
        """
        part = self._parts[feed.slot]
        shared, turns, keeper = part.feed, self._job.plan.turns, self._keeper
        with turns.turn(shared.number):
            file = self._target(part)
            if turns.is_begun(shared.number):
                size = keeper.output_size(shared.path)
            else:
                size = self._begin_file(part, file)
                keeper.open_output(shared.path, size, made=shared.made)
                turns.begin(shared.number)
            content = part.take()
            size = shared_file.append(file, size, [content if size else part.header + content])
            deliveries, feed.deliveries = feed.deliveries, []
            keeper.durable(deliveries, {shared.path: size})

    def _target(self, part: _Part) -> FileIO:
        """Return the open file, which other runs do not write to meanwhile."""
        if part.target is None:
            try:
                part.target = shared_file.join(part.feed.path)
            except WriterError as error:
                raise StateError(ANOTHER_WRITER.format(part.feed.path)) from error
        return part.target

    def _begin_file(self, part: _Part, file: FileIO) -> int:
        """Empty the file, or end its last line. Return its size. The first job that has a record does so."""
        if part.feed.options.get("overwrite"):
            file.truncate(0)
            return 0
        try:
            aside = end_last_line(file, is_csv=part.feed.options["format"] == "csv")
        except QuotedCellError as error:
            raise StateError(str(error)) from error
        if aside is not None:
            logger.warning(MOVED, {"path": part.feed.path, "size": aside.size, "aside": aside.path})
        size = os.fstat(file.fileno()).st_size
        if size and part.header:
            encoding = part.feed.options["encoding"] or "utf-8"
            # With this handle: to close another one would release the lock.
            found = os.pread(file.fileno(), len(part.header) + _BLOCK, 0)
            if _first_row(found, encoding) != _first_row(part.header, encoding):
                raise StateError(OTHER_COLUMNS.format(part.feed.path))
        return size


def _first_row(content: bytes, encoding: str) -> list[str]:
    text = content.decode(encoding, errors="replace").removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    return next(csv.reader(StringIO(text, newline="")), [])
