"""Gives the entries of sitemaps and indexes to the spider's ``sitemap_filter``, as Scrapy does.

Only for a spider that overrides that method: without it no entry is parsed for this.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from lxml import etree

from woo_harvester.crawl.host import SitemapReading
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.sitemaps.facts import SitemapListing
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.scanner import UrlsetReader
from woo_harvester.sitemaps.xml_stream import local_name
from woo_harvester.state import documents, listings
from woo_harvester.state.sql import batches
from woo_harvester.utils.document_set import DocumentSet

SitemapFilter = Callable[[Iterable[dict[str, Any]]], Iterable[dict[str, Any]]]
"""The method ``sitemap_filter`` of a spider: it yields those of the entries that count."""

#: Most entries in a batch: as many as the state looks up in one query.
_BATCH_SIZE = 1000


class FilterError(ValueError):
    """The filter yielded an entry that it was not given."""


class FilteredEntries:
    """An iterator over the entries of one file that *keeps* keeps, in batches.

    The filter is called once for a file, as Scrapy calls it, so that it may also sort or count. It gets
    *batches* as it asks for them, and the file is always read to its end. Entries without a location do not
    go through the filter, so that they are reported. An exception of the filter goes on to the caller.
    """

    def __init__(self, keeps: SitemapFilter, batches: Iterable[Sequence[Entry]]) -> None:
        self._keeps = keeps
        self._batches = batches
        self._without_loc: list[Entry] = []
        self._recent: OrderedDict[str, Entry] = OrderedDict()
        self._error: Exception | None = None
        self.left_out = 0
        """Number of entries that the filter has left out, once the file is read to its end."""

    def __iter__(self) -> Iterator[list[Entry]]:
        given = self._given()
        kept = map(self._entry_of, self._keeps(given))
        while batch := list(islice(kept, _BATCH_SIZE)):
            self.left_out -= len(batch)
            yield self._with_others(batch)
        for _ in given:  # a filter may end before the last entry
            pass
        if self._without_loc:
            yield self._with_others([])
        if self._error is not None:
            raise self._error

    def _given(self) -> Iterator[dict[str, Any]]:
        """Yield the entries for the filter. An error in the file comes after them: a filter may catch it."""
        try:
            for batch in self._batches:
                for entry in batch:
                    if not entry.loc:
                        self._without_loc.append(entry)
                        continue
                    self.left_out += 1
                    self._recent[entry.loc] = entry
                    yield _GivenEntry(entry)
                while len(self._recent) > _BATCH_SIZE:
                    self._recent.popitem(last=False)
        except Exception as error:
            self._error = error

    def _entry_of(self, kept: dict[str, Any]) -> Entry:
        """Return the entry that the filter keeps. It may be a copy, if that comes soon after the entry."""
        if isinstance(kept, _GivenEntry):
            return kept.entry
        try:
            return self._recent[kept["loc"]]
        except (KeyError, TypeError) as error:
            raise FilterError(f"sitemap_filter yields what it was not given: {kept!r:.200}") from error

    def _with_others(self, batch: list[Entry]) -> list[Entry]:
        """Return a batch with the entries that did not go through the filter."""
        others, self._without_loc = self._without_loc, []
        return [*batch, *others]


class _GivenEntry(dict[str, Any]):
    """An entry as Scrapy's documentation describes it: a dict of the names and texts of its elements."""

    def __init__(self, entry: Entry) -> None:
        super().__init__({"loc": entry.loc})
        self.entry = entry
        if entry.element is not None:
            self._add(entry.element)
        if entry.lastmod is not None:
            self["lastmod"] = entry.lastmod

    def _add(self, element: etree._Element) -> None:
        alternate = []
        for child in element:
            name = local_name(child.tag)
            if name == "link":
                alternate += [href] if (href := child.get("href")) else []
            elif name != "loc":
                self[name] = (child.text or "").strip()
        if alternate:
            self["alternate"] = alternate


class FilteredSitemap:
    """The entries of one sitemap that *keeps* keeps, and the known documents that it lists.

    What is left out is not harvested, and stays unknown if it was. A document that an earlier run has
    harvested is still listed, so it is not missing.
    """

    def __init__(self, keeps: SitemapFilter, keeper: StateKeeper, reading: SitemapReading) -> None:
        self._keeps = keeps
        self._keeper = keeper
        self._reading = reading
        self._listed = DocumentSet()

    def kept(self, reader: UrlsetReader) -> Iterator[Sequence[Entry]]:
        """Yield the entries that are kept, in batches. Raises what *reader* and the filter raise."""
        kept = FilteredEntries(self._keeps, self._given(reader))
        try:
            yield from kept
        finally:
            self._reading.leave_out(kept.left_out)

    def end(self) -> None:
        """Note in the state that the sitemap lists the known documents whose entries were left out."""
        seen, sitemap_id = self._reading.seen, self._reading.sitemap_id
        with self._keeper.begin() as connection:
            for ids in batches(seen.lacks(self._listed)):
                listings.write(connection, sitemap_id, map(SitemapListing, ids))
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
        with self._keeper.begin() as connection:
            known = documents.look_up(connection, [entry.loc for entry in entries])
        for document in known.values():
            if document.withdrawn is None:
                self._listed.add(document.id)
