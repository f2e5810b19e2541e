"""The index at one moment: how many hits questions have, and what else was found out about it since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from tantivy import Order, Query, Searcher

from woo_harvester.kinds import Kind
from woo_harvester.outputs.definition import MAX_COUNTS, FacetValue
from woo_portal.embedded.layout import Marks, values_by_number
from woo_portal.embedded.queries import QueryMaker
from woo_portal.engine import Count, counted_facets
from woo_portal.question import MAX_VALUES, Question, Sort

#: Questions whose numbers of hits are kept: some 100 bytes for each value of their facets.
_KEPT_TALLIES = 64
#: The first records in an order whose places in it are known.
_FIRST = 10_000
#: How many times more records are looked at than must be, if hits were spread evenly; and how many at least.
_SPARE, _LEAST = 2, 500


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of hits."""

    total: int
    by_facet: Mapping[str, Mapping[int, int]]
    """For each facet, by its name: how many hits a value has, by the number of the value."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The index at one moment. All threads share it."""

    searcher: Searcher
    seen: bytes
    """The file by which a commit becomes visible."""
    version: str
    marks: Marks | None
    """What the index keeps beside its records; None before its first commit."""
    _lock: Lock = field(default_factory=Lock)
    _tallies: dict[str, Tally] = field(default_factory=dict)
    _values: dict[str, Mapping[int, FacetValue]] = field(default_factory=dict)
    _orders: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def tally(self, question: str) -> Tally | None:
        """Return the numbers of hits of a question that was asked before, or None."""
        with self._lock:
            if (found := self._tallies.pop(question, None)) is not None:
                self._tallies[question] = found  # the last to go
            return found

    def keep(self, question: str, tally: Tally) -> Tally:
        """Keep the numbers of hits of a question, and return them."""
        with self._lock:
            self._tallies[question] = tally
            if len(self._tallies) > _KEPT_TALLIES:
                del self._tallies[next(iter(self._tallies))]
        return tally

    def values(self, facet: str) -> Mapping[int, FacetValue]:
        """Return the values of a facet by their numbers."""
        if (found := self._values.get(facet)) is None:
            found = self._values[facet] = values_by_number(self.searcher, facet)
        return found

    def bound(self, make: QueryMaker, kind: Kind, order: str, share: float) -> int | None:
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


def tally_of(snapshot: Snapshot, make: QueryMaker, question: Question, near: Query | None) -> Tally:
    """Return the numbers of hits of a question. Another page or order of the same hits has the same."""
    same = replace(question, start=0, size=0, sort=Sort.RELEVANCE, with_highlights=False)
    if (found := snapshot.tally(key := repr(same))) is not None:
        return found
    return snapshot.keep(key, _counted(snapshot.searcher, make, same, near))


def counts_of(snapshot: Snapshot, question: Question, tally: Tally) -> dict[str, list[Count]]:
    """Return the counts of an answer: of each facet the most frequent values; equal ones by their labels."""
    most = MAX_VALUES if question.all_of else MAX_COUNTS
    return {name: _counts(snapshot, name, numbers)[:most] for name, numbers in tally.by_facet.items()}


def _counts(snapshot: Snapshot, facet: str, numbers: Mapping[int, int]) -> list[Count]:
    values = snapshot.values(facet)
    found = [Count(values[number], count) for number, count in numbers.items() if count]
    return sorted(found, key=lambda each: (-each.number, each.value.label, each.value.value))


def _counted(searcher: Searcher, make: QueryMaker, question: Question, near: Query | None) -> Tally:
    """Return the numbers of hits; what is chosen in a facet does not narrow its own."""
    names = [facet.name for facet in counted_facets(question)]
    chosen = [name for name in names if question.chosen.get(name)]
    others = [name for name in names if name not in chosen]
    total, found = _aggregated(searcher, make.query(question, near), others)
    for name in chosen:
        found |= _aggregated(searcher, make.query(question, near, without=name), [name])[1]
    return Tally(total, {name: found[name] for name in names})


def _aggregated(
    searcher: Searcher, query: Query, facets: Sequence[str]
) -> tuple[int, dict[str, Mapping[int, int]]]:
    terms = {name: {"terms": {"field": f"count_{name}", "size": MAX_VALUES}} for name in facets}
    # Each record has one key.
    found = searcher.aggregate(query, {**terms, "total": {"value_count": {"field": "key"}}})
    buckets = {name: found[name]["buckets"] for name in facets}
    return int(found["total"]["value"]), {
        name: {int(each["key"]): int(each["doc_count"]) for each in some} for name, some in buckets.items()
    }
