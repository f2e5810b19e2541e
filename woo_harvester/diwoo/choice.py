"""The entries that a run chooses, by their category, lastmod or date (``-a since=`` and others)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime

from woo_harvester.diwoo.given import given_metadata
from woo_harvester.sitemaps.decide import EntryFacts
from woo_harvester.sitemaps.lastmod import first_day
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.tooi.coded import resolve
from woo_harvester.tooi.lists import UNKNOWN_CATEGORY
from woo_harvester.tooi.values import Concept, ValueList
from woo_harvester.utils.dates import parse_date


@dataclass(frozen=True, slots=True)
class Choice:
    """The entries that a run chooses, by category, lastmod and date; None for no limit."""

    categories: frozenset[str] | None = None
    """URIs of informatiecategorieën: a document has one of them."""
    since: datetime | None = None
    """The lastmod is this moment or a later one. An entry without a lastmod that can be read is left out."""
    until: datetime | None = None
    """The lastmod is this moment or an earlier one, in the same way."""
    published: tuple[date, date] | None = None
    """The date of the document is one of these days or between them."""

    def has(self, facts: EntryFacts, index: Concept | None, categories: ValueList) -> bool:
        """Return whether the run chooses an entry.

        *index* is the category in the name of its index. *categories* is the value list of this run.
        """
        if (self.since or self.until) and not (
            facts.moment is not None
            and (self.since is None or self.since <= facts.moment.utc)
            and (self.until is None or facts.moment.utc <= self.until)
        ):
            return False
        if self.published is not None and not self.published[0] <= _date(facts) <= self.published[1]:
            return False
        return self.categories is None or not self.categories.isdisjoint(
            _categories(facts.entry, index, categories)
        )


def _date(facts: EntryFacts) -> date:
    """Return the date that the record of an entry would have: creatiedatum, else openbaarmakingsdatum."""
    with suppress(ValueError):
        if given := given_metadata(facts.entry).creatiedatum:
            return parse_date(given)
    if facts.known is not None and facts.known.published:
        return date.fromisoformat(facts.known.published)
    return first_day(facts.moment, datetime.now(UTC))


def _categories(entry: Entry, index: Concept | None, categories: ValueList) -> set[str]:
    """Return the URIs of the categories that the record of an entry would have.

    That of the index counts for a category that is absent or unknown, as in :func:`default_category`.
    """
    otherwise = index or UNKNOWN_CATEGORY
    found = set()
    for value in given_metadata(entry).informatiecategorieen:
        resolved = resolve(categories, value.label, value.uri)
        if resolved is not None and resolved.concept is not None:
            is_known = resolved.concept.uri != UNKNOWN_CATEGORY.uri
            found.add((resolved.concept if is_known else otherwise).uri)
    return found or {otherwise.uri}
