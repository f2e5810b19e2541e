"""The query to the embedded index for a question. The same records are hits as in Elasticsearch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import product
from math import log

from tantivy import FieldType, Occur, Query, Schema, Searcher

from woo_harvester.kinds import Kind
from woo_harvester.outputs.definition import Status
from woo_portal.dutch import analyzer
from woo_portal.embedded.layout import POINT, POSITIONS
from woo_portal.engine import ITSELF, PARTS_SHARE, text_fields, title_field
from woo_portal.question import Clause, Question, ids_of_part, spellings

#: How much the other fields that have a word count, beside the best one.
_TIE_BREAKER = 0.2
#: A word is seldom in a field if this many times fewer documents have it there than elsewhere.
_SELDOM = 5
#: The highest number by which BM25 multiplies how seldom a word is (k1 + 1).
_MOST_OF_BM25 = 2.2
#: Words and phrases whose queries are kept.
_KEPT_WAYS = 256


@dataclass(frozen=True, slots=True)
class _Way:
    """A way in which a document may have a word or phrase: in one field, and as it is, or by its stem."""

    query: Query = field(compare=False)
    boost: float
    places: Sequence[Sequence[tuple[str, str]]]
    """A list for each token: the index fields that may have the token, each with the token."""

    def documents(self, searcher: Searcher) -> int:
        """Return the most documents that can have it so."""
        return min(sum(searcher.doc_freq(*place) for place in each) for each in self.places)

    def most(self, searcher: Searcher) -> float:
        """Return a bound of the score that it can give."""
        # The engine counts documents that were deleted too, until it merges them away.
        every = 10 * searcher.num_docs
        counts = (searcher.doc_freq(*place) for each in self.places for place in each)
        return self.boost * _MOST_OF_BM25 * sum(log(1 + (every + 0.5) / (count + 0.5)) for count in counts)


def _best_of(ways: Sequence[_Way], among: Query | None, many: Collection[_Way]) -> Query:
    found: list[Query] = []
    for way in ways:
        # A union of lists cannot skip, so that each list is cut by itself.
        query = _all([way.query, among]) if among is not None and way in many else way.query
        found.append(Query.boost_query(query, way.boost))
    return Query.disjunction_max_query(found, _TIE_BREAKER)


class QueryMaker:
    """Makes queries for one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        # Each question asks for the same several times.
        self._ways = lru_cache(_KEPT_WAYS)(self._ways_of)

    def query(self, question: Question, near: Query | None, without: str | None = None) -> Query:
        """Return the query of a question; *near* is that of its place, and *without* a facet left out."""
        return self._with_filters(self._clauses(question), question, near, without)

    def has_words(self, question: Question) -> bool:
        """Return whether a question has a word or phrase that hits have, and so an order of relevance."""
        return any(self._ways(each, question.kind) for each in question.clauses if not each.is_excluded)

    def best(
        self, question: Question, near: Query | None, searcher: Searcher, least: int
    ) -> tuple[Query | None, float]:
        """Return the query of those hits that have the word where few have it, and the most of any other hit.

        A word that most texts have counts for little there. So the best hits have it in the title, or
        elsewhere. The second value is a bound of the score of hits that have it only where many have it. The
        query is None if there is no place where few have it, if nowhere more than *least* have it, or for
        several words: their lists are short together.
        """
        wanted = [self._ways(each, question.kind) for each in question.clauses if not each.is_excluded]
        if len(wanted) != 1:
            return None, 0.0
        (ways,) = wanted
        documents = [way.documents(searcher) for way in ways]
        many = [way for way, n in zip(ways, documents, strict=True) if n > max(documents) / _SELDOM]
        few = [way.query for way in ways if way not in many]
        if not few or max(documents) <= least:
            return None, 0.0
        scores = [way.most(searcher) for way in many]
        among = Query.const_score_query(Query.boolean_query([(Occur.Should, each) for each in few]), 0.0)
        query = self._with_filters(self._clauses(question, among, many), question, near)
        return query, max(scores) + _TIE_BREAKER * (sum(scores) - max(scores))

    def _with_filters(
        self,
        clauses: Sequence[tuple[Occur, Query]],
        question: Question,
        near: Query | None,
        without: str | None = None,
    ) -> Query:
        filters = [*self._filters(question), *self._chosen(question, without)]
        if near is not None:
            filters.append(near)
        if not filters and all(occur == Occur.MustNot for occur, _ in clauses):
            filters.append(self.kind(question.kind.name))
        every = [(Occur.Must, Query.const_score_query(query, 0.0)) for query in filters]
        left_out = [(Occur.MustNot, query) for query in self._left_out(question)]
        return Query.boolean_query([*clauses, *every, *left_out])

    def kind(self, name: str) -> Query:
        """Return the query of all index documents of a kind."""
        return self.term("kind", name)

    def term(self, field: str, value: str) -> Query:
        """Return the query of a value."""
        return Query.term_query(self._schema, field, value, index_option="basic")

    def terms(self, field: str, values: Sequence[str | int]) -> Query:
        """Return the query of one of several values."""
        return Query.term_set_query(self._schema, field, values)

    def box(self, south: float, west: float, north: float, east: float) -> Query:
        """Return the query of index documents whose point is in a rectangle."""
        sides = (("lat", south, north), ("lon", west, east))
        return _all(
            Query.range_query(self._schema, name, FieldType.Float, low, high) for name, low, high in sides
        )

    def in_order(self, field: str, least: int | None = None, most: int | None = None) -> Query:
        """Return the query of documents from one place in an order to another."""
        return Query.range_query(self._schema, field, FieldType.Unsigned, least, most)

    def _clauses(
        self, question: Question, among: Query | None = None, many: Collection[_Way] = ()
    ) -> list[tuple[Occur, Query]]:
        """Return the queries of the words and phrases; of the ways in *many* only what is *among* some."""
        return [
            (Occur.MustNot if clause.is_excluded else Occur.Must, _best_of(ways, among, many))
            for clause in question.clauses
            if (ways := self._ways(clause, question.kind))
        ]

    def _ways_of(self, clause: Clause, kind: Kind) -> list[_Way]:
        """Return where a document may have a word or phrase; nowhere if it has no word to search for."""
        name = "exact" if clause.is_phrase else "stam"
        spelled = [analyzer(name).tokens(text) for text in spellings(clause)]
        if not spelled[0]:
            return []
        found: list[_Way] = []
        for tokens, (number, searched) in product(filter(None, spelled), enumerate(text_fields(kind))):
            if clause.is_phrase:
                found.append(self._phrase(f"exact{number}", tokens, searched.boost))
            else:
                found.append(self._words(f"stam{number}", tokens, searched.boost))
                found.append(self._parts(number, tokens, searched.boost * PARTS_SHARE))
        if not clause.is_phrase:
            itself = analyzer("exact").tokens(clause.text)
            found.append(self._words("exact0", itself, title_field(kind).boost * ITSELF))
        return found

    def _phrase(self, field: str, tokens: Sequence[str], boost: float) -> _Way:
        if len(tokens) == 1:
            return self._words(field, tokens, boost)
        query = Query.phrase_query(self._schema, field, list(tokens))
        return _Way(query, boost, [[(field, token)] for token in tokens])

    def _words(self, field: str, tokens: Sequence[str], boost: float) -> _Way:
        different = list(dict.fromkeys(tokens))
        query = _all(self._term_with_count(field, token) for token in different)
        return _Way(query, boost, [[(field, token)] for token in different])

    def _parts(self, number: int, tokens: Sequence[str], boost: float) -> _Way:
        """Return the way of parts of compounds. A word of several tokens may have some that are stems."""
        different = list(dict.fromkeys(tokens))
        if len(different) == 1:
            (token,) = different
            return _Way(self.term(f"delen{number}", token), boost, [[(f"delen{number}", token)]])
        places = [[(f"stam{number}", token), (f"delen{number}", token)] for token in different]
        either = (
            Query.disjunction_max_query([self._term_with_count(*stem), self.term(*part)])
            for stem, part in places
        )
        return _Way(_all(either), boost, places)

    def _term_with_count(self, field: str, token: str) -> Query:
        """Return the query of a token of which the index has how often it is in the field."""
        return Query.term_query(self._schema, field, token, index_option="freq")

    def _left_out(self, question: Question) -> Iterator[Query]:
        """Yield what is left out: other kinds, and the other status.

        These are few: it takes less time to skip them than to look up each hit among all of its kind.
        """
        points = (f"{POINT} {kind.name}" for kind in Kind)
        for name in {*(kind.name for kind in Kind), *points, POSITIONS} - {question.kind.name}:
            yield self.kind(name)
        if question.status is not None:
            for status in Status:
                if status != question.status:
                    yield self.term("status", status.value)

    def _filters(self, question: Question) -> Iterator[Query]:
        if question.ids:
            yield self.terms("id", question.ids)
        if question.part:
            first, last = ids_of_part(*question.part)
            yield Query.range_query(self._schema, "key", FieldType.Unsigned, first, last)
        for name, period in question.periods.items():
            if period.begin is not None or period.end is not None:
                yield self._days(name, period.begin, period.end)
        if (day := question.running_on) is not None:
            yield self._days("begin", None, day)
            yield self._days("end", day, None)
        if (day := question.ended_before) is not None:
            yield self._days("end", None, date.fromordinal(max(1, day.toordinal() - 1)))

    def _days(self, field: str, begin: date | None, end: date | None) -> Query:
        low, high = (day.toordinal() if day is not None else None for day in (begin, end))
        return Query.range_query(self._schema, field, FieldType.Integer, lower_bound=low, upper_bound=high)

    def _chosen(self, question: Question, without: str | None) -> Iterator[Query]:
        for name, values in question.chosen.items():
            if values and name != without:
                yield self.terms(f"value_{name}", values)


def _all(queries: Iterable[Query]) -> Query:
    given = list(queries)
    return given[0] if len(given) == 1 else Query.boolean_query([(Occur.Must, query) for query in given])
