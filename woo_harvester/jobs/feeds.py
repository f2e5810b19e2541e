"""The files that the jobs of a run write together: which ones, their locks, and their joining."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FileFeedStorage, apply_uri_params
from scrapy.utils.conf import feed_complete_default_values_from_settings
from scrapy.utils.misc import load_object
from scrapy.utils.python import without_none_values

from woo_harvester.arguments import ArgumentError
from woo_harvester.extensions.feedexport import IN_LINES
from woo_harvester.extensions.findings import feed_uri_params
from woo_harvester.running.causes import cause_of
from woo_harvester.running.job import Plan, SharedFeed
from woo_harvester.state import shared_file
from woo_harvester.state.lastline import WriterError
from woo_harvester.state.locked import LockedState
from woo_harvester.state.outputs import ANOTHER_WRITER, CUT_BACK
from woo_harvester.state.store import StateError

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

#: What stands between the records of two jobs, by format.
_BETWEEN = {"json": b",", "geojson": b",", "xml": b""}

#: Bytes per read of a part.
_BLOCK = 1024 * 1024

_EXPECTED = (
    "--jobs writes to local files as jsonl, csv, json, xml or geojson, each one file a run; {}: "
    "leave --jobs out, or give another output"
)


def shared_feeds(settings: BaseSettings, spider: Spider, run_name: str, jobs: int) -> tuple[SharedFeed, ...]:
    """Return the feeds of a run. Raises ArgumentError for one that jobs cannot write together."""
    params = _uri_params(settings, spider, run_name)
    storages = without_none_values(settings.getwithbase("FEED_STORAGES"))
    found = []
    for number, (given, options) in enumerate(settings.getdict("FEEDS").items()):
        uri = str(given.absolute()) if isinstance(given, Path) else str(given)
        complete = feed_complete_default_values_from_settings(dict(options), settings, uri)
        scheme = uri.partition(":")[0] if ":" in uri else "file"
        if not issubclass(load_object(storages.get(scheme, storages["file"])), FileFeedStorage):
            raise ArgumentError(_EXPECTED.format(f"{uri} is none"))
        name = complete["format"]
        if name not in IN_LINES and name not in _BETWEEN:
            raise ArgumentError(_EXPECTED.format(f"{uri} has the format {name}"))
        for option in ("postprocessing", "batch_item_count"):
            if complete.get(option):
                raise ArgumentError(_EXPECTED.format(f"{uri} has {option}"))
        path = Path(FileFeedStorage(apply_uri_params(uri, params)).path).absolute()
        if path.exists() and not path.is_file():
            raise ArgumentError(_EXPECTED.format(f"{path} is none"))
        found.append(_feed(number, path, complete, jobs))
    if len({feed.path for feed in found}) < len(found):
        raise ArgumentError("FEEDS names one file twice")
    return tuple(found)


def _feed(number: int, path: Path, options: dict[str, Any], jobs: int) -> SharedFeed:
    in_lines = options["format"] in IN_LINES
    parts: list[IO[bytes]] = [] if in_lines else [_nameless() for _ in range(jobs)]
    uri = str(path).replace("%", "%%")  # it is a template to Scrapy
    return SharedFeed(number, uri, path, options, in_lines, not os.path.lexists(path), tuple(parts))


def _nameless() -> IO[bytes]:
    return TemporaryFile()


def _uri_params(settings: BaseSettings, spider: Spider, run_name: str) -> dict[str, Any]:
    """Return the parameters of the names of feeds, as Scrapy's exporter makes them, once for all jobs."""
    now = datetime.now(UTC)
    params = {name: getattr(spider, name) for name in dir(spider) if hasattr(spider, name)}
    params["time"] = now.replace(microsecond=0).isoformat().replace(":", "-")
    params["batch_time"], params["batch_id"] = now.isoformat().replace(":", "-"), 1
    function = settings["FEED_URI_PARAMS"] and load_object(settings["FEED_URI_PARAMS"])
    if function in (None, "", feed_uri_params):
        return {**params, "run": run_name}
    try:
        return function(params, spider) or params
    except Exception as error:
        raise ArgumentError(f"FEED_URI_PARAMS: {cause_of(error)}") from error


def settings_of(feeds: Sequence[SharedFeed], settings: BaseSettings) -> dict[str, dict[str, Any]]:
    """Return the setting FEEDS of a job: the same feeds under the names that they have in this run."""
    given = settings.getdict("FEEDS").values()
    return {feed.uri: dict(options) for feed, options in zip(feeds, given, strict=True)}


