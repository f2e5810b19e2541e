"""The time that the real code sees in a simulation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

#: Where the real code asks for the time.
CLOCKS = (
    "woo_harvester.crawl.conditional.time",
    "woo_harvester.crawl.documents.time",
    "woo_harvester.crawl.files.time",
    "woo_harvester.crawl.sitemap.time",
    "woo_harvester.extensions.state.time",
    "woo_harvester.crawl.entry_lookup.time",
)


@contextmanager
def at(now: float) -> Iterator[None]:
    """Have the harvester see this time."""
    patches = [patch(name, lambda: now) for name in CLOCKS]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()
