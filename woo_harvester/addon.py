"""The add-on: gives other projects these spiders and components, and keeps these from other spiders."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured
from scrapy.signalmanager import SignalManager
from scrapy.utils.misc import load_object

from woo_harvester import settings as project
from woo_harvester.running.default_settings import wrong_values
from woo_harvester.running.ending import close_at_start
from woo_harvester.running.lighter_scrapy import ItemSignals
from woo_harvester.running.log import set_log
from woo_harvester.running.paths import RECORDS_FEED
from woo_harvester.running.setting import add_contact

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

#: The settings of this project that name components, in their order.
COMPONENTS = ("ITEM_PIPELINES", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS")
#: The others that have one component by a name: of a scheme, or of a format.
BY_NAME = ("DOWNLOAD_HANDLERS", "FEED_STORAGES")

#: Settings that the components need. A value in the project's own settings has precedence.
SETTINGS: dict[str, Any] = {
    # Scrapy: none. One file a run in the working folder, so that no run overwrites another's. A run without
    # news leaves no file.
    "FEEDS": {RECORDS_FEED: {"format": "jsonlines", "encoding": "utf8", "store_empty": False}},
    # Scrapy: None. Gives %(run)s: spider and time, as in the folder of the report.
    "FEED_URI_PARAMS": "woo_harvester.extensions.findings.feed_uri_params",
    # scrapy-deltafetch: off. Each run delivers what is new, changed or withdrawn since the last. If it is
    # off, a run delivers all that is listed now.
    "DELTAFETCH_ENABLED": True,
    # Scrapy: False. The harvester obeys the rules of publishers.
    "ROBOTSTXT_OBEY": True,
    # Scrapy: True. Links and refreshes in documents are never followed.
    "METAREFRESH_ENABLED": False,
    # Scrapy: its own. That one makes a line for each item and discards it.
    "LOG_FORMATTER": "woo_harvester.running.lighter_scrapy.QuietLogFormatter",
    # Scrapy: 16. No limit on all hosts together: requests of a slow host wait in its own slot and delay no
    # other host. WOO_HOST_BACKLOG limits the requests of a host.
    "CONCURRENT_REQUESTS": 0,
    # Scrapy: 5,000,000 bytes, of which each response takes 1,024 at least. A sitemap that waits for its
    # documents counts too, so a limit here could block the very documents that it waits for.
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1_000_000_000,
    # Scrapy: 100. One task a response is faster, since items of one response never wait for each other.
    "CONCURRENT_ITEMS": 1,
}

#: The settings of scrapy-deltafetch that have a meaning here.
_DELTAFETCH_SETTINGS = ("DELTAFETCH_ENABLED", "DELTAFETCH_RESET")

_NO_MEANING = (
    "%(name)s has no meaning with woo_harvester.Addon: of scrapy-deltafetch it has %(known)s, and what is "
    "known of pages and documents is in the state (WOO_STATE_URL)"
)
_REPLACED = (
    "SPIDER_MIDDLEWARES names scrapy_deltafetch.DeltaFetch: woo_harvester.Addon uses its own "
    "WooDeltaFetch in that place, which knows no page that the other one has kept"
)


class Addon:
    """An add-on with the spiders and all components: ``ADDONS = {"woo_harvester.Addon": 500}``.

    It sets everything with the priority of an add-on, so that the project's own settings have precedence.
    It changes nothing for a spider that is none of this project's or a subclass of one, and nothing for
    Scrapy's commands that try something out: ``bench``, ``check``, ``fetch``, ``parse`` and ``shell``.
    """

    def __init__(self, crawler: Crawler | None = None) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if _is_tried_out(crawler) or not _is_ours(crawler.spidercls):
            _take_out(crawler.settings)
            raise NotConfigured  # without a reason, which Scrapy would log as a warning
        if type(crawler.signals) is SignalManager:
            # Before anything else takes it. What is connected already stays so: the sender is the same.
            crawler.signals = ItemSignals(crawler.signals.sender)
        return cls(crawler)

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add the spiders and export formats, which commands read before they make a crawler."""
        modules = settings.getlist("SPIDER_MODULES")
        # The priority is that of the project's own list: a lower one would change nothing.
        priority = settings.getpriority("SPIDER_MODULES") or 0
        both = dict.fromkeys([*modules, *project.SPIDER_MODULES])
        settings.set("SPIDER_MODULES", list(both), priority)
        _add_to_dict(settings, "FEED_EXPORTERS")

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components. A component that the project's settings have keeps its place."""
        set_log(settings)
        self._check_values(settings)
        add_contact(settings)
        _report_deltafetch(settings)
        for name in COMPONENTS:
            for path, place in getattr(project, name).items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), place)
        for name in BY_NAME:
            _add_to_dict(settings, name)
        settings.setdict(SETTINGS, "addon")

    def _check_values(self, settings: BaseSettings) -> None:
        """Complete the project's own settings. A wrong value closes the spider as soon as it is opened.

        The components get the default in its place: an exception would be a traceback in the log.
        """
        for setting, problem in wrong_values(settings):
            if self._crawler is None:
                raise ValueError(problem)
            settings.set(setting.name, setting.default, settings.getpriority(setting.name) or 0)
            close_at_start(self._crawler, problem, 2)


def _is_ours(spidercls: type[Spider]) -> bool:
    """Return whether a spider is one of this project, or a subclass of one."""
    from woo_harvester.spiders.base import HarvestSpider  # noqa: PLC0415 -- commands without a spider do without

    return issubclass(spidercls, HarvestSpider)


def _is_tried_out(crawler: Crawler) -> bool:
    """Return whether a command of Scrapy's only tries something out, and should leave nothing behind.

    ``bench`` has a spider of its own, and so have ``fetch`` and ``shell`` by default. ``check``, ``fetch``
    and ``parse`` replace the method ``start`` of the spider. ``shell`` makes its spider later than a crawl
    does.
    """
    made_by = (crawler.spidercls.__module__, getattr(crawler.spidercls.start, "__module__", ""))
    is_of_command = made_by[0].startswith("scrapy.") or made_by[1].startswith("scrapy.commands.")
    return is_of_command or crawler.spider is None


def _report_deltafetch(settings: BaseSettings) -> None:
    """Warn of what the project's settings say to scrapy-deltafetch and what has no meaning here."""
    for name in sorted(name for name in settings if name.startswith("DELTAFETCH_")):
        if name not in _DELTAFETCH_SETTINGS:
            logger.warning(_NO_MEANING, {"name": name, "known": " and ".join(_DELTAFETCH_SETTINGS)})
    paths = "scrapy_deltafetch.DeltaFetch", "woo_harvester.spiders.middlewares.WooDeltaFetch"
    try:
        settings.replace_in_component_priority_dict("SPIDER_MIDDLEWARES", *map(load_object, paths))
    except KeyError:  # it is not there, as in most projects
        return
    logger.warning(_REPLACED)


def _add_to_dict(settings: BaseSettings, name: str) -> None:
    """Add the entries of this project to a setting, except those that the settings have."""
    settings.set(name, {**getattr(project, name), **settings.getdict(name)}, settings.getpriority(name) or 0)


def _take_out(settings: BaseSettings) -> None:
    """Take out what the settings of this project name, for a spider that is none of its own."""
    for name in (*COMPONENTS, *BY_NAME):
        ours = getattr(project, name).items()
        others = {path: place for path, place in settings.getdict(name).items() if (path, place) not in ours}
        settings.set(name, others, settings.getpriority(name) or 0)
