"""Settings of the project. Beside each value are Scrapy's own default and the reason for the difference.

``addon.py`` has the components and their order. ``default_settings`` and ``docs/settings.md`` have the
project's own settings, which begin with ``WOO_``.
"""

from importlib.util import find_spec
from os import environ

from woo_harvester.running.default_settings import from_environment
from woo_harvester.utils import program

BOT_NAME = "woo-harvester"
SPIDER_MODULES = ["woo_harvester.spiders", "woo_harvester.permits.spider"]
COMMANDS_MODULE = "woo_harvester.commands"
ADDONS = {"woo_harvester.Addon": 500}

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

# Scrapy: {}. Off, since they process every document without effect: depth has no meaning here, these spiders
# do not copy the meta of a response, and they mark their first requests themselves.
SPIDER_MIDDLEWARES = {
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,
}

# Scrapy: 2083. The spider checks the same limit when it reads a location, with a finding (`loc.ongeldig`).
URLLENGTH_LIMIT = 0

# Scrapy: {}. Off for the same reason: the register decides which hosts get requests, the handler has the time
# limit of a request, and no publisher requires a password.
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": None,
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
}

# Scrapy: True. The handler decodes a body while it receives it, within limits, if a request needs that.
COMPRESSION_ENABLED = False

# Scrapy: 1. Any user of the machine could run code in the crawl; addon.py removes it altogether.
TELNETCONSOLE_ENABLED = False

# Scrapy: True. Off for the same reason.
REMOTE_CONTROL_ENABLED = False

# Scrapy: None. That writes each letter with an accent as an escape.
FEED_EXPORT_ENCODING = "utf-8"

# Scrapy: True. That reads the source of the callback again for each response.
WARN_ON_GENERATOR_RETURN_VALUE = False

# Scrapy: DEBUG. That logs a line for each request and each item.
LOG_LEVEL = "INFO"

# Settings that differ between machines may come from the environment: WOO_DATA_DIR, WOO_STATE_URL and so on.
globals().update(from_environment(environ))
