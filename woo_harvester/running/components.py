"""Checks of Scrapy's settings, for values with which a run would fail late or without naming the setting."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.settings import iter_default_settings
from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import load_object

from woo_harvester.arguments import suggestion
from woo_harvester.running.causes import StartError, naming

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
    "STATS_CLASS",
    "TWISTED_DNS_RESOLVER",
    "TWISTED_REACTOR",
)

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
    for name, default in iter_default_settings():
        if type(default) in (int, float) and settings[name] is not None:
            with naming(name):
                settings.getfloat(name)
    _check_logging(settings)


def check_components(settings: BaseSettings) -> None:
    """Load each component that a setting names. Install the reactor first: a component may import it.

    Raises UsageError with the name of the setting, and StartError for feeds.
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
    """Raise StartError for a feed with an unknown format or storage, since Scrapy would use no feed."""
    formats, storages = settings.getwithbase("FEED_EXPORTERS"), settings.getwithbase("FEED_STORAGES")
    for uri, options in settings.getdict("FEEDS").items():
        given = options.get("format")
        if given is not None and formats.get(given) is None:
            meant = suggestion(str(given), list(formats))
            raise StartError(f"{NO_FEED}: unknown format {given!r} of {uri}: {meant}")
        scheme = urlsplit(str(uri)).scheme if "://" in str(uri) else ""
        if scheme and storages.get(scheme) is None:
            raise StartError(f"{NO_FEED}: no storage for {scheme}://, of {uri}")


def _check_logging(settings: BaseSettings) -> None:
    with naming("LOG_LEVEL"):
        logging.NullHandler().setLevel(settings["LOG_LEVEL"])
    with naming("LOG_ENCODING"):
        "".encode(settings["LOG_ENCODING"] or "utf-8")
    line = logging.makeLogRecord({"name": "scrapy", "msg": ""})
    with naming("LOG_FORMAT"):
        logging.Formatter(settings["LOG_FORMAT"]).format(line)
    with naming("LOG_DATEFORMAT"):
        logging.Formatter("%(asctime)s", settings["LOG_DATEFORMAT"]).format(line)