class SharedFiles:
    """The files of a run, locked for its jobs. Making it raises StateError."""

    def __init__(self, plan: Plan, state: LockedState) -> None:
        self._feeds = plan.feeds
        self._turns = plan.turns
        self._state = state
        self._files: dict[int, FileIO] = {}
        with state.begin() as connection:  # before the locks, which keep the jobs from doing it
            for path, size in state.cut_back(connection).items():
                logger.warning(CUT_BACK, size, path)
        for feed in plan.feeds:
            state.lock_output(feed.path)
            try:
                self._files[feed.number] = shared_file.reserve(feed.path)
            except WriterError as error:
                raise StateError(ANOTHER_WRITER.format(feed.path)) from error
            except OSError as error:
                raise StateError(f"an output could not be written ({error})") from error
            if feed.made:  # a run that is killed before it has a record leaves no empty file
                self._note(feed, 0)

    @property
    def heartbeat(self) -> float | None:
        """The seconds between two calls of :meth:`beat`; None if no other run waits for it."""
        return self._state.heartbeat

    def beat(self) -> None:
        """Show other runs that this one goes on. Raises StateError."""
        with self._state.begin():
            self._state.beat()

    def join(self, parts: Sequence[tuple[int, Mapping[str, Sequence[int]]]]) -> dict[str, str | None]:
        """Store the feeds that are not in lines. Return for each number what went wrong, or None.

        *parts* has the number of each job, and where in each of its files the records begin and end, with the
        size of that file.
        """
        answer: dict[str, str | None] = {}
        for feed in self._feeds:
            if feed.in_lines:
                continue
            key = str(feed.number)
            own = [(feed.parts[job - 1], given[key]) for job, given in parts if key in given]
            try:
                self._join(feed, own)
                answer[key] = None
            except (OSError, StateError) as error:
                answer[key] = cause_of(error) if isinstance(error, OSError) else str(error)
        return answer

    def _join(self, feed: SharedFeed, parts: Sequence[tuple[IO[bytes], Sequence[int]]]) -> None:
        if not parts:
            return
        file = self._files[feed.number]
        if feed.options.get("overwrite"):
            file.truncate(0)
        size = file.seek(0, os.SEEK_END)
        if not feed.made:
            self._note(feed, size)
        self._close(feed, shared_file.append(file, size, _joined(parts, _between(feed.options))))

    def _note(self, feed: SharedFeed, size: int) -> None:
        with self._state.begin() as connection:
            self._state.open_output(connection, feed.path, size, made=feed.made)

    def _close(self, feed: SharedFeed, size: int) -> None:
        with self._state.begin() as connection:
            self._state.keep_durable(connection, {feed.path: size}, closed=True)

    def close(self) -> None:
        """Note that the run is done with its files; remove those that it made for nothing.

        Raises StateError and OSError.
        """
        for feed in self._feeds:
            file = self._files.pop(feed.number)
            with self._state.begin() as connection:
                size = self._state.output_size(connection, feed.path)
            is_begun = feed.in_lines and self._turns.is_begun(feed.number)
            if is_begun and os.fstat(file.fileno()).st_size > size:
                file.truncate(size)  # a job was killed here
            if feed.made and not size and not is_begun:
                feed.path.unlink(missing_ok=True)
            self._close(feed, size)
            file.close()


def _between(options: Mapping[str, Any]) -> bytes:
    between = _BETWEEN[options["format"]]
    return between + b"\n" if options["format"] == "json" and options["indent"] is not None else between


def _joined(parts: Sequence[tuple[IO[bytes], Sequence[int]]], between: bytes) -> Iterator[bytes]:
    """Yield what the first part has before its records, the records of all, and what it has after them."""
    first, (begin, end, size) = parts[0]
    yield from _blocks(first, 0, begin)
    is_first = True
    for part, (start, stop, _) in parts:
        if stop > start:
            yield b"" if is_first else between
            yield from _blocks(part, start, stop)
            is_first = False
    yield from _blocks(first, end, size)


def _blocks(file: IO[bytes], start: int, end: int) -> Iterator[bytes]:
    while start < end:
        block = os.pread(file.fileno(), min(_BLOCK, end - start), start)
        if not block:
            raise OSError("a part of it is gone")
        start += len(block)
        yield block
