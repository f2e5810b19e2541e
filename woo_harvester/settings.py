"""Settings of the project. Beside each value stands Scrapy's own default, and why it differs.

Which components run, and in which order, is said in ``addon.py``; the project's own settings, which begin
with ``WOO_``, stand in ``default_settings`` and ``docs/settings.md``.
"""

from os import environ

# Not used here, but imported early: meanwhile Scrapy looks through the whole stack some times, and here that
# is short. Every command starts a quarter of a second sooner.
import scrapy.core.downloader.contextfactory  # noqa: F401
from uvloop import Loop

from woo_harvester import version
from woo_harvester.addon import Addon
from woo_harvester.default_settings import from_environment

BOT_NAME = "woo-harvester"
SPIDER_MODULES = ["woo_harvester.spiders"]
COMMANDS_MODULE = "woo_harvester.commands"
ADDONS = {Addon: 500}

# Scrapy: its own name. Publishers see who comes by, and where to complain.
USER_AGENT = f"woo-harvester/{version.VERSION} (+https://github.com/woo-harvester/woo-harvester)"

# Scrapy: False. A document of the government comes from its own server, or not at all.
DOWNLOAD_VERIFY_CERTIFICATES = True

# Scrapy: 8. Few at a time for one host, many hosts side by side.
CONCURRENT_REQUESTS_PER_DOMAIN = 4

# Scrapy: False. AutoThrottle waits as long as a host needs to answer, so a slow server is asked slowly.
AUTOTHROTTLE_ENABLED = True

# Scrapy: 5.0. Scrapy's value is a minute for the first twelve requests of each host.
AUTOTHROTTLE_START_DELAY = 0.5

# Scrapy: 1.0. Two at a time of a host keep it going between an answer and the next request.
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0

# Scrapy: 60.0. One slow answer should not cost a host a minute for each of the next.
AUTOTHROTTLE_MAX_DELAY = 30.0

# Scrapy: 180. For a whole answer, in seconds; a sitemap of 50 MB from a slow server takes long.
DOWNLOAD_TIMEOUT = 300

# Scrapy: 20. RFC 9309 asks for five at least.
REDIRECT_MAX_TIMES = 10

# Scrapy: ERROR. What could not be had is a finding about the publisher, not an error of the harvester.
RETRY_GIVE_UP_LOG_LEVEL = "INFO"

# Scrapy: None, which is asyncio's own. uvloop fetches a tenth faster, and each of perhaps a thousand open TLS
# connections takes half of the memory.
ASYNCIO_EVENT_LOOP = Loop

# Scrapy: 10. Names of hundreds of hosts are resolved at the start.
REACTOR_THREADPOOL_MAXSIZE = 32

# Scrapy: True. Nothing that is harvested needs a session.
COOKIES_ENABLED = False

# Scrapy: scrapy.spidermiddlewares.referer.DefaultReferrerPolicy. A publisher need not know which page led to
# a document. (Switched off altogether, Scrapy's redirects would warn of it in each run.)
REFERRER_POLICY = "no-referrer"

# Scrapy: True. Connections go to the publisher itself, whose address is checked; see docs/fetching.md.
HTTPPROXY_ENABLED = False

# Scrapy: {}. Off, since each is asked for every document and does nothing for it: depth means nothing here,
# and none of these spiders copies the meta of a response.
SPIDER_MIDDLEWARES = {
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
}

# Scrapy: 2083. The same bound is kept where a location is read, and told to the publisher (`loc.ongeldig`).
URLLENGTH_LIMIT = 0

# Scrapy: {}. Off for the same reason: whose hosts may be asked is the register's affair, the handler knows
# the time of a request, and no publisher asks for a password.
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": None,
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
}

# Scrapy: True. A body is decoded while it comes in, within bounds, where a request asks for that.
COMPRESSION_ENABLED = False

# Scrapy: 1. It lets whoever is on the machine run code in the crawl; addon.py takes it out altogether.
TELNETCONSOLE_ENABLED = False

# Scrapy: True. It does the same.
REMOTE_CONTROL_ENABLED = False

# Scrapy: None. Scrapy's value writes each letter with an accent as an escape.
FEED_EXPORT_ENCODING = "utf-8"

# Scrapy: True. Scrapy would read the source of the callback again for each response.
WARN_ON_GENERATOR_RETURN_VALUE = False

# Scrapy: DEBUG. Scrapy's value is a line for each request and each item.
LOG_LEVEL = "INFO"

# What differs from machine to machine may stand in the environment: WOO_DATA_DIR, WOO_STATE_URL and so on.
globals().update(from_environment(environ))
