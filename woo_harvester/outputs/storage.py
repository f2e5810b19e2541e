"""The storage of feeds in local files, in the place of Scrapy's: a run writes to a file of its own."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from datetime import UTC, datetime
from errno import EACCES
from io import BufferedWriter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from scrapy.extensions.feedexport import FileFeedStorage

from woo_harvester.extensions.findings import feed_uri_params
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.running.startlog import warn_always
from woo_harvester.state.outputs import UNFINISHED, Outputs, locked, make_own, replace, sync
from woo_harvester.utils.atomic import is_replaceable, sync_folder
from woo_harvester.utils.program import counted

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

#: Formats whose file is valid after each record, so that records are durable before the feed is closed.
IN_LINES = frozenset({"jsonlines", "jsonl", "jl", "csv", "csv-nl"})

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
        self.replaces = self.write_mode == "wb"
        self.form: str = feed_options["format"]
        self.in_lines = self.form in IN_LINES and "postprocessing" not in feed_options
        self.size = 0
        """How many bytes of the run's own file are durable."""
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

    @property
    def own(self) -> Path | None:
        """The path of the run's own file, once it is open."""
        return None if self._own is None else Path(str(self._own.name))

    def open(self, spider: Spider) -> IO[bytes]:
        """Make the run's own file. The state knows it before anything is in it."""
        if (target := self.target) is None:
            return super().open(spider)
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), str(target))
        run = feed_uri_params({"time": datetime.now(UTC).isoformat()}, spider)["run"]
        if run in target.name:
            own = target
        else:
            own = target.with_name(f"{target.name}.{run}{UNFINISHED}")
            self._target = target
        self._own = make_own(own)
        self._files.open(own, None if self.replaces else self._target, self.form if self.in_lines else "")
        return self._own

    def sync(self) -> dict[Path, int]:
        """Make durable what was written to the run's own file; return its size by its path."""
        if self._own is None:
            return {}
        self.size = sync(self._own)
        return {Path(str(self._own.name)): self.size}

    def store(self, file: IO[bytes]) -> Deferred[None] | None:
        """Put the run's own file, which is durable, where it belongs."""
        if (own := self.own) is None:
            return super().store(file)
        if self._target is None:
            self._files.close(own)
        elif self.replaces:
            self._replace(own, self._target, file)
        elif line := self._files.add(own):
            warn_always(logger, line)
        file.close()
        return None

    def _replace(self, own: Path, target: Path, file: IO[bytes]) -> None:
        """Give the run's own file the name of the old one, unless that has content and is to stay."""
        with locked(target) as old:
            found = os.fstat(old.fileno())
            if found.st_size and not self.records:
                own.unlink()
            elif found.st_size and self.is_stopped:
                self.line = _LEFT_BESIDE.format(self.path, counted(self.records, "record"), own)
            else:
                if found.st_size:
                    held = _held(target, self.form) if self.in_lines else f"{found.st_size:,} bytes"
                    self.line = f"{self.path}: {counted(self.records, 'record')}, in the place of {held}"
                replace(file, old)
                sync_folder(target.parent)
        self._files.close(own)

    def abandon(self) -> None:
        """Close the run's own file where it is durable. The next run puts it where it belongs."""
        if self._own is None or self._own.closed:
            return
        descriptor = os.dup(self._own.fileno())
        with suppress(OSError):  # a full disk
            self._own.close()
        with suppress(OSError):
            os.truncate(descriptor, self.size)
        os.close(descriptor)

    @property
    def _files(self) -> Outputs:
        keeper = self._crawler.get_extension(StateKeeper)
        if keeper is None:
            raise RuntimeError("RecordStorage needs the extension StateKeeper")
        return keeper.files


def _held(path: Path, form: str) -> int:
    """Return how many records a file with a record a line has."""
    is_csv = form.startswith("csv")
    count, is_quoted = -1 if is_csv else 0, False
    with path.open("rb") as file:
        for line in file:
            is_quoted ^= is_csv and line.count(b'"') % 2 == 1  # a cell may have lines of its own
            count += bool(line.strip()) and not is_quoted
    return max(0, count)
