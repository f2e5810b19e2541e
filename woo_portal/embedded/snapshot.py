"""The index at one moment, and what was found out about it since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tantivy import Order, Searcher

from woo_harvester.outputs.definition import FacetValue, RecordKind
from woo_portal.embedded.layout import Marks, values_by_number
from woo_portal.embedded.queries import QueryMaker

#: Questions whose numbers of hits are kept.
_KEPT_TALLIES = 256
#: The first records in an order whose places in it are known.
_FIRST = 10_000
#: How many times more records are looked at than must be, if hits were spread evenly; and how many at least.
_SPARE, _LEAST = 2, 500


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of hits."""

    total: int
    by_facet: Mapping[str, Mapping[int, int]]
    """By the name of a facet, and the number of a value."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The index at one moment. All threads share it."""

    searcher: Searcher
    seen: bytes
    """The file by which a commit becomes visible."""
    version: str
    marks: Marks | None
    """What the index keeps beside its records; None before its first commit."""
    _tallies: dict[str, Tally] = field(default_factory=dict)
    _values: dict[str, Mapping[int, FacetValue]] = field(default_factory=dict)
    _orders: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def tally(self, question: str) -> Tally | None:
        """Return the numbers of hits of a question that was asked before, or None."""
        if found := self._tallies.pop(question, None):
            self._tallies[question] = found  # the last to go
        return found

    def keep(self, question: str, tally: Tally) -> Tally:
        """Keep the numbers of hits of a question, and return them."""
        while len(self._tallies) >= _KEPT_TALLIES:
            self._tallies.pop(next(iter(self._tallies)), None)
        self._tallies[question] = tally
        return tally

    def values(self, facet: str) -> Mapping[int, FacetValue]:
        """Return the values of a facet by their numbers."""
        if (found := self._values.get(facet)) is None:
            found = self._values[facet] = values_by_number(self.searcher, facet)
        return found

    def bound(self, make: QueryMaker, kind: RecordKind, order: str, share: float) -> int | None:
        """Return up to which number in an order the first *share* of some hits will be, or None.

        It is a guess: the hits may be of other days than most records.
        """
        if (numbers := self._orders.get((kind.name, order))) is None:
            found = self.searcher.search(
                make.kind(kind.name), _FIRST, count=False, order_by_field=order, order=Order.Asc
            ).hits
            numbers = self._orders[kind.name, order] = [int(number) for number, _ in found]
        place = int(share * self.searcher.num_docs * _SPARE) + _LEAST
        return numbers[place] if place < len(numbers) else None
