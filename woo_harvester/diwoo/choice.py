"""The entries that a run chooses, by the categories and the lastmod of their documents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from woo_harvester.diwoo.given import metadata_of
from woo_harvester.sitemaps.facts import read_lastmod
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.tooi import UNKNOWN_CATEGORY
from woo_harvester.tooi.coded import resolve
from woo_harvester.tooi.values import Concept, ValueList


@dataclass(frozen=True, slots=True)
class Choice:
    """What a run chooses; None for no limit."""

    categories: frozenset[str] | None = None
    """URIs of informatiecategorieën: a document has one of them."""
    since: datetime | None = None
    """The lastmod is this moment or a later one. An entry without a lastmod that can be read is left out."""

    def has(self, entry: Entry, index: Concept | None, categories: ValueList, now: datetime) -> bool:
        """Return whether the run chooses an entry.

        *index* is the category in the name of its index. *categories* is the value list of this run.
        """
        if self.since is not None:
            lastmod, _ = read_lastmod(entry.lastmod, now)
            if lastmod is None or lastmod < self.since:
                return False
        return self.categories is None or not self.categories.isdisjoint(
            _categories(entry, index, categories)
        )


def _categories(entry: Entry, index: Concept | None, categories: ValueList) -> set[str]:
    """Return the URIs of the categories that the record of an entry would have.

    That of the index counts for a category that is absent or unknown, as in ``defaults.default_category``.
    """
    otherwise = index or UNKNOWN_CATEGORY
    found = set()
    for value in metadata_of(entry).informatiecategorieen:
        resolved = resolve(categories, value.label, value.uri)
        if resolved is not None and resolved.concept is not None:
            is_known = resolved.concept.uri != UNKNOWN_CATEGORY.uri
            found.add((resolved.concept if is_known else otherwise).uri)
    return found or {otherwise.uri}
