"""Compare the informatiecategorie that the register gives for a location with what is published there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache

from woo_harvester.register.organisations import Match, Organisation, RegisteredUrl
from woo_harvester.tooi import informatiecategorieen


@dataclass(slots=True)
class Published:
    """The documents that were seen under one registered URL."""

    registered: RegisteredUrl
    organisation: Organisation | None
    """The organisation that registered the URL; None if several did."""
    documents: int = 0
    """Documents with a known category."""
    categories: Counter[str] = field(default_factory=Counter)
    """Number of those documents by the URI of their category; a document may have several."""
    hosts: set[str] = field(default_factory=set)
    """The hosts whose sitemaps list them."""

    @property
    def is_conflict(self) -> bool:
        """True if no document has a category for which the URL is registered."""
        return self.registered.categories.isdisjoint(self.categories)


class PublishedCategories:
    """Counts the documents under each registered URL by category.

    The longest registered URL that is a prefix of a document's location decides. Memory grows with the number
    of registered URLs, not with that of documents.
    """

    def __init__(self) -> None:
        self._found: dict[str, Published] = {}

    def count(self, match: Match, categories: Collection[str], host: str) -> None:
        """Count a document of *match* that *host* lists. One without a known category does not count."""
        registered = match.registered
        if registered is None or not registered.categories:
            return
        if not (known := _known_categories().intersection(categories)):
            return
        if (found := self._found.get(registered.url)) is None:
            found = self._found[registered.url] = Published(registered, match.organisation)
        found.documents += 1
        for uri in known:
            found.categories[uri] += 1
        found.hosts.add(host)

    def conflicts(self) -> Iterator[Published]:
        """Yield the registered URLs that no document seen agrees with."""
        return (found for found in self._found.values() if found.is_conflict)


@cache
def _known_categories() -> frozenset[str]:
    return frozenset(concept.uri for concept in informatiecategorieen())
