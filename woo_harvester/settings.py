"""Settings of the project. Beside each value are Scrapy's own default and the reason for the difference.

The components come first, in their order; the add-on takes them from here for other projects. The project's
own settings, which begin with ``WOO_``, are in ``running/settings.toml`` and ``docs/settings.md``.
"""

from importlib.util import find_spec
from os import environ

from woo_harvester.running.default_settings import from_environment
from woo_harvester.utils import program

BOT_NAME = "woo-harvester"
SPIDER_MODULES = ["woo_harvester.spiders", "woo_harvester.permits.spider"]
COMMANDS_MODULE = "woo_harvester.commands"
ADDONS = {"woo_harvester.Addon": 500}

# Scrapy: {}. The pipelines, in the order in which items pass: map what was given, fill in defaults, decide
# the file type; store the document (with FILES_STORE); extract its text (with WOO_TEXT).
ITEM_PIPELINES = {
    "woo_harvester.pipelines.record.MetadataPipeline": 100,
    "woo_harvester.pipelines.record.DefaultsPipeline": 200,
    "woo_harvester.pipelines.record.FileTypePipeline": 300,
    "woo_harvester.pipelines.store.StorePipeline": 400,
    "woo_harvester.pipelines.text.TextPipeline": 500,
}

# Scrapy: {}. Three of them replace the middleware of Scrapy that they extend.
DOWNLOADER_MIDDLEWARES = {
    # Near to the spider: only the last try of a request counts, and only responses for the spider.
    "woo_harvester.downloader.middlewares.FirstRequestsMiddleware": 40,
    "woo_harvester.downloader.middlewares.BodiesMiddleware": 50,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "woo_harvester.downloader.middlewares.WooRobotsTxtMiddleware": 100,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "woo_harvester.downloader.middlewares.WooRetryMiddleware": 550,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "woo_harvester.downloader.middlewares.WooRedirectMiddleware": 600,
    # Off, since they process every document without effect: the register decides which hosts get requests,
    # the handler has the time limit of a request, and no publisher requires a password.
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": None,
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
}

# Scrapy: {}. What a document of an earlier run passes is as little as can be.
SPIDER_MIDDLEWARES = {
    # Nearest to the engine, before all of Scrapy's. It closes answers; each item goes on to the pipelines.
    "woo_harvester.spiders.middlewares.CloseResponses": 10,
    # Nearer to the spider than all of Scrapy's: a document of an earlier run passes no other middleware.
    "woo_harvester.spiders.middlewares.WooDeltaFetch": 1050,
    # Off for the same reason: depth has no meaning here, these spiders do not copy the meta of a response,
    # and they mark their first requests themselves.
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,
}

