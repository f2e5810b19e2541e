"""Reads a sitemap whose entries go through the spider's ``sitemap_filter``.

What is left out is not harvested, and stays unknown if it was. A document that an earlier run has harvested
is still listed, so it is not missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from woo_harvester.crawl.entry_filter import FilteredEntries, SitemapFilter
from woo_harvester.crawl.entry_lookup import SitemapReading
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.register import Register
from woo_harvester.sitemaps.facts import SitemapListing
from woo_harvester.sitemaps.fast_reader import UrlsetReader
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.state import documents, listings
from woo_harvester.state.batches import batches
from woo_harvester.state.document_set import DocumentSet
from woo_harvester.urls import host_of


class FilteredSitemap:
    """The entries of one sitemap that *keeps* keeps, and the known documents that it lists."""

    def __init__(
        self, keeps: SitemapFilter, register: Register, keeper: StateKeeper, reading: SitemapReading
    ) -> None:
        self._keeps = keeps
        self._register = register
        self._keeper = keeper
        self._reading = reading
        self._listed = DocumentSet()
        self._foreign = DocumentSet()
        """Those of the listed documents that belong to other organisations."""

    def kept(self, reader: UrlsetReader) -> Iterator[Sequence[Entry]]:
        """Yield the entries that are kept, in batches. Raises what *reader* and the filter raise."""
        kept = FilteredEntries(self._keeps, self._given(reader))
        try:
            yield from kept
        finally:
            if kept.left_out:  # they may count in the next run
                self._reading.pending.must_reread = True
                self._reading.left_out += kept.left_out

    def end(self) -> None:
        """Note in the state that the sitemap lists the known documents whose entries were left out."""
        seen, sitemap_id = self._reading.seen, self._reading.sitemap_id
        with self._keeper.begin() as connection:
            for ids in batches(seen.lacks(self._listed)):
                known = listings.find(connection, sitemap_id, ids)
                new = [SitemapListing(key, 0, key in self._foreign, None) for key in ids if key not in known]
                listings.add(connection, sitemap_id, new)
                listings.listed_again(connection, sitemap_id, sorted(known))
                for key in ids:
                    seen.add(key)

    def _given(self, reader: UrlsetReader) -> Iterator[list[Entry]]:
        """Yield the entries of the sitemap for the filter."""
        for batch in reader:
            entries = [entry.parse() for entry in batch]
            self._add(entries)
            reader.processed(len(batch))
            yield entries

    def _add(self, entries: Sequence[Entry]) -> None:
        """Note which known documents a batch of entries lists."""
        host = self._reading.visit.host
        with self._keeper.begin() as connection:
            known = documents.look_up(connection, [entry.loc for entry in entries])
        for loc, document in known.items():
            if document.withdrawn is None:
                self._listed.add(document.id)
                if self._register.is_registered(host_of(loc)) and not self._register.is_own(loc, host):
                    self._foreign.add(document.id)
