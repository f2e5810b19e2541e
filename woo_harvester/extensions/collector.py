"""Lets Python keep less account of objects: a run makes many, and hardly any cycles."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.utils.reactor import is_reactor_installed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: The number of new objects (made minus freed) that starts a collection. Python's default is 700 or 2,000,
#: less than a single batch of entries makes.
_THRESHOLD = 50_000


class RareCollections:
    """The extension that collects garbage only after 50,000 new objects, without those made at the start.

    Reference counting frees entries, records and requests. Searching them for cycles took a fifth of the time
    of a harvest. The event loop keeps no list of asynchronous generators either: a request has a dozen, and
    with a reactor nothing reads that list. A generator that was not read to its end is closed as before.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls()
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        return extension

    def engine_started(self) -> None:
        """Exclude all objects that exist now: all components have been made."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(_THRESHOLD, 20, 20)
        if is_reactor_installed():
            sys.set_asyncgen_hooks(firstiter=None)
