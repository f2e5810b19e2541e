"""The storage of feeds in local files, in the place of Scrapy's: a run writes to a file of its own."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from errno import EACCES
from io import BufferedRandom, BufferedWriter
from pathlib import Path
from time import time_ns
from typing import IO, TYPE_CHECKING, Any, Self

from scrapy.extensions.feedexport import FileFeedStorage

from woo_harvester.extensions.findings import feed_uri_params
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.running.folder_log import warn_always
from woo_harvester.state.outputs import UNFINISHED, Outputs, locked, make_own, replace, sync
from woo_harvester.utils.atomic import is_replaceable
from woo_harvester.utils.program import counted

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

#: Formats whose file is valid after each record, so that records are durable before the feed is closed.
_IN_LINES = frozenset({"jsonlines", "jsonl", "jl", "csv", "csv-nl"})

_LEFT_BESIDE = "{} is as it was, since the run was stopped: its {} are in {}"


class RecordStorage(FileFeedStorage):
    """A local file of records.

    A file whose name has the name of the run is the run's own, and grows. Any other one stays as it is until
    :meth:`store`: the run writes ``FILE.<run>.unfinished``, which is then added to it, or takes its place. A
    pipe, a device or a standard stream is written to as it is.
    """

    def __init__(self, uri: str, crawler: Crawler, *, feed_options: dict[str, Any]) -> None:
        super().__init__(uri, feed_options=feed_options)
        self._crawler = crawler
        self._own: BufferedWriter | None = None
        self._target: Path | None = None
        self._size = 0
        """How many bytes of the run's own file are durable."""
        self.replaces = self.write_mode == "wb"
        self.in_lines: bool = feed_options["format"] in _IN_LINES and "postprocessing" not in feed_options
        line_ends = "\n\n".encode(feed_options["encoding"] or "utf-8")
        self.form: str = feed_options["format"] if self.in_lines and line_ends.endswith(b"\n\n") else ""
        """The format, if the file has lines of text that end with one byte."""
        self.records = 0
        """How many records the feed has; set before :meth:`store`."""
        self.is_stopped = False
        """True if the run was stopped, so that no file is replaced; set before :meth:`store`."""
        self.line: str | None = None
        """What an operator is to know of a file that was replaced, or was not."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, uri: str, *, feed_options: dict[str, Any]) -> Self:
        return cls(uri, crawler, feed_options=feed_options)

    @property
    def target(self) -> Path | None:
        """The path of the file, through links; None for a pipe, a device or a standard stream."""
        with suppress(OSError):  # it is not there, or opening it says what is wrong
            if not is_replaceable(Path(self.path).stat()):
                return None
        return Path(os.path.realpath(self.path))

    def open(self, spider: Spider) -> IO[bytes]:
        """Make the run's own file. The state knows it before anything is in it."""
        own = target = self.target
        if own is None or target is None:
            self.in_lines = False  # Scrapy's file is written when it is closed
            return super().open(spider)
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), str(target))
        run = feed_uri_params({"time": time_ns()}, spider)["run"]
        if run not in target.name:
            own = target.with_name(f"{target.name}.{run}{UNFINISHED}")
            self._target = target
        self._own = make_own(own)
        self._files.open(own, None if self.replaces else self._target, self.form)
        return self._own

    def sync(self) -> dict[Path, int]:
        """Make durable what was written to the run's own file; return its size by its path."""
        if self._own is None:
            return {}
        self._size = sync(self._own)
        return {Path(str(self._own.name)): self._size}

    def store(self, file: IO[bytes]) -> Deferred[None] | None:
        """Put the run's own file, which is durable, where it belongs."""
        if self._own is not None:
            own = Path(str(self._own.name))
            if self._target is not None and self.replaces:
                self._replace(own, self._target)
            elif self._target is not None and (line := self._files.add(own)):
                warn_always(logger, line)
            self._files.close(own)
        return super().store(file)

    def _replace(self, own: Path, target: Path) -> None:
        """Give the run's own file the name of the old one, unless that has content and is to stay."""
        with locked(target) as old:
            size, records = old.seek(0, os.SEEK_END), counted(self.records, "record")
            self._files.note_end(own, 0)
            if size and not self.records:
                own.unlink()
            elif size and self.is_stopped:
                self.line = _LEFT_BESIDE.format(self.path, records, own)
            else:
                if size:
                    self.line = f"{self.path}: {records}, in the place of {self._count(old)}"
                replace(own, old)

    def _count(self, old: BufferedRandom) -> str:
        """Return how many records a file of JSON Lines has, and of another file how many bytes."""
        if not self.in_lines or self.form.startswith("csv"):
            return f"{old.tell():,} bytes"
        old.seek(0)
        return f"{sum(bool(line.strip()) for line in old):,}"

    def abandon(self) -> None:
        """Close the run's own file where it is durable. The next run puts it where it belongs."""
        if self._own is None or self._own.closed:
            return
        descriptor = os.dup(self._own.fileno())
        with suppress(OSError):  # a full disk
            self._own.close()
        with suppress(OSError):
            os.truncate(descriptor, self._size)
        os.close(descriptor)

    @property
    def _files(self) -> Outputs:
        return StateKeeper.of(self._crawler).files
