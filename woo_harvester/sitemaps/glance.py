"""Look into a file that robots.txt names and that is no index by its name: it may be for the Woo."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple
from urllib.parse import urlsplit

from woo_harvester.sitemaps.reader import OtherRootError
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.xml_stream import SitemapError

#: Bytes of a file that are read, before and after decompression: enough for its first entries.
GLANCE_MAXSIZE = 1024 * 1024

#: Most sitemaps of one robots.txt that are looked into. Of an index, one of its sitemaps is read too.
GLANCES = 5

_WOO = re.compile("woo|infocat", re.IGNORECASE)


class Glance(NamedTuple):
    """What the beginning of a file shows."""

    has_documents: bool = False
    """True if an entry has metadata of a document."""
    sitemaps: tuple[str, ...] = ()
    """The sitemaps that it lists, if it is an index."""


def glance(chunks: Callable[[], Iterable[bytes]], charset: str | None = None) -> Glance:
    """Return what a file shows; *chunks* and *charset* are as in :class:`RepairingReader`.

    What is wrong with it is of no use to its publisher: a harvest does not read it.
    """
    sitemaps: list[str] = []
    with suppress(OtherRootError, SitemapError):
        for entry in chain.from_iterable(RepairingReader(chunks, "urlset", GLANCE_MAXSIZE, charset)):
            if entry.document is not None or entry.outside:
                return Glance(has_documents=True)
    with suppress(OtherRootError, SitemapError):
        for batch in RepairingReader(chunks, "sitemapindex", GLANCE_MAXSIZE, charset):
            sitemaps += [entry.loc for entry in batch]
    return Glance(sitemaps=tuple(sitemaps))


def likely_sitemap(urls: Sequence[str]) -> str:
    """Return the sitemap that most likely has documents of the Woo, by its name; else the first one."""
    return next((url for url in urls if _WOO.search(urlsplit(url).path)), urls[0])
