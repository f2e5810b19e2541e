"""Says what a fixed delay between requests costs: Scrapy's project template sets ``DOWNLOAD_DELAY``."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from woo_harvester.crawl.host import Visit
from woo_harvester.sitemaps.decompress import DecompressError, decompress
from woo_harvester.terminal.formatting import counted, duration

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from woo_harvester.responses import StreamedResponse

logger = logging.getLogger(__name__)

#: A host is named again when its documents take so many times as long as those that were named before.
_STEP = 10

_COST = (
    "DOWNLOAD_DELAY: %(host)s lists %(documents)s that this run may request, and one request in %(delay)g s "
    "makes that about %(time)s. The template of scrapy startproject sets this delay. AUTOTHROTTLE_ENABLED = "
    "True with DOWNLOAD_DELAY = 0 waits for slow servers only, and a Crawl-delay is obeyed in any case"
)


class DownloadDelay:
    """The cost of the delay between two requests to a host, logged once there are documents to request."""

    def __init__(self, delay: float, delays: dict[str, float], maxsize: int) -> None:
        self._delay = delay
        self._delays = delays
        self._maxsize = maxsize
        self._documents: dict[str, int] = {}
        self._named = 0.0
        """The longest time that was named, in seconds."""

    @classmethod
    def of(cls, settings: BaseSettings) -> Self | None:
        """Return the cost of ``DOWNLOAD_DELAY``, or None if it is 0."""
        if not (delay := settings.getfloat("DOWNLOAD_DELAY")):
            return None
        slots: dict[str, dict[str, Any]] = settings.getdict("DOWNLOAD_SLOTS")
        delays = {host: float(given["delay"]) for host, given in slots.items() if "delay" in given}
        return cls(delay, delays, settings.getint("WOO_SITEMAP_MAXSIZE"))

    def warn(self, visit: Visit, response: StreamedResponse, known: int) -> None:
        """Log what the documents of a sitemap cost that are not *known*, if that is much more than before."""
        new = max(0, self._entries_of(response) - known)
        documents = self._documents[visit.host] = self._documents.get(visit.host, 0) + new
        delay = self._delays.get(visit.host, self._delay)
        seconds = documents * delay
        if not new or seconds < max(self._named * _STEP, self._delay):
            return
        self._named = seconds
        cost = {"host": visit.host, "documents": counted(documents, "document"), "delay": delay}
        logger.warning(_COST, {**cost, "time": duration(seconds)})

    def _entries_of(self, response: StreamedResponse) -> int:
        """Return about how many entries a sitemap has: it is not read for this."""
        count = 0
        with suppress(DecompressError):  # the reader reports what is wrong with the file
            for piece in decompress(response.chunks(), self._maxsize):
                count += piece.count(b"</url>")
        return count
