"""Reads a sitemap index, and queues the sitemaps that it lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from woo_harvester.crawl.conditional import is_not_modified
from woo_harvester.crawl.entry_filter import FilteredEntries, SitemapFilter
from woo_harvester.crawl.files import StateWrite, report_file, state_write
from woo_harvester.crawl.host import Visit
from woo_harvester.responses import StreamedResponse
from woo_harvester.sitemaps.file_findings import other_kind_finding, read_error_finding
from woo_harvester.sitemaps.reader import Entry, OtherRootError
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.url_selection import Index
from woo_harvester.sitemaps.xml_stream import SitemapError
from woo_harvester.state.resources import Resource
from woo_harvester.statuses import is_complete

#: Largest index that the state keeps for a 304, in bytes.
_KEPT_MAXSIZE = 8 * 1024 * 1024


def read_index(
    response: StreamedResponse,
    visit: Visit,
    resource: Resource,
    index: Index,
    maxsize: int,
    keeps: SitemapFilter | None = None,
) -> StateWrite | None:
    """Add the sitemaps in an index to *visit*; *maxsize* limits its bytes after decompression.

    *keeps* is the filter of a spider that leaves out sitemaps.
    Report what is wrong with the index. Return the function that writes to the state that it was read; None
    if it was not read completely, or if nothing changes in the state.
    """
    if is_not_modified(response) and (content := resource.content) is not None:
        if _add_sitemaps(lambda: [content], visit, index, maxsize, keeps):
            visit.unread_indexes.pop(index.url, None)
        return None
    if not is_complete(response.status):
        visit.report("index.onbereikbaar", url=index.url, seen=f"HTTP {response.status}")
        return None
    if not _add_sitemaps(response.chunks, visit, index, maxsize, keeps):
        return None
    if "dataloss" in response.flags:
        visit.report("index.ongeldig", url=index.url, seen="afgebroken")
        return None
    visit.unread_indexes.pop(index.url, None)
    if response.size > _KEPT_MAXSIZE:
        return None
    return state_write(response, resource, b"".join(response.chunks()))


def _add_sitemaps(
    chunks: Callable[[], Iterable[bytes]],
    visit: Visit,
    index: Index,
    maxsize: int,
    keeps: SitemapFilter | None,
) -> bool:
    """Add the sitemaps in an index to *visit*; return whether the index was read to its end."""
    reading = RepairingReader(chunks, "sitemapindex", maxsize)
    try:
        for batch in reading if keeps is None else _kept(reading, visit, keeps):
            found = (visit.selection.sitemap(entry, index) for entry in batch)
            visit.sitemaps.extend(filter(None, found))
    except OtherRootError as error:
        other_kind_finding("index", error).send(visit.report, index.url)
    except SitemapError as error:
        read_error_finding("index", error).send(visit.report, index.url)
    reader = reading.current
    if reader.others:
        visit.selection.with_documents.add(index.url)
    visit.selection.report_shared(index)
    report_file(visit, index.url, "index", reader)
    if reader.complete and not reader.entries:
        visit.report("sitemap.leeg", url=index.url)
    return reader.complete


def _kept(reading: RepairingReader, visit: Visit, keeps: SitemapFilter) -> Iterator[list[Entry]]:
    """Yield the entries that the spider keeps; note in *visit* if it leaves out a sitemap."""
    kept = FilteredEntries(keeps, reading)
    yield from kept
    visit.selection.is_narrowed |= kept.left_out > 0
