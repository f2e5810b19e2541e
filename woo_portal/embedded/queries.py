"""The query to the embedded index for a question. The same records are hits as in Elasticsearch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import product
from math import log

from tantivy import FieldType, Occur, Query, Schema, Searcher

from woo_harvester.kinds import Kind
from woo_harvester.outputs.definition import Status
from woo_portal.dutch import analyzer
from woo_portal.embedded.layout import POINT, POSITIONS
from woo_portal.engine import ITSELF, NAMED, ORGANISATION, PARTS_SHARE, text_fields, title_field
from woo_portal.question import Clause, Question, ids_of_part, spellings

#: How much the other fields that have a word count, beside the best one.
_TIE = 0.2
#: The number by which BM25 multiplies at most how seldom a word is (k1 + 1).
_MOST_OF_BM25 = 2.2
#: Words and phrases whose queries are kept.
_KEPT_WAYS = 256


class QueryMaker:
    """Makes queries for one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        # Each question asks for the same several times.
        self._ways = lru_cache(_KEPT_WAYS)(self._ways_of)

    def query(
        self, question: Question, near: Query | None, without: str | None = None, text: Query | None = None
    ) -> Query:
        """Return the query of a question; *near* is that of its place, and *without* a facet left out.

        *text* is the query of its words and phrases, if it is another one than they ask for.
        """
        clauses = self._clauses(question) if text is None else [(Occur.Must, text)]
        filters = [*self._filters(question), *self._chosen(question, without)]
        if near is not None:
            filters.append(near)
        if not filters and all(occur == Occur.MustNot for occur, _ in clauses):
            filters.append(self.kind(question.kind.name))
        every = [(Occur.Must, Query.const_score_query(query, 0.0)) for query in filters]
        left_out = [(Occur.MustNot, query) for query in self._left_out(question)]
        if question.named:
            named = Query.const_score_query(self.terms(f"value_{ORGANISATION}", question.named), NAMED)
            every.append((Occur.Should, named))
        return Query.boolean_query([*clauses, *every, *left_out])

    def best(self, question: Question, searcher: Searcher) -> tuple[Query, float] | None:
        """Return the query of a phrase in a field before the last, and the most that any other hit scores.

        The places of the words in most texts need not be compared for it. None for other questions.
        """
        if len(question.clauses) != 1 or not (clause := question.clauses[0]).is_phrase or question.named:
            return None
        *few, last = self._ways(clause, question.kind)
        *_, (number, field) = enumerate(text_fields(question.kind))
        counts = [searcher.doc_freq(f"exact{number}", each) for each in analyzer("exact").tokens(clause.text)]
        # The engine counts documents that were deleted too, until it merges them away.
        most = sum(log(1 + 10 * searcher.num_docs / (count + 0.5)) for count in counts)
        among = Query.const_score_query(Query.boolean_query([(Occur.Should, way) for way in few]), 0.0)
        found = Query.disjunction_max_query([*few, _all([last, among])], _TIE)
        return found, field.boost * _MOST_OF_BM25 * most

    def has_words(self, question: Question) -> bool:
        """Return whether a question has a word or phrase that hits have, and so an order of relevance."""
        return any(self._ways(each, question.kind) for each in question.clauses if not each.is_excluded)

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

    def _clauses(self, question: Question) -> list[tuple[Occur, Query]]:
        """Return the queries of the words and phrases."""
        made = [
            (Occur.MustNot if clause.is_excluded else Occur.Must, Query.disjunction_max_query([*ways], _TIE))
            for clause in question.clauses
            if (ways := self._ways(clause, question.kind))
        ]
        if not question.lacking:
            return made
        wanted = [(Occur.Should, query) for occur, query in made if occur == Occur.Must]
        most = Query.boolean_query(wanted, max(1, len(wanted) - question.lacking))
        return [(Occur.Must, most), *(each for each in made if each[0] == Occur.MustNot)]

    def _ways_of(self, clause: Clause, kind: Kind) -> list[Query]:
        """Return where a document may have a word or phrase; nowhere if it has no word to search for."""
        name = "exact" if clause.is_phrase else "stam"
        spelled = [analyzer(name).tokens(text) for text in spellings(clause)]
        if not spelled[0]:
            return []
        found: list[tuple[Query, float]] = []
        for tokens, (number, searched) in product(filter(None, spelled), enumerate(text_fields(kind))):
            if clause.is_phrase:
                found.append((self._phrase(f"exact{number}", tokens), searched.boost))
            else:
                found.append((self._words(f"stam{number}", tokens), searched.boost))
                found.append((self._parts(number, tokens), searched.boost * PARTS_SHARE))
        if not clause.is_phrase:
            itself = self._words("exact0", analyzer("exact").tokens(clause.text))
            found.append((itself, title_field(kind).boost * ITSELF))
        return [Query.boost_query(query, boost) for query, boost in found]

    def _phrase(self, field: str, tokens: Sequence[str]) -> Query:
        several = len(tokens) > 1
        return Query.phrase_query(self._schema, field, [*tokens]) if several else self._words(field, tokens)

    def _words(self, field: str, tokens: Sequence[str]) -> Query:
        return _all(self._term_with_count(field, token) for token in dict.fromkeys(tokens))

    def _parts(self, number: int, tokens: Sequence[str]) -> Query:
        """Return the query of parts of compounds. A word of several tokens may have some that are stems."""
        different = list(dict.fromkeys(tokens))
        parts = [self.term(f"delen{number}", token) for token in different]
        if len(parts) == 1:
            return parts[0]
        stems = (self._term_with_count(f"stam{number}", token) for token in different)
        return _all(Query.disjunction_max_query([*pair]) for pair in zip(stems, parts, strict=True))

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
