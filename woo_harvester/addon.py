"""The add-on: all components of the project, in the order in which they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from woo_harvester.default_settings import complete
from woo_harvester.default_settings.contact import add_contact

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: The pipelines, in the order in which items pass: map what was given, fill in defaults, decide the file
#: type, store the document, extract its text.
_ITEM_PIPELINES: dict[str, int | None] = {
    "woo_harvester.pipelines.metadata.MetadataPipeline": 100,
    "woo_harvester.pipelines.defaults.DefaultsPipeline": 200,
    "woo_harvester.pipelines.filetype.FileTypePipeline": 300,
    "woo_harvester.pipelines.store.StorePipeline": 400,
    "woo_harvester.pipelines.text.TextPipeline": 500,
}

#: The downloader middlewares. Three of them replace the middleware of Scrapy that they extend.
_DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "woo_harvester.downloadermiddlewares.robotstxt.WooRobotsTxtMiddleware": 100,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "woo_harvester.downloadermiddlewares.retry.WooRetryMiddleware": 550,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "woo_harvester.downloadermiddlewares.redirect.WooRedirectMiddleware": 600,
    # Nearest to the downloader: it processes an error before a retry.
    "woo_harvester.downloadermiddlewares.own_fault.OwnFaultMiddleware": 900,
    # Nearest to the spider: only the last try of a request counts.
    "woo_harvester.downloadermiddlewares.first_requests.FirstRequestsMiddleware": 40,
    # Near to the spider: only responses for the spider count.
    "woo_harvester.downloadermiddlewares.bodies.BodiesMiddleware": 50,
}

_SPIDER_MIDDLEWARES: dict[str, int | None] = {
    # Nearest to the engine, before all of Scrapy's: what it hands on goes to the pipelines.
    "woo_harvester.spidermiddlewares.close_responses.CloseResponses": 10,
    # Nearer to the spider than all of Scrapy's: a document of an earlier run passes no other middleware.
    "woo_harvester.spidermiddlewares.deltafetch.WooDeltaFetch": 1050,
}

_EXTENSIONS = {
    # Off: it opens a port on which any user of the machine can run Python in the crawl.
    "scrapy.extensions.telnet.TelnetConsole": None,
    # Off for the same reason; it is on by default.
    "scrapy.extensions.remote_control.RemoteControl": None,
    # Replaced: the project's exporter confirms to the state what is durable. Before the state, which needs
    # it.
    "scrapy.extensions.feedexport.FeedExporter": None,
    "woo_harvester.extensions.feedexport.DurableFeedExporter": 5,
    # Also before the state, which waits for all outputs. It is off unless WOO_ELASTICSEARCH_URL is set.
    "woo_harvester.extensions.elasticsearch.ElasticsearchExporter": 6,
    # Before the findings, which write the statistics after the state has processed everything.
    "woo_harvester.extensions.state.StateKeeper": 10,
    "woo_harvester.extensions.findings.Findings": 20,
    # Summary and metrics come after the findings, whose files they read.
    "woo_harvester.extensions.summary.Summary": 30,
    "woo_harvester.extensions.metrics.Metrics": 40,
    "woo_harvester.extensions.progress.Progress": 50,
    "woo_harvester.extensions.collector.RareCollections": 90,
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

DOWNLOAD_HANDLERS = {
    "https": "woo_harvester.handlers.streaming.StreamingDownloadHandler",
    # Entry pages of permits are older than https everywhere.
    "http": "woo_harvester.handlers.streaming.StreamingDownloadHandler",
}

#: Exporters by their name in FEEDS and in -o FILE:NAME. This one is for permits.
_FEED_EXPORTERS = {"geojson": "woo_harvester.exporters.geojson.GeoJsonItemExporter"}

#: Settings that the components need. A value in the project's own settings has precedence.
SETTINGS: dict[str, Any] = {
    # Scrapy: none. One file a run in the working folder, so that no run overwrites another's.
    "FEEDS": {"records/%(run)s.jsonl": {"format": "jsonlines", "encoding": "utf8"}},
    # Scrapy: None. Gives %(run)s: spider and time, as in the folder of the report.
    "FEED_URI_PARAMS": "woo_harvester.extensions.findings.feed_uri_params",
    # scrapy-deltafetch: off. Each run delivers what is new, changed or withdrawn since the last.
    "DELTAFETCH_ENABLED": True,
    # Scrapy: False. The harvester obeys the rules of publishers.
    "ROBOTSTXT_OBEY": True,
    # Scrapy: True. Links and refreshes in documents are never followed.
    "METAREFRESH_ENABLED": False,
    # Scrapy: its own. That one makes a line for each item and discards it.
    "LOG_FORMATTER": "woo_harvester.logformatter.QuietLogFormatter",
    # Scrapy: 16. No limit on all hosts together: requests of a slow host wait in its own slot and delay no
    # other host. WOO_HOST_BACKLOG limits the requests of a host.
    "CONCURRENT_REQUESTS": 0,
    # Scrapy: 5,000,000 bytes, of which each response takes 1,024 at least. A sitemap that waits for its
    # documents counts too, so a limit here could block the very documents that it waits for.
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1_000_000_000,
    # Scrapy: 100. One task a response is faster, since items of one response never wait for each other.
    "CONCURRENT_ITEMS": 1,
}


class Addon:
    """An add-on with the spiders and all components: ``ADDONS = {"woo_harvester.Addon": 500}``.

    It sets everything with the priority of an add-on, so that the project's own settings have precedence.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add the spiders and export formats, which commands read before they make a crawler."""
        modules = settings.getlist("SPIDER_MODULES")
        if "woo_harvester.spiders" not in modules:
            # The priority is that of the project's own list: a lower one would change nothing.
            priority = settings.getpriority("SPIDER_MODULES") or 0
            settings.set("SPIDER_MODULES", [*modules, "woo_harvester.spiders"], priority)
        _add_to_dict(settings, "FEED_EXPORTERS", _FEED_EXPORTERS)

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components. A component that the project's settings have keeps its place."""
        complete(settings)
        add_contact(settings)
        for name, components in COMPONENTS.items():
            for path, place in components.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), place)
        _add_to_dict(settings, "DOWNLOAD_HANDLERS", DOWNLOAD_HANDLERS)
        settings.setdict(SETTINGS, "addon")


def _add_to_dict(settings: BaseSettings, name: str, added: dict[str, str]) -> None:
    """Add entries to a setting, except those that the project's settings have."""
    settings.set(name, {**added, **settings.getdict(name)}, settings.getpriority(name) or 0)
