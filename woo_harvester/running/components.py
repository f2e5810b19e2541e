"""Checks of those values of Scrapy's settings with which a run would wait for ever, or write no records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import UsageError

from woo_harvester.running.causes import naming
from woo_harvester.running.setting import shown
from woo_harvester.utils.program import suggestion

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

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

#: The start of the error for feeds: if Scrapy cannot use one feed, it uses none of them.
NO_FEED = "FEEDS names outputs of which none can be used"


def check_settings(settings: BaseSettings) -> None:
    """Raise UsageError for a value that would fail without a word. The error names the setting."""
    for name, bounds in _BOUNDS.items():
        with naming(name):
            _check_bounds(name, settings[name], settings.getfloat(name), bounds)
    _check_slots(settings)
    _check_feeds(settings)


def _check_feeds(settings: BaseSettings) -> None:
    """Raise UsageError for a feed with a wrong option, since Scrapy would use no feed or fail later."""
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


def _wrong(name: str, expected: str, given: Any) -> UsageError:
    return UsageError(f"{name}: expected {expected}, got {shown(given)}", print_help=False)
