"""The hits of a question in its order, without a look at all of them where that is possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import Any

from tantivy import DocAddress, Occur, Order, Query

from woo_portal.embedded.layout import addresses_of, count_of, total_of
from woo_portal.embedded.queries import QueryMaker
from woo_portal.embedded.snapshot import Snapshot
from woo_portal.question import Question, Sort

#: Hits that are read at a time when all are wanted, and among which equal ones are put in order.
_BATCH, _MOST_EQUAL = 2000, 20_000
#: Orders whose numbers differ for nearly all hits.
_IN_PARTS = ("newest", "oldest", "changed", "harvested", "key")
#: With more documents to visit than this, the hits that can be on the page are looked for among fewer.
_MANY = 20_000


class Ranking:
    """The hits of a question in its order."""

    def __init__(
        self,
        snapshot: Snapshot,
        make: QueryMaker,
        question: Question,
        near: Query | None,
        metres: Mapping[int, float],
    ) -> None:
        self._snapshot, self._searcher, self._make = snapshot, snapshot.searcher, make
        self._question, self._near, self._metres = question, near, metres
        self._query = make.query(question, near)

    def page(self, total: int | None) -> tuple[Sequence[DocAddress], int]:
        """Return the hits of the page, and the number of all hits, which *total* is if it is known."""
        start, size = self._question.start, self._question.size
        match self._order():
            case None:
                found, counted = self._by_relevance(start + size, total)
            case "metres":
                found = self._by_distance()
                counted = len(found)
            case order:
                counted = count_of(self._searcher, self._query) if total is None else total
                return self._in_order(order, counted), counted
        return found[start : start + size], counted

    def all(self) -> Iterator[DocAddress]:
        """Yield all hits in order; by a date in parts, else in one go."""
        order = self._order()
        if order in _IN_PARTS:
            yield from self._in_parts(order)
            return
        total = count_of(self._searcher, self._query)
        if order is None:
            yield from self._by_score(self._query, max(1, total))[0]
        elif order == "metres":
            yield from self._by_distance()
        else:
            yield from (address for _, address in self._ordered(self._query, order, max(1, total)))

    def _order(self) -> str | None:
        """Return the index field to order by, ``metres``, or None for the score."""
        question = self._question
        match question.sort:
            case Sort.DISTANCE if question.near is not None:
                return "metres"
            case Sort.TITLE | Sort.OLDEST | Sort.CHANGED | Sort.HARVESTED:
                return question.sort.name.lower()
            case Sort.RELEVANCE if question.clauses:
                # Without a word to search for, all are equal.
                return None if self._make.has_words(question) else "key"
            case _:
                return "newest"

    def _in_order(self, order: str, total: int) -> Sequence[DocAddress]:
        """Return the hits of the page in the order of a field, if possible from the first of all records."""
        start, size = self._question.start, self._question.size
        queries = [self._query]
        if order in _IN_PARTS and total > _MANY:
            least = self._snapshot.bound(self._make, self._question.kind, order, (start + size) / total)
            if least is not None:
                parts = (self._query, self._make.in_order(order, most=least))
                queries.insert(0, Query.boolean_query([(Occur.Must, part) for part in parts]))
        for query in queries:
            found = self._ordered(query, order, max(1, size), start)
            if len(found) >= size:
                break
        return [address for _, address in found[:size]]

    def _ordered(self, query: Query, by: str, most: int, at: int = 0) -> list[tuple[Any, DocAddress]]:
        """Return hits in the order of a field, with its values."""
        found = self._searcher.search(query, most, count=False, order_by_field=by, order=Order.Asc, offset=at)
        return found.hits

    def _by_relevance(self, wanted: int, total: int | None) -> tuple[list[DocAddress], int]:
        """Return the first hits and their number, if possible from a look at few of them."""
        if total and (best := self._make.best(self._question, self._searcher)):
            query = self._make.query(self._question, self._near, text=best[0])
            if found := self._by_score(query, wanted, above=best[1])[0]:
                return found, total
        return self._by_score(self._query, wanted)

    def _by_score(self, query: Query, wanted: int, above: float = 0.0) -> tuple[list[DocAddress], int]:
        """Return at least the first *wanted* hits, best first, and the number of all hits.

        Equal ones are in the order of their ids. None are returned unless so many have a score *above* one.
        """
        limit = wanted + _BATCH // 20
        while True:
            answer = self._searcher.search(query, limit)
            hits = answer.hits
            is_enough = len(hits) < limit or hits[-1][0] < hits[min(wanted, limit) - 1][0]
            if is_enough or limit >= wanted + _MOST_EQUAL:
                break
            limit = wanted + (limit - wanted) * 8
        if above and (len(hits) < wanted or hits[wanted - 1][0] <= above):
            return [], 0
        made: list[DocAddress] = []
        for _, group in groupby(hits, key=itemgetter(0)):
            equal = [address for _, address in group]
            made += self._by_key(equal) if len(equal) > 1 else equal
            if len(made) >= wanted:
                break
        return made, total_of(answer)

    def _by_key(self, addresses: list[DocAddress]) -> list[DocAddress]:
        keys = self._searcher.fast_field_values("key", addresses)
        return [address for _, address in sorted(zip(keys, addresses, strict=True), key=itemgetter(0))]

    def _by_distance(self) -> list[DocAddress]:
        found = addresses_of(self._searcher, self._query)
        keys = self._searcher.fast_field_values("key", found)
        placed = [
            (self._metres.get(int(key or 0), inf), key, each) for key, each in zip(keys, found, strict=True)
        ]
        return [each for *_, each in sorted(placed, key=itemgetter(0, 1))]

    def _in_parts(self, order: str) -> Iterator[DocAddress]:
        """Yield all hits in the order of a number that hardly any two hits share."""
        least, seen = 0, 0
        while True:
            parts = [(Occur.Must, self._query), (Occur.Must, self._make.in_order(order, least))]
            found = self._ordered(Query.boolean_query(parts), order, _BATCH, seen)
            yield from (address for _, address in found)
            if len(found) < _BATCH:
                return
            last = found[-1][0]
            equal = sum(1 for number, _ in found if number == last)
            seen = seen + equal if last == least else equal
            least = last