# Scrapy: {}. In the order in which they are started and, at the end of a run, hear of it.
EXTENSIONS = {
    # Off: it opens a port on which any user of the machine can run Python in the crawl.
    "scrapy.extensions.telnet.TelnetConsole": None,
    # Off for the same reason; it is on by default.
    "scrapy.extensions.remote_control.RemoteControl": None,
    # Replaced: the project's exporter confirms to the state what is durable. Before the state, which needs
    # it.
    "scrapy.extensions.feedexport.FeedExporter": None,
    "woo_harvester.outputs.feeds.DurableFeedExporter": 5,
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

# Scrapy: {}. Handlers by the scheme of a URL: a body is kept within bounds while it arrives.
DOWNLOAD_HANDLERS = {
    "https": "woo_harvester.downloader.streaming.StreamingDownloadHandler",
    # Entry pages of permits are older than https everywhere.
    "http": "woo_harvester.downloader.streaming.StreamingDownloadHandler",
}

# Scrapy: {}. Exporters by their name in FEEDS and in -o FILE:NAME. GeoJSON is for permits.
FEED_EXPORTERS = {
    # Scrapy: scrapy.exporters.CsvItemExporter, which is also how items of other spiders are written.
    "csv": "woo_harvester.outputs.feeds.RecordCsvItemExporter",
    "csv-nl": "woo_harvester.outputs.feeds.DutchCsvItemExporter",
    "geojson": "woo_harvester.permits.geojson.GeoJsonItemExporter",
    # Scrapy: scrapy.exporters.JsonLinesItemExporter, which takes ten times as long to write the same bytes.
    **dict.fromkeys(("jl", "jsonl", "jsonlines"), "woo_harvester.outputs.feeds.RecordJsonLinesItemExporter"),
}

# Scrapy: {}. Storages by the scheme of a feed. A local one has a run write to a file of its own.
FEED_STORAGES = dict.fromkeys(("", "file"), "woo_harvester.outputs.feeds.RecordStorage")

# Scrapy: its own name. Publishers see what sends the requests. WOO_CONTACT adds who does, and where to
# complain.
USER_AGENT = f"woo-harvester/{program.VERSION}"

# Scrapy: False. Documents are accepted only from the verified server of the publisher.
DOWNLOAD_VERIFY_CERTIFICATES = True

# Scrapy: 8. Few at a time for one host, many hosts side by side.
CONCURRENT_REQUESTS_PER_DOMAIN = 4

# Scrapy: False. AutoThrottle's delay is the time that a host needs to answer, so slow servers get few
# requests.
AUTOTHROTTLE_ENABLED = True

# Scrapy: 5.0. Scrapy's value is a minute for the first twelve requests of each host.
AUTOTHROTTLE_START_DELAY = 0.5

# Scrapy: 1.0. With two requests at a time a host is not idle between an answer and the next request.
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0

# Scrapy: 60.0. After one slow answer, each of the next requests should not wait a minute.
AUTOTHROTTLE_MAX_DELAY = 30.0

# Scrapy: 180. Seconds for a complete answer: a sitemap of 50 MB from a slow server takes long.
DOWNLOAD_TIMEOUT = 300

# Scrapy: 20. RFC 9309 requires at least five.
REDIRECT_MAX_TIMES = 10

# Scrapy: ERROR. A file that could not be fetched is a finding about the publisher, not an error of the
# harvester.
RETRY_GIVE_UP_LOG_LEVEL = "INFO"

# Scrapy: None, which is asyncio's own. With uvloop fetching is a tenth faster, and each of perhaps a thousand
# open TLS connections takes half of the memory. It needs the extra "speed".
ASYNCIO_EVENT_LOOP = "uvloop.Loop" if find_spec("uvloop") else None

# Scrapy: 10. The names of hundreds of hosts are resolved at the start.
REACTOR_THREADPOOL_MAXSIZE = 32

# Scrapy: True. No document needs a session.
COOKIES_ENABLED = False

# Scrapy: True. A publisher need not know which page led to a document.
REFERER_ENABLED = False

# Scrapy: True. Connections go to the publisher itself, whose address is checked; see docs/fetching.md.
HTTPPROXY_ENABLED = False

# Scrapy: 2083. The spider checks the same limit when it reads a location, with a finding (`loc.ongeldig`).
URLLENGTH_LIMIT = 0

# Scrapy: True. The handler decodes a body while it receives it, within limits, if a request needs that.
COMPRESSION_ENABLED = False

# Scrapy: 1 and True. Off, also for spiders of others: any user of the machine could run code in the crawl.
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

# Scrapy: None. That writes each letter with an accent as an escape.
FEED_EXPORT_ENCODING = "utf-8"

# Scrapy: True. That reads the source of the callback again for each response.
WARN_ON_GENERATOR_RETURN_VALUE = False

# Scrapy: DEBUG. That logs a line for each request and each item.
LOG_LEVEL = "INFO"

# Settings that differ between machines may come from the environment: WOO_DATA_DIR, WOO_STATE_URL and so on.
globals().update(from_environment(environ))
