"""Checks of Scrapy's settings: components that cannot be loaded, and values that fail without a word.

Whatever else Scrapy accepts is accepted, and what it cannot read is named when it reads it
(``causes.wrong_setting``).
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import UsageError
from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import arg_to_iter, load_object

from woo_harvester.running.causes import naming
from woo_harvester.running.setting import shown
from woo_harvester.utils.program import suggestion

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: Settings whose keys are components; the value None turns one off.
_BY_KEY = ("EXTENSIONS", "ITEM_PIPELINES", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES")

#: Settings whose values are components; None turns one off.
_BY_VALUE = ("DOWNLOAD_HANDLERS", "FEED_EXPORTERS", "FEED_STORAGES")

#: Settings that name one component, if they are set.
_ONE = (
    "DOWNLOADER",
    "DUPEFILTER_CLASS",
    "FEED_URI_PARAMS",
    "ITEM_PROCESSOR",
    "LOG_FORMATTER",
    "REQUEST_FINGERPRINTER_CLASS",
    "ROBOTSTXT_PARSER",
    "SCHEDULER",
    "SCHEDULER_DISK_QUEUE",
    "SCHEDULER_MEMORY_QUEUE",
    "SCHEDULER_PRIORITY_QUEUE",
    "SCHEDULER_START_DISK_QUEUE",
    "SCHEDULER_START_MEMORY_QUEUE",
    "STATS_CLASS",
    "TWISTED_DNS_RESOLVER",
    "TWISTED_REACTOR",
)

#: The longest delay between two requests to a host, in seconds: a day. A timer accepts no infinite one.
_LONGEST_DELAY = 86_400
#: The longest time limit, in seconds: what a timer accepts.
_LONGEST_TIME = 2_000_000

#: The smallest and the largest value of the numbers beyond which a run waits for ever or harvests nothing,
#: without a word. Smaller delays than 0 count as 0.
_BOUNDS: dict[str, tuple[float, float]] = {
    "AUTOTHROTTLE_START_DELAY": (-math.inf, _LONGEST_DELAY),
    "CLOSESPIDER_PAGECOUNT_NO_ITEM": (0, math.inf),
    "CLOSESPIDER_TIMEOUT": (0, math.inf),
    "CLOSESPIDER_TIMEOUT_NO_ITEM": (0, math.inf),
    "CONCURRENT_ITEMS": (1, math.inf),
    "CONCURRENT_REQUESTS_PER_DOMAIN": (1, math.inf),
    "DOWNLOAD_DELAY": (-math.inf, _LONGEST_DELAY),
    "DOWNLOAD_DELAY_JITTER": (-math.inf, 100),
    "DOWNLOAD_TIMEOUT": (-math.inf, _LONGEST_TIME),
    "LOGSTATS_INTERVAL": (0, math.inf),
    "MEMUSAGE_CHECK_INTERVAL_SECONDS": (0.001, math.inf),
    "MEMUSAGE_LIMIT_MB": (0, math.inf),
    "REACTOR_THREADPOOL_MAXSIZE": (0, math.inf),
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": (0, math.inf),
    "URLLENGTH_LIMIT": (0, math.inf),
}
#: The same for the parts of a host in DOWNLOAD_SLOTS.
_BOUNDS_OF_SLOT: dict[str, tuple[float, float]] = {
    "concurrency": (1, math.inf),
    "delay": (-math.inf, _LONGEST_DELAY),
    "jitter": _BOUNDS["DOWNLOAD_DELAY_JITTER"],
}

#: The options of a feed that are no text, and what they are expected to be.
_SHAPES: dict[str, tuple[tuple[type, ...], str]] = {
    "indent": ((int, type(None)), "a whole number"),
    "fields": ((list, tuple, Mapping, type(None)), "a JSON list or object"),
    "batch_item_count": ((int, type(None)), "a whole number"),
    "item_classes": ((list, tuple), "a JSON list"),
    "item_export_kwargs": ((Mapping,), "a JSON object"),
    "postprocessing": ((list, tuple), "a JSON list"),
}

#: What ends a header, or begins another one.
_LINE_ENDS = frozenset("\r\n\0")

#: The start of the error for feeds: if Scrapy cannot use one feed, it uses none of them.
NO_FEED = "FEEDS names outputs of which none can be used"


def check_settings(settings: BaseSettings) -> None:
    """Check the settings that a process needs. Raises UsageError with the name of the setting."""
    with naming("ADDONS"):
        for addon in build_component_list(settings.getdict("ADDONS")):
            load_object(addon)
    if loop := settings["ASYNCIO_EVENT_LOOP"]:
        with naming("ASYNCIO_EVENT_LOOP"):
            load_object(loop)
    _check_logging(settings)
    for name, bounds in _BOUNDS.items():
        with naming(name):
            _check_bounds(name, settings[name], settings.getfloat(name), bounds)
    _check_slots(settings)
    _check_headers(settings)


def check_components(settings: BaseSettings) -> None:
    """Load each component that a setting names. Install the reactor first: a component may import it.

    Raises UsageError with the name of the setting.
    """
    for name in _BY_KEY:
        with naming(name):
            for component, place in settings.getdict(name).items():
                if place is not None:
                    load_object(component)
    for name in _BY_VALUE:
        with naming(name):
            for component in settings.getdict(name).values():
                if component is not None:
                    load_object(component)
    for name in _ONE:
        if component := settings[name]:
            with naming(name):
                load_object(component)
    _check_feeds(settings)


def _check_feeds(settings: BaseSettings) -> None:
    """Raise UsageError for a feed with a wrong option, since Scrapy would use no feed or fail later."""
    _check_encoding("FEED_EXPORT_ENCODING", settings["FEED_EXPORT_ENCODING"])
    formats, storages = settings.getwithbase("FEED_EXPORTERS"), settings.getwithbase("FEED_STORAGES")
    for uri, options in _parts(settings, "FEEDS", "its format and other options"):
        if not isinstance(uri, str | PathLike):
            raise _wrong("FEEDS", "a path or a URL", uri)
        for option, (types, expected) in _SHAPES.items():
            if option in options and not isinstance(options[option], types):
                raise _wrong(f"FEEDS, {option} of {uri}", expected, options[option])
        given = options.get("format")
        if given is not None and formats.get(given) is None:
            meant = suggestion(str(given), list(formats))
            raise UsageError(f"{NO_FEED}: unknown format {given!r} of {uri}: {meant}", print_help=False)
        scheme = urlsplit(str(uri)).scheme if "://" in str(uri) else ""
        if scheme and storages.get(scheme) is None:
            raise UsageError(f"{NO_FEED}: no storage for {scheme}://, of {uri}", print_help=False)
        _check_encoding(f"FEEDS, encoding of {uri}", options.get("encoding"))
        with naming(f"FEEDS, {uri}"):
            for option in ("item_filter", "item_classes", "postprocessing"):
                for component in arg_to_iter(options.get(option)):
                    load_object(component)


def _check_slots(settings: BaseSettings) -> None:
    """Raise UsageError for a host in ``DOWNLOAD_SLOTS`` whose requests would wait for ever."""
    for host, options in _parts(settings, "DOWNLOAD_SLOTS", "its concurrency, delay and jitter"):
        for option, bounds in _BOUNDS_OF_SLOT.items():
            if option in options:
                name, value = f"DOWNLOAD_SLOTS, {option} of {host}", options[option]
                if not isinstance(value, int | float):
                    raise _wrong(name, "a number", value)
                _check_bounds(name, value, value, bounds)


def _parts(settings: BaseSettings, name: str, parts: str) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Return the entries of a setting whose values have named parts. Raises UsageError for another shape."""
    with naming(name):
        if not isinstance(settings[name], str | Mapping | None):  # of an empty list Scrapy makes no entries
            raise _wrong(name, "a JSON object", settings[name])
        entries = settings.getdict(name)
    for key, options in entries.items():
        if not isinstance(options, Mapping):
            raise _wrong(f"{name}, {key}", f"a JSON object with {parts}", options)
        yield key, options


