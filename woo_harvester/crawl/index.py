"""Reads a sitemap index: the sitemaps that it lists."""

from __future__ import annotations

from collections.abc import Iterable

from woo_harvester.crawl.conditional import is_not_modified
from woo_harvester.crawl.files import Keep, kept, report_file
from woo_harvester.crawl.host import Visit
from woo_harvester.responses import StreamedResponse
from woo_harvester.sitemaps.file_findings import read_error_code
from woo_harvester.sitemaps.reader import OtherRootError, SitemapError, SitemapReader
from woo_harvester.sitemaps.url_selection import Index
from woo_harvester.state.resources import Resource
from woo_harvester.statuses import is_complete

#: Indexes up to this size, in bytes, are kept for when the server answers 304.
KEPT_MAXSIZE = 8 * 1024 * 1024


def read_index(
    response: StreamedResponse, visit: Visit, resource: Resource, index: Index, maxsize: int
) -> Keep | None:
    """Add the sitemaps in an index to *visit*; *maxsize* is its limit in bytes, after decompression.

    Reports what is wrong with it. Returns what the state keeps of it, or None.
    """
    if is_not_modified(response) and resource.content is not None:
        _add_sitemaps([resource.content], visit, index, maxsize)
        return None
    if not is_complete(response.status):
        visit.report("index.onbereikbaar", url=index.url, seen=f"HTTP {response.status}")
        return None
    if not _add_sitemaps(response.chunks(), visit, index, maxsize):
        return None
    if "dataloss" in response.flags:
        visit.report("index.ongeldig", url=index.url, seen="afgebroken")
        return None
    return kept(response, resource, b"".join(response.chunks())) if response.size <= KEPT_MAXSIZE else None


def _add_sitemaps(chunks: Iterable[bytes], visit: Visit, index: Index, maxsize: int) -> bool:
    """Add the sitemaps in an index to *visit*; return whether the index was read to its end."""
    reader = SitemapReader(chunks, "sitemapindex", maxsize)
    try:
        for batch in reader:
            found = (visit.selection.sitemap(entry, index) for entry in batch)
            visit.sitemaps.extend(filter(None, found))
    except OtherRootError as error:
        code = "index.is-urlset" if error.root == "urlset" else "index.ongeldig"
        visit.report(code, url=index.url, line=error.line, seen=f"<{error.root}>")
    except SitemapError as error:
        code = read_error_code("index", error.reason)
        visit.report(code, url=index.url, line=error.line, seen=error.seen)
    report_file(visit, index.url, "index", reader)
    if reader.complete and not reader.entries:
        visit.report("sitemap.leeg", url=index.url)
    return reader.complete
