"""How many hits a question has, of all and of each value of the facets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tantivy import Query, Searcher

from woo_harvester.outputs.definition import MAX_COUNTS
from woo_portal.embedded.queries import QueryMaker
from woo_portal.embedded.snapshot import Snapshot, Tally
from woo_portal.engine import Count, counted_facets
from woo_portal.question import MAX_VALUES, Question, Sort

#: With a larger share of all documents as hits, the others are counted.
_MOST = 0.55


def tally_of(snapshot: Snapshot, make: QueryMaker, question: Question, near: Query | None) -> Tally:
    """Return the numbers of hits of a question. Another page or order of the same hits has the same."""
    same = replace(question, start=0, size=0, sort=Sort.RELEVANCE, with_highlights=False)
    if found := snapshot.tally(key := repr(same)):
        return found
    if same.clauses and make.likely_share(same, snapshot.searcher) > _MOST:
        # It takes less time to count the others.
        every = tally_of(snapshot, make, replace(same, clauses=()), near)
        others = _counted(snapshot.searcher, same, lambda facet: make.others(same, near, facet))
        return snapshot.keep(key, _without(every, others))
    return snapshot.keep(
        key, _counted(snapshot.searcher, same, lambda facet: make.query(same, near, without=facet))
    )


def counts_of(snapshot: Snapshot, question: Question, tally: Tally) -> dict[str, list[Count]]:
    """Return the counts of an answer: of each facet the most frequent values; equal ones by their labels."""
    most = MAX_VALUES if question.all_of else MAX_COUNTS
    return {name: _counts(snapshot, name, numbers)[:most] for name, numbers in tally.by_facet.items()}


def _counts(snapshot: Snapshot, facet: str, numbers: Mapping[int, int]) -> list[Count]:
    values = snapshot.values(facet)
    found = [Count(values[number], count) for number, count in numbers.items() if count]
    return sorted(found, key=lambda each: (-each.number, each.value.label, each.value.value))


def _counted(searcher: Searcher, question: Question, query_without: Callable[[str | None], Query]) -> Tally:
    """Return the numbers of what queries find; what is chosen in a facet does not narrow its own."""
    names = [facet.name for facet in counted_facets(question)]
    chosen = [name for name in names if question.chosen.get(name)]
    others = [name for name in names if name not in chosen]
    total, found = _aggregated(searcher, query_without(None), others)
    for name in chosen:
        found |= _aggregated(searcher, query_without(name), [name])[1]
    return Tally(total, {name: found[name] for name in names})


def _aggregated(
    searcher: Searcher, query: Query, facets: Sequence[str]
) -> tuple[int, dict[str, Mapping[int, int]]]:
    terms = {name: {"terms": {"field": f"count_{name}", "size": MAX_VALUES}} for name in facets}
    # Each record has one key.
    found = searcher.aggregate(query, {**terms, "total": {"value_count": {"field": "key"}}})
    numbers: dict[str, Mapping[int, int]] = {
        name: {int(bucket["key"]): int(bucket["doc_count"]) for bucket in found[name]["buckets"]}
        for name in facets
    }
    return int(found["total"]["value"]), numbers


def _without(every: Tally, others: Tally) -> Tally:
    """Return numbers less those of others."""
    left = {
        name: {number: count - others.by_facet[name].get(number, 0) for number, count in numbers.items()}
        for name, numbers in every.by_facet.items()
    }
    return Tally(every.total - others.total, left)
