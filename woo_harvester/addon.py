"""The add-on: all components of the project, in the order in which they run."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured
from scrapy.signalmanager import SignalManager
from scrapy.utils.misc import load_object

from woo_harvester.running.default_settings import wrong_values
from woo_harvester.running.ending import close_at_start
from woo_harvester.running.lighter_scrapy import ItemSignals
from woo_harvester.running.masking import mask_log
from woo_harvester.running.paths import RECORDS_FEED
from woo_harvester.running.setting import add_contact

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

#: The pipelines, in the order in which items pass: map what was given, fill in defaults, decide the file
#: type, store the document, extract its text.
_ITEM_PIPELINES: dict[str, int | None] = {
    "woo_harvester.pipelines.record.MetadataPipeline": 100,
    "woo_harvester.pipelines.record.DefaultsPipeline": 200,
    "woo_harvester.pipelines.record.FileTypePipeline": 300,
    "woo_harvester.pipelines.store.StorePipeline": 400,
    "woo_harvester.pipelines.text.TextPipeline": 500,
}

#: The downloader middlewares. Three of them replace the middleware of Scrapy that they extend.
_DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "woo_harvester.downloader.middlewares.WooRobotsTxtMiddleware": 100,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "woo_harvester.downloader.middlewares.WooRetryMiddleware": 550,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "woo_harvester.downloader.middlewares.WooRedirectMiddleware": 600,
    # Nearest to the downloader: it processes an error before a retry.
    "woo_harvester.downloader.middlewares.OwnFaultMiddleware": 900,
    # Nearest to the spider: only the last try of a request counts.
    "woo_harvester.downloader.middlewares.FirstRequestsMiddleware": 40,
    # Near to the spider: only responses for the spider count.
    "woo_harvester.downloader.middlewares.BodiesMiddleware": 50,
}

_SPIDER_MIDDLEWARES: dict[str, int | None] = {
    # Nearest to the engine, before all of Scrapy's: what it hands on goes to the pipelines.
    "woo_harvester.spiders.middlewares.CloseResponses": 10,
    # Nearer to the spider than all of Scrapy's: a document of an earlier run passes no other middleware.
    "woo_harvester.spiders.middlewares.WooDeltaFetch": 1050,
}

_EXTENSIONS = {
    # Off: it opens a port on which any user of the machine can run Python in the crawl.
    "scrapy.extensions.telnet.TelnetConsole": None,
    # Off for the same reason; it is on by default.
    "scrapy.extensions.remote_control.RemoteControl": None,
    # Replaced: the project's exporter confirms to the state what is durable. Before the state, which needs
    # it.
    "scrapy.extensions.feedexport.FeedExporter": None,
    "woo_harvester.outputs.feedexport.DurableFeedExporter": 5,
    # Also before the state, which waits for all outputs. It is off unless WOO_ELASTICSEARCH_URL is set.
    "woo_harvester.outputs.elasticsearch.ElasticsearchExporter": 6,
    # Before the findings, which write the statistics after the state has processed everything.
    "woo_harvester.extensions.state.StateKeeper": 10,
    "woo_harvester.extensions.findings.Findings": 20,
    # After the findings, to which it adds errors of the harvester itself.
    "woo_harvester.extensions.own_errors.OwnErrors": 25,
    # Summary and metrics come after the findings, whose files they read.
    "woo_harvester.extensions.summary.Summary": 30,
    "woo_harvester.extensions.metrics.Metrics": 40,
    "woo_harvester.extensions.progress.Progress": 50,
    "woo_harvester.running.lighter_scrapy.RareCollections": 90,
    # After AutoThrottle (0), whose delays it raises to a minimum.
    "woo_harvester.extensions.politeness.Politeness": 100,
    "woo_harvester.extensions.stopping.Stopping": 110,
}

COMPONENTS: dict[str, dict[str, int | None]] = {
    "ITEM_PIPELINES": _ITEM_PIPELINES,
    "DOWNLOADER_MIDDLEWARES": _DOWNLOADER_MIDDLEWARES,
    "SPIDER_MIDDLEWARES": _SPIDER_MIDDLEWARES,
    "EXTENSIONS": _EXTENSIONS,
}

SPIDER_MODULES = ("woo_harvester.spiders", "woo_harvester.permits.spider")

DOWNLOAD_HANDLERS = {
    "https": "woo_harvester.downloader.streaming.StreamingDownloadHandler",
    # Pages of permits are older than https everywhere.
    "http": "woo_harvester.downloader.streaming.StreamingDownloadHandler",
}

#: Exporters by their name in FEEDS and in -o FILE:NAME. GeoJSON is for permits.
_FEED_EXPORTERS = {
    # Scrapy: scrapy.exporters.CsvItemExporter, which is also how items of other spiders are written.
    "csv": "woo_harvester.outputs.exporters.RecordCsvItemExporter",
    "csv-nl": "woo_harvester.outputs.exporters.DutchCsvItemExporter",
    "geojson": "woo_harvester.permits.geojson.GeoJsonItemExporter",
    # Scrapy: scrapy.exporters.JsonLinesItemExporter, which takes ten times as long to write the same bytes.
    **dict.fromkeys(
        ("jl", "jsonl", "jsonlines"), "woo_harvester.outputs.exporters.RecordJsonLinesItemExporter"
    ),
}

#: Storages by the scheme of a feed. A local one has a run write to a file of its own.
_FEED_STORAGES = dict.fromkeys(("", "file"), "woo_harvester.outputs.storage.RecordStorage")

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
    # Scrapy: its own. That one makes a coroutine for each pipeline of each item.
    "ITEM_PROCESSOR": "woo_harvester.running.lighter_scrapy.RecordPipelines",
    # Scrapy: its own. That one checks each use of a statistic for an old argument.
    "STATS_CLASS": "woo_harvester.running.lighter_scrapy.RunStats",
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
        settings.set("SPIDER_MODULES", list(dict.fromkeys([*modules, *SPIDER_MODULES])), priority)
        _add_to_dict(settings, "FEED_EXPORTERS", _FEED_EXPORTERS)

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components. A component that the project's settings have keeps its place."""
        mask_log(settings)
        self._check_values(settings)
        add_contact(settings)
        _report_deltafetch(settings)
        for name, components in COMPONENTS.items():
            for path, place in components.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), place)
        _add_to_dict(settings, "DOWNLOAD_HANDLERS", DOWNLOAD_HANDLERS)
        _add_to_dict(settings, "FEED_STORAGES", _FEED_STORAGES)
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


def _add_to_dict(settings: BaseSettings, name: str, added: dict[str, str]) -> None:
    """Add entries to a setting, except those that the project's settings have."""
    settings.set(name, {**added, **settings.getdict(name)}, settings.getpriority(name) or 0)