def _check_bounds(name: str, given: Any, number: float, bounds: tuple[float, float]) -> None:
    """Raise UsageError for a number that is not within its bounds, or is none."""
    least, most = bounds
    if least <= number <= most:  # never true for NaN
        return
    expected = f"{least} or more" if math.isinf(most) else f"{most:,} or less"
    raise _wrong(name, f"a number, {expected}", given)


def _check_headers(settings: BaseSettings) -> None:
    """Raise UsageError for a text that no header can have, since every request would fail."""
    _check_header("USER_AGENT", settings["USER_AGENT"])
    for header, value in settings.getdict("DEFAULT_REQUEST_HEADERS").items():
        for text in (header, *(value if isinstance(value, list | tuple) else [value])):
            _check_header(f"DEFAULT_REQUEST_HEADERS, {shown(header)}", text)


def _check_header(name: str, text: Any) -> None:
    with naming(name):
        if isinstance(text, str) and text.encode() and not _LINE_ENDS.isdisjoint(text):
            raise _wrong(name, "one line of text", text)


def _wrong(name: str, expected: str, given: Any) -> UsageError:
    return UsageError(f"{name}: expected {expected}, got {shown(given)}", print_help=False)


def _check_encoding(name: str, encoding: Any) -> None:
    with naming(name):
        "".encode(encoding or "utf-8")


def _check_logging(settings: BaseSettings) -> None:
    with naming("LOG_LEVEL"):
        logging.NullHandler().setLevel(settings["LOG_LEVEL"])
    _check_encoding("LOG_ENCODING", settings["LOG_ENCODING"])
    line = logging.makeLogRecord({"name": "scrapy", "msg": ""})
    with naming("LOG_FORMAT"):
        logging.Formatter(settings["LOG_FORMAT"]).format(line)
    with naming("LOG_DATEFORMAT"):
        logging.Formatter("%(asctime)s", settings["LOG_DATEFORMAT"]).format(line)
