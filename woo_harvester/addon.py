"""The one place that says which components there are, and in which order they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from woo_harvester.default_settings import complete

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: In the order in which items pass: what was given, then what is filled in, then what may be harvested; then
#: the document is kept, and read.
_ITEM_PIPELINES: dict[str, int | None] = {
    "woo_harvester.pipelines.metadata.MetadataPipeline": 100,
    "woo_harvester.pipelines.defaults.DefaultsPipeline": 200,
    "woo_harvester.pipelines.filetype.FileTypePipeline": 300,
    "woo_harvester.pipelines.store.StorePipeline": 400,
    "woo_harvester.pipelines.text.TextPipeline": 500,
}

#: In the places of the middlewares of Scrapy's that they extend, which are switched off for them.
_DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "woo_harvester.downloadermiddlewares.robotstxt.WooRobotsTxtMiddleware": 100,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "woo_harvester.downloadermiddlewares.retry.WooRetryMiddleware": 550,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "woo_harvester.downloadermiddlewares.redirect.WooRedirectMiddleware": 600,
    # Nearest to the downloader: it learns of an error before it is tried again.
    "woo_harvester.downloadermiddlewares.own_fault.OwnFaultMiddleware": 900,
    # Nearest to the spider: only what is not tried again counts.
    "woo_harvester.downloadermiddlewares.first_requests.FirstRequestsMiddleware": 40,
    # Near to the spider: only what comes to it counts.
    "woo_harvester.downloadermiddlewares.bodies.BodiesMiddleware": 50,
}

_SPIDER_MIDDLEWARES: dict[str, int | None] = {
    # On the spider's side of all of Scrapy's: what an earlier run had costs nothing more.
    "woo_harvester.spidermiddlewares.deltafetch.WooDeltaFetch": 1050,
}

_EXTENSIONS = {
    # Off: it opens a port on which anybody on the machine can run Python in the crawl.
    "scrapy.extensions.telnet.TelnetConsole": None,
    # Off for the same reason; it is on by default.
    "scrapy.extensions.remote_control.RemoteControl": None,
    # Ours in its place: it tells the state what is durable. Before the state, which does not open without it.
    "scrapy.extensions.feedexport.FeedExporter": None,
    "woo_harvester.extensions.feedexport.DurableFeedExporter": 5,
    # Before the state too, which waits for all outputs; it does nothing until WOO_ELASTICSEARCH_URL is set.
    "woo_harvester.extensions.elasticsearch.ElasticsearchExporter": 6,
    # Before the findings, whose statistics are written when the state has learned of everything.
    "woo_harvester.extensions.state.StateKeeper": 10,
    "woo_harvester.extensions.findings.Findings": 20,
    # Summary and metrics come when the findings have written all that they write.
    "woo_harvester.extensions.summary.Summary": 30,
    "woo_harvester.extensions.metrics.Metrics": 40,
    "woo_harvester.extensions.progress.Progress": 50,
    "woo_harvester.extensions.collector.RareCollections": 90,
    # After AutoThrottle (0), whose delays it keeps from being too short.
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

#: By the name that FEEDS and -o FILE:NAME use; of permits.
_FEED_EXPORTERS = {"geojson": "woo_harvester.exporters.geojson.GeoJsonItemExporter"}

#: What the components need to keep their promises; a project's own value wins over each.
SETTINGS: dict[str, Any] = {
    # Scrapy: none. One file a run in the working folder, so that no run overwrites another's.
    "FEEDS": {"records/%(run)s.jsonl": {"format": "jsonlines", "encoding": "utf8"}},
    # Scrapy: None. Gives %(run)s: spider and time, as in the folder of the report.
    "FEED_URI_PARAMS": "woo_harvester.extensions.findings.feed_uri_params",
    # scrapy-deltafetch: off. Each run delivers what is new, changed or withdrawn since the last.
    "DELTAFETCH_ENABLED": True,
    # Scrapy: False. The rules of a publisher hold for this harvester too.
    "ROBOTSTXT_OBEY": True,
    # Scrapy: True. Links and refreshes in documents are never followed.
    "METAREFRESH_ENABLED": False,
    # Scrapy: its own. Scrapy's makes a line for each item and throws it away.
    "LOG_FORMATTER": "woo_harvester.logformatter.QuietLogFormatter",
    # Scrapy: 16. No bound on all hosts together: a slow host's requests wait in its own slot and hold up
    # nobody. WOO_HOST_BACKLOG bounds how many there are of a host.
    "CONCURRENT_REQUESTS": 0,
    # Scrapy: 5,000,000 bytes, in which each response counts for 1,024 at least. A sitemap that waits for room
    # for its documents counts as well, so a bound here would hold up the documents that it waits for.
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1_000_000_000,
    # Scrapy: 100. One task a response is faster, since no response gives items that wait for each other.
    "CONCURRENT_ITEMS": 1,
}


class Addon:
    """Gives a Scrapy project the spiders and all components: ``ADDONS = {"woo_harvester.Addon": 500}``.

    Everything is set with the priority of an add-on, so a value in the project's own settings wins.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add the spiders and formats to the project's; commands look at both before there is a crawler."""
        modules = settings.getlist("SPIDER_MODULES")
        if "woo_harvester.spiders" not in modules:
            # With the priority that the project's own list has: with a lower one it would change nothing.
            priority = settings.getpriority("SPIDER_MODULES") or 0
            settings.set("SPIDER_MODULES", [*modules, "woo_harvester.spiders"], priority)
        _add_to_dict(settings, "FEED_EXPORTERS", _FEED_EXPORTERS)

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components; a component that the project has placed itself stays where it is."""
        complete(settings)
        for name, components in COMPONENTS.items():
            for path, place in components.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), place)
        _add_to_dict(settings, "DOWNLOAD_HANDLERS", DOWNLOAD_HANDLERS)
        settings.setdict(SETTINGS, "addon")


def _add_to_dict(settings: BaseSettings, name: str, added: dict[str, str]) -> None:
    """Add to a setting; what the project has in it stays."""
    settings.set(name, {**added, **settings.getdict(name)}, settings.getpriority(name) or 0)
