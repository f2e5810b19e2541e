"""Readers of a sitemap that benchmarks compare: a bare ``iterparse``, and the harvester's own."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

from lxml import etree

from woo_harvester.sitemaps.reader import SITEMAP_NAMESPACE, SitemapReader

_CHUNK_SIZE = 64 * 1024
MAXSIZE = 200 * 1024 * 1024

_URL, _LOC, _LASTMOD = (f"{{{SITEMAP_NAMESPACE}}}{name}" for name in ("url", "loc", "lastmod"))


def read_bare(body: bytes) -> int:
    """Read loc and lastmod with a bare ``iterparse``; no element is cleared."""
    count = 0
    for _, element in etree.iterparse(BytesIO(body), tag=_URL):
        count += bool(element.findtext(_LOC) and element.findtext(_LASTMOD))
    return count


def read_and_clear(body: bytes) -> int:
    """Read loc and lastmod, and clear each element, the usual way to save memory."""
    count = 0
    for _, element in etree.iterparse(BytesIO(body), tag=_URL):
        count += bool(element.findtext(_LOC) and element.findtext(_LASTMOD))
        element.clear(keep_tail=True)
        parent = element.getparent()
        while parent is not None and element.getprevious() is not None:
            del parent[0]
    return count


def read_entries(body: bytes) -> int:
    """Read loc and lastmod with the harvester's own reader."""
    batches = SitemapReader(chunks(body), "urlset", MAXSIZE)
    return sum(bool(entry.loc and entry.lastmod) for batch in batches for entry in batch)


def chunks(body: bytes) -> Iterator[bytes]:
    """Yield a body in pieces, as from the network."""
    return (body[start : start + _CHUNK_SIZE] for start in range(0, len(body), _CHUNK_SIZE))
